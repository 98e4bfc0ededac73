// SPDX-License-Identifier: Apache-2.0
// Holds the frames of all subgraphs that an entry calls, directly or through
// other subgraphs. An entry is a subgraph that the user of the interpreter
// runs. A frame holds the tensors of a subgraph and their memory. One frame per
// subgraph is enough, because no subgraph calls itself.
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

// VariableBytes maps the variable tensors of a subgraph to their bytes.
// FrameVariables maps subgraphs to their VariableBytes.
using VariableBytes = std::map<size_t, std::vector<uint8_t>>;
using FrameVariables = std::map<size_t, VariableBytes>;

class CallFrames {
 public:
  // Requires that both arguments outlive this object. If `*is_cancelled`
  // becomes true, the run stops, no matter which frame is running.
  CallFrames(SharedState* shared, std::atomic<bool>* is_cancelled);
  ~CallFrames();
  CallFrames(const CallFrames&) = delete;
  CallFrames& operator=(const CallFrames&) = delete;

  // Implement PrepareCall, Call and InvokeOnce of OperatorContext. `site`
  // identifies the calling operator.
  absl::StatusOr<std::vector<CallTensor>> Prepare(
      const void* site, size_t subgraph,
      absl::Span<const CallTensor> arguments);
  absl::StatusOr<std::vector<const Tensor*>> Call(
      size_t task, size_t subgraph, absl::Span<const Tensor* const> arguments);
  absl::Status InvokeOnce(size_t subgraph);

  // Returns the scratch memory for the copies that task `task` of the running
  // subgraph makes at `place` (OperatorContext::CopyScratch).
  absl::Span<uint8_t> CopyScratch(size_t task, size_t place) const;

  // The operator that is making a call, or null. There is at most one, because
  // operators that call subgraphs run one after another, even on several
  // streams.
  Execution* caller() const { return caller_; }
  void set_caller(Execution* caller) { caller_ = caller; }

  // Returns the frame of a subgraph, or null if the subgraph was never called.
  const GraphSession* Find(size_t subgraph) const;
  // Places the frames of all functions of the program in the arena of the
  // entry. Requires that the program has offsets. Errors: those of
  // AllocateGraph.
  absl::Status Allocate(const std::shared_ptr<ProgramPlan>& program,
                        ArenaMemory* arena);
  // Binds the tensors in the frames of the program again after the arena has
  // moved.
  absl::Status BindAgain(const ProgramPlan& program);

  // Discards the memory of all frames. Each frame is prepared again at its next
  // call.
  void Outdate();
  // Returns whether an operator of a prepared subgraph has no kernel or runs as
  // a shadow.
  bool HasShadows(size_t subgraph) const;
  // Returns how many bytes after the end of an argument must be readable for
  // the delegates in the frames.
  size_t spare_bytes() const;
  absl::Status RemoveDelegates();
  // SaveVariables returns the contents of the variable tensors of all frames.
  // RestoreVariables writes them back, even if Outdate was called in between.
  // Errors: those of a delegate that holds the contents of a variable.
  absl::StatusOr<FrameVariables> SaveVariables();
  void RestoreVariables(const FrameVariables& saved);
  void ResetVariables();
  void AddShadowed(std::vector<ShadowedOperator>* all) const;

 private:
  GraphSession& Frame(size_t subgraph);

  SharedState& shared_;
  std::atomic<bool>& is_cancelled_;
  Execution* caller_ = nullptr;
  // The program with functions that share an arena, or null.
  std::shared_ptr<ProgramPlan> program_;
  // The arena of that program.
  const ArenaMemory* arena_ = nullptr;
  // The call of the program that is running, or nullopt while a subgraph
  // outside the program runs.
  absl::optional<uint32_t> call_ = 0;
  std::map<size_t, std::unique_ptr<GraphSession>> frames_;  // by subgraph
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_CALL_FRAMES_H_
