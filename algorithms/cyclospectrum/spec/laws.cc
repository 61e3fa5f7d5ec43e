// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>

#include "concord/algorithms/cyclospectrum/cyclospectrum.h"
#include "concord/core/errors.h"
#include "concord/core/spec.h"

namespace concord::cyclospectrum {
namespace {

using Masses = std::vector<std::int64_t>;

Masses AsMasses(const HostArray& array) {
  Masses masses(static_cast<std::size_t>(array.size()));
  DispatchMasses(array.type(), [&](auto tag) {
    using T = decltype(tag);
    std::copy_n(array.data<T>(), array.size(), masses.begin());
  });
  return masses;
}

absl::StatusOr<Results> RunAs(const Law::Run& run, Case test_case,
                              const char* as) {
  test_case.options["as"] = as;
  return run(test_case);
}

absl::StatusOr<Masses> SpectrumOf(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(Results results, RunAs(run, test_case, "spectrum"));
  return AsMasses(results.at("out"));
}

absl::Status CheckMirror(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(Masses spectrum, SpectrumOf(run, test_case));
  const std::int64_t total = spectrum.back();
  for (std::size_t i = 0; i < spectrum.size(); ++i) {
    const std::int64_t sum = spectrum[i] + spectrum[spectrum.size() - 1 - i];
    if (sum != total) {
      return InternalError("[", i, "] and its mirror image sum up to ", sum,
                           ", not ", total);
    }
  }
  return absl::OkStatus();
}

absl::Status CheckTurning(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(Masses spectrum, SpectrumOf(run, test_case));
  Case turned = test_case;
  HostArray& masses = turned.inputs.at("in");
  DispatchMasses(masses.type(), [&](auto tag) {
    const auto span = masses.span<decltype(tag)>();
    std::rotate(span.begin(), span.begin() + span.size() / 3, span.end());
    std::reverse(span.begin(), span.end());
  });
  ASSIGN_OR_RETURN(Masses again, SpectrumOf(run, turned));
  if (again == spectrum) return absl::OkStatus();
  return InternalError("the two spectra differ");
}

absl::Status CheckHistogram(const Law::Run& run, const Case& test_case) {
  ASSIGN_OR_RETURN(Masses spectrum, SpectrumOf(run, test_case));
  ASSIGN_OR_RETURN(Results histogram, RunAs(run, test_case, "histogram"));
  const Masses masses = AsMasses(histogram.at("out"));
  const Masses counts = AsMasses(histogram.at("counts"));
  Masses written_out;
  for (std::size_t i = 0; i < masses.size(); ++i) {
    if (counts[i] < 1 ||
        counts[i] > static_cast<std::int64_t>(spectrum.size())) {
      return InternalError("the count of ", masses[i], " is ", counts[i]);
    }
    written_out.insert(written_out.end(), static_cast<std::size_t>(counts[i]),
                       masses[i]);
  }
  if (written_out == spectrum) return absl::OkStatus();
  return InternalError("the histogram, written out, is another spectrum");
}

const bool kRegistered = RegisterLaws<Cyclospectrum>({
    {"mirror", "spectrum[i] + spectrum[size - 1 - i] = the total mass",
     CheckMirror},
    {"turning", "the circle may start anywhere and go round either way",
     CheckTurning},
    {"histogram", "the histogram, written out, is the spectrum",
     CheckHistogram},
});

}  // namespace
}  // namespace concord::cyclospectrum
