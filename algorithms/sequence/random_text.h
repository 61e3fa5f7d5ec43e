// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_RANDOM_TEXT_H_
#define CONCORD_ALGORITHMS_SEQUENCE_RANDOM_TEXT_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/value_type.h"
#include "concord/core/random.h"

namespace concord::sequence {

// "a" of one, "(a, b)" of more.
std::string TupleText(const std::vector<std::string>& values);

// Texts of functions and operators, for random programs on `columns`.
class RandomText {
 public:
  // `mask`: most reads of columns are at indices & mask, and all are if
  // `stays_inside` is set. There are none if it is negative.
  RandomText(std::uint64_t seed, int mask, bool stays_inside)
      : random_(seed), mask_(mask), stays_inside_(stays_inside) {}

  void set_columns(std::vector<expression::Parameter> columns) {
    columns_ = std::move(columns);
  }

  Random& random() { return random_; }
  int Below(int bound) {
    return static_cast<int>(random_.Below(static_cast<std::uint64_t>(bound)));
  }
  bool Chance(int of) { return Below(of) == 0; }
  template <typename T>
  const T& OneOf(const std::vector<T>& values) {
    return values[random_.Below(values.size())];
  }
  expression::Type AnyType() { return OneOf(expression::AllTypes()); }

  // A function of values of the types `from`, with so many results; their types
  // are added to `types`.
  std::string Map(const std::vector<expression::Type>& from, int results,
                  std::vector<expression::Type>& types);
  std::string Predicate(const std::vector<expression::Type>& from);

  struct OperatorText {
    std::string text;
    // Whether it has a start, or an identity that is known.
    bool begins;
  };
  // Of any kind, which need not be associative: then it is unchecked.
  OperatorText Operator(const std::vector<expression::Type>& types);
  // Each value by a built-in operator of its own.
  OperatorText BuiltIns(const std::vector<expression::Type>& types);

 private:
  std::vector<std::string> Names(const std::vector<expression::Type>& types,
                                 absl::string_view letter) const;
  std::string AnyOperator(const std::vector<expression::Type>& types);
  std::string Constant(expression::Type type);
  std::string BuiltIn(expression::Type type, const std::string& a,
                      const std::string& b);

  // A value of the type, of what has these names and types. A map also has the
  // index and reads columns.
  struct Operands {
    std::vector<std::string> names;
    std::vector<expression::Type> types;
    bool map;
  };
  std::string Value(expression::Type type, const Operands& of, int depth);
  std::string Leaf(expression::Type type, const Operands& of);
  std::string Gather(expression::Type type, const std::string& index);

  Random random_;
  const int mask_;
  const bool stays_inside_;
  std::vector<expression::Parameter> columns_;
};

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_RANDOM_TEXT_H_
