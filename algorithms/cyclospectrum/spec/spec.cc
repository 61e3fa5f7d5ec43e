// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/core/spec.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/core/errors.h"
#include "concord/core/random.h"

namespace concord::cyclospectrum {
namespace {

constexpr char kAminoAcids[] = "ACDEFGHIKLMNPQRSTVWY";

HostArray DrawMasses(const std::string& distribution, ElementType type,
                     std::int64_t n, std::uint64_t seed) {
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
    } else {  // one_giant
      mass = i == giant ? room : static_cast<std::int64_t>(random.Below(3));
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

class CyclospectrumSpec : public SpecOf<Cyclospectrum> {
 public:
  std::vector<std::string> Distributions(ElementType) const override {
    return {"amino_acids", "wide", "small", "equal", "zero", "one_giant"};
  }

  absl::StatusOr<HostArray> DrawInput(
      const CaseRequest& request) const override {
    // The size is that of the spectrum.
    const double masses =
        std::ceil(std::sqrt(static_cast<double>(request.size)));
    return DrawMasses(request.distribution, request.type,
                      static_cast<std::int64_t>(masses), request.seed);
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

  absl::StatusOr<Expectations> Expected(const Case& test_case) const override {
    ASSIGN_OR_RETURN(Options options, Parse(test_case.options));
    const HostArray& in = test_case.inputs.at("in");
    return DispatchMasses(in.type(), [&](auto tag) {
      using T = decltype(tag);
      const std::vector<T> spectrum = SpectrumOf(in.span<T>());
      Expectations expected;
      if (options.as == Cyclospectrum::As::kSpectrum) {
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
};

const bool kRegistered = RegisterSpec(new CyclospectrumSpec);

}  // namespace
}  // namespace concord::cyclospectrum
