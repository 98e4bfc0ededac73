// SPDX-License-Identifier: Apache-2.0
// Returns the memory that the reference kernels of TensorFlow Lite Micro ask
// for. All facts about these kernels are here; they are those of the commit
// kMicroCommit (micro_trace.h).
#ifndef STOWAGE_SRC_TFLM_MICRO_KERNELS_H_
#define STOWAGE_SRC_TFLM_MICRO_KERNELS_H_

#include <cstddef>
#include <vector>

#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage {

// Returns the bytes that an element takes in the memory of the device; 0 for
// types whose size it does not know (TfLiteTypeSizeOf): strings, variants,
// elements of 2 bits, UINT4, floating point of 8 bits.
size_t MicroElementBytes(ElementType type);

// Returns the bytes that a tensor takes on the device: elements smaller than a
// byte take one each, and a resource takes an identifier. Returns 0 for types
// that the device does not have.
size_t MicroTensorBytes(const TensorSpec& tensor);

// Returns whether the kernel allocates its output, which is then not planned:
// this is the handle that VAR_HANDLE makes.
bool OutputIsHandle(const OperatorSpec& op);

// The memory that a kernel asks for, in bytes. Everything except options and
// scratch memory is aligned to kMicroAlignment.
struct MicroKernel {
  // False for an operator about which nothing is known; all else is empty then.
  bool is_known = false;
  size_t options_bytes = 0;  // parsed options of the model; 0: none
  size_t options_alignment = 1;
  size_t data_bytes = 0;         // allocated by Init; 0: nothing
  std::vector<size_t> prepared;  // allocated by Prepare, in order
  std::vector<size_t> scratch;   // requests, in order; at most 12
};

MicroKernel MicroKernelOf(const SubgraphSpec& graph, const OperatorSpec& op,
                          MicroWord word);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLM_MICRO_KERNELS_H_
