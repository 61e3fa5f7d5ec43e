// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// Which file is meant by the path of an output.

#ifndef CONCORD_CORE_WRITTEN_FILE_H_
#define CONCORD_CORE_WRITTEN_FILE_H_

#include <string>

namespace concord {

// The file that OutputFile::Open(path) writes: behind symbolic links, whether
// or not it exists, and the same text for every name of it.
std::string WrittenFile(const std::string& path);

// Which of the descriptors of this process that is, such as 1 for "-" and for
// /dev/stdout, 3 for /dev/fd/3 and for a link to it. -1 for other files. What
// opens such a path anew begins at the head of the file, over what is there.
int DescriptorNamed(const std::string& path);

}  // namespace concord

#endif  // CONCORD_CORE_WRITTEN_FILE_H_
