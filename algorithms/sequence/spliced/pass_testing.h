// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// What tests of spliced passes share.

#ifndef CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PASS_TESTING_H_
#define CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PASS_TESTING_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "concord/algorithms/sequence/order.h"
#include "concord/algorithms/sequence/spliced/pass.h"
#include "concord/backends/cuda/cuda_backend.h"
#include "concord/core/array.h"
#include "concord/core/expression/function.h"
#include "concord/core/expression/operator.h"
#include "concord/core/expression/value_type.h"

namespace concord::sequence {

// Every test begins with an empty cache of its own on disk.
class SplicedPassTest : public ::testing::Test {
 protected:
  void SetUp() override;

  // Null where there is no GPU: the test is skipped.
  std::shared_ptr<CudaBackend> backend_;
  std::string folder_;
};

// Columns in host memory and their copies on the device.
struct MirroredColumns {
  std::vector<Array> host;
  std::vector<Array> device;
  std::vector<ConstArrayView> host_views;
  std::vector<ConstArrayView> device_views;
  std::vector<ArrayView> host_outputs;
  std::vector<ArrayView> device_outputs;
};

// n random values of each type, `skip` elements behind an aligned address.
MirroredColumns RandomMirroredColumns(
    CudaBackend& backend, std::uint64_t seed,
    const std::vector<expression::Type>& types, std::int64_t n, int skip = 0);

std::vector<expression::Word> ValuesOf(CudaBackend& backend,
                                       const ConstArrayView& view);

void ExpectEqualColumns(CudaBackend& backend,
                        const expression::Function& function,
                        const MirroredColumns& wanted,
                        const MirroredColumns& given);

// The first elements are these.
void ExpectTuples(CudaBackend& backend,
                  const std::vector<expression::Type>& types,
                  const std::vector<Tuple>& wanted,
                  const MirroredColumns& given);

// What the prologue gives for every element.
std::vector<Tuple> TuplesOf(const expression::Function& prologue,
                            const MirroredColumns& columns, std::int64_t n);

// The values as they are.
expression::Function Identity(const std::vector<expression::Type>& types);

// Reductions of so many random elements, against their definition.
void CheckReduce(const std::shared_ptr<CudaBackend>& backend,
                 const expression::Function& prologue,
                 const expression::Operator& op,
                 const std::vector<std::int64_t>& sizes, int skip = 0);

// Where rows, warps, blocks and pieces end.
const std::vector<std::int64_t>& Sizes();

}  // namespace concord::sequence

#endif  // CONCORD_ALGORITHMS_SEQUENCE_SPLICED_PASS_TESTING_H_
