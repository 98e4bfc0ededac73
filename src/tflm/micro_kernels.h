// SPDX-License-Identifier: Apache-2.0
// Returns the amounts of memory that the reference kernels of TensorFlow Lite
// Micro request. All facts about these kernels are in this file and in
// micro_kernels.cc. They hold for the commit kMicroCommit (micro_trace.h).
#ifndef STOWAGE_SRC_TFLM_MICRO_KERNELS_H_
#define STOWAGE_SRC_TFLM_MICRO_KERNELS_H_

#include <cstddef>
#include <vector>

#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage {

// Returns the number of bytes of an element in the memory of the device.
// Returns 0 for types of which the device does not know the size
// (TfLiteTypeSizeOf): strings, variants, 2-bit elements, UINT4 and 8-bit
// floating point.
size_t MicroElementBytes(ElementType type);

// Returns the number of bytes of a tensor on the device. An element that is
// smaller than a byte occupies one byte there, and a resource occupies the size
// of an identifier. Returns 0 for types that the device does not have.
size_t MicroTensorBytes(const TensorSpec& tensor);

// Returns whether the kernel itself allocates its output, so that the output is
// not planned. This is the case for VAR_HANDLE, which has a handle as its
// output.
bool OutputIsHandle(const OperatorSpec& op);

// The sizes in bytes of the memory that a kernel requests. All of this memory
// is aligned to kMicroAlignment, except options and scratch memory.
struct MicroKernel {
  // False if nothing is known about the operator, in which case all other
  // fields are empty.
  bool is_known = false;
  // The size of the parsed options of the model, or 0 if there are none.
  size_t options_bytes = 0;
  size_t options_alignment = 1;
  // The number of bytes that Init allocates, or 0 if it allocates nothing.
  size_t data_bytes = 0;
  std::vector<size_t> prepared;  // the allocations of Prepare, in order
  // The requests of scratch memory, in order; at most 12.
  std::vector<size_t> scratch;
};

MicroKernel MicroKernelOf(const SubgraphSpec& graph, const OperatorSpec& op,
                          MicroWord word);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_MICRO_KERNELS_H_
