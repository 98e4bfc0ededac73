// SPDX-License-Identifier: Apache-2.0
// Returns how much memory the reference kernels of TensorFlow Lite Micro ask
// for. All facts about these kernels are in this file and micro_kernels.cc.
// They hold for the commit kMicroCommit (micro_trace.h).
#ifndef STOWAGE_SRC_TFLM_MICRO_KERNELS_H_
#define STOWAGE_SRC_TFLM_MICRO_KERNELS_H_

#include <cstddef>
#include <vector>

#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage {

// Returns how many bytes an element takes in the memory of the device. Returns
// 0 for types whose size the device does not know (TfLiteTypeSizeOf): strings,
// variants, elements of 2 bits, UINT4 and floating point of 8 bits.
size_t MicroElementBytes(ElementType type);

// Returns how many bytes a tensor takes on the device. An element that is
// smaller than a byte takes one byte there, and a resource takes an identifier.
// Returns 0 for types that the device does not have.
size_t MicroTensorBytes(const TensorSpec& tensor);

// Returns whether the kernel itself allocates its output, which is then not
// planned. VAR_HANDLE is such an operator: its output is a handle.
bool OutputIsHandle(const OperatorSpec& op);

// The sizes in bytes of the memory that a kernel asks for. All of this memory
// is aligned to kMicroAlignment, except options and scratch memory.
struct MicroKernel {
  // False if nothing is known about the operator. All other fields are empty in
  // this case.
  bool is_known = false;
  // The parsed options of the model, or 0 if there are none.
  size_t options_bytes = 0;
  size_t options_alignment = 1;
  // Bytes that Init allocates, or 0 if it allocates none.
  size_t data_bytes = 0;
  std::vector<size_t> prepared;  // the allocations of Prepare, in order
  // Requests of scratch memory in order, at most 12.
  std::vector<size_t> scratch;
};

MicroKernel MicroKernelOf(const SubgraphSpec& graph, const OperatorSpec& op,
                          MicroWord word);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_MICRO_KERNELS_H_
