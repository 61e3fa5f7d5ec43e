// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "concord/algorithms/available_memory.h"
#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/algorithms/cyclospectrum/spec/laws.h"
#include "concord/core/array_io.h"
#include "concord/core/random.h"
#include "concord/core/spec.h"

namespace concord::cyclospectrum {
namespace {

constexpr char kAminoAcids[] = "ACDEFGHIKLMNPQRSTVWY";

absl::StatusOr<HostArray> DrawMasses(const std::string& distribution,
                                     ElementType type, std::int64_t n,
                                     std::uint64_t seed) {
  Random random(seed);
  // So that the sum fits.
  const std::int64_t room =
      (type == ElementType::kInt32 ? std::numeric_limits<std::int32_t>::max()
                                   : std::numeric_limits<std::int64_t>::max()) /
      std::max<std::int64_t>(n, 1);
  const std::int64_t giant = static_cast<std::int64_t>(
      random.Below(static_cast<std::uint64_t>(std::max<std::int64_t>(n, 1))));
  const std::int64_t equal = 1 + static_cast<std::int64_t>(random.Below(200));
  HostArray masses(type, {n});
  for (std::int64_t i = 0; i < n; ++i) {
    std::int64_t mass;
    if (distribution == "amino_acids") {
      mass = MassesOfPeptide({kAminoAcids + random.Below(20), 1})->front();
    } else if (distribution == "wide") {
      mass = static_cast<std::int64_t>(
          random.Below(static_cast<std::uint64_t>(room) + 1));
    } else if (distribution == "small") {
      mass = static_cast<std::int64_t>(random.Below(4));
    } else if (distribution == "equal") {
      mass = equal;
    } else if (distribution == "zero") {
      mass = 0;
    } else if (distribution == "one_giant") {
      mass = i == giant ? room : static_cast<std::int64_t>(random.Below(3));
    } else {
      return absl::InvalidArgumentError(absl::StrCat(
          "cyclospectrum has no distribution '", distribution, "'"));
    }
    if (type == ElementType::kInt32) {
      masses.data<std::int32_t>()[i] =
          static_cast<std::int32_t>(std::min(mass, room));
    } else {
      masses.data<std::int64_t>()[i] = std::min(mass, room);
    }
  }
  return masses;
}

// Every piece as a difference of two prefix sums of the doubled circle.
template <typename T>
std::vector<T> SpectrumOf(absl::Span<const T> masses) {
  const std::size_t n = masses.size();
  std::vector<std::uint64_t> sums = {0};
  for (std::size_t i = 0; i < 2 * n; ++i) {
    sums.push_back(sums.back() + static_cast<std::uint64_t>(masses[i % n]));
  }
  std::vector<T> spectrum = {0, static_cast<T>(sums[n])};
  for (std::size_t first = 0; first < n; ++first) {
    for (std::size_t last = first + 1; last < first + n; ++last) {
      spectrum.push_back(static_cast<T>(sums[last] - sums[first]));
    }
  }
  std::sort(spectrum.begin(), spectrum.end());
  return spectrum;
}

absl::StatusOr<std::string> ReadText(const std::string& path) {
  std::string content;
  if (path == "-") {
    content.assign(std::istreambuf_iterator<char>(std::cin), {});
    return content;
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return absl::NotFoundError(absl::StrCat(path, ": no such file"));
  content.assign(std::istreambuf_iterator<char>(file), {});
  return content;
}

class CyclospectrumSpec : public SpecOf<Cyclospectrum> {
 public:
  std::string summary() const override {
    return "the masses of all pieces of a cyclic peptide";
  }

  std::vector<OptionSpec> options() const override {
    return {OptionSpec::Choice(
        "as",
        "all masses in ascending order, or each distinct one and its count",
        "spectrum", {"spectrum", "histogram"})};
  }

  std::vector<ElementType> element_types() const override {
    return {ElementType::kInt32, ElementType::kInt64};
  }
  std::vector<std::string> Distributions(ElementType) const override {
    return {"amino_acids", "wide", "small", "equal", "zero", "one_giant"};
  }

  // Of about `size` elements of the spectrum.
  // The size is that of the spectrum.
  absl::StatusOr<Case> Generate(const CaseRequest& request) const override {
    CaseRequest masses = request;
    masses.size = static_cast<std::int64_t>(
        std::ceil(std::sqrt(static_cast<double>(request.size))));
    return SpecOf::Generate(masses);
  }

  absl::StatusOr<HostArray> DrawInput(const CaseRequest& request,
                                      const OptionMap&) const override {
    return DrawMasses(request.distribution, request.type, request.size,
                      request.seed);
  }

  std::vector<Case> SpecialCases() const override {
    constexpr std::int32_t kLargest = std::numeric_limits<std::int32_t>::max();
    std::vector<Case> cases;
    for (const char* as : {"spectrum", "histogram"}) {
      const auto add = [&](const char* label, HostArray masses) {
        cases.push_back(MakeCase(label, {{"as", as}}, std::move(masses)));
      };
      add("no mass", HostArray::Of<std::int32_t>({}));
      add("one mass", HostArray::Of<std::int32_t>({57}));
      add("the largest mass", HostArray::Of<std::int32_t>({kLargest}));
      add("two that sum up to it",
          HostArray::Of<std::int32_t>({kLargest - 1, 1}));
      add("the largest mass among zeros",
          HostArray::Of<std::int32_t>({0, 0, kLargest, 0}));
      add("the largest mass of 64 bits",
          HostArray::Of<std::int64_t>(
              {1, std::numeric_limits<std::int64_t>::max() - 3, 2}));
      add("zeros", HostArray::Of<std::int64_t>({0, 0, 0, 0, 0}));
      add("one and zeros", HostArray::Of<std::int32_t>({0, 1, 0, 0}));
      add("LEQN", HostArray::Of<std::int32_t>({113, 129, 128, 114}));
    }
    return cases;
  }

  absl::StatusOr<std::vector<OutputSpec>> OutputsOf(
      const Case& test_case) const override {
    absl::StatusOr<Options> options = Parse(test_case.options);
    if (!options.ok()) return options.status();
    const HostArray& in = test_case.inputs.at("in");
    if (in.type() != ElementType::kInt32 && in.type() != ElementType::kInt64) {
      return absl::InvalidArgumentError(
          absl::StrCat("masses are int32 or int64, not ", Name(in.type())));
    }
    absl::StatusOr<std::int64_t> total = TotalMass(in.view());
    if (!total.ok()) return total.status();
    absl::StatusOr<std::int64_t> size = CyclospectrumSize(in.size());
    if (!size.ok()) return size.status();
    if (options->as == Cyclospectrum::As::kSpectrum) {
      // The spectrum and a copy of it for the file; others sort a copy.
      absl::Status fits = CheckFits(
          *size, 3.0 * static_cast<double>(SizeOf(in.type())), in.size());
      if (!fits.ok()) return fits;
      return std::vector<OutputSpec>{{"out", in.type(), {*size}}};
    }
    const std::int64_t most = MostDistinct(*size, *total);
    absl::Status fits = CheckFits(most, 48.0, in.size());
    if (!fits.ok()) return fits;
    return std::vector<OutputSpec>{
        {"out", in.type(), {most}, "", "distinct"},
        {"counts", ElementType::kInt64, {most}, "", "distinct"},
        {"distinct", ElementType::kInt64, {1}}};
  }

  absl::StatusOr<std::map<std::string, Expectation>> Expected(
      const Case& test_case) const override {
    absl::StatusOr<Options> options = Parse(test_case.options);
    if (!options.ok()) return options.status();
    const HostArray& in = test_case.inputs.at("in");
    return DispatchMasses(in.type(), [&](auto tag) {
      using T = decltype(tag);
      const std::vector<T> spectrum = SpectrumOf(in.span<T>());
      std::map<std::string, Expectation> expected;
      if (options->as == Cyclospectrum::As::kSpectrum) {
        expected["out"].value = HostArray::Of<T>(absl::MakeConstSpan(spectrum));
        return expected;
      }
      std::vector<T> values;
      std::vector<std::int64_t> counts;
      for (const T value : spectrum) {
        if (values.empty() || values.back() != value) {
          values.push_back(value);
          counts.push_back(0);
        }
        ++counts.back();
      }
      expected["out"].value = HostArray::Of<T>(absl::MakeConstSpan(values));
      expected["counts"].value =
          HostArray::Of<std::int64_t>(absl::MakeConstSpan(counts));
      expected["distinct"].value = HostArray::Of<std::int64_t>(
          {static_cast<std::int64_t>(values.size())});
      return expected;
    });
  }

  std::vector<Law> laws() const override { return CyclospectrumLaws(); }

  std::vector<PresetRows> preset_rows() const override {
    // The spectrum of 20,000 masses.
    return {{"applications",
             4,
             {},
             {},
             {"amino_acids", "wide"},
             {"value_tiles", "prefix_sort"},
             {399'980'002}}};
  }

  Floor FloorOf(const Case& test_case) const override {
    const HostArray& in = test_case.inputs.at("in");
    Floor floor;
    floor.bytes_read = in.view().bytes();
    const absl::StatusOr<std::int64_t> size = CyclospectrumSize(in.size());
    // How many distinct masses there are nobody knows without working it out.
    if (size.ok() && test_case.options.at("as") == "spectrum") {
      floor.bytes_written = *size * SizeOf(in.type());
    }
    return floor;
  }

  std::string size_unit() const override { return "masses"; }

  // A peptide, or masses as numbers or .npy. Without a type they are int32
  // where their sum fits.
  absl::StatusOr<LoadedCase> Load(const LoadRequest& request) const override {
    absl::StatusOr<OptionMap> complete =
        CompleteOptions(options(), request.options);
    if (!complete.ok()) return complete.status();
    const auto input = request.files.find("input");
    if (input == request.files.end()) {
      return absl::InvalidArgumentError(
          "--input=FILE is needed, masses or a peptide in one-letter code");
    }
    const std::string& path = input->second;
    absl::StatusOr<std::string> content = ReadText(path);
    if (!content.ok()) return content.status();
    absl::StatusOr<HostArray> masses = ReadMasses(*content, path, request.type);
    if (!masses.ok()) return masses.status();
    absl::Status status = TotalMass(masses->view()).status();
    if (!status.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": ", status.message()));
    }
    LoadedCase loaded;
    loaded.value = MakeCase(path, *std::move(complete), *std::move(masses));
    return loaded;
  }

  // A histogram has a row for each distinct mass: the mass and its count.
  absl::Status Save(const Results& results,
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

 protected:
  absl::StatusOr<Options> Parse(const OptionMap& options) const override {
    Options parsed;
    parsed.as = options.at("as") == "histogram" ? Cyclospectrum::As::kHistogram
                                                : Cyclospectrum::As::kSpectrum;
    return parsed;
  }

  absl::Status RunTyped(Cyclospectrum& cyclospectrum, const Inputs& inputs,
                        const Outputs& outputs,
                        const Options& options) const override {
    const ArrayView& out = outputs.at("out");
    if (options.as == Cyclospectrum::As::kHistogram) {
      return cyclospectrum.Run(inputs.at("in"), out, outputs.at("counts"),
                               outputs.at("distinct"), options);
    }
    const ArrayView none(nullptr, ElementType::kInt64, 0, out.memory());
    return cyclospectrum.Run(inputs.at("in"), out, none, none, options);
  }

 private:
  static absl::Status CheckFits(std::int64_t elements, double bytes_of_each,
                                std::int64_t masses) {
    const double needed = static_cast<double>(elements) * bytes_of_each;
    const auto available = static_cast<double>(AvailableMemory());
    if (needed <= available) return absl::OkStatus();
    return absl::OutOfRangeError(absl::StrCat(
        "the result for ", masses, " masses has up to ", elements,
        " elements and needs ", MemorySize(needed), " of memory, of which ",
        MemorySize(available), " are there; --as=histogram may need less"));
  }

  static absl::StatusOr<HostArray> ReadMasses(const std::string& content,
                                              const std::string& path,
                                              std::optional<ElementType> type) {
    if (type.has_value() && *type != ElementType::kInt32 &&
        *type != ElementType::kInt64) {
      return absl::InvalidArgumentError(
          absl::StrCat("masses are int32 or int64, not ", Name(*type)));
    }
    const absl::string_view text = absl::StripAsciiWhitespace(content);
    if (!text.empty() && absl::ascii_isalpha(text.front())) {
      absl::StatusOr<std::vector<std::int32_t>> masses = MassesOfPeptide(text);
      if (!masses.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat(path, ": ", masses.status().message()));
      }
      const HostArray narrow =
          HostArray::Of<std::int32_t>(absl::MakeConstSpan(*masses));
      return type == ElementType::kInt64 ? Widened(narrow) : narrow;
    }
    absl::StatusOr<HostArray> masses = ParseArray(content, path, type);
    if (!masses.ok()) return masses.status();
    if (masses->shape().size() != 1 ||
        (masses->type() != ElementType::kInt32 &&
         masses->type() != ElementType::kInt64)) {
      return absl::InvalidArgumentError(absl::StrCat(
          path, " must have one dimension of whole numbers, int32 or int64"));
    }
    const bool is_text = !absl::StartsWith(content, "\x93NUMPY");
    if (!is_text || type.has_value() || masses->type() == ElementType::kInt32) {
      return masses;
    }
    return Narrowed(*std::move(masses));
  }

  static HostArray Widened(const HostArray& masses) {
    HostArray wide(ElementType::kInt64, {masses.size()});
    std::copy_n(masses.data<std::int32_t>(), masses.size(),
                wide.data<std::int64_t>());
    return wide;
  }

  // As int32, where their sum fits.
  static HostArray Narrowed(HostArray masses) {
    const absl::StatusOr<std::int64_t> total = TotalMass(masses.view());
    if (!total.ok() || *total > std::numeric_limits<std::int32_t>::max()) {
      return masses;
    }
    HostArray narrow(ElementType::kInt32, {masses.size()});
    std::transform(masses.data<std::int64_t>(),
                   masses.data<std::int64_t>() + masses.size(),
                   narrow.data<std::int32_t>(), [](std::int64_t mass) {
                     return static_cast<std::int32_t>(mass);
                   });
    return narrow;
  }
};

const bool kRegistered = RegisterSpec(new CyclospectrumSpec);

}  // namespace
}  // namespace concord::cyclospectrum
