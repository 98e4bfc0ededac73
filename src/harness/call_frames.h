// SPDX-License-Identifier: Apache-2.0
// The subgraphs that an entry, which a caller runs, and its operators call. No
// subgraph calls itself, so each has one frame: its tensors, and their memory.
#ifndef STOWAGE_SRC_HARNESS_CALL_FRAMES_H_
#define STOWAGE_SRC_HARNESS_CALL_FRAMES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

class ArenaMemory;
class GraphSession;
struct ProgramPlan;
struct SharedState;

// The bytes of the variable tensors of a subgraph, by tensor, and those of
// several subgraphs.
using VariableBytes = std::map<size_t, std::vector<uint8_t>>;
using FrameVariables = std::map<size_t, VariableBytes>;

class CallFrames {
 public:
  // Both arguments must outlive this object. *is_cancelled ends a run in any
  // frame.
  CallFrames(SharedState* shared, std::atomic<bool>* is_cancelled);
  ~CallFrames();
  CallFrames(const CallFrames&) = delete;
  CallFrames& operator=(const CallFrames&) = delete;

  // Implement the functions of OperatorContext. `site` stands for the operator.
  absl::StatusOr<std::vector<CallTensor>> Prepare(
      const void* site, size_t subgraph,
      absl::Span<const CallTensor> arguments);
  absl::StatusOr<std::vector<const Tensor*>> Call(
      size_t task, size_t subgraph, absl::Span<const Tensor* const> arguments);
  absl::Status InvokeOnce(size_t subgraph);

  // Returns the scratch memory that task `task` of the subgraph that runs has
  // for its copies at `place` (OperatorContext::CopyScratch).
  absl::Span<uint8_t> CopyScratch(size_t task, size_t place) const;

  // The operator that waits for a call, or null. Operators that call subgraphs
  // run one after the other, on several streams, too.
  Execution* caller() const { return caller_; }
  void set_caller(Execution* caller) { caller_ = caller; }

  // Returns the frame of a subgraph; null if it was never called.
  const GraphSession* Find(size_t subgraph) const;
  // Gives memory in the arena of the entry to the frames that are functions of
  // the program, which must have offsets. Errors: those of AllocateGraph.
  absl::Status Allocate(const std::shared_ptr<ProgramPlan>& program,
                        ArenaMemory* arena);
  // Binds the tensors of these frames again after the arena has moved.
  absl::Status BindAgain(const ProgramPlan& program);

  // Forgets the memory of all frames, which are prepared again when they are
  // called.
  void Outdate();
  // Returns whether an operator of the subgraph, which was prepared, has no
  // kernel or runs as a shadow.
  bool HasShadows(size_t subgraph) const;
  // Returns how many bytes after the end of an argument must be readable for
  // the delegates in the frames.
  size_t spare_bytes() const;
  absl::Status RemoveDelegates();
  // Save the variable tensors of all frames, and restore them, after the frames
  // were outdated, too. Errors: those of a delegate that has their content.
  absl::StatusOr<FrameVariables> SaveVariables();
  void RestoreVariables(const FrameVariables& saved);
  void ResetVariables();
  void AddShadowed(std::vector<ShadowedOperator>* all) const;

 private:
  GraphSession& Frame(size_t subgraph);

  SharedState& shared_;
  std::atomic<bool>& is_cancelled_;
  Execution* caller_ = nullptr;
  // The program whose functions share the arena, or null, the arena, and the
  // call of the program that runs; none for a subgraph apart from it.
  std::shared_ptr<ProgramPlan> program_;
  const ArenaMemory* arena_ = nullptr;
  absl::optional<uint32_t> call_ = 0;
  std::map<size_t, std::unique_ptr<GraphSession>> frames_;  // by subgraph
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_CALL_FRAMES_H_
