// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "concord/algorithms/cyclospectrum/cyclospectrum.h"

#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "concord/core/registry.h"

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

}  // namespace

absl::StatusOr<std::int64_t> CyclospectrumSize(std::int64_t n) {
  std::int64_t size;
  if (__builtin_mul_overflow(n, n - 1, &size) ||
      size > std::numeric_limits<std::int64_t>::max() - 2) {
    return absl::OutOfRangeError(absl::StrCat(
        "the spectrum of ", n, " masses has more than 2^63 - 1 elements"));
  }
  return size + 2;
}

std::int64_t MostDistinct(std::int64_t spectrum_size, std::int64_t total) {
  return std::min(spectrum_size - 1, total) + 1;
}

absl::StatusOr<std::int64_t> TotalMass(ConstArrayView masses) {
  return DispatchMasses(
      masses.type(), [&](auto tag) -> absl::StatusOr<std::int64_t> {
        using T = decltype(tag);
        T total = 0;
        for (std::int64_t i = 0; i < masses.size(); ++i) {
          const T mass = masses.data<T>()[i];
          if (mass < 0) {
            return absl::InvalidArgumentError(absl::StrCat(
                "mass ", i + 1, " is ", mass, "; a mass is 0 or more"));
          }
          if (__builtin_add_overflow(total, mass, &total)) {
            return absl::InvalidArgumentError(absl::StrCat(
                "the total mass is more than ", Name(masses.type()), " holds, ",
                std::numeric_limits<T>::max()));
          }
        }
        return std::int64_t{total};
      });
}

absl::StatusOr<std::vector<std::int32_t>> MassesOfPeptide(
    absl::string_view peptide) {
  std::vector<std::int32_t> masses;
  for (const char letter : peptide) {
    const char upper = absl::ascii_toupper(letter);
    const std::int32_t mass =
        upper >= 'A' && upper <= 'Z' ? kMassOfLetter[upper - 'A'] : 0;
    if (mass == 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "letter ", masses.size() + 1, " is ",
          absl::ascii_isprint(letter)
              ? absl::StrCat("'", absl::string_view(&letter, 1), "'")
              : absl::StrCat("the byte ", static_cast<unsigned char>(letter)),
          ", no amino acid; they are ACDEFGHIKLMNPQRSTVWY"));
    }
    masses.push_back(mass);
  }
  return masses;
}

absl::Status CheckCyclospectrumArguments(const ConstArrayView& masses,
                                         const ConstArrayView& out,
                                         const ConstArrayView& counts,
                                         const ConstArrayView& distinct,
                                         const Cyclospectrum::Options& options,
                                         Memory memory,
                                         absl::string_view where) {
  if (masses.type() != ElementType::kInt32 &&
      masses.type() != ElementType::kInt64) {
    return absl::InvalidArgumentError(absl::StrCat(
        "'masses' must be int32 or int64, not ", Name(masses.type())));
  }
  absl::Status status = CheckMemory("masses", masses, memory, where);
  status.Update(CheckMemory("out", out, memory, where));
  status.Update(CheckType("out", out, masses.type()));
  if (options.as == Cyclospectrum::As::kSpectrum) {
    absl::StatusOr<std::int64_t> size = CyclospectrumSize(masses.size());
    if (!size.ok()) return size.status();
    status.Update(CheckSize("out", out, *size));
    return status;
  }
  status.Update(CheckMemory("counts", counts, memory, where));
  status.Update(CheckMemory("distinct", distinct, memory, where));
  status.Update(CheckType("counts", counts, ElementType::kInt64));
  status.Update(CheckType("distinct", distinct, ElementType::kInt64));
  status.Update(CheckSize("counts", counts, out.size()));
  status.Update(CheckSize("distinct", distinct, 1));
  return status;
}

absl::StatusOr<std::vector<std::int32_t>> ComputeCyclospectrum(
    const std::shared_ptr<Backend>& backend,
    absl::Span<const std::int32_t> masses, absl::string_view variant) {
  absl::StatusOr<std::unique_ptr<Cyclospectrum>> implementation =
      Registry<Cyclospectrum>::Get().Create(backend, variant);
  if (!implementation.ok()) return implementation.status();
  const ConstArrayView host_masses(masses);
  absl::Status status = TotalMass(host_masses).status();
  if (!status.ok()) return status;
  absl::StatusOr<std::int64_t> size = CyclospectrumSize(host_masses.size());
  if (!size.ok()) return size.status();
  absl::StatusOr<Array> in =
      backend->Allocate(ElementType::kInt32, host_masses.size());
  if (!in.ok()) return in.status();
  absl::StatusOr<Array> out = backend->Allocate(ElementType::kInt32, *size);
  if (!out.ok()) return out.status();
  status = backend->Copy(host_masses, in->view());
  if (!status.ok()) return status;
  const ArrayView none(nullptr, ElementType::kInt64, 0, backend->memory());
  status = (*implementation)->Run(in->view(), out->view(), none, none, {});
  if (!status.ok()) return status;
  std::vector<std::int32_t> spectrum(static_cast<std::size_t>(*size));
  status = backend->Copy(out->view(), ArrayView(absl::MakeSpan(spectrum)));
  if (!status.ok()) return status;
  return spectrum;
}

}  // namespace concord
