// SPDX-License-Identifier: Apache-2.0
// The arena of a device, in which models run. It is laid out by the calls of
// TensorFlow Lite Micro's allocator, with Stowage's planner in place of the
// original one. To find out how large it must be without running anything see
// tflite/micro_arena.h; for arenas of a host, interpreter.h.
//
//   auto memory = MicroMemory::Create(20000);
//   InterpreterOptions options;
//   options.observers = {memory->get()};
//   auto interpreter = Interpreter::Create(model, options);
//   (*memory)->Place(**interpreter);   // before Allocate
//   (*interpreter)->primary().Allocate();
//
// The arena contains the tensors that the rules `micro` plan, variables, and
// the bytes that the device keeps for itself. Scratch memory of the device's
// kernels is filled with a pattern while their operator runs; the kernels of
// this library have their scratch memory elsewhere, and so are resources and
// tensors computed from constants alone.
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

// How many bytes of workspace each buffer takes: for a record, and for a
// position in the order.
inline constexpr size_t kMicroWorkspace = 20;

// Returns the options with which PredictMicroArena computes how large this
// arena must be. Their `head_bytes` are not used.
MicroArenaOptions MicroMemoryOptions();

// Says which planner places the tensors of a model.
struct MicroPlacing {
  // The name of a strategy that plans on the host; the device then keeps its
  // offsets. If it is empty, the device plans, as kMicroStrategy does.
  std::string strategy;
  // If true, the offsets of a plan in the model are kept
  // (tflite/offline_plan.h).
  bool honour_offline_plan = false;
  // The limits of a strategy on the host that searches.
  SolveOptions search = {};
};

// Returns the bytes of the smallest arena in which a model can be placed.
// Errors: those of HeadBuffers, the strategy and PredictMicroArena.
absl::StatusOr<size_t> PredictMicroMemory(const Model& model,
                                          const MicroPlacing& placing);

class MicroMemory : public ExecutionObserver {
 public:
  // Creates an arena of `bytes` bytes, aligned to kMicroAlignment. Error:
  // ResourceExhausted if the system does not have that much memory.
  static absl::StatusOr<std::unique_ptr<MicroMemory>> Create(size_t bytes);

  MicroMemory() = default;
  MicroMemory(const MicroMemory&) = delete;
  MicroMemory& operator=(const MicroMemory&) = delete;

  // Plans the interpreter's model in the arena and gives its tensors their
  // bytes; variables are in their initial state. This must outlive every run of
  // the interpreter.
  //
  // Several models may follow one another. They share the head, so that inputs
  // must be filled before each Invoke and outputs read after it; variables are
  // kept, except those that a plan in the model puts in the head.
  //
  // Errors: ResourceExhausted, naming the step, if the arena is too small, and
  // FailedPrecondition from then on; FailedPrecondition, naming two tensors, if
  // several operators call a subgraph and the device, which knows only the last
  // call, would overwrite what an earlier one needs; those of MicroBuffersOf,
  // HeadBuffers, the strategy and SetCustomAllocation; InvalidArgument for more
  // than 65,535 buffers.
  virtual absl::Status Place(Interpreter& interpreter,
                             const MicroPlacing& placing) = 0;
  absl::Status Place(Interpreter& interpreter) {
    return Place(interpreter, MicroPlacing());
  }

  // Return sizes over all models so far. required_bytes() is the size of the
  // smallest arena in which all of them can be placed.
  virtual size_t arena_bytes() const = 0;
  virtual size_t required_bytes() const = 0;
  virtual size_t head_bytes() const = 0;  // of the largest model
  virtual size_t tail_bytes() const = 0;
};

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_MICRO_MEMORY_H_
