// What running the operators of a graph in their order does with its tensors.
#ifndef STOWAGE_SRC_TFLITE_LIVES_H_
#define STOWAGE_SRC_TFLITE_LIVES_H_

#include <cstddef>
#include <limits>
#include <vector>

#include "absl/status/statusor.h"
#include "src/tflite/model_graph.h"

namespace stowage {

constexpr size_t kNever = std::numeric_limits<size_t>::max();

struct Life {
  size_t producer = kNever;  // the operator that writes it
  size_t last_use = kNever;  // the last operator that reads it
  bool is_folded = false;    // computed from constants alone
};

// The life of every tensor. Error: InvalidArgument if a tensor is read before
// it is there, written twice, or written though it is constant or the caller's.
// O(operators and their tensors).
absl::StatusOr<std::vector<Life>> FindLives(const Graph& graph);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_LIVES_H_
