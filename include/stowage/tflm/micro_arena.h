// SPDX-License-Identifier: Apache-2.0
// How large the arena of a model must be under TensorFlow Lite Micro: a
// prediction, made without running anything. For the records that its planner
// places see micro_trace.h; to run a model in such an arena,
// harness/micro_run.h.
//
//   MicroArenaOptions options;
//   options.head_bytes = plan.total_size;       // of the records micro
//   absl::StatusOr<MicroArena> arena = PredictMicroArena(model, options);
//   ... arena->peak_bytes ...
//
// The prediction follows upstream's allocator of commit kMicroCommit call by
// call, with its reference kernels; docs/micro.md says on what it was checked.
#ifndef STOWAGE_TFLM_MICRO_ARENA_H_
#define STOWAGE_TFLM_MICRO_ARENA_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage {

// What persistent bytes are for: the categories of upstream's recording
// allocator, then what it has none for.
enum class MicroCategory {
  kEvalTensors,
  kPersistentTensors,       // of inputs and outputs
  kPersistentQuantization,  // of these
  kPersistentBuffers,       // what kernels keep, handles, resources
  kVariables,
  kNodes,
  kAllocators,  // the allocator's own objects, the planner among them
  kOptions,     // of operators, parsed
  kScratchHandles,
  kSubgraphs,
};
inline constexpr size_t kMicroCategories = 10;

// "eval tensors", "persistent tensors", ...
absl::string_view MicroCategoryName(MicroCategory category);

struct MicroUsage {
  size_t requested_bytes = 0;
  size_t used_bytes = 0;  // with what alignment adds
  size_t count = 0;       // of elements in arrays of structs, else of requests
};

// Workspace of upstream's greedy planner, bytes for each buffer.
inline constexpr size_t kMicroGreedyWorkspace = 40;

struct MicroArenaOptions {
  MicroWord word = MicroWord::k64;
  // Of the plan.
  size_t head_bytes = 0;
  // What the planner needs while it plans, for each buffer.
  size_t workspace_per_buffer = kMicroGreedyWorkspace;
  // The planner is made at the tail, as by MicroInterpreter, and not given.
  bool makes_planner = true;
  // As RecordingMicroAllocator, whose objects are larger.
  bool records = false;
  // Entries of the table of resource variables; none: as many as the model has.
  absl::optional<size_t> resource_variables;
  // Of a plan in the model, for MicroBuffersOf: variables with an offset are in
  // the head.
  std::vector<int32_t> offsets;
};

// A point at which the arena must hold this much.
struct MicroPhase {
  size_t front_bytes = 0;  // head, requests, temporaries, workspace
  size_t tail_bytes = 0;
  // Aligned to kMicroAlignment.
  size_t arena_bytes() const;
};

struct MicroArena {
  size_t buffers = 0;     // that the planner places, requests of no bytes too
  size_t head_bytes = 0;  // of the plan
  size_t tail_bytes = 0;
  std::vector<MicroUsage> tail;  // by category
  // The operator whose Prepare needs most, and how much: an upper bound, as if
  // kernels freed no temporary tensor.
  MicroPhase preparing;
  size_t preparing_subgraph = 0;
  size_t preparing_operator = 0;
  MicroPhase planning;  // workspace and descriptions of all tensors
  MicroPhase running;   // head and tail
  // The smallest arena that all of them fit in.
  size_t peak_bytes = 0;
  // Custom and other operators that there are no facts about, sorted: what they
  // keep is not counted.
  std::vector<std::string> unknown_operators;
};

// Errors: those of MicroBuffersOf; ResourceExhausted where it is more than 32
// bits can address. O(tensors and operators).
absl::StatusOr<MicroArena> PredictMicroArena(const Model& model,
                                             const MicroArenaOptions& options);

// An operator that a model uses. A program that runs it gives the device a
// kernel for it.
struct MicroOperator {
  std::string name;  // "CONV_2D"; of a custom operator, the custom name
  bool is_custom = false;
  size_t uses = 0;  // in all subgraphs
  // The member of upstream's MicroMutableOpResolver that registers its kernel,
  // as "AddConv2D"; empty where upstream has no such kernel.
  std::string adder;
};

// Returns the operators of all subgraphs, each once: builtin ones by name, then
// custom ones by name. O(operators log operators).
std::vector<MicroOperator> MicroOperatorsOf(const Model& model);

}  // namespace stowage

#endif  // STOWAGE_TFLM_MICRO_ARENA_H_
