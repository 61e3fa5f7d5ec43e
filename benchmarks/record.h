// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BENCHMARKS_RECORD_H_
#define CONCORD_BENCHMARKS_RECORD_H_

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "concord/benchmarks/session.h"

namespace concord {

// A recorded run: the file that --out names, in the schema that
// benchmarks/results/SCHEMA.md describes. It is written anew after each row, so
// what is on the disk is complete whenever the program ends. A descriptor, a
// pipe or a device keeps what was written, so it gets the record at the end.
class Record {
 public:
  // The schema that this program writes. It reads older ones too.
  static constexpr int kSchema = 2;

  // Without rows. The context starts with what the system says of its CPU.
  Record();
  // InvalidArgument: the file cannot be read, or is no recorded run.
  static absl::StatusOr<Record> Load(const std::string& path);
  // The same of a file's text.
  static absl::StatusOr<Record> Parse(const std::string& text,
                                      const std::string& path);

  // FailedPrecondition names the first difference between what the rows of
  // `before` were measured with and on and this context; otherwise takes them.
  // The context then has as many passes as the rows, or as this run will.
  absl::Status Continue(const Record& before);

  void AddContext(const std::string& name, const std::string& value) {
    content_["context"][name] = value;
  }
  // The samples of one more pass. The row's times are those of all passes, and
  // its ceilings and the copy of its input the best of them.
  void Add(const Row& row, const Measured& measured);
  // In place of all samples.
  void AddError(const std::string& name, const std::string& message);

  std::vector<std::string> RowNames() const;
  // 0: the row is not there, has no samples or an error.
  int PassesOf(const std::string& name) const;
  // kNone where the row is about something else.
  Scaling ScalingOf(const std::string& name) const;
  // By how much a row about scaling is faster than that of one member, for each
  // member. FailedPrecondition says why nothing is known of it.
  absl::StatusOr<double> EfficiencyOf(const std::string& name) const;

  // What the file has.
  std::string Text() const;
  // Whether a record there can be replaced by a longer one.
  static bool IsReplaceable(const std::string& path);
  // The file as far as it is, whole or not at all; the same when it is
  // complete. Each leaves to the other what that is to write. Without a path
  // there is nothing to do.
  absl::Status SaveSoFar(const std::string& path) const;
  absl::Status SaveComplete(const std::string& path) const;

 private:
  using Json = nlohmann::ordered_json;

  Json& RowNamed(const std::string& name);
  // Sets anew what the rows about scaling owe to those of one member.
  void RelateToOneMember();

  Json content_;
  // Where each row stands in the list.
  std::map<std::string, std::size_t> places_;
};

}  // namespace concord

#endif  // CONCORD_BENCHMARKS_RECORD_H_
