// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/cyclospectrum/cyclospectrum.h"

#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "concord/core/available_memory.h"
#include "concord/core/call.h"
#include "concord/core/errors.h"
#include "concord/core/guarded.h"

namespace concord {
namespace {

// The masses of the amino acids' most common isotopes, without the water that
// is lost in a bond, to the nearest dalton; by letter, 0 for none.
constexpr std::int32_t kMassOfLetter[26] = {
    /*A*/ 71,  /*B*/ 0,   /*C*/ 103, /*D*/ 115, /*E*/ 129, /*F*/ 147,
    /*G*/ 57,
    /*H*/ 137, /*I*/ 113, /*J*/ 0,   /*K*/ 128, /*L*/ 113, /*M*/ 131,
    /*N*/ 114, /*O*/ 0,   /*P*/ 97,  /*Q*/ 128, /*R*/ 156, /*S*/ 87,
    /*T*/ 101, /*U*/ 0,   /*V*/ 99,  /*W*/ 186, /*X*/ 0,   /*Y*/ 163,
    /*Z*/ 0};

bool AsHistogram(const Cyclospectrum::Options& options, Views) {
  return options.as == Cyclospectrum::As::kHistogram;
}

Rule<Cyclospectrum::Options, bool> WithHistogram() {
  return {"with --as=histogram", AsHistogram};
}

// How many elements `out` has.
absl::StatusOr<std::int64_t> RoomFor(const Cyclospectrum::Options& options,
                                     Views in) {
  absl::StatusOr<std::int64_t> size = CyclospectrumSize(in[0].size());
  if (!size.ok() || !AsHistogram(options, in)) return size;
  absl::StatusOr<std::int64_t> total = TotalMass(in[0]);
  if (!total.ok()) return total;
  return MostDistinct(*size, *total);
}

absl::Status CheckMassesAndMemory(const Cyclospectrum::Options& options,
                                  Views in) {
  RETURN_IF_ERROR(TotalMass(in[0]).status());
  ASSIGN_OR_RETURN(std::int64_t elements, RoomFor(options, in));
  // The spectrum and a copy of it for the file; others sort a copy.
  const double bytes_of_each =
      AsHistogram(options, in) ? 48.0 : 3.0 * SizeOf(in[0].type());
  const double needed = static_cast<double>(elements) * bytes_of_each;
  const auto available = static_cast<double>(AvailableMemory());
  if (needed <= available) return absl::OkStatus();
  return OutOfRangeError("the result for ", in[0].size(), " masses has up to ",
                         elements, " elements and needs ", MemorySize(needed),
                         " of memory, of which ", MemorySize(available),
                         " are there; --as=histogram may need less");
}

// What a run can check of outputs: the room for a histogram depends on
// elements.
absl::Status CheckOutputs(Views in, MutableViews out,
                          const Cyclospectrum::Options& options) {
  if (AsHistogram(options, in)) {
    return CheckSize("counts", out[1], out[0].size());
  }
  for (const auto& [name, view] :
       {std::pair("counts", out[1]), std::pair("distinct", out[2])}) {
    if (!view.given()) continue;
    return InvalidArgumentError("'", name,
                                "' is given, and only a histogram has it");
  }
  return CheckSize("out", out[0], *CyclospectrumSize(in[0].size()));
}

}  // namespace

const Signature<Cyclospectrum>& Cyclospectrum::GetSignature() {
  static const auto* const signature = new Signature<Cyclospectrum>(
      Signature<Cyclospectrum>("the masses of all pieces of a cyclic peptide")
          .Choice("as",
                  "all masses in ascending order, or each distinct one and its "
                  "count",
                  &Options::as,
                  {{"spectrum", As::kSpectrum}, {"histogram", As::kHistogram}})
          .Input({"in",
                  "the masses in the order of the circle",
                  {ElementType::kInt32, ElementType::kInt64}})
          .Extent({"entries",
                   "n (n - 1) + 2; with --as=histogram room for every mass up "
                   "to the total, if these are fewer",
                   {"in"}},
                  RoomFor)
          .Output({"out",
                   "the masses of the pieces",
                   SameTypeAs{0},
                   {"entries"},
                   /*in_place_of=*/"",
                   /*size_in=*/"distinct"})
          .Output({"counts",
                   "how often each distinct mass occurs",
                   Always{ElementType::kInt64},
                   {"entries"},
                   /*in_place_of=*/"",
                   /*size_in=*/"distinct",
                   /*or_types=*/{},
                   WithHistogram()})
          .Output({"distinct",
                   "how many distinct masses there are",
                   Always{ElementType::kInt64},
                   {"1"},
                   /*in_place_of=*/"",
                   /*size_in=*/"",
                   /*or_types=*/{},
                   WithHistogram()})
          .Requires([](const Options&, Views in) {
            return CyclospectrumSize(in[0].size()).status();
          })
          .Examines(CheckMassesAndMemory)
          .Calls([](Cyclospectrum& cyclospectrum, Views in, MutableViews out,
                    const Options& options) {
            RETURN_IF_ERROR(CheckOutputs(in, out, options));
            return cyclospectrum.Compute(in[0], out[0], out[1], out[2],
                                         options);
          }));
  return *signature;
}

absl::Status Cyclospectrum::Run(ConstArrayView masses, ArrayView out,
                                ArrayView counts, ArrayView distinct,
                                const Options& options) {
  return GetSignature().Run(*this, {masses}, {out, counts, distinct}, options);
}

absl::StatusOr<std::int64_t> CyclospectrumSize(std::int64_t n) {
  return Guarded([&]() -> absl::StatusOr<std::int64_t> {
    std::int64_t size;
    if (__builtin_mul_overflow(n, n - 1, &size) ||
        size > std::numeric_limits<std::int64_t>::max() - 2) {
      return OutOfRangeError("the spectrum of ", n,
                             " masses has more than 2^63 - 1 elements");
    }
    return size + 2;
  });
}

std::int64_t MostDistinct(std::int64_t spectrum_size, std::int64_t total) {
  return std::min(spectrum_size - 1, total) + 1;
}

absl::StatusOr<std::int64_t> TotalMass(ConstArrayView masses) {
  return Guarded([&]() -> absl::StatusOr<std::int64_t> {
    return cyclospectrum::DispatchMasses(
        masses.type(), [&](auto tag) -> absl::StatusOr<std::int64_t> {
          using T = decltype(tag);
          T total = 0;
          for (std::int64_t i = 0; i < masses.size(); ++i) {
            const T mass = masses.data<T>()[i];
            if (mass < 0) {
              return InvalidArgumentError("mass ", i + 1, " is ", mass,
                                          "; a mass is 0 or more");
            }
            if (__builtin_add_overflow(total, mass, &total)) {
              return InvalidArgumentError("the total mass is more than ",
                                          Name(masses.type()), " holds, ",
                                          std::numeric_limits<T>::max());
            }
          }
          return std::int64_t{total};
        });
  });
}

absl::StatusOr<std::vector<std::int32_t>> MassesOfPeptide(
    absl::string_view peptide) {
  return Guarded([&]() -> absl::StatusOr<std::vector<std::int32_t>> {
    std::vector<std::int32_t> masses;
    for (const char letter : peptide) {
      const char upper = absl::ascii_toupper(letter);
      const std::int32_t mass =
          upper >= 'A' && upper <= 'Z' ? kMassOfLetter[upper - 'A'] : 0;
      if (mass == 0) {
        return InvalidArgumentError(
            "letter ", masses.size() + 1, " is ",
            absl::ascii_isprint(letter)
                ? absl::StrCat("'", absl::string_view(&letter, 1), "'")
                : absl::StrCat("the byte ", static_cast<unsigned char>(letter)),
            ", no amino acid; they are ACDEFGHIKLMNPQRSTVWY");
      }
      masses.push_back(mass);
    }
    return masses;
  });
}

absl::StatusOr<std::vector<std::int32_t>> ComputeCyclospectrum(
    const std::shared_ptr<Backend>& backend,
    absl::Span<const std::int32_t> masses, absl::string_view variant) {
  return Guarded([&]() -> absl::StatusOr<std::vector<std::int32_t>> {
    RETURN_IF_ERROR(TotalMass(masses).status());
    ASSIGN_OR_RETURN(
        std::int64_t size,
        CyclospectrumSize(static_cast<std::int64_t>(masses.size())));
    std::vector<std::int32_t> spectrum(static_cast<std::size_t>(size));
    RETURN_IF_ERROR(RunOnHost<Cyclospectrum>(
        backend, variant, {}, {masses},
        {ArrayView(absl::MakeSpan(spectrum)), ArrayView(), ArrayView()}));
    return spectrum;
  });
}

const bool kRegistered = RegisterAlgorithm<Cyclospectrum>();

}  // namespace concord
