// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPLICED_TEMPLATES_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SPLICED_TEMPLATES_H_

#include "absl/strings/string_view.h"
#include "concord/backends/cuda/spliced/ptx_text.h"

namespace concord::sequence {

// Kernels with places for functions, as PTX; nothing where there is none of
// that name, and in programs that were built without CUDA:
//
//   map_G        results of a function of columns, G = 1 or 4 groups of
//                elements for each thread
//   reduce_1xB   combined by a built-in operator, in the tree of `reduce`;
//                words of B = 32 or 64 bits
//   fold_WxB     combined by any operator, in the order of
//                algorithms/sequence/order.h; W = 1, 2, 4 or 8 words
//   scan_WxB     scanned by any operator, in that order
//   filter       elements for which a function is true
spliced::PtxText TemplateText(absl::string_view name);

// The same for compute capability 9.0 or later:
//
//   pipelined_filter   a filter of one column of 4 bytes, with one result of 4
//   pipelined_scan     a scan of one column by a built-in operator that gives
//                      the same in any order; all of it has 4 bytes
spliced::PtxText TemplateText90(absl::string_view name);

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_TEMPLATES_H_
