// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Places of reductions, folds and scans.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/spliced/fold_step.h"
#include "concord/backends/cuda/spliced/place_values.h"
#include "concord/backends/cuda/spliced/ptx_operations.h"
#include "concord/core/errors.h"

namespace concord::spliced {
namespace {

using expression::Function;
using expression::Type;
using Words = PlaceValues::Words;

// Elements that have been read, the first of which is this one, combined from
// left to right.
void Fold(PlaceValues& place, const std::vector<Values>& columns,
          const std::string& first, Words words, bool begins) {
  const std::optional<Function> step = StepOf(place.pass());
  Values state;
  if (!begins) state = place.FromWords(words);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const int offset = static_cast<int>(k);
    if (begins && k == 0) {
      state = place.Prologue(columns[k], first, offset);
    } else if (step.has_value()) {
      Values operands = state;
      operands.insert(operands.end(), columns[k].begin(), columns[k].end());
      state = place.Emit(Part::kStep, *step, operands,
                         place.Element(first, offset));
    } else {
      state = place.Combined(state, place.Prologue(columns[k], first, offset));
    }
  }
  place.ToWords(state, words);
}

template <bool kBegins>
absl::Status FoldPiece(PlaceValues& place) {
  const Words words = place.AllButLast(3);
  const Words of_piece = place.operands().last(3);
  ColumnReader reader =
      ColumnReader::OfPiece(place.ptx(), place.pass().prologue.ParameterTypes(),
                            of_piece[0], of_piece[1]);
  Fold(place, reader.Read(0, kFoldGroup, true), of_piece[2], words, kBegins);
  return absl::OkStatus();
}

template <bool kBegins>
absl::Status FoldOne(PlaceValues& place) {
  Fold(place, place.Reader(place.Last()).Read(0, 1, false), place.Last(),
       place.AllButLast(1), kBegins);
  return absl::OkStatus();
}

absl::Status Fetch(PlaceValues& place) {
  place.Fetch();
  return absl::OkStatus();
}

// A group of neighbours: words..., the first element, how many there are.
struct Group {
  Words words;
  const std::string& first;
  int count;

  static absl::StatusOr<Group> Of(const PlaceValues& place) {
    const Words words = place.AllButLast(2);
    ASSIGN_OR_RETURN(const int count, place.Number(words.size() + 1));
    return Group{words, place.operands()[words.size()], count};
  }
  Words WordsOf(int k) const {
    const std::size_t each = words.size() / static_cast<std::size_t>(count);
    return words.subspan(k * each, each);
  }
};

absl::Status BeginGroup(PlaceValues& place) {
  ASSIGN_OR_RETURN(const Group group, Group::Of(place));
  const std::vector<Values> columns =
      place.Reader(group.first).Read(0, group.count, true);
  for (int k = 0; k < group.count; ++k) {
    place.ToWords(place.Prologue(columns[k], group.first, k), group.WordsOf(k));
  }
  return absl::OkStatus();
}

absl::Status StoreGroup(PlaceValues& place) {
  ASSIGN_OR_RETURN(const Group group, Group::Of(place));
  std::vector<Values> results;
  for (int k = 0; k < group.count; ++k) {
    const std::string element =
        place.ptx().Let(Register::kLong, "add.s64", group.first, k);
    results.push_back(place.Results(group.WordsOf(k), element));
  }
  place.Writer(place.ResultTypes(), group.first).Write(0, results, true);
  return absl::OkStatus();
}

absl::Status Combine(PlaceValues& place) {
  const Words all = place.operands();
  const std::size_t words = all.size() / 3;
  place.ToWords(place.Combined(place.FromWords(all.subspan(words, words)),
                               place.FromWords(all.subspan(2 * words, words))),
                all.first(words));
  return absl::OkStatus();
}

absl::Status Identity(PlaceValues& place) {
  const std::vector<expression::Word>& identity = place.pass().identity;
  Values values;
  for (std::size_t k = 0; k < identity.size(); ++k) {
    values.push_back(
        EmitConstant(place.ptx(), place.value_types()[k], identity[k]));
  }
  place.ToWords(values, place.operands());
  return absl::OkStatus();
}

void StoreOne(PlaceValues& place, Words state, const std::string& element) {
  ColumnWriter writer = place.Writer(place.ResultTypes(), element);
  writer.Write(0, {place.Results(state, element)}, false);
}

absl::Status Store(PlaceValues& place) {
  // The one element that there is then is number 0.
  StoreOne(place, place.operands(),
           place.ptx().Let(Register::kLong, "mov.b64", "0"));
  return absl::OkStatus();
}

absl::Status StoreAt(PlaceValues& place) {
  StoreOne(place, place.AllButLast(1), place.Last());
  return absl::OkStatus();
}

absl::Status Finish(PlaceValues& place) {
  const Words words = place.AllButLast(1);
  const Type type = place.ResultTypes()[0];
  PtxWriter& ptx = place.ptx();
  for (std::size_t k = 0; k < words.size(); ++k) {
    const std::string element =
        place.pass().epilogue.has_value()
            ? ptx.Let(Register::kLong, "add.s64", place.Last(), k)
            : "";
    const Values results = place.Results(words.subspan(k, 1), element);
    place.ToWord(type, EmitCanonical(ptx, type, results[0]), words[k]);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Span<const NamedPlace> StatePlaces() {
  static constexpr NamedPlace kPlaces[] = {
      {"fetch", Fetch},
      {"begin", FoldPiece<true>},
      {"step", FoldPiece<false>},
      {"begin_one", FoldOne<true>},
      {"step_one", FoldOne<false>},
      {"begin_group", BeginGroup},
      {"combine", Combine},
      {"identity", Identity},
      {"store", Store},
      {"store_at", StoreAt},
      {"store_group", StoreGroup},
      {"finish", Finish},
  };
  return kPlaces;
}

}  // namespace concord::spliced
