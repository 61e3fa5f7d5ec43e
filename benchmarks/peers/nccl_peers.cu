// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A sum and prefix sums over several GPUs as one builds them from libraries:
// CUB for each GPU's stretch, and between the GPUs a collective of NCCL. One
// host thread has all GPUs. Arrays are blocked, and each GPU is one member.

#include <cuda_runtime.h>

#include <cstdint>
#include <cub/device/device_scan.cuh>
#include <cub/util_type.cuh>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "concord/algorithms/reduce/reduce.h"
#include "concord/algorithms/scan/scan.h"
#include "concord/backends/cuda/cub_operators.cuh"
#include "concord/backends/cuda/cub_peer.cuh"
#include "concord/backends/cuda/launch.cuh"
#include "concord/backends/gpus/group_launch.cuh"
#include "concord/backends/gpus/on_gpus.cuh"
#include "concord/backends/mpi/nccl_library.h"
#include "concord/benchmarks/peers/peer.h"
#include "concord/core/errors.h"

namespace concord {
namespace {

constexpr int kSum = 0;  // ncclSum

// ncclDataType_t.
template <typename T>
constexpr int kNcclType = std::is_same_v<T, std::int32_t>   ? 2
                          : std::is_same_v<T, std::int64_t> ? 4
                          : std::is_same_v<T, float>        ? 7
                                                            : 8;

// A communicator for all members of a group.
class NcclGroup {
 public:
  explicit NcclGroup(std::shared_ptr<GpusBackend> backend)
      : backend_(std::move(backend)) {}
  ~NcclGroup() {
    for (const NcclComm comm : comms_) nccl_->CommDestroy(comm);
  }
  NcclGroup(const NcclGroup&) = delete;
  NcclGroup& operator=(const NcclGroup&) = delete;

  // Goes before each call. Unimplemented: not for these arrays, or this group.
  absl::Status Prepare(const GroupCut& cut) {
    const std::uint32_t all = (1u << backend_->members()) - 1;
    if (cut.located.layout == GroupLayout::kStriped || cut.set != all) {
      return UnimplementedError(
          "not blocked arrays with a stretch for each member");
    }
    if (!comms_.empty()) return absl::OkStatus();
    const absl::StatusOr<const NcclLibrary*> nccl = LoadNccl();
    if (!nccl.ok()) return absl::UnimplementedError(nccl.status().message());
    nccl_ = *nccl;
    std::vector<int> devices;
    for (int i = 0; i < backend_->members(); ++i) {
      devices.push_back(backend_->member(i)->device());
    }
    std::vector<NcclComm> comms(devices.size());
    const NcclResult made = nccl_->CommInitAll(
        comms.data(), static_cast<int>(devices.size()), devices.data());
    // A GPU that is two members is refused here.
    if (made != 0) {
      return absl::UnimplementedError(nccl_->GetErrorString(made));
    }
    comms_ = std::move(comms);
    return absl::OkStatus();
  }

  // Queues `collective(nccl, communicator, stream, member)` for all members.
  absl::Status Queue(absl::FunctionRef<NcclResult(const NcclLibrary&, NcclComm,
                                                  cudaStream_t, int)>
                         collective) {
    const int last = backend_->members() - 1;
    return backend_->RunTogether((2u << last) - 1, [&](int i) {
      if (i < last) return absl::OkStatus();
      // All streams are ready by now.
      NcclResult result = nccl_->GroupStart();
      for (int m = 0; m <= last && result == 0; ++m) {
        result =
            collective(*nccl_, comms_[m], backend_->member(m)->stream(), m);
      }
      const NcclResult ended = nccl_->GroupEnd();
      if (result == 0) result = ended;
      return result == 0
                 ? absl::OkStatus()
                 : InternalError("NCCL: ", nccl_->GetErrorString(result));
    });
  }

 private:
  const std::shared_ptr<GpusBackend> backend_;
  const NcclLibrary* nccl_ = nullptr;
  std::vector<NcclComm> comms_;
};

// CUB's sum of each member's stretch, into the member's memory.
class StretchSums {
 public:
  explicit StretchSums(std::shared_ptr<GpusBackend> backend)
      : backend_(std::move(backend)) {}

  // Queues them. `most` is how many values each member's memory has room for.
  template <typename T>
  absl::Status Queue(const ConstArrayView& in, const GroupCut& cut,
                     std::int64_t most) {
    RETURN_IF_ERROR(Create());
    RETURN_IF_ERROR(sums_.Reserve<T>(most));
    return backend_->RunTogether(cut.set, [&](int i) {
      return reduces_[i]->Run(ForMember(*backend_, i, cut.PartOf(in, i)),
                              ArrayView(sums_.of<T>(i), in.type(), 1,
                                        backend_->member(i)->memory()),
                              {});
    });
  }

  template <typename T>
  T* of(int member) const {
    return sums_.of<T>(member);
  }

 private:
  absl::Status Create() {
    for (int i = static_cast<int>(reduces_.size()); i < backend_->members();
         ++i) {
      RETURN_IF_ERROR(backend_->member(i)->Activate());
      ASSIGN_OR_RETURN(
          std::unique_ptr<Reduce> reduce,
          Registry<Reduce>::Get().Create(backend_->member(i), "cub"));
      reduces_.push_back(std::move(reduce));
    }
    return absl::OkStatus();
  }

  const std::shared_ptr<GpusBackend> backend_;
  MembersScratch sums_{backend_};
  std::vector<std::unique_ptr<Reduce>> reduces_;
};

template <typename F>
absl::Status DispatchNccl(ElementType type, const F& f) {
  switch (type) {
    case ElementType::kInt32:
      return f(std::int32_t{});
    case ElementType::kInt64:
      return f(std::int64_t{});
    case ElementType::kFloat32:
      return f(float{});
    default:
      return f(double{});
  }
}

// What both peers start from: the sum of each member's stretch, and the
// collective that tells the members of it. Derived has Launch<T>(in, out, cut).
template <typename Derived, typename Interface>
class OnNccl : public OnGpus<Interface> {
 public:
  using OnGpus<Interface>::OnGpus;

 protected:
  using OnGpus<Interface>::backend;

  absl::Status ComputeSums(const ConstArrayView& in, const ArrayView& out) {
    const GroupCut cut = GroupCut::Of(in, backend()->members());
    RETURN_IF_ERROR(nccl_.Prepare(cut));
    return DispatchNccl(in.type(), [&](auto zero) {
      return static_cast<Derived*>(this)->template Launch<decltype(zero)>(
          in, out, cut);
    });
  }

  StretchSums sums_{backend()};
  NcclGroup nccl_{backend()};
};

class ReduceNccl : public OnNccl<ReduceNccl, Reduce> {
 public:
  using OnNccl::OnNccl;

  template <typename T>
  absl::Status Launch(const ConstArrayView& in, const ArrayView& out,
                      const GroupCut& cut) {
    RETURN_IF_ERROR(sums_.Queue<T>(in, cut, 1));
    RETURN_IF_ERROR(nccl_.Queue([&](const NcclLibrary& nccl, NcclComm comm,
                                    cudaStream_t stream, int member) {
      T* const sum = sums_.of<T>(member);
      return nccl.AllReduce(sum, sum, 1, kNcclType<T>, kSum, comm, stream);
    }));
    return QueueCopy(*backend()->member(0), sums_.of<T>(0), out.data<T>(),
                     sizeof(T), name());
  }

 protected:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    if (options.op != Op::kAdd) return UnimplementedError("sums alone");
    return ComputeSums(in, out);
  }
};

// What precedes a member's stretch.
template <typename T>
__global__ void SumBefore(const T* sums, int member, T* before) {
  T sum = 0;
  for (int i = 0; i < member; ++i) sum += sums[i];
  *before = sum;
}

class ScanNccl : public OnNccl<ScanNccl, Scan> {
 public:
  using OnNccl::OnNccl;

  // A member's memory: its sum, those of all, and what precedes its stretch.
  template <typename T>
  absl::Status Launch(const ConstArrayView& in, const ArrayView& out,
                      const GroupCut& cut) {
    const int members = backend()->members();
    RETURN_IF_ERROR(sums_.Queue<T>(in, cut, members + 2));
    RETURN_IF_ERROR(nccl_.Queue([&](const NcclLibrary& nccl, NcclComm comm,
                                    cudaStream_t stream, int member) {
      T* const sum = sums_.of<T>(member);
      return nccl.AllGather(sum, sum + 1, 1, kNcclType<T>, comm, stream);
    }));
    while (static_cast<int>(memory_.size()) < members) {
      memory_.push_back(std::make_unique<CubMemory>(
          backend()->member(static_cast<int>(memory_.size()))));
    }
    return backend()->RunTogether(cut.set, [&](int i) {
      const CudaBackend& gpu = *backend()->member(i);
      T* const sums = sums_.of<T>(i) + 1;
      T* const before = sums + members;
      RETURN_IF_ERROR(
          QueueKernel(gpu, name(), SumBefore<T>, {1, 1}, sums, i, before));
      const ConstArrayView part = cut.PartOf(in, i);
      T* const to = cut.PartOf(out, i).template data<T>();
      return memory_[i]->Run(name(), [&](void* memory, std::size_t& bytes) {
        return cub::DeviceScan::ExclusiveScan(
            memory, bytes, part.data<T>(), CubOutput(to), CubOperator<Add<T>>(),
            cub::FutureValue<T>(before), part.size(), gpu.stream());
      });
    });
  }

 protected:
  absl::Status Compute(ConstArrayView in, ArrayView out,
                       const Options& options) override {
    // CUB's inclusive scans take no first value from the device.
    if (options.op != Op::kAdd || options.kind != Kind::kExclusive) {
      return UnimplementedError("exclusive sums alone");
    }
    return ComputeSums(in, out);
  }

 private:
  std::vector<std::unique_ptr<CubMemory>> memory_;
};

Contract Blocked() {
  return Contract()
      .Types({ElementType::kInt32, ElementType::kInt64, ElementType::kFloat32,
              ElementType::kFloat64})
      .Determined(Determinism::kNone)
      .SpecialValues("IEEE 754 arithmetic in an order of the libraries'")
      .Notes(
          "of blocked arrays that reach every member, each a GPU of its own");
}

const bool kRegistered =
    AddPeer<Reduce, ReduceNccl>(
        "gpus", "nccl", "CUB on each member, all-reduce of NCCL", Blocked()) &&
    AddPeer<Scan, ScanNccl>("gpus", "nccl",
                            "CUB on each member, twice; all-gather of NCCL",
                            Blocked());

}  // namespace
}  // namespace concord
