// SPDX-License-Identifier: Apache-2.0
// What the reference kernels of TensorFlow Lite Micro ask of its arena: the one
// place for facts about them, of the commit kMicroCommit (micro_trace.h).
#ifndef STOWAGE_SRC_TFLM_MICRO_KERNELS_H_
#define STOWAGE_SRC_TFLM_MICRO_KERNELS_H_

#include <cstddef>
#include <vector>

#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage {

// The bytes that an element takes in the memory of the device; 0 for types
// whose size it does not know (TfLiteTypeSizeOf): strings, variants, elements
// of 2 bits, UINT4, floating point of 8 bits.
size_t MicroElementBytes(ElementType type);

// The bytes that a tensor takes on the device: elements smaller than a byte
// take one each, a resource takes an identifier. 0 for types that the device
// does not have.
size_t MicroTensorBytes(const TensorSpec& tensor);

// Returns whether the kernel gives an output memory of its own, so that it is
// not planned: the handle that VAR_HANDLE makes.
bool OutputIsHandle(const OperatorSpec& op);

// What a kernel asks for, in bytes. All but options and scratch memory is
// aligned to kMicroAlignment.
struct MicroKernel {
  // False for an operator that there are no facts about: all else is empty.
  bool is_known = false;
  size_t options_bytes = 0;  // what the model says of it, parsed; 0: nothing is
  size_t options_alignment = 1;
  size_t data_bytes = 0;         // what Init keeps; 0: nothing
  std::vector<size_t> prepared;  // what Prepare keeps, in order
  std::vector<size_t> scratch;   // requests, in order: 12 at most
};

MicroKernel MicroKernelOf(const SubgraphSpec& graph, const OperatorSpec& op,
                          MicroWord word);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_MICRO_KERNELS_H_
