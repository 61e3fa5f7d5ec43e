// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SEQUENCE_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SEQUENCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "concord/algorithms/sequence/sequence_program.h"
#include "concord/core/array.h"
#include "concord/core/backend.h"
#include "concord/core/call.h"
#include "concord/core/explanation.h"
#include "concord/core/expression/expression.h"
#include "concord/core/expression/function_of.h"
#include "concord/core/expression/operator.h"
#include "concord/core/guarded.h"
#include "concord/core/host_array.h"

namespace concord {

// Sequences of values or tuples, and functions of the user's on them, lazily:
// what is asked for at the end runs as one program (sequence_program.h), whose
// stages are fused. A Sequence is a value, cheap to copy; it keeps the arrays
// that it was made from and what is still to be done, and changes nothing.
//
// A function is text in the language of core/expression, or a lambda on
// Expressions that is called once, on symbols:
//
//   Sequence x = Sequence::Of<int>(backend, {3, 1, 4});
//   absl::StatusOr<int> sum = x.Map("2 * x + 1").Sum().Get<int>();
//   using Expression = Sequence::Expression;
//   absl::StatusOr<int> same =
//       x.Map([](Expression x) { return 2 * x + 1; }).Sum().Get<int>();
//
// The parameters of a text are x, y, z and w, or what it calls them. The first
// error stays with the sequence, and whatever asks for a result returns it;
// that of a text has its line, its column and a caret. What a lambda throws is
// an error too, and so is a lack of memory: nothing is thrown.
//
// Results are the same bits on every backend; README.md says in which order an
// operator is applied. A program reads at most four arrays and gives at most
// four columns.
class Sequence {
 public:
  // A move is a copy of one pointer, and what was moved from stays as it was.
  Sequence(const Sequence&) = default;
  Sequence& operator=(const Sequence&) = default;

  using Expression = expression::Expression;
  using OperatorClaims = expression::OperatorClaims;

  // The elements of an array that the caller keeps alive. Where it lies in the
  // backend's memory it is not copied.
  static Sequence Borrow(std::shared_ptr<Backend> backend,
                         ConstArrayView array);

  template <typename T>
  static Sequence Of(std::shared_ptr<Backend> backend, std::vector<T> values) {
    return Made([&] {
      auto owner = std::make_shared<const std::vector<T>>(std::move(values));
      const ConstArrayView view{absl::MakeConstSpan(*owner)};
      return Column(std::move(backend), view, std::move(owner));
    });
  }

  // f, a text, at i = 0, ..., count - 1: Tabulate(backend, "i * i", 10). For a
  // lambda, Map a Range.
  static Sequence Tabulate(std::shared_ptr<Backend> backend,
                           absl::string_view f, std::int64_t count);
  // first, first + 1, ..., `count` of them, as int64.
  static Sequence Range(std::shared_ptr<Backend> backend, std::int64_t first,
                        std::int64_t count);

  // --- Elements one by one ---

  // f of each element. `tables` are sequences that f reads at any index; they
  // must come straight from arrays. A text calls them by name, and a lambda
  // takes them behind the values, in the order of the list:
  //
  //   x.Map("t[x]", {{"t", t}})
  //   using TableSymbol = Sequence::TableSymbol;
  //   x.Map([](Expression x, TableSymbol t) { return t[x]; }, {{"t", t}})
  using TableSymbol = expression::TableSymbol;
  using Tables = std::vector<std::pair<std::string, Sequence>>;
  template <typename F>
  Sequence Map(F&& f, const Tables& tables = {}) const {
    return Next(
        [&] { return Read(FunctionBy(std::forward<F>(f), tables), tables); });
  }

  // The elements for which f is true, in order.
  template <typename F>
  Sequence Filter(F&& f) const {
    return Next(
        [&] { return Apply("filter", FunctionBy(std::forward<F>(f))); });
  }

  // Column `number` of tuples.
  Sequence operator[](int number) const;

  // --- Elements together, by an operator ---

  // An operator is text, such as "a + b" or "(s, m), (t, n) -> (s + t, min(m,
  // s + n))", or a lambda on the values of two elements. `start`, such as "0"
  // or "(0, 0)", is what to begin with; without it, an identity that is among
  // the claims. The operator's laws are tried. Where they do not quite hold,
  // `unchecked` behind a text leaves out the trial, or the claim that they do:
  //
  //   x.Reduce("(a + b) % 5 unchecked")
  //   x.Reduce(op, /*start=*/"", expression::AssumeAssociative())
  template <typename F>
  Sequence Reduce(F&& op, absl::string_view start = "",
                  const OperatorClaims& claims = {}) const {
    return Combine("reduce", std::forward<F>(op), start, claims);
  }
  template <typename F>
  Sequence Scan(F&& op, absl::string_view start = "",
                const OperatorClaims& claims = {}) const {
    return Combine("scan", std::forward<F>(op), start, claims);
  }
  template <typename F>
  Sequence ScanBefore(F&& op, absl::string_view start = "",
                      const OperatorClaims& claims = {}) const {
    return Combine("scan_before", std::forward<F>(op), start, claims);
  }

  // --- Elements by a key ---

  // A key is text or a lambda, and gives one value. Keys ascend: of floats -0.0
  // is before 0.0, and NaN last. Equal ones are one group, in the order of
  // their elements.

  // All elements, by their keys; those with equal keys stay in order.
  template <typename F>
  Sequence SortBy(F&& key) const {
    return Next(
        [&] { return Apply("sort_by", FunctionBy(std::forward<F>(key))); });
  }
  // Tuples of a key and how many elements have it, an int64.
  template <typename F>
  Sequence Histogram(F&& key) const {
    return Next(
        [&] { return Apply("histogram", FunctionBy(std::forward<F>(key))); });
  }
  // Tuples of a key and its elements combined. A key that is a tuple has the
  // values to combine instead of elements behind it:
  //
  //   Zip(days, prices).GroupReduce("(x, y)", "max(a, b)")
  template <typename F, typename G>
  Sequence GroupReduce(F&& key, G&& op, absl::string_view start = "",
                       const OperatorClaims& claims = {}) const {
    return Next([&] {
      absl::StatusOr<expression::Function> f = FunctionBy(std::forward<F>(key));
      if (!f.ok()) return Group(f.status(), f.status(), start, claims);
      auto combination =
          OperatorOn(GroupedTypes(*f), std::forward<G>(op), claims);
      return Group(std::move(f), std::move(combination), start, claims);
    });
  }

  // --- Elements together, in short ---

  Sequence Sum() const { return Reduce("a + b"); }
  Sequence Min() const { return Reduce("min(a, b)"); }
  Sequence Max() const { return Reduce("max(a, b)"); }
  // How many elements there are, as one int64.
  Sequence Count() const;
  // The last element.
  Sequence Last() const;

  // --- Parts ---

  Sequence Take(std::int64_t count) const;
  Sequence Slice(std::int64_t first, std::int64_t count) const;

  // --- Results ---

  // The value of a sequence of one element, which is a T.
  template <typename T>
  absl::StatusOr<T> Get() const {
    return Guarded([&]() -> absl::StatusOr<T> {
      const absl::StatusOr<std::vector<HostArray>> columns =
          OneElement({ElementTypeOf<T>()});
      if (!columns.ok()) return columns.status();
      return *columns->front().template data<T>();
    });
  }

  // All elements, which are Ts. A bool is a std::uint8_t, 0 or 1.
  template <typename T>
  absl::StatusOr<std::vector<T>> ToVector() const {
    return Guarded([&]() -> absl::StatusOr<std::vector<T>> {
      absl::StatusOr<std::vector<HostArray>> columns =
          Columns({ElementTypeOf<T>()});
      if (!columns.ok()) return columns.status();
      const absl::Span<const T> values = columns->front().template span<T>();
      return std::vector<T>(values.begin(), values.end());
    });
  }

  // Every column, in host memory.
  absl::StatusOr<std::vector<HostArray>> ToArrays() const {
    return Guarded([&] { return Columns({}); });
  }

  // Every column of a sequence of one element, which are of these types.
  absl::StatusOr<std::vector<HostArray>> OneElement(
      const std::vector<ElementType>& types) const;

  // Every column into an array of the caller's, without gaps, of its type and
  // with room for all elements that there may be, behind a filter for all that
  // it looks at; `count` is set to their number.
  absl::Status Into(absl::Span<const ArrayView> columns,
                    std::int64_t* count = nullptr) const;

  // Compiles what the backend compiles for this program at once, and not when
  // it pays: for all runs to come of this process. Backends that compile
  // nothing do nothing. Unavailable: it cannot compile here; the program runs
  // all the same.
  absl::Status Prepare() const;

  // What the program would do: its steps, and what each reads, computes and
  // writes, as `concord explain` shows them. Nothing runs.
  absl::StatusOr<ExplainedCall> Explain() const;

  // The program that gives this sequence, as `concord run sequence` takes it.
  // The arrays that it reads are its columns x, y, z and w, in this order:
  // - those of what is mapped, then Map's tables in the order of the list;
  // - those of Zip and Concat in the order of their sequences.
  // A table that the function does not read is no column, and a Sequence of an
  // array is one column where it comes first, however often it is read. So this
  // gives the same, with x of an array xs and t of ts:
  //
  //   ComputeSequence(backend, *x.Map("t[x]", {{"t", t}}).Text(), {xs, ts})
  absl::StatusOr<std::string> Text() const;

  // Of one element.
  const std::vector<expression::Type>& types() const;
  // The first error.
  const absl::Status& status() const;

 private:
  struct Node;
  class Writer;
  class ReadyRun;
  class IdleRun;
  friend Sequence Zip(absl::Span<const Sequence> sequences);
  friend Sequence Concat(absl::Span<const Sequence> sequences);

  explicit Sequence(std::shared_ptr<const Node> node)
      : node_(std::move(node)) {}
  // A sequence without a backend, with this status or that of no memory.
  static Sequence Failed(const absl::Status& status) noexcept;
  static const bool kCanFail;
  // What `make` gives or throws.
  template <typename Make>
  static Sequence Made(Make&& make) {
    absl::StatusOr<Sequence> made =
        Guarded([&]() -> absl::StatusOr<Sequence> { return make(); });
    return made.ok() ? *std::move(made) : Failed(made.status());
  }
  // The same from this sequence, unless it has failed: then it stays.
  template <typename Make>
  Sequence Next(Make&& make) const {
    return status().ok() ? Made(std::forward<Make>(make)) : *this;
  }

  static Sequence Column(std::shared_ptr<Backend> backend, ConstArrayView array,
                         std::shared_ptr<const void> owner);
  static Sequence Together(absl::string_view word,
                           absl::Span<const Sequence> sequences);

  // This sequence and one stage more.
  Sequence Then(Node node) const;
  Sequence Apply(absl::string_view word,
                 absl::StatusOr<expression::Function> f) const;
  // The same, of a function with these tables.
  Sequence Read(absl::StatusOr<expression::Function> f,
                const Tables& tables) const;
  template <typename F>
  Sequence Combine(absl::string_view word, F&& op, absl::string_view start,
                   const OperatorClaims& claims) const {
    return Next([&] {
      return CombineBy(word, OperatorOn(types(), std::forward<F>(op), claims),
                       start, claims);
    });
  }
  Sequence CombineBy(absl::string_view word,
                     absl::StatusOr<expression::Operator> op,
                     absl::string_view start,
                     const OperatorClaims& claims) const;
  Sequence Group(absl::StatusOr<expression::Function> f,
                 absl::StatusOr<expression::Operator> op,
                 absl::string_view start, const OperatorClaims& claims) const;
  // Of what is combined in groups.
  std::vector<expression::Type> GroupedTypes(
      const expression::Function& f) const;

  template <typename F>
  static constexpr bool kIsText = std::is_convertible_v<F, absl::string_view>;
  // The tables of a function. InvalidArgument where one is no array.
  static absl::StatusOr<std::vector<expression::Table>> ScopeOf(
      const Tables& tables);
  // Of an element: by text, and by a lambda.
  absl::StatusOr<expression::Function> FunctionBy(
      absl::string_view f, const Tables& tables = {}) const;
  template <typename F, typename = std::enable_if_t<!kIsText<F>>>
  absl::StatusOr<expression::Function> FunctionBy(
      F&& f, const Tables& tables = {}) const {
    absl::StatusOr<std::vector<expression::Table>> scope = ScopeOf(tables);
    if (!scope.ok()) return scope.status();
    return expression::FunctionOf(
        expression::Scope{expression::Scope::OfColumns(types()).parameters,
                          *std::move(scope)},
        std::forward<F>(f));
  }
  // By text, which may say `unchecked`, and by a lambda.
  static absl::StatusOr<expression::Operator> OperatorOn(
      const std::vector<expression::Type>& types, absl::string_view op,
      OperatorClaims claims);
  template <typename F, typename = std::enable_if_t<!kIsText<F>>>
  static absl::StatusOr<expression::Operator> OperatorOn(
      const std::vector<expression::Type>& types, F&& op,
      OperatorClaims claims) {
    absl::StatusOr<expression::Function> function =
        expression::OperatorOf(types, std::forward<F>(op));
    if (!function.ok()) return function.status();
    return expression::Operator::Create(*std::move(function),
                                        std::move(claims));
  }

  // `wanted`: the types that the caller takes, or empty.
  absl::StatusOr<std::vector<HostArray>> Columns(
      const std::vector<ElementType>& wanted) const;
  absl::Status Run(const Sinks& sinks) const;

  std::shared_ptr<const Node> node_;
};

// Tuples of the values of sequences, which are equally long.
Sequence Zip(absl::Span<const Sequence> sequences);
template <typename... More>
Sequence Zip(const Sequence& a, const Sequence& b, const More&... more) {
  return Zip({a, b, more...});
}

// One after the other; of equal types.
Sequence Concat(absl::Span<const Sequence> sequences);

// The values of several sequences of one element each, by one program.
//
//   absl::StatusOr<std::tuple<int, int>> ends =
//       Get<int, int>(depth.Last(), depth.Min());
template <typename... T, typename... Sequences>
absl::StatusOr<std::tuple<T...>> Get(const Sequence& first,
                                     const Sequences&... more) {
  static_assert(sizeof...(T) == 1 + sizeof...(more),
                "a type for each sequence");
  return Guarded([&]() -> absl::StatusOr<std::tuple<T...>> {
    const absl::StatusOr<std::vector<HostArray>> columns =
        Zip({first, more...}).OneElement({ElementTypeOf<T>()...});
    if (!columns.ok()) return columns.status();
    auto column = columns->begin();
    return std::tuple<T...>{*(column++)->template data<T>()...};
  });
}

}  // namespace concord

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SEQUENCE_H_
