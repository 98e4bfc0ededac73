// SPDX-License-Identifier: Apache-2.0
// Holds a graph and the delegates that are applied to it. Prepares the nodes of
// the graph, applies delegates, applies them again after a change, and leaves
// out delegates that fail. graph_session.h plans the memory.
#ifndef STOWAGE_SRC_HARNESS_DELEGATED_GRAPH_H_
#define STOWAGE_SRC_HARNESS_DELEGATED_GRAPH_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/harness/delegated_node.h"
#include "src/harness/running_graph.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"

namespace stowage::harness {

// Joins the error `status` with the result of handling it: returns `status` if
// `then` is OK, and otherwise both errors as one.
absl::Status AndThen(const absl::Status& status, const absl::Status& then);

class DelegatedGraph {
 public:
  // A delegate that is applied, or that *waits*, which means that the next
  // Prepare applies it again.
  struct Applied {
    std::shared_ptr<Delegate> delegate;
    DelegateInfo info;
    ApplyOptions options;
    size_t rank = 0;  // the position among all delegates that were given
  };
  // Holds the delegates as they were at the call of SaveDelegates.
  // RestoreDelegates takes this object.
  struct Delegates {
    std::vector<Applied> given;
    size_t rejected = 0;  // the number of delegates that were rejected before
  };

  // `shared` and `frames` must outlive this object.
  DelegatedGraph(SharedState* shared, size_t index, CallFrames* frames);

  RunningGraph& graph() { return graph_; }
  const RunningGraph& graph() const { return graph_; }
  // Returns the number of delegates that are applied or wait.
  size_t count() const { return applied_.size() + waiting_.size(); }
  // Returns the name of the delegate that was applied last. Requires that one
  // is applied.
  const std::string& last_name() const { return applied_.back().info.name; }
  // Returns the delegate if it is applied or waits, else null.
  const Applied* Find(const Delegate* delegate) const;
  // Checks that the delegate neither is applied nor waits. Error:
  // FailedPrecondition.
  absl::Status CheckNotApplied(const Delegate& delegate) const;
  // Describes all delegates, including rejected ones, in the order in which
  // they were given.
  std::vector<AppliedDelegate> Describe() const;

  // Returns whether Prepare leaves the operators as they are. Prepare does so
  // if the graph is prepared and a delegate that allows no dynamic tensors is
  // applied.
  bool StaysPrepared() const {
    return graph_.is_prepared() && HasStaticDelegate();
  }
  // Prepares all nodes that are not prepared, and applies the delegates that
  // wait. The first call also applies the delegates of the resolver and those
  // of the options. If a delegate has to be left out, returns the error of that
  // delegate; graph().is_prepared() then tells whether the graph is prepared
  // without that delegate.
  absl::Status Prepare();
  // Lets the delegate replace nodes of the graph, which must be prepared. After
  // an error, prepares the graph again as it was before. If nodes of another
  // delegate fail in this second preparation, rejects the other delegate as
  // well. If an operator of the model fails, the graph is not prepared.
  absl::Status Apply(std::shared_ptr<Delegate> delegate,
                     const ApplyOptions& options);
  // Removes the delegate that was applied last, because of an error after
  // Apply. Nodes may have been prepared again since the snapshot `before`. If
  // so, prepares all nodes once more, which restores operators and those
  // delegate nodes that allow dynamic tensors. If nodes of another delegate
  // fail in this preparation, rejects the other delegate as well and returns
  // its error. If an operator fails, the graph is not prepared.
  absl::Status UndoLast(const RunningGraph::Snapshot& before);
  // Rejects the delegate whose kernel failed with `status`, or, if memory was
  // exhausted, the one that was applied last. All others then wait. Returns OK
  // if the options permit running the graph without the rejected delegate, else
  // its error. Returns nullopt, and rejects nothing, if no kernel of a delegate
  // has failed and memory was not exhausted.
  absl::optional<absl::Status> RejectToBlame(const absl::Status& status);
  // Prepares the operators of the model, and applies all delegates to them
  // again. Leaves out delegates that fail, and returns the first error.
  absl::Status ApplyAgain();

  Delegates SaveDelegates() const;
  // Restores the saved delegates if any of them were removed since they were
  // saved. All delegates then wait. Returns whether any had been removed.
  bool RestoreDelegates(Delegates saved);

  // Removes all delegates, including those that were rejected or not applied
  // yet. Returns whether one was applied or waited; if so, the graph has to be
  // prepared again.
  bool RemoveAll();
  // Rejects all delegates, because `culprit` failed with `status`.
  void RejectAll(const Delegate* culprit, const absl::Status& status);
  // Removes the delegate that was applied last. All others then wait.
  void RemoveLast();

 private:
  // A delegate that was rejected, and the error for which it was rejected.
  struct Rejected {
    std::string name;
    absl::Status status;
    size_t rank = 0;
  };

  absl::Status ApplyRequested();
  absl::Status Attach(Applied applied);
  absl::Status CheckApplicable(const DelegateInfo& info) const;
  absl::Status Reject(absl::string_view name, size_t rank,
                      const absl::Status& status);
  absl::Status RejectApplied(std::vector<Applied>::iterator rejected,
                             const absl::Status& status);
  absl::Status GoOnWithoutFailed(const absl::Status& status);
  const DelegatedNode* FailedNode(const absl::Status& status) const;
  std::vector<Applied>::iterator FindFailed(const absl::Status& status);
  bool HasStaticDelegate() const;
  void DetachAll();
  void SetSpareBytes();
  AppliedDelegate DescribeOne(const Applied& applied) const;

  SharedState* shared_;
  // The delegates in these lists must outlive their kernels and buffers, which
  // the graph owns.
  std::vector<Applied> applied_;
  // The delegates that wait. They will be applied after the delegates in
  // `applied_`. The list is empty if the graph is prepared.
  std::vector<Applied> waiting_;
  std::vector<Rejected> rejected_;
  // The delegates to apply when the graph is prepared for the first time.
  std::vector<DelegateRequest> requests_;
  size_t next_rank_ = 0;
  RunningGraph graph_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_DELEGATED_GRAPH_H_
