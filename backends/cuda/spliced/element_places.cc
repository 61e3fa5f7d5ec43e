// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Places of maps and filters, and of those elements that a kernel has in its
// registers.

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "concord/backends/cuda/spliced/arguments.h"
#include "concord/backends/cuda/spliced/place_values.h"
#include "concord/backends/cuda/spliced/ptx_operations.h"
#include "concord/core/errors.h"

namespace concord::spliced {
namespace {

using expression::Type;
using Words = PlaceValues::Words;

absl::Status Map(PlaceValues& place) {
  const std::string& first = place.operands()[0];
  ASSIGN_OR_RETURN(const int groups, place.Number(1));
  ASSIGN_OR_RETURN(const int stride, place.Number(2));
  const int batch = place.Batch(groups, kMapGroup);
  ColumnReader reader = place.Reader(first);
  ColumnWriter writer = place.Writer(place.value_types(), first);
  for (int group = 0; group < groups; group += batch) {
    const int end = std::min(group + batch, groups);
    std::vector<std::vector<Values>> columns;
    for (int g = group; g < end; ++g) {
      columns.push_back(reader.Read(g * stride, kMapGroup, true));
    }
    for (int g = group; g < end; ++g) {
      std::vector<Values> results;
      for (int k = 0; k < kMapGroup; ++k) {
        results.push_back(
            place.Prologue(columns[g - group][k], first, g * stride + k));
      }
      writer.Write(g * stride, results, true);
    }
  }
  return absl::OkStatus();
}

absl::Status MapOne(PlaceValues& place) {
  const std::string& element = place.Last();
  ColumnWriter writer = place.Writer(place.value_types(), element);
  writer.Write(0, {place.OfElement(element)}, false);
  return absl::OkStatus();
}

absl::Status Load(PlaceValues& place) {
  const Words words = place.AllButLast(1);
  const int count = static_cast<int>(words.size());
  const std::vector<Values> columns =
      place.Reader(place.Last()).Read(0, count, count > 1);
  std::vector<Values> loaded;
  for (int k = 0; k < count; ++k) {
    loaded.push_back(place.Prologue(columns[k], place.Last(), k));
  }
  for (int k = 0; k < count; ++k) place.ToWords(loaded[k], words.subspan(k, 1));
  return absl::OkStatus();
}

absl::Status Keep(PlaceValues& place) {
  const Words words = place.AllButLast(2);
  const std::string& first = place.operands()[words.size()];
  ASSIGN_OR_RETURN(const int stride, place.Number(words.size() + 1));
  const int count = static_cast<int>(words.size());
  const int batch = place.Batch(count, 1);
  ColumnReader reader = place.Reader(first);
  for (int begin = 0; begin < count; begin += batch) {
    const int end = std::min(begin + batch, count);
    std::vector<Values> columns;
    for (int k = begin; k < end; ++k) {
      columns.push_back(reader.Read(k * stride, 1, false)[0]);
    }
    for (int k = begin; k < end; ++k) {
      const Values results =
          place.Prologue(columns[k - begin], first, k * stride);
      place.ptx().Line("mov.b32 ", words[k], ", ",
                       EmitCarried(place.ptx(), Type::kBool, results[0]));
    }
  }
  return absl::OkStatus();
}

absl::Status Put(PlaceValues& place) {
  const Words elements = place.AllButLast(2);
  ASSIGN_OR_RETURN(const int stride, place.Number(elements.size() + 1));
  const int count = static_cast<int>(elements.size());
  const int batch = place.Batch(count, 1);
  ColumnWriter writer =
      place.Writer(absl::MakeConstSpan(place.value_types()).subspan(1),
                   place.operands()[elements.size()]);
  for (int begin = 0; begin < count; begin += batch) {
    const int end = std::min(begin + batch, count);
    std::vector<Values> columns;
    for (int k = begin; k < end; ++k) {
      columns.push_back(place.Reader(elements[k]).Read(0, 1, false)[0]);
    }
    for (int k = begin; k < end; ++k) {
      Values results = place.Prologue(columns[k - begin], elements[k], 0);
      results.erase(results.begin());
      writer.Write(k * stride, {results}, false);
    }
  }
  return absl::OkStatus();
}

// The prologue of the column's element in a word. A copy of it, because the
// word is written, too.
Values OfWord(PlaceValues& place, const std::string& word, int offset) {
  const std::string x = place.ptx().Let(Register::kWord, "mov.b32", word);
  return place.Prologue({x}, place.Last(), offset);
}

absl::Status Filter(PlaceValues& place) {
  const Words words = place.AllButLast(2);
  const std::string& bits = place.operands()[words.size()];
  const Type type = place.value_types()[1];
  PtxWriter& ptx = place.ptx();
  ptx.Line("mov.b32 ", bits, ", 0");
  for (std::size_t k = 0; k < words.size(); ++k) {
    const Values results = OfWord(place, words[k], static_cast<int>(k));
    const std::string kept = ptx.Let(Register::kWord, "selp.b32",
                                     absl::StrCat(1 << k), "0", results[0]);
    ptx.Line("or.b32 ", bits, ", ", bits, ", ", kept);
    place.ToWord(type, EmitCanonical(ptx, type, results[1]), words[k]);
  }
  return absl::OkStatus();
}

absl::Status Apply(PlaceValues& place) {
  const Words words = place.AllButLast(1);
  for (std::size_t k = 0; k < words.size(); ++k) {
    const Values values = OfWord(place, words[k], static_cast<int>(k));
    place.ToWord(place.value_types()[0], values[0], words[k]);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Span<const NamedPlace> ElementPlaces() {
  static constexpr NamedPlace kPlaces[] = {
      {"map", Map},       {"map_one", MapOne}, {"load", Load},   {"keep", Keep},
      {"filter", Filter}, {"put", Put},        {"apply", Apply},
  };
  return kPlaces;
}

}  // namespace concord::spliced
