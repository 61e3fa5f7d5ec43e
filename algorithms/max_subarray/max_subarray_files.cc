// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "concord/algorithms/max_subarray/max_subarray.h"
#include "concord/core/array_io.h"
#include "concord/core/file_format.h"
#include "concord/core/output_file.h"

namespace concord::max_subarray {
namespace {

class MaxSubarrayFiles : public FileFormat {
 public:
  bool Saves(const std::string&) const override { return true; }

  // `sum first last` on one line, or these as an array of the sum's type.
  absl::Status SaveFile(const Results& results,
                        const std::string& path) const override {
    const HostArray& sum = results.at("sum");
    const HostArray& run = results.at("run");
    if (!absl::EndsWith(path, ".npy")) {
      return WriteFile(path, absl::StrCat(sum.ToString(0), " ", run.ToString(0),
                                          " ", run.ToString(1), "\n"));
    }
    HostArray all(sum.type(), {3});
    Dispatch(sum.type(), [&](auto tag) {
      using Sum = typename decltype(tag)::type;
      all.data<Sum>()[0] = *sum.data<Sum>();
      for (int i = 0; i < 2; ++i) {
        all.data<Sum>()[i + 1] = static_cast<Sum>(run.data<std::int64_t>()[i]);
      }
    });
    return WriteArray(path, all);
  }
};

const bool kRegistered =
    RegisterFileFormat(MaxSubarray::kName, new MaxSubarrayFiles);

}  // namespace
}  // namespace concord::max_subarray
