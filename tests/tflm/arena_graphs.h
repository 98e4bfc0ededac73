// SPDX-License-Identifier: Apache-2.0
// Builds graphs for tests of the rules that determine which tensors share
// memory.
#ifndef STOWAGE_TESTS_TFLM_ARENA_GRAPHS_H_
#define STOWAGE_TESTS_TFLM_ARENA_GRAPHS_H_

#include <cstddef>
#include <utility>
#include <vector>

#include "stowage/tflite/lifetimes.h"

namespace stowage {

inline constexpr size_t kPartAlignment = 64;
inline constexpr InPlace kElementwise = InPlace::kInput0;
inline constexpr InPlace kReshape = InPlace::kInput0 | InPlace::kUnmodified;

inline ArenaNode OpaqueNode(std::vector<size_t> inputs,
                            std::vector<size_t> outputs) {
  return {std::move(inputs), std::move(outputs), {}, InPlace::kNever, {}};
}

inline ArenaNode InPlaceNode(size_t input, size_t output, InPlace in_place) {
  return {{input}, {output}, {}, in_place, {}};
}

// Returns a node that joins its inputs, which are consecutive parts of its
// output. `sizes` has the size of every tensor of the graph.
inline ArenaNode JoinNode(const std::vector<size_t>& sizes,
                          std::vector<size_t> inputs, size_t output) {
  ArenaNode node = OpaqueNode(std::move(inputs), {output});
  size_t at = 0;
  for (const size_t t : node.inputs) {
    node.parts.push_back({t, output, at});
    at += sizes[t];
  }
  return node;
}

inline ArenaNode CutNode(const std::vector<size_t>& sizes, size_t input,
                         std::vector<size_t> outputs) {
  ArenaNode node = OpaqueNode({input}, std::move(outputs));
  size_t at = 0;
  for (const size_t t : node.outputs) {
    node.parts.push_back({t, input, at});
    at += sizes[t];
  }
  return node;
}

inline ArenaGraph GraphOf(const std::vector<size_t>& sizes,
                          std::vector<ArenaNode> nodes,
                          std::vector<size_t> inputs,
                          std::vector<size_t> outputs) {
  ArenaGraph graph;
  for (const size_t bytes : sizes) graph.tensors.push_back({bytes});
  graph.nodes = std::move(nodes);
  graph.inputs = std::move(inputs);
  graph.outputs = std::move(outputs);
  return graph;
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_TFLM_ARENA_GRAPHS_H_
