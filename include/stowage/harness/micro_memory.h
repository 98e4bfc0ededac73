// SPDX-License-Identifier: Apache-2.0
// The arena of a device, in which models run: laid out by the calls of
// TensorFlow Lite Micro's allocator, with Stowage's planner in its place. To
// find out how large it must be without running anything see
// tflite/micro_arena.h; for arenas of a host, interpreter.h.
//
//   auto memory = MicroMemory::Create(20000);
//   InterpreterOptions options;
//   options.observers = {memory->get()};
//   auto interpreter = Interpreter::Create(model, options);
//   (*memory)->Place(**interpreter);   // before Allocate
//   (*interpreter)->primary().Allocate();
//
// In the arena are the tensors that the rules `micro` plan, variables, and as
// many bytes as the device keeps for its own. Scratch memory of the device's
// kernels is filled with a pattern while their operator runs; the kernels here
// have theirs elsewhere, as they have resources, and what constants alone
// determine.
#ifndef STOWAGE_HARNESS_MICRO_MEMORY_H_
#define STOWAGE_HARNESS_MICRO_MEMORY_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/observer.h"
#include "stowage/tflite/micro_arena.h"

namespace stowage::harness {

// Bytes of workspace for each buffer: a record and a place in their order.
inline constexpr size_t kMicroWorkspace = 20;

// How the arena is laid out: PredictMicroArena with these says how large it
// must be. `head_bytes` is not used.
MicroArenaOptions MicroMemoryOptions();

// Who plans the tensors of a model.
struct MicroPlacing {
  // Plans on the host, and the device keeps the offsets. Empty: the device
  // plans, as kMicroStrategy does.
  std::string strategy;
  // Keeps the offsets of a plan in the model (tflite/offline_plan.h).
  bool honour_offline_plan = false;
};

// Bytes of the smallest arena that a model can be placed in. Errors: those of
// HeadBuffers, the strategy and PredictMicroArena.
absl::StatusOr<size_t> PredictMicroMemory(const Model& model,
                                          const MicroPlacing& placing);

class MicroMemory : public ExecutionObserver {
 public:
  // An arena of so many bytes, aligned to kMicroAlignment. Error:
  // ResourceExhausted if the system has not as many.
  static absl::StatusOr<std::unique_ptr<MicroMemory>> Create(size_t bytes);

  MicroMemory() = default;
  MicroMemory(const MicroMemory&) = delete;
  MicroMemory& operator=(const MicroMemory&) = delete;

  // Plans the interpreter's model in the arena and gives its tensors their
  // bytes; variables are in their initial state. Several models may follow one
  // another: they share the head, so that inputs are to be filled anew before
  // each Invoke and outputs read after it; variables stay, but those that a
  // plan in the model has in the head. This must outlive every run of the
  // interpreter. Errors: ResourceExhausted, naming the step, if the arena is
  // too small, and FailedPrecondition from then on; FailedPrecondition, naming
  // two tensors, if several operators call a subgraph and the device, which
  // knows the last call alone, would overwrite what an earlier one needs; those
  // of MicroBuffersOf, HeadBuffers, the strategy and SetCustomAllocation;
  // InvalidArgument for more than 65,535 buffers.
  virtual absl::Status Place(Interpreter& interpreter,
                             const MicroPlacing& placing) = 0;
  absl::Status Place(Interpreter& interpreter) {
    return Place(interpreter, MicroPlacing());
  }

  // Of all models so far. `required_bytes` is the smallest arena in which all
  // of it succeeds.
  virtual size_t arena_bytes() const = 0;
  virtual size_t required_bytes() const = 0;
  virtual size_t head_bytes() const = 0;  // the largest
  virtual size_t tail_bytes() const = 0;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_MICRO_MEMORY_H_
