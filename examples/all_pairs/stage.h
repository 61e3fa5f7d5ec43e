// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_EXAMPLES_ALL_PAIRS_STAGE_H_
#define CONCORD_EXAMPLES_ALL_PAIRS_STAGE_H_

#include <chrono>
#include <cstdint>
#include <iostream>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "concord/core/replicas.h"

namespace concord::all_pairs {

// Says on standard error how far a stage is, once a second, and how long it
// took. Of several ranks the first one speaks, of its own share.
class Stage {
 public:
  Stage(std::string name, std::string unit)
      : name_(std::move(name)), unit_(std::move(unit)) {}
  ~Stage() {
    if (!IsFirstReplica()) return;
    const double seconds = Seconds();
    std::cerr << absl::StreamFormat("%-8s %13d %-9s %8.2f s", name_, done_,
                                    unit_, seconds);
    if (seconds > 0) {
      std::cerr << absl::StreamFormat("  %.3g a second",
                                      static_cast<double>(done_) / seconds);
    }
    std::cerr << "\n";
  }

  void Add(std::int64_t done) {
    done_ += done;
    if (Seconds() < next_) return;
    next_ = Seconds() + 1;
    Say(absl::StrCat(done_, " ", unit_));
  }

  void Say(absl::string_view what) const {
    if (IsFirstReplica()) std::cerr << name_ << " ... " << what << "\n";
  }

 private:
  using Clock = std::chrono::steady_clock;

  double Seconds() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  const std::string name_;
  const std::string unit_;
  const Clock::time_point start_ = Clock::now();
  double next_ = 1;
  std::int64_t done_ = 0;
};

}  // namespace concord::all_pairs

#endif  // CONCORD_EXAMPLES_ALL_PAIRS_STAGE_H_
