// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_STORED_ROOM_H_
#define CONCORD_CORE_STORED_ROOM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace concord {

// The room of an output file that processes on several hosts write together.
// They do not map the file: NFS writes a page that was changed back whole, so
// one host would put old bytes in the place of what another has written beside
// its own. The memory is this process's alone, and bytes go into the file by
// Store(), exactly those.
class StoredRoom {
 public:
  // Of a file that has so many bytes. `path` is for messages.
  // ResourceExhausted: why it cannot be written.
  static absl::StatusOr<std::unique_ptr<StoredRoom>> Make(int descriptor,
                                                          std::string path,
                                                          std::int64_t bytes);
  ~StoredRoom();
  StoredRoom(const StoredRoom&) = delete;
  StoredRoom& operator=(const StoredRoom&) = delete;

  // The byte at begin() + i stands for byte i of the file. It takes no memory
  // until it is touched.
  char* begin() const { return begin_; }

  // The file has them, wherever it is, when this returns. `at`: in the room.
  absl::Status Store(const void* at, absl::string_view bytes);
  // Whether Store() was called.
  bool has_parts() const { return has_parts_; }

 private:
  StoredRoom(std::string path, std::int64_t bytes)
      : path_(std::move(path)), bytes_(bytes) {}

  const std::string path_;
  const std::int64_t bytes_;
  int descriptor_ = -1;
  char* begin_ = nullptr;
  bool has_parts_ = false;
};

}  // namespace concord

#endif  // CONCORD_CORE_STORED_ROOM_H_
