// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_SYMBOLS_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_SYMBOLS_H_

#include <dlfcn.h>

namespace concord::spliced {

// Functions of a library that was opened at run time.
class Symbols {
 public:
  // What dlopen gave.
  explicit Symbols(void* library) : library_(library) {}

  // Makes the pointer that of the function with this name.
  template <typename F>
  void Find(F*& function, const char* name) {
    void* const found = dlsym(library_, name);
    if (found == nullptr) missing_ = name;
    function = reinterpret_cast<F*>(found);
  }

  // A name that was not found; null where all were.
  const char* missing() const { return missing_; }

 private:
  void* const library_;
  const char* missing_ = nullptr;
};

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_SYMBOLS_H_
