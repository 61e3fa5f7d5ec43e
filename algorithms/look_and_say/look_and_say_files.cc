// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "concord/algorithms/look_and_say/look_and_say.h"
#include "concord/core/array_io.h"
#include "concord/core/errors.h"
#include "concord/core/file.h"
#include "concord/core/file_format.h"
#include "concord/core/output_file.h"
#include "concord/core/signature.h"

namespace concord::look_and_say {
namespace {

// Without a space a symbol past 9 would be read as digits. Digits have no sign.
constexpr absl::string_view kSignOfLoneSymbol = "+";

bool IsLoneSymbol(absl::Span<const std::uint8_t> digits) {
  return digits.size() == 1 && digits[0] > 9;
}

// A string of digits; or, where counts are symbols, numbers between spaces or
// one with a sign.
absl::StatusOr<HostArray> ParseText(absl::string_view text,
                                    LookAndSay::Counts counts) {
  text = absl::StripAsciiWhitespace(text);
  std::vector<std::uint8_t> digits;
  if (counts == LookAndSay::Counts::kSymbol &&
      (text.find_first_of(" \t\r\n") != absl::string_view::npos ||
       absl::StartsWith(text, kSignOfLoneSymbol))) {
    for (absl::string_view word :
         absl::StrSplit(text, absl::ByAnyChar(" \t\r\n"), absl::SkipEmpty())) {
      int symbol;
      if (!absl::SimpleAtoi(word, &symbol) || symbol < 0 || symbol > 255) {
        return InvalidArgumentError("symbol ", digits.size() + 1, " is '", word,
                                    "', not a whole number from 0 to 255");
      }
      digits.push_back(static_cast<std::uint8_t>(symbol));
    }
  } else {
    ASSIGN_OR_RETURN(digits, ParseDigits(text));
  }
  return HostArray::Of<std::uint8_t>(absl::MakeConstSpan(digits));
}

absl::StatusOr<HostArray> ReadDigits(const std::string& path,
                                     LookAndSay::Counts counts) {
  ASSIGN_OR_RETURN(std::string content, ReadFile(path));
  if (!absl::StartsWith(content, "\x93NUMPY")) {
    absl::StatusOr<HostArray> digits = ParseText(content, counts);
    if (digits.ok()) return digits;
    return absl::Status(
        digits.status().code(),
        absl::StrCat(SourceName(path), ": ", digits.status().message()));
  }
  ASSIGN_OR_RETURN(HostArray array, ParseArray(content, SourceName(path)));
  if (array.type() != ElementType::kUInt8 || array.shape().size() != 1) {
    return InvalidArgumentError(
        SourceName(path),
        " must have one dimension of uint8, a digit in each element");
  }
  return array;
}

class LookAndSayFiles : public FileFormat {
 public:
  absl::StatusOr<LoadedInputs> LoadFiles(
      const Algorithm& algorithm, const LoadRequest& request) const override {
    LoadedInputs loaded;
    ASSIGN_OR_RETURN(loaded.options,
                     CompleteOptions(algorithm, request.options));
    ASSIGN_OR_RETURN(LookAndSay::Options parsed,
                     ParseOptions<LookAndSay>(request.options));
    if (parsed.length_only && (request.options.count("from") > 0 ||
                               request.options.count("count") > 0)) {
      return InvalidArgumentError(
          "--length-only is about the whole result; --from and --count mean "
          "nothing beside it");
    }
    RETURN_IF_ERROR(CheckType(request, ElementType::kUInt8));
    ASSIGN_OR_RETURN(std::string path,
                     InputPath(request, "digits as text or .npy of uint8"));
    ASSIGN_OR_RETURN(HostArray in, ReadDigits(path, parsed.counts));
    absl::Status status =
        CheckDigits(std::as_const(in).span<std::uint8_t>(), parsed);
    if (!status.ok()) {
      return InvalidArgumentError(path, ": ", status.message());
    }
    loaded.inputs.emplace("in", SourceOf(std::move(in)));
    return loaded;
  }

  std::optional<std::string> FormatInput(
      const Algorithm&, const std::map<std::string, HostArray>& inputs,
      const OptionMap&) const override {
    const auto digits = inputs.at("in").span<std::uint8_t>();
    return absl::StrCat(IsLoneSymbol(digits) ? kSignOfLoneSymbol : "",
                        TextOfDigits(digits));
  }

  // As text: digits on one line, without spaces.
  bool Saves(const std::string& path) const override {
    return !absl::EndsWith(path, ".npy");
  }
  absl::Status SaveFile(const Results& results,
                        const std::string& path) const override {
    const HostArray& out = results.at("out");
    if (out.type() != ElementType::kUInt8) return WriteArray(path, out);
    ASSIGN_OR_RETURN(OutputFile file, OutputFile::Open(path));
    const auto digits = out.span<std::uint8_t>();
    const bool spaced = std::any_of(digits.begin(), digits.end(),
                                    [](std::uint8_t x) { return x > 9; });
    // In pieces, so that the text need not be in memory beside the digits.
    constexpr std::size_t kPiece = 1 << 20;
    absl::Status status;
    if (IsLoneSymbol(digits)) status = file.Write(kSignOfLoneSymbol);
    for (std::size_t i = 0; i < digits.size() && status.ok(); i += kPiece) {
      if (spaced && i > 0) status = file.Write(" ");
      // With one symbol past 9 anywhere, all are numbers between spaces.
      const auto piece = digits.subspan(i, kPiece);
      if (status.ok()) {
        status =
            file.Write(spaced ? TextOfSymbols(piece) : TextOfDigits(piece));
      }
    }
    if (status.ok()) status = file.Write("\n");
    return status.ok() ? file.Commit() : status;
  }
};

const bool kRegistered =
    RegisterFileFormat(LookAndSay::kName, new LookAndSayFiles);

}  // namespace
}  // namespace concord::look_and_say
