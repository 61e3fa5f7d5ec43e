// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_COMPACT_SPEC_PLAIN_PREDICATE_H_
#define CONCORD_ALGORITHMS_COMPACT_SPEC_PLAIN_PREDICATE_H_

#include "concord/algorithms/compact/predicate.h"

namespace concord::compact {

// Whether an element is kept, said with comparisons of values and not with the
// ranges that implementations use, which are under test. Its constants are
// known to be values of T.
template <typename T>
class PlainPredicate {
 public:
  explicit PlainPredicate(const Predicate& predicate)
      : kind_(predicate.kind),
        first_(predicate.first.As<T>()),
        second_(predicate.second.As<T>()) {}

  bool operator()(T x) const {
    switch (kind_) {
      case Predicate::Kind::kNonzero:
        return x != T{0};
      case Predicate::Kind::kLess:
        return x < first_;
      case Predicate::Kind::kGreater:
        return x > first_;
      case Predicate::Kind::kEqual:
        return x == first_;
      case Predicate::Kind::kBetween:
        return first_ <= x && x <= second_;
    }
    __builtin_unreachable();
  }

 private:
  Predicate::Kind kind_;
  T first_;
  T second_;
};

}  // namespace concord::compact

#endif  // CONCORD_ALGORITHMS_COMPACT_SPEC_PLAIN_PREDICATE_H_
