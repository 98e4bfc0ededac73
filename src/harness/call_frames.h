// SPDX-License-Identifier: Apache-2.0
// The subgraphs that an entry, which a caller runs, and its operators call. No
// subgraph calls itself, so each has one frame: its tensors, and their memory.
#ifndef STOWAGE_SRC_HARNESS_CALL_FRAMES_H_
#define STOWAGE_SRC_HARNESS_CALL_FRAMES_H_

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

class GraphSession;
struct SharedState;

class CallFrames {
 public:
  // Both arguments must outlive this object. *is_cancelled ends a run in any
  // frame.
  CallFrames(SharedState* shared, std::atomic<bool>* is_cancelled);
  ~CallFrames();
  CallFrames(const CallFrames&) = delete;
  CallFrames& operator=(const CallFrames&) = delete;

  // Implement the functions of OperatorContext.
  absl::StatusOr<std::vector<CallTensor>> Prepare(
      size_t subgraph, absl::Span<const CallTensor> arguments);
  absl::StatusOr<std::vector<const Tensor*>> Call(
      size_t subgraph, absl::Span<const Tensor* const> arguments);
  absl::Status InvokeOnce(size_t subgraph);

  // The operator that waits for a call, or null. Operators that call subgraphs
  // run one after the other, on several streams, too.
  Execution* caller() const { return caller_; }
  void set_caller(Execution* caller) { caller_ = caller; }

  // Forgets the memory of all frames, which are prepared again when they are
  // called.
  void Outdate();
  absl::Status RemoveDelegates();
  void ResetVariables();
  void AddShadowed(std::vector<ShadowedOperator>* all) const;

 private:
  GraphSession& Frame(size_t subgraph);

  SharedState& shared_;
  std::atomic<bool>& is_cancelled_;
  Execution* caller_ = nullptr;
  std::map<size_t, std::unique_ptr<GraphSession>> frames_;  // by subgraph
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_CALL_FRAMES_H_
