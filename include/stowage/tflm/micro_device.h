// SPDX-License-Identifier: Apache-2.0
// Allocates the memory of models in an arena, with the same allocations in the
// same order as the allocator of TensorFlow Lite Micro. Use this header in
// programs that provide the arena or the planner themselves. To predict the
// size of an arena without allocating it, use micro_arena.h; to run a model in
// an arena, use harness/micro_memory.h.
#ifndef STOWAGE_TFLM_MICRO_DEVICE_H_
#define STOWAGE_TFLM_MICRO_DEVICE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/micro/arena.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage {

// The sizes of structs on the device, in bytes.
struct MicroStructs;

// A function that makes the plan and returns the number of bytes that the plan
// needs in the head. `workspace` has `bytes` bytes. In a prediction
// (micro_arena.h), the workspace does not exist and must not be accessed.
using MicroPlanner =
    absl::FunctionRef<absl::StatusOr<size_t>(void* workspace, size_t bytes)>;

// The addresses of the parts of an arena that belong to one model.
struct MicroPlaces {
  uint8_t* head = nullptr;  // the address from which offsets count
  // The address of each variable, by subgraph and tensor.
  std::map<std::pair<size_t, size_t>, uint8_t*> variables;
};

// An arena with its allocator. Several models can be placed in the arena, one
// after the other; they share the head.
class MicroDevice {
 public:
  // `memory` must be aligned to kMicroAlignment; only planners write to it. All
  // options except `head_bytes` have an effect.
  MicroDevice(void* memory, size_t bytes, const MicroArenaOptions& options);
  // The device cannot be copied, since `arena_` has pointers into the device.
  MicroDevice(const MicroDevice&) = delete;
  MicroDevice& operator=(const MicroDevice&) = delete;

  // Allocates the memory of a model. `buffers` is the result of MicroBuffersOf.
  // A variable in `buffers` is planned like any other buffer; all other
  // variables are allocated at the tail. Errors: ResourceExhausted, naming the
  // step, if the arena is too small; those of the planner. After an error, the
  // device cannot be used again.
  absl::StatusOr<MicroPlaces> Allocate(const Model& model,
                                       absl::Span<const MicroBuffer> buffers,
                                       MicroPlanner plan);

  // Returns the memory that all models so far have needed.
  const MicroArena& report() const { return report_; }
  // Returns the size of the smallest arena in which all allocations so far
  // would succeed.
  size_t required_bytes() const {
    return stowage_micro_arena_required_bytes(&arena_);
  }

 private:
  absl::StatusOr<uint8_t*> Keep(MicroCategory category, size_t bytes,
                                size_t alignment);
  // Allocates an array. The report counts each element as an allocation.
  absl::StatusOr<uint8_t*> KeepArray(MicroCategory category, size_t elements,
                                     size_t element_bytes, size_t alignment);
  absl::StatusOr<uint8_t*> Borrow(size_t bytes, size_t alignment);
  absl::Status ReturnAll();
  absl::Status Refuse(absl::string_view step, size_t bytes) const;

  absl::Status MakeAllocator();
  absl::Status MakeResources(const Model& model);
  absl::Status Start(const Model& model);
  absl::Status ParseOperators(const Model& model);
  absl::Status InitOperators(const Model& model);
  absl::Status PrepareOperators(const Model& model);
  absl::Status BorrowTensors(const SubgraphSpec& graph, const OperatorSpec& op);
  absl::Status KeepResource(const SubgraphSpec& graph, const OperatorSpec& op,
                            const std::map<size_t, std::string>& resources);
  absl::Status ResizeRequests();
  absl::Status Plan(const Model& model, absl::Span<const MicroBuffer> buffers,
                    MicroPlanner plan, MicroPlaces* places);
  absl::Status KeepVariables(const Model& model,
                             absl::Span<const MicroBuffer> buffers,
                             MicroPlaces* places);
  absl::Status KeepEnds(const Model& model);
  absl::Status KeepTensor(const TensorSpec& tensor);
  MicroPhase Now() const;

  const MicroArenaOptions options_;
  const MicroStructs& structs_;
  stowage_micro_arena arena_;
  std::array<stowage_micro_arena_tally, kMicroCategories> tallies_ = {};
  bool has_allocator_ = false;
  size_t requests_ = 0;  // the number of scratch requests of this model
  uint8_t* requests_at_ = nullptr;
  std::vector<uint8_t*> borrowed_;
  // The names of the resources of this model that already have memory.
  std::set<std::string> resources_;
  size_t largest_head_ = 0;
  MicroArena report_;
};

}  // namespace stowage

#endif  // STOWAGE_TFLM_MICRO_DEVICE_H_
