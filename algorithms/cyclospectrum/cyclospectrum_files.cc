// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/core/array_io.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"
#include "concord/core/file_format.h"

namespace concord::cyclospectrum {
namespace {

HostArray Widened(const HostArray& masses) {
  HostArray wide(ElementType::kInt64, {masses.size()});
  std::copy_n(masses.data<std::int32_t>(), masses.size(),
              wide.data<std::int64_t>());
  return wide;
}

// As int32, where their sum fits.
HostArray Narrowed(HostArray masses) {
  const absl::StatusOr<std::int64_t> total = TotalMass(masses.view());
  if (!total.ok() || *total > std::numeric_limits<std::int32_t>::max()) {
    return masses;
  }
  HostArray narrow(ElementType::kInt32, {masses.size()});
  std::transform(
      masses.data<std::int64_t>(), masses.data<std::int64_t>() + masses.size(),
      narrow.data<std::int32_t>(),
      [](std::int64_t mass) { return static_cast<std::int32_t>(mass); });
  return narrow;
}

absl::StatusOr<HostArray> ReadMasses(const std::string& content,
                                     const std::string& path,
                                     std::optional<ElementType> type) {
  if (type.has_value() && *type != ElementType::kInt32 &&
      *type != ElementType::kInt64) {
    return InvalidArgumentError("masses are int32 or int64, not ", Name(*type));
  }
  const absl::string_view text = absl::StripAsciiWhitespace(content);
  if (!text.empty() && absl::ascii_isalpha(text.front())) {
    absl::StatusOr<std::vector<std::int32_t>> masses = MassesOfPeptide(text);
    if (!masses.ok()) {
      return InvalidArgumentError(path, ": ", masses.status().message());
    }
    const HostArray narrow =
        HostArray::Of<std::int32_t>(absl::MakeConstSpan(*masses));
    return type == ElementType::kInt64 ? Widened(narrow) : narrow;
  }
  ASSIGN_OR_RETURN(HostArray masses, ParseArray(content, path, type));
  if (masses.shape().size() != 1 || (masses.type() != ElementType::kInt32 &&
                                     masses.type() != ElementType::kInt64)) {
    return InvalidArgumentError(
        path, " must have one dimension of whole numbers, int32 or int64");
  }
  const bool is_text = !absl::StartsWith(content, "\x93NUMPY");
  if (!is_text || type.has_value() || masses.type() == ElementType::kInt32) {
    return masses;
  }
  return Narrowed(std::move(masses));
}

class CyclospectrumFiles : public FileFormat {
 public:
  // A peptide, or masses as numbers or .npy. Without a type they are int32
  // where their sum fits.
  absl::StatusOr<LoadedInputs> LoadFiles(
      const Algorithm& algorithm, const LoadRequest& request) const override {
    LoadedInputs loaded;
    ASSIGN_OR_RETURN(loaded.options,
                     CompleteOptions(algorithm, request.options));
    ASSIGN_OR_RETURN(
        std::string path,
        InputPath(request, "masses or a peptide in one-letter code"));
    ASSIGN_OR_RETURN(std::string content, ReadFile(path));
    ASSIGN_OR_RETURN(HostArray masses,
                     ReadMasses(content, SourceName(path), request.type));
    absl::Status status = TotalMass(masses.view()).status();
    if (!status.ok()) {
      return InvalidArgumentError(SourceName(path), ": ", status.message());
    }
    loaded.inputs.emplace("in", SourceOf(std::move(masses)));
    return loaded;
  }

  // A histogram has a row for each distinct mass: the mass and its count.
  bool Saves(const std::string& /*path*/) const override { return true; }
  absl::Status SaveFile(const Results& results,
                        const std::string& path) const override {
    const HostArray& out = results.at("out");
    const auto counts = results.find("counts");
    if (counts == results.end()) return WriteArray(path, out);
    HostArray rows(ElementType::kInt64, {out.size(), 2});
    DispatchMasses(out.type(), [&](auto tag) {
      using T = decltype(tag);
      for (std::int64_t i = 0; i < out.size(); ++i) {
        rows.data<std::int64_t>()[2 * i] = out.data<T>()[i];
        rows.data<std::int64_t>()[2 * i + 1] =
            counts->second.data<std::int64_t>()[i];
      }
    });
    return WriteArray(path, rows);
  }
};

const bool kRegistered =
    RegisterFileFormat(Cyclospectrum::kName, new CyclospectrumFiles);

}  // namespace
}  // namespace concord::cyclospectrum
