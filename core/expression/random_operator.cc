// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/expression/random_operator.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "concord/core/expression/apply.h"
#include "concord/core/expression/function_of.h"
#include "concord/core/random.h"

namespace concord::expression {
namespace {

using Values = std::vector<Expression>;

// An associative operator on a tuple, as a function of symbols.
struct Piece {
  std::vector<Type> types;
  std::function<Values(const Values& a, const Values& b)> combine;
  // Nothing if it has none.
  std::optional<std::vector<Word>> identity;
};

// A number as a value of the type.
Word Whole(Type type, std::int64_t value) {
  return Cast(Type::kInt64, type, static_cast<Word>(value));
}
Expression Constant(Type type, Word value) {
  return Expression(Expression::TypedConstant{type, value});
}
Word Largest(Type type) {
  return Dispatch(StoredAs(type), [](auto tag) {
    return ToWord(std::numeric_limits<typename decltype(tag)::type>::max());
  });
}
Word Smallest(Type type) {
  return Dispatch(StoredAs(type), [](auto tag) {
    return ToWord(std::numeric_limits<typename decltype(tag)::type>::lowest());
  });
}

// --- Pieces of one value ---

Piece First(Type type) {
  return {{type}, [](const Values& a, const Values&) { return a; }, {}};
}
Piece Last(Type type) {
  return {{type}, [](const Values&, const Values& b) { return b; }, {}};
}

// What the text says, with its identity by Operator.
Piece BuiltIn(Type type, absl::string_view name) {
  const bool is_call = name == "min" || name == "max";
  const auto combine = [name, is_call](const Values& a, const Values& b) {
    return is_call ? Values{Call(name, {a[0], b[0]})}
                   : Values{Binary(name, a[0], b[0])};
  };
  const Operator op = *Operator::Parse(
      is_call ? std::string(name) + "(a, b)" : "a " + std::string(name) + " b",
      {type}, AssumeAssociative());
  return {{type}, combine, op.identity()};
}

// --- Pieces of integers ---

Piece Affine(Type type) {
  return {{type, type},
          [](const Values& a, const Values& b) {
            return Values{a[0] * b[0], a[1] * b[0] + b[1]};
          },
          {{Whole(type, 1), 0}}};
}

Piece AffineOverBits(Type type) {
  return {{type, type},
          [](const Values& a, const Values& b) {
            return Values{a[0] & b[0], (a[1] & b[0]) ^ b[1]};
          },
          {{Whole(type, -1), 0}}};
}

Piece AffineOverOrder(Type type) {
  return {{type, type},
          [](const Values& a, const Values& b) {
            return Values{Min(a[0], b[0]), Max(Min(a[1], b[0]), b[1])};
          },
          {{Largest(type), Smallest(type)}}};
}

Piece Matrix(Type type) {
  return {{type, type, type, type},
          [](const Values& a, const Values& b) {
            return Values{a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                          a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
          },
          {{Whole(type, 1), 0, 0, Whole(type, 1)}}};
}

// Shifts take their count modulo the width, so -n is the rest of a rotation.
Piece Rotation(Type type) {
  return {{type, type},
          [](const Values& a, const Values& b) {
            const Expression rotated = a[1] << b[0] | a[1] >> -b[0];
            return Values{a[0] + b[0], rotated ^ b[1]};
          },
          {{0, 0}}};
}

Piece SumFromFlags(Type type) {
  return {{Type::kBool, type},
          [](const Values& a, const Values& b) {
            return Values{a[0] || b[0], Select(b[0], b[1], a[1] + b[1])};
          },
          {{0, 0}}};
}

// Two bits for what each of 0, 1, 2, 3 is mapped to.
Piece SmallMaps() {
  return {{Type::kUInt8},
          [](const Values& a, const Values& b) {
            Expression composed = 0;
            for (int k = 0; k < 8; k += 2) {
              const Expression to = b[0] >> ((a[0] >> k & 3) << 1) & 3;
              composed = k == 0 ? to : composed | to << k;
            }
            return Values{composed};
          },
          {{0xe4}}};
}

// --- Together ---

// The piece seen through a bijection f of each value: f(f^-1(a) op f^-1(b)).
// Bits are turned by ^, numbers moved by +.
Piece Conjugate(Piece piece, const std::vector<Word>& keys, bool turns) {
  const std::vector<Type> types = piece.types;
  const auto through = [types, keys, turns](const Values& values, bool back) {
    Values result;
    for (std::size_t k = 0; k < types.size(); ++k) {
      const Expression key = Constant(types[k], keys[k]);
      const bool turn = turns || types[k] == Type::kBool;
      result.push_back(turn   ? values[k] ^ key
                       : back ? values[k] - key
                              : values[k] + key);
    }
    return result;
  };
  const auto combine = [through, inner = piece.combine](const Values& a,
                                                        const Values& b) {
    return through(inner(through(a, true), through(b, true)), false);
  };
  if (piece.identity.has_value()) {
    for (std::size_t k = 0; k < types.size(); ++k) {
      const bool turn = turns || types[k] == Type::kBool;
      Word& value = (*piece.identity)[k];
      value = Apply(turn ? Op::kXor : Op::kAdd, types[k], value, keys[k]);
    }
  }
  return {types, combine, piece.identity};
}

class Draw {
 public:
  Draw(std::uint64_t seed, int most_values)
      : random_(seed), most_values_(static_cast<std::size_t>(most_values)) {}

  Operator Run() {
    std::vector<Piece> pieces;
    std::size_t values = 0;
    do {
      Piece piece = DrawPiece();
      if (values + piece.types.size() > most_values_) continue;
      values += piece.types.size();
      pieces.push_back(std::move(piece));
    } while (values == 0 || (values < most_values_ && random_.Below(2) == 0));
    return Join(pieces, Shuffled(values));
  }

 private:
  Type AnyOf(const std::vector<Type>& types) {
    return types[random_.Below(types.size())];
  }

  Piece DrawPiece() {
    const Type integer = AnyOf({Type::kInt8, Type::kUInt8, Type::kInt32,
                                Type::kUInt32, Type::kInt64, Type::kUInt64});
    switch (random_.Below(10)) {
      case 0:
        return DrawFloat();
      case 1:
        return random_.Below(2) == 0 ? First(AnyOf(AllTypes()))
                                     : Last(AnyOf(AllTypes()));
      case 2: {
        static constexpr absl::string_view kNames[] = {"&&", "||", "^"};
        return MaybeConjugate(BuiltIn(Type::kBool, kNames[random_.Below(3)]));
      }
      case 3: {
        static constexpr absl::string_view kNames[] = {"+", "*", "min", "max",
                                                       "&", "|", "^"};
        return MaybeConjugate(BuiltIn(integer, kNames[random_.Below(7)]));
      }
      case 4:
        return MaybeConjugate(Matrix(integer));
      case 5:
        return MaybeConjugate(AffineOverBits(integer));
      case 6:
        return MaybeConjugate(AffineOverOrder(integer));
      case 7:
        return Rotation(AnyOf({Type::kUInt8, Type::kUInt32, Type::kUInt64}));
      case 8:
        return random_.Below(3) == 0 ? SmallMaps()
                                     : MaybeConjugate(SumFromFlags(integer));
      default:
        return MaybeConjugate(Affine(integer));
    }
  }

  Piece DrawFloat() {
    const Type type = AnyOf({Type::kFloat32, Type::kFloat64});
    return BuiltIn(type, random_.Below(2) == 0 ? "min" : "max");
  }

  Piece MaybeConjugate(Piece piece) {
    if (random_.Below(3) != 0) return piece;
    std::vector<Word> keys;
    for (Type type : piece.types) {
      // Small ones, so that the trial of the laws stays near them, or any.
      const std::uint64_t bits = random_.Bits();
      const bool small = random_.Below(2) == 0;
      keys.push_back(type == Type::kBool
                         ? bits & 1
                         : Cast(Type::kInt64, type, small ? bits % 8 : bits));
    }
    return Conjugate(std::move(piece), keys, random_.Below(2) == 0);
  }

  std::vector<std::size_t> Shuffled(std::size_t size) {
    std::vector<std::size_t> places(size);
    std::iota(places.begin(), places.end(), std::size_t{0});
    for (std::size_t k = size; k > 1; --k) {
      std::swap(places[k - 1], places[random_.Below(k)]);
    }
    return places;
  }

  // All pieces side by side; value k of them stands at places[k] of the tuple.
  static Operator Join(const std::vector<Piece>& pieces,
                       const std::vector<std::size_t>& places) {
    std::vector<Type> types(places.size());
    std::optional<std::vector<Word>> identity(places.size());
    std::size_t first = 0;
    for (const Piece& piece : pieces) {
      for (std::size_t k = 0; k < piece.types.size(); ++k) {
        types[places[first + k]] = piece.types[k];
        if (!piece.identity.has_value()) identity = std::nullopt;
        if (identity.has_value()) {
          (*identity)[places[first + k]] = (*piece.identity)[k];
        }
      }
      first += piece.types.size();
    }
    const auto combine = [&](Values both) {
      Values results(places.size(), Expression(0));
      std::size_t at = 0;
      for (const Piece& piece : pieces) {
        Values a, b;
        for (std::size_t k = 0; k < piece.types.size(); ++k) {
          a.push_back(both[places[at + k]]);
          b.push_back(both[places.size() + places[at + k]]);
        }
        const Values combined = piece.combine(a, b);
        for (std::size_t k = 0; k < combined.size(); ++k) {
          results[places[at + k]] = combined[k];
        }
        at += piece.types.size();
      }
      return results;
    };
    return *Operator::Create(*OperatorOf(types, combine),
                             AssumeAssociative({std::move(identity)}));
  }

  Random random_;
  const std::size_t most_values_;
};

}  // namespace

Operator RandomOperator(std::uint64_t seed, int most_values) {
  return Draw(seed, most_values).Run();
}

}  // namespace concord::expression
