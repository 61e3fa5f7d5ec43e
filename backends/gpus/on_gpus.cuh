// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_GPUS_ON_GPUS_CUH_
#define CONCORD_BACKENDS_GPUS_ON_GPUS_CUH_

#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "concord/backends/gpus/gpus_backend.h"
#include "concord/core/contract.h"
#include "concord/core/registry.h"

namespace concord {

// What implementations of an algorithm's interface on several GPUs start from.
template <typename InterfaceOfAlgorithm>
class OnGpus : public InterfaceOfAlgorithm {
 public:
  using Interface = InterfaceOfAlgorithm;

  explicit OnGpus(std::shared_ptr<Backend> backend)
      : backend_(AsGpus(std::move(backend))) {}

 protected:
  using InterfaceOfAlgorithm::name;
  const std::shared_ptr<GpusBackend>& backend() const { return backend_; }

  // The implementation for one GPU on the first member, over the same arrays:
  // for calls that are not shared out. It is made when it is first asked for.
  absl::StatusOr<Interface*> OnOneMember() {
    return Made(on_one_member_, backend_->stand_in());
  }
  // The same with all that it keeps in the first member's own memory, over
  // arrays by that memory's name (ForMember). LeaveOneMember gives it back.
  absl::StatusOr<Interface*> WithinOneMember() {
    return Made(within_one_member_, backend_->member(0));
  }
  void LeaveOneMember() { within_one_member_ = nullptr; }

 private:
  static absl::StatusOr<Interface*> Made(std::unique_ptr<Interface>& kept,
                                         std::shared_ptr<Backend> backend) {
    if (kept == nullptr) {
      absl::StatusOr<std::unique_ptr<Interface>> made =
          Registry<Interface>::Get().Create(std::move(backend));
      if (!made.ok()) return made.status();
      kept = *std::move(made);
    }
    return kept.get();
  }

  const std::shared_ptr<GpusBackend> backend_;
  std::unique_ptr<Interface> on_one_member_;
  std::unique_ptr<Interface> within_one_member_;
};

// What an implementation asks of one device, asked of the first member's: all
// are asked alike.
inline Requirement OfTheFirstMember(Requirement of_device) {
  return {of_device.what, [is_met = of_device.is_met](Backend& backend) {
            return is_met(*static_cast<GpusBackend&>(backend).member(0));
          }};
}

// Stands at the bottom of an implementation's file, as RegisterOnCuda does.
template <typename Implementation>
bool RegisterOnGpus(const char* variant, int rank, const char* summary,
                    Contract contract, Requirement requirement = {},
                    std::vector<OptionSpec> tuning = {}) {
  return Registry<typename Implementation::Interface>::Get()
      .template Add<Implementation>("gpus", variant, rank, summary,
                                    std::move(contract), std::move(requirement),
                                    std::move(tuning));
}

}  // namespace concord

#endif  // CONCORD_BACKENDS_GPUS_ON_GPUS_CUH_
