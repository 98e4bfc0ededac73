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
  size_t options_bytes = 0;  // parsed options of the model; 0 if none
  size_t options_alignment = 1;
  size_t data_bytes = 0;         // allocated by Init; 0 if nothing is
  std::vector<size_t> prepared;  // allocations of Prepare, in order
  std::vector<size_t> scratch;   // requests in order, at most 12
};

MicroKernel MicroKernelOf(const SubgraphSpec& graph, const OperatorSpec& op,
                          MicroWord word);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_MICRO_KERNELS_H_
