// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_BACKENDS_CUDA_SPLICED_ARGUMENTS_H_
#define CONCORD_BACKENDS_CUDA_SPLICED_ARGUMENTS_H_

#include <cstdint>

namespace concord::spliced {

// As many as a function can have (core/expression/function.h).
inline constexpr int kMostColumns = 16;
inline constexpr int kMostTables = 8;

struct TableArgument {
  const void* data;
  std::int64_t size;
};

// The first parameter of every kernel with places for functions. What is
// spliced in reads it by its name and these offsets, so that kernels neither
// know nor limit the types of columns.
struct Arguments {
  // Element i of a column stands at its address + i * its type's bytes.
  const void* in[kMostColumns];
  void* out[kMostColumns];
  TableArgument tables[kMostTables];
  // For each table, the first element that reads outside of it; larger than any
  // where none does.
  std::uint64_t* outside;
  // The elements that the kernel is for.
  std::int64_t begin;
  std::int64_t end;
  // Whether all columns, those of results, too, begin at multiples of 16 bytes,
  // so that neighbours can be read and written together.
  std::int32_t aligned;
};

// Neighbours that a thread reads and writes of each column at once.
inline constexpr int kMapGroup = 4;

// What a thread combines from left to right by an operator: a row, so many
// elements of it at once.
inline constexpr int kFoldRow = 128;
inline constexpr int kFoldGroup = 8;

}  // namespace concord::spliced

#endif  // CONCORD_BACKENDS_CUDA_SPLICED_ARGUMENTS_H_
