// SPDX-License-Identifier: Apache-2.0
// Holds a graph and the delegates that are applied to it: prepares the nodes of
// the graph, applies delegates, applies them again after a change, and rejects
// delegates that fail. For the memory of the graph use graph_session.h.
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

// Combines the error `status` with the result of handling it: returns `status`
// if `then` is OK, and otherwise both errors in one.
absl::Status AndThen(const absl::Status& status, const absl::Status& then);

class DelegatedGraph {
 public:
  // A delegate that is applied or *waits*. A delegate that waits is applied
  // again by the next call of Prepare.
  struct Applied {
    std::shared_ptr<Delegate> delegate;
    DelegateInfo info;
    ApplyOptions options;
    size_t rank = 0;  // the position among all delegates that were given
  };
  // The delegates at a call of SaveDelegates, for RestoreDelegates.
  struct Delegates {
    std::vector<Applied> given;
    size_t rejected = 0;  // the number of delegates that were rejected before
  };

  // Requires that `shared` and `frames` outlive this object.
  DelegatedGraph(SharedState* shared, size_t index, CallFrames* frames);

  RunningGraph& graph() { return graph_; }
  const RunningGraph& graph() const { return graph_; }
  // Returns the number of delegates that are applied or wait.
  size_t count() const { return applied_.size() + waiting_.size(); }
  // Returns the name of the delegate that was applied last. Requires that a
  // delegate is applied.
  const std::string& last_name() const { return applied_.back().info.name; }
  // Returns the delegate if it is applied or waits, otherwise null.
  const Applied* Find(const Delegate* delegate) const;
  // Checks that the delegate is not applied and does not wait. Error:
  // FailedPrecondition.
  absl::Status CheckNotApplied(const Delegate& delegate) const;
  // Describes all delegates, including rejected ones, in the order in which
  // they were added.
  std::vector<AppliedDelegate> Describe() const;

  // Returns whether Prepare would do nothing, because the graph is prepared and
  // a delegate that allows no dynamic tensors is applied.
  bool StaysPrepared() const {
    return graph_.is_prepared() && HasStaticDelegate();
  }
  // Prepares all nodes that are not prepared, and applies the delegates that
  // wait. The first call also applies the delegates of the resolver and of the
  // options. If a delegate is rejected, returns the error of that delegate;
  // graph().is_prepared() then reports whether the graph is prepared without
  // it.
  absl::Status Prepare();
  // Lets the delegate replace nodes of the graph. Requires that the graph is
  // prepared. After an error, prepares the graph again as it was before. If
  // nodes of another delegate fail while the graph is prepared again, rejects
  // that delegate as well. If an operator of the model fails, the graph is not
  // prepared.
  absl::Status Apply(std::shared_ptr<Delegate> delegate,
                     const ApplyOptions& options);
  // Removes the delegate that was applied last, because of an error after
  // Apply. If nodes have been prepared again since the snapshot `before`,
  // prepares all nodes once more, which restores operators and those delegate
  // nodes that allow dynamic tensors. If nodes of another delegate fail while
  // being prepared, rejects that delegate as well and returns its error. If an
  // operator fails, the graph is not prepared.
  absl::Status UndoLast(const RunningGraph::Snapshot& before);
  // Rejects the delegate whose kernel failed with `status` or, if memory was
  // exhausted, the delegate that was applied last. All other delegates then
  // wait. Returns OK if the options permit running the graph without the
  // rejected delegate, otherwise its error. If no kernel of a delegate has
  // failed and memory was not exhausted, rejects nothing and returns nullopt.
  absl::optional<absl::Status> RejectToBlame(const absl::Status& status);
  // Prepares the operators of the model and applies all delegates again.
  // Rejects delegates that fail, and returns the first error.
  absl::Status ApplyAgain();

  Delegates SaveDelegates() const;
  // Restores the saved delegates if any of them has been removed since
  // SaveDelegates, after which all delegates wait. Returns whether any had been
  // removed.
  bool RestoreDelegates(Delegates saved);

  // Removes all delegates, including delegates that were rejected or have not
  // been applied yet. Returns whether any delegate was applied or waiting, in
  // which case the graph has to be prepared again.
  bool RemoveAll();
  // Rejects all delegates, because `culprit` failed with `status`.
  void RejectAll(const Delegate* culprit, const absl::Status& status);
  // Removes the delegate that was applied last. All other delegates then wait.
  void RemoveLast();

 private:
  // A rejected delegate and the error for which it was rejected.
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
  // The applied delegates. Delegates in this list and the next must outlive
  // their kernels and buffers, which the graph owns.
  std::vector<Applied> applied_;
  // The waiting delegates, which will be applied after those in `applied_`.
  // Empty if the graph is prepared.
  std::vector<Applied> waiting_;
  std::vector<Rejected> rejected_;
  // The delegates to apply when the graph is prepared for the first time.
  std::vector<DelegateRequest> requests_;
  size_t next_rank_ = 0;
  RunningGraph graph_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_DELEGATED_GRAPH_H_
