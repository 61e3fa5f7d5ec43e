// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_TESTING_SUPPORT_NO_UNNAMED_FILES_H_
#define CONCORD_TESTING_SUPPORT_NO_UNNAMED_FILES_H_

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>

namespace concord {

// From now on every file system is for this process, and for those that it
// starts, one without files of no name: O_TMPFILE is refused as NFS refuses it.
// False where the kernel cannot do that.
inline bool RefuseUnnamedFiles() {
  // Of O_TMPFILE, the bit that says so.
  constexpr unsigned kUnnamed = O_TMPFILE & ~O_DIRECTORY;
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_openat, 0, 3),
      // The lower half of the flags, on little-endian machines.
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, args[2])),
      BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, kUnnamed, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {sizeof(rules) / sizeof(rules[0]), rules};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

}  // namespace concord

#endif  // CONCORD_TESTING_SUPPORT_NO_UNNAMED_FILES_H_
