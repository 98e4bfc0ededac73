// SPDX-License-Identifier: Apache-2.0
#include "src/harness/custom_memory.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "src/harness/delegated_node.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// Returns how many bytes after the end of the tensor must be readable for the
// delegates that read it.
size_t SpareBytesOf(const RunningGraph& graph, size_t tensor) {
  size_t bytes = 0;
  for (size_t task = 0; task < graph.tasks().size(); ++task) {
    const DelegatedNode* const node = graph.NodeOf(task).delegated.get();
    if (node == nullptr || node->info.spare_bytes <= bytes ||
        !absl::c_linear_search(graph.SpecOf(task).inputs, tensor)) {
      continue;
    }
    bytes = node->info.spare_bytes;
  }
  return bytes;
}

// Returns a clause for a message, with the shape and the number of bytes that
// the model declares for a tensor and those that were computed. Returns an
// empty string if both numbers of bytes are equal.
std::string DeclaredText(const RunningGraph& graph, size_t index) {
  const TensorSpec& declared = graph.spec().tensors[index];
  const Tensor& computed = graph.tensors()[index];
  if (declared.bytes == computed.bytes) return "";
  return absl::StrCat(": the model declares ", ShapeText(declared.shape), ", ",
                      declared.bytes, " bytes, and the computed shape is ",
                      ShapeText(computed.shape), ", ", computed.bytes,
                      " bytes");
}

}  // namespace

absl::Status CheckCustomPlace(const RunningGraph& graph, size_t tensor,
                              absl::Span<uint8_t> memory,
                              bool check_alignment) {
  const Storage storage = graph.tensors()[tensor].storage;
  const auto address = reinterpret_cast<uintptr_t>(memory.data());
  std::string wrong;
  if (storage != Storage::kArena && storage != Storage::kPersistent &&
      storage != Storage::kCustom) {
    wrong = "; expected a tensor that has a place in an arena";
  } else if (memory.data() == nullptr) {
    wrong = " is null; expected an address";
  } else if (check_alignment && address % kBlockAlignment != 0) {
    wrong = absl::StrCat(" is ", address % kBlockAlignment,
                         " bytes after a multiple of ", kBlockAlignment,
                         "; expected an address aligned to ", kBlockAlignment);
  } else {
    return absl::OkStatus();
  }
  return graph.AtTensor(tensor, absl::InvalidArgumentError(absl::StrCat(
                                    "memory provided by the caller", wrong)));
}

absl::Status CheckCustomMemory(const RunningGraph& graph) {
  for (const auto& [index, memory] : graph.tensors().custom()) {
    const size_t bytes = graph.tensors()[index].bytes;
    const size_t spare = SpareBytesOf(graph, index);
    if (memory.size() >= bytes && memory.size() - bytes >= spare) continue;
    return graph.AtTensor(
        index,
        absl::InvalidArgumentError(absl::StrCat(
            "memory provided by the caller has ", memory.size(),
            " bytes; expected ", bytes,
            spare == 0 ? ""
                       : absl::StrCat(" and ", spare,
                                      " spare ones, which a delegate reads"),
            " at least", DeclaredText(graph, index))));
  }
  return absl::OkStatus();
}

}  // namespace stowage::harness
