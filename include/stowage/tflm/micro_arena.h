// SPDX-License-Identifier: Apache-2.0
// Predicts the size of the arena that a model needs under TensorFlow Lite
// Micro, without running the model. For the records that the planner of
// TensorFlow Lite Micro places, use micro_trace.h; to run a model in an arena
// of the predicted size, use harness/micro_memory.h.
//
//   MicroArenaOptions options;
//   options.head_bytes = plan.total_size;       // from the rules `micro`
//   absl::StatusOr<MicroArena> arena = PredictMicroArena(model, options);
//   ... arena->peak_bytes ...
//
// The prediction repeats every call to the allocator of TensorFlow Lite Micro
// ("upstream") at commit kMicroCommit, with upstream's reference kernels. The
// head of the arena holds planned buffers, and the tail holds persistent bytes.
// docs/micro.md lists the models on which the prediction was checked.
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

// The purpose of persistent bytes. The categories up to kNodes are those of
// upstream's recording allocator; the later categories exist only here.
enum class MicroCategory {
  kEvalTensors,
  kPersistentTensors,       // holds inputs and outputs of the model
  kPersistentQuantization,  // holds the quantization of persistent tensors
  kPersistentBuffers,  // holds data that kernels keep, handles and resources
  kVariables,
  kNodes,
  kAllocators,  // holds the allocator itself, with the planner
  kOptions,     // holds parsed options of operators
  kScratchHandles,
  kSubgraphs,
};
inline constexpr size_t kMicroCategories = 10;

// Returns the name of the category, such as "eval tensors".
absl::string_view MicroCategoryName(MicroCategory category);

// The persistent bytes of one category.
struct MicroUsage {
  size_t requested_bytes = 0;
  size_t used_bytes = 0;  // includes padding for alignment
  // The number of memory requests. A request for an array of structs counts
  // once for each element.
  size_t count = 0;
};

// The workspace that upstream's greedy planner needs for each buffer, in bytes.
inline constexpr size_t kMicroGreedyWorkspace = 40;

// The device and the program for which the prediction is made.
struct MicroArenaOptions {
  MicroWord word = MicroWord::k64;
  // The number of bytes that the plan needs in the head.
  size_t head_bytes = 0;
  // The workspace that the planner needs for each buffer while it plans, in
  // bytes.
  size_t workspace_per_buffer = kMicroGreedyWorkspace;
  // True if the planner object is created at the tail of the arena, as in
  // MicroInterpreter. False if the program provides the planner.
  bool makes_planner = true;
  // True if the allocator is a RecordingMicroAllocator, which has larger
  // objects.
  bool records = false;
  // The number of entries of the table of resource variables. If not set, the
  // table has one entry for each resource variable of the model.
  absl::optional<size_t> resource_variables;
  // The offsets of a plan in the model, which are passed to MicroBuffersOf.
  // Variables with an offset are in the head.
  std::vector<int32_t> offsets;
};

// The memory that the arena must hold in one phase of the program.
struct MicroPhase {
  // The bytes at the front of the arena: the head, the list of scratch
  // requests, temporaries and the workspace.
  size_t front_bytes = 0;
  size_t tail_bytes = 0;
  // Returns the size of the arena for this phase, rounded up to
  // kMicroAlignment.
  size_t arena_bytes() const;
};

// A prediction of the arena of a model. The arena must be large enough for each
// of the three phases: preparing, planning and running.
struct MicroArena {
  size_t buffers = 0;     // the number of planned buffers, including empty ones
  size_t head_bytes = 0;  // bytes that the plan takes
  size_t tail_bytes = 0;
  std::vector<MicroUsage> tail;  // is indexed by category
  // The memory during the preparation of the operator for which Prepare needs
  // the most bytes. This is an upper bound, because it assumes that kernels
  // free no temporary tensors. The next two fields identify the operator.
  MicroPhase preparing;
  size_t preparing_subgraph = 0;
  size_t preparing_operator = 0;
  MicroPhase planning;  // needs the workspace and descriptions of tensors
  MicroPhase running;   // needs the head and the tail
  // The size of the smallest arena that is large enough for every phase.
  size_t peak_bytes = 0;
  // The sorted names of the custom and builtin operators that need an unknown
  // amount of memory. The persistent bytes of these operators are not counted.
  std::vector<std::string> unknown_operators;
};

// Returns the prediction. Errors: those of MicroBuffersOf; ResourceExhausted if
// the arena is too large for 32-bit addresses. O(tensors and operators).
absl::StatusOr<MicroArena> PredictMicroArena(const Model& model,
                                             const MicroArenaOptions& options);

// An operator that a model uses, and for which a program that runs the model
// must register a kernel.
struct MicroOperator {
  std::string name;  // is "CONV_2D", or the name of a custom operator
  bool is_custom = false;
  size_t uses = 0;  // the number of uses in all subgraphs
  // The member function of upstream's MicroMutableOpResolver that registers the
  // kernel, such as "AddConv2D". Empty if upstream has no such kernel.
  std::string adder;
};

// Returns the operators of all subgraphs without duplicates: first the builtin
// operators, sorted by name, then the custom operators, sorted by name.
// O(operators log operators).
std::vector<MicroOperator> MicroOperatorsOf(const Model& model);

}  // namespace stowage

#endif  // STOWAGE_TFLM_MICRO_ARENA_H_
