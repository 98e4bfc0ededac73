// SPDX-License-Identifier: Apache-2.0
// Holds the frames of all subgraphs that an entry calls, directly or through
// other subgraphs. An entry is a subgraph that the user of the interpreter
// runs. A frame consists of the tensors of a subgraph and their memory. Each
// subgraph needs only one frame, since no subgraph calls itself.
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
  // Both arguments must outlive this object. If *is_cancelled becomes true, the
  // run ends, no matter which frame is running.
  CallFrames(SharedState* shared, std::atomic<bool>* is_cancelled);
  ~CallFrames();
  CallFrames(const CallFrames&) = delete;
  CallFrames& operator=(const CallFrames&) = delete;

  // These functions implement PrepareCall, Call and InvokeOnce of
  // OperatorContext. `site` identifies the operator that calls.
  absl::StatusOr<std::vector<CallTensor>> Prepare(
      const void* site, size_t subgraph,
      absl::Span<const CallTensor> arguments);
  absl::StatusOr<std::vector<const Tensor*>> Call(
      size_t task, size_t subgraph, absl::Span<const Tensor* const> arguments);
  absl::Status InvokeOnce(size_t subgraph);

  // Returns the scratch memory for the copies that task `task` of the running
  // subgraph makes at `place` (OperatorContext::CopyScratch).
  absl::Span<uint8_t> CopyScratch(size_t task, size_t place) const;

  // The operator whose call is running, or null. Operators that call subgraphs
  // run one after the other, even on several streams.
  Execution* caller() const { return caller_; }
  void set_caller(Execution* caller) { caller_ = caller; }

  // Returns the frame of a subgraph, or null if it was never called.
  const GraphSession* Find(size_t subgraph) const;
  // Places the frames of all subgraphs that are functions of the program in the
  // arena of the entry. The program must have offsets. Errors: those of
  // AllocateGraph.
  absl::Status Allocate(const std::shared_ptr<ProgramPlan>& program,
                        ArenaMemory* arena);
  // Binds the tensors of the program's frames again after the arena has moved.
  absl::Status BindAgain(const ProgramPlan& program);

  // Discards the memory of all frames. A frame is prepared again when it is
  // next called.
  void Outdate();
  // Returns whether some operator of a prepared subgraph has no kernel or runs
  // as a shadow.
  bool HasShadows(size_t subgraph) const;
  // Returns how many bytes after the end of an argument must be readable for
  // the delegates in the frames.
  size_t spare_bytes() const;
  absl::Status RemoveDelegates();
  // SaveVariables returns the contents of the variable tensors of all frames.
  // RestoreVariables writes them back, even if the frames were outdated in
  // between. Errors: those of a delegate that holds the content of a variable.
  absl::StatusOr<FrameVariables> SaveVariables();
  void RestoreVariables(const FrameVariables& saved);
  void ResetVariables();
  void AddShadowed(std::vector<ShadowedOperator>* all) const;

 private:
  GraphSession& Frame(size_t subgraph);

  SharedState& shared_;
  std::atomic<bool>& is_cancelled_;
  Execution* caller_ = nullptr;
  // The program whose functions share an arena, or null.
  std::shared_ptr<ProgramPlan> program_;
  // The arena of that program.
  const ArenaMemory* arena_ = nullptr;
  // The call that is running in the program. There is none while a subgraph
  // outside of the program runs.
  absl::optional<uint32_t> call_ = 0;
  std::map<size_t, std::unique_ptr<GraphSession>> frames_;  // by subgraph
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_CALL_FRAMES_H_
