// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_SUPPORT_ONE_OF_TWO_H_
#define CONCORD_TESTING_SUPPORT_ONE_OF_TWO_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "concord/core/host.h"
#include "concord/core/replicas.h"

namespace concord {

// The second of two replicas, whose first says what the test wants; or the
// first.
class OneOfTwo : public Replicas {
 public:
  explicit OneOfTwo(int index = 1) : index_(index) { RegisterReplicas(this); }
  ~OneOfTwo() override { RegisterReplicas(nullptr); }

  int count() const override { return 2; }
  int index() const override { return index_; }
  absl::StatusOr<std::string> FromFirst(const std::string& mine) override {
    if (index_ == 0) return said.emplace_back(mine);
    if (said.empty()) return first_says;
    std::string next = said.front();
    said.erase(said.begin());
    return next;
  }
  absl::Status Agree(const absl::Status& mine) override {
    return first_fails.ok() ? mine : first_fails;
  }
  absl::StatusOr<std::vector<std::string>> FromAll(
      const std::string& mine) override {
    if (is_on_one_host && mine == absl::StrCat(HashOfHost())) {
      return std::vector<std::string>{mine, mine};
    }
    return std::vector<std::string>{*first_says, mine};
  }
  std::vector<int> WhoEndsWith(const std::string&, int) override {
    return same_end;
  }
  bool IsSharedOut(Memory memory) const override {
    return memory == Memory("shared");
  }
  std::pair<std::int64_t, std::int64_t> ElementsHere(
      const ConstArrayView& array) const override {
    return {array.size() / 2, array.size()};
  }

  absl::StatusOr<std::string> first_says = std::string();
  // The same, one after the other; if this is the first, what it has said.
  std::vector<std::string> said;
  absl::Status first_fails;
  // Whether it is on the same host, as far as AreOnOneHost() asks.
  bool is_on_one_host = false;
  // Who ends with the same words.
  std::vector<int> same_end;

 private:
  const int index_;
};

}  // namespace concord

#endif  // CONCORD_TESTING_SUPPORT_ONE_OF_TWO_H_
