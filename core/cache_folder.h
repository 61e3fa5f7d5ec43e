// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_CORE_CACHE_FOLDER_H_
#define CONCORD_CORE_CACHE_FOLDER_H_

#include <string>

namespace concord {

// The user's folder for what can be made again: $CONCORD_CACHE; without it
// `concord` in $XDG_CACHE_HOME, or in ~/.cache. "": there is none, as with an
// empty $CONCORD_CACHE. It need not exist.
std::string CacheFolder();

}  // namespace concord

#endif  // CONCORD_CORE_CACHE_FOLDER_H_
