// SPDX-License-Identifier: Apache-2.0
// Runs models on the host in an arena that is laid out like the arena of a
// device. The memory is allocated by the same sequence of calls as in
// TensorFlow Lite Micro, but with Stowage's planner in place of the original
// planner. To compute the required size of the arena without running anything,
// use tflm/micro_arena.h. To run models in the arenas of a host, use
// interpreter.h.
//
//   auto memory = MicroMemory::Create(20000);
//   InterpreterOptions options;
//   options.observers = {memory->get()};
//   auto interpreter = Interpreter::Create(model, options);
//   (*memory)->Place(**interpreter);   // before Allocate
//   (*interpreter)->primary().Allocate();
//
// The arena contains the tensors that the rules `micro` plan, variables, and
// the bytes that the device reserves for itself. It also contains the scratch
// memory that the kernels of the device would use; before an operator runs, the
// scratch memory of its kernel is filled with a pattern. Three things are
// outside of the arena: the scratch memory of this library's kernels,
// resources, and tensors that are computed only from constants.
#ifndef STOWAGE_HARNESS_MICRO_MEMORY_H_
#define STOWAGE_HARNESS_MICRO_MEMORY_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/observer.h"
#include "stowage/strategy.h"
#include "stowage/tflm/micro_arena.h"

namespace stowage::harness {

// The number of bytes of workspace that the planner needs for each buffer: 16
// for its record (stowage_micro_buffer), and 4 for its position in the order in
// which buffers are placed.
inline constexpr size_t kMicroWorkspace = 20;

// Returns the options with which PredictMicroArena computes the required size
// of a MicroMemory's arena. The caller must still set `head_bytes`.
MicroArenaOptions MicroMemoryOptions();

// The planner that places the tensors of a model.
struct MicroPlacing {
  // The name of a strategy that plans on the host; the device then uses the
  // offsets of this plan. If empty, the device itself makes the plan, which is
  // the same as that of kMicroStrategy.
  std::string strategy;
  // If true, tensors keep the offsets of a plan in the model
  // (tflm/offline_plan.h).
  bool honour_offline_plan = false;
  // The limits of the strategy if it searches on the host.
  SolveOptions search = {};
};

// Returns the size, in bytes, of the smallest arena in which a model can be
// placed. Errors: those of HeadBuffers, the strategy and PredictMicroArena.
absl::StatusOr<size_t> PredictMicroMemory(const Model& model,
                                          const MicroPlacing& placing);

// An arena of a device that contains one or more models.
class MicroMemory : public ExecutionObserver {
 public:
  // Creates an arena of `bytes` bytes, aligned to kMicroAlignment. Error:
  // ResourceExhausted if the system does not have enough memory.
  static absl::StatusOr<std::unique_ptr<MicroMemory>> Create(size_t bytes);

  MicroMemory() = default;
  MicroMemory(const MicroMemory&) = delete;
  MicroMemory& operator=(const MicroMemory&) = delete;

  // Plans the interpreter's model in the arena, assigns bytes to the tensors of
  // the model, and sets variables to their initial state. This object must
  // outlive every run of the interpreter.
  //
  // Several models may be placed one after another. They share the head of the
  // arena, so inputs must be filled directly before each Invoke, and outputs
  // must be read directly after it. Variables keep their content, except those
  // that a plan in the model puts in the head.
  //
  // Errors: ResourceExhausted, naming the step, if the arena is too small;
  // every later call then returns FailedPrecondition. FailedPrecondition,
  // naming two tensors, if several operators call a subgraph and the plan would
  // overwrite a tensor that an earlier call still needs, because the planner of
  // the device considers only the last call. InvalidArgument for more than
  // 65,535 buffers. Also the errors of MicroBuffersOf, HeadBuffers, the
  // strategy and SetCustomAllocation.
  virtual absl::Status Place(Interpreter& interpreter,
                             const MicroPlacing& placing) = 0;
  absl::Status Place(Interpreter& interpreter) {
    return Place(interpreter, MicroPlacing());
  }

  // These functions return numbers for all models that have been placed so far.
  // required_bytes() is the size of the smallest arena in which all of them
  // fit.
  virtual size_t arena_bytes() const = 0;
  virtual size_t required_bytes() const = 0;
  virtual size_t head_bytes() const = 0;  // the head of the largest model
  virtual size_t tail_bytes() const = 0;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_MICRO_MEMORY_H_
