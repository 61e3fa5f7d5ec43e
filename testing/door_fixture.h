// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_DOOR_FIXTURE_H_
#define CONCORD_TESTING_DOOR_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "concord/core/file_format.h"
#include "concord/core/spec.h"

namespace concord {

using Arguments = std::vector<std::string>;

Arguments Joined(std::vector<Arguments> parts);

// A folder of the test's own, in which it runs programs.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string File(const std::string& name) const;

  // What the program writes to standard output, which is the file "stdout"
  // then; it has to end well.
  std::string OutputOf(const std::string& program, const Arguments& arguments,
                       const std::string& input = "/dev/null") const;
  std::string Concord(const Arguments& arguments,
                      const std::string& input = "/dev/null") const {
    return OutputOf("tools/concord/concord", arguments, input);
  }

 private:
  std::string path_;
};

std::string Content(const std::string& path);

// Every backend of this program that can run here, open.
const std::map<std::string, std::shared_ptr<Backend>>& BackendsHere();

// The implementation that a call without a variant runs, if there is one that
// takes the type.
std::optional<ImplementationInfo> DefaultOn(const AlgorithmSpec& spec,
                                            const std::string& backend,
                                            ElementType type);

// An algorithm with arrays of one type.
struct Door {
  const AlgorithmSpec* spec;
  ElementType type;
};

std::vector<Door> AllDoors();
// One of each algorithm.
std::vector<Door> LastDoors();

std::string DoorName(const testing::TestParamInfo<Door>& info);
// For messages of failures.
std::ostream& operator<<(std::ostream& out, const Door& door);

// What the doors have in common: cases, files of their inputs, and what is
// right.
class Doors : public testing::TestWithParam<Door> {
 protected:
  const AlgorithmSpec& spec() const { return *GetParam().spec; }
  ElementType type() const { return GetParam().type; }
  const SignatureData& signature() const {
    return spec().algorithm().signature();
  }

  // Those of BackendsHere on which the algorithm runs.
  std::vector<std::string> Backends() const;
  // Those on which programs run one of several cases: all for the last one,
  // those of the CPU for the others, because a GPU takes long to open.
  std::vector<std::string> BackendsFor(const Case& test_case,
                                       const std::vector<Case>& cases) const;

  // A case for each of the settings, in turn of each distribution that files
  // can hold.
  std::vector<Case> Cases() const;

  const Folder& folder() const { return folder_; }
  std::string File(const std::string& name) const { return folder_.File(name); }

  // The text of --input, if there is one for this case.
  std::optional<std::string> TextOf(const Case& test_case) const;
  const HostArray& FirstInput(const Case& test_case) const;

  // The options of the case on the command line, without wanted outputs. What
  // is as it is by default is not said: some say that it means nothing.
  Arguments OptionsOf(const Case& test_case) const;
  // The outputs that the case asks for, by the options that ask for them.
  std::map<std::string, std::string> WantedOutputs(const Case& test_case) const;

  // Writes the inputs but the first as .npy.
  Arguments WriteOtherInputs(const Case& test_case) const;
  // Writes all inputs, as .npy where that can be.
  Arguments WriteInputs(const Case& test_case) const;

  Expectations Expected(const Case& test_case) const;
  void ExpectRight(const HostArray& got, const std::string& output,
                   const Expectations& expected) const;
  // A file of text has the elements alone.
  void ExpectRightFile(const std::string& path, const std::string& output,
                       const Expectations& expected) const;
  // --output, written to the file `path` or copied there, is right.
  void ExpectRightOutput(const std::string& path,
                         const Expectations& expected) const;

 private:
  const FileFormat& Format() const;
  std::vector<OptionMap> Settings() const;
  std::string SavedText(const Expectations& expected,
                        const std::string& name) const;

  Folder folder_;
};

}  // namespace concord

#endif  // CONCORD_TESTING_DOOR_FIXTURE_H_
