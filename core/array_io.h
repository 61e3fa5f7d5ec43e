// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_ARRAY_IO_H_
#define CONCORD_CORE_ARRAY_IO_H_

#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "concord/core/call.h"
#include "concord/core/element_type.h"
#include "concord/core/host_array.h"
#include "concord/core/output_file.h"

namespace concord {

// Reads an array from a file, or from standard input when `path` is "-". The
// first bytes tell the format:
//   - NumPy's .npy, versions 1 to 3: little endian, C order, one or two
//     dimensions, one of our element types;
//   - otherwise numbers as text, separated by white space. Their type is
//     `text_type`; without it int64 when all are whole numbers, else float64.
//
// NotFound: no such file. InvalidArgument: not such an array; the message says
// what is wrong, and in text on which line.
absl::StatusOr<HostArray> ReadArray(
    const std::string& path,
    std::optional<ElementType> text_type = std::nullopt);

// The same for content that is already in memory; `source` names it in errors.
absl::StatusOr<HostArray> ParseArray(
    absl::string_view content, const std::string& source,
    std::optional<ElementType> text_type = std::nullopt);

// The same as a source. A regular file of .npy is not read but mapped, so that
// it takes no memory of its own; it must not be cut off meanwhile.
absl::StatusOr<std::shared_ptr<const Source>> OpenArray(
    const std::string& path,
    std::optional<ElementType> text_type = std::nullopt);

// Writes .npy when `path` ends in ".npy", otherwise text: a number on each
// line, or a row on each line when there are two dimensions. "-" is standard
// output. The file appears whole or not at all.
absl::Status WriteArray(const std::string& path, const HostArray& array);

// The same to a file that is open, by the ending of `path`.
absl::Status WriteArray(OutputFile& file, const std::string& path,
                        const HostArray& array);

// The content that WriteArray writes.
std::string FormatNpy(const HostArray& array);
std::string FormatText(const HostArray& array);

}  // namespace concord

#endif  // CONCORD_CORE_ARRAY_IO_H_
