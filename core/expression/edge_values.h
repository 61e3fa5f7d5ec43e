// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_EXPRESSION_EDGE_VALUES_H_
#define CONCORD_CORE_EXPRESSION_EDGE_VALUES_H_

#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

namespace concord::expression {

// Values of T at which operations are tried: the ends of the type, what lies
// around zero, around powers of two, and where other types end.
template <typename T>
std::vector<T> Edges() {
  using Limits = std::numeric_limits<T>;
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_floating_point_v<T>) {
    std::vector<T> values = {T{0},
                             Limits::denorm_min(),
                             Limits::min(),
                             T{0.5},
                             Limits::epsilon(),
                             T{1} - Limits::epsilon() / 2,
                             T{1},
                             T{1} + Limits::epsilon(),
                             T{1.5},
                             T{2},
                             T{2.5},
                             T{3},
                             static_cast<T>(0.1),
                             T{127},
                             T{128},
                             T{255},
                             T{255.5},
                             T{256},
                             T{2147483520},
                             T{2147483648},
                             T{4294967296},
                             static_cast<T>(0x1p52) + T{0.5},
                             static_cast<T>(0x1p63),
                             static_cast<T>(0x1p64),
                             Limits::max(),
                             Limits::infinity(),
                             Limits::quiet_NaN()};
    for (std::size_t k = values.size(); k-- > 0;) values.push_back(-values[k]);
    return values;
  } else {
    std::vector<T> values;
    for (int k : {0, 1, 2, 3, 5, 7, 8, 31, 32, 33, 63, 64, 100}) {
      values.push_back(static_cast<T>(k));
      values.push_back(static_cast<T>(-k));
      values.push_back(static_cast<T>(Limits::max() - k));
      values.push_back(static_cast<T>(Limits::min() + k));
    }
    values.push_back(static_cast<T>(Limits::max() / 2));
    values.push_back(static_cast<T>(0x5555555555555555));
    return values;
  }
}

}  // namespace concord::expression

#endif  // CONCORD_CORE_EXPRESSION_EDGE_VALUES_H_
