// SPDX-License-Identifier: Apache-2.0
// A graph together with the delegates that are applied to it: prepares its
// nodes, applies delegates, applies them again after a change, and leaves out
// those that fail.
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

// Returns `status`. If the reaction to that error failed with `then`, the two
// errors are joined.
absl::Status AndThen(const absl::Status& status, const absl::Status& then);

class DelegatedGraph {
 public:
  // A delegate that is applied, or that waits to be applied again.
  struct Applied {
    std::shared_ptr<Delegate> delegate;
    DelegateInfo info;
    ApplyOptions options;
    size_t rank = 0;  // position among all delegates that were given
  };
  // The delegates at one moment, to be restored by RestoreDelegates.
  struct Delegates {
    std::vector<Applied> given;
    size_t rejected = 0;  // how many were rejected before
  };

  // `shared` must outlive this.
  DelegatedGraph(SharedState* shared, size_t index);

  RunningGraph& graph() { return graph_; }
  const RunningGraph& graph() const { return graph_; }
  // Returns the number of delegates that are applied or wait for it.
  size_t count() const { return applied_.size() + waiting_.size(); }
  // Returns the name of the delegate that was applied last; there must be one.
  const std::string& last_name() const { return applied_.back().info.name; }
  // Returns the delegate if it is applied or waits for it, else null.
  const Applied* Find(const Delegate* delegate) const;
  // Error: FailedPrecondition if the delegate is applied or waits for it.
  absl::Status CheckNotApplied(const Delegate& delegate) const;
  // Describes all delegates that were given, in their order.
  std::vector<AppliedDelegate> Describe() const;

  // Prepares all nodes that are not prepared, and applies waiting delegates.
  // The first call also applies the delegates of the resolver and those of the
  // options. If a delegate had to be left out, returns its error, and
  // graph().is_prepared() says whether the graph is prepared without it.
  absl::Status Prepare();
  // Lets the delegate replace nodes of the graph, which must be prepared. After
  // an error the graph is as before, unless it cannot be prepared again; the
  // delegates whose nodes then fail are rejected, too.
  absl::Status Apply(std::shared_ptr<Delegate> delegate,
                     const ApplyOptions& options);
  // Removes the delegate that was applied last, after an error. If all nodes
  // were prepared since `before`, they are prepared once more, because
  // otherwise operators, and nodes of delegates that allow dynamic tensors,
  // would not be as before. A delegate that fails to be prepared again is
  // rejected, too, and its error is returned. If an operator fails, the graph
  // is not prepared.
  absl::Status UndoLast(const RunningGraph::Snapshot& before);
  // Rejects the delegate whose kernel failed with `status`, or the last
  // delegate if memory was exhausted. All others then wait. Returns none if no
  // delegate is to blame, else OK if the options permit to run without it.
  absl::optional<absl::Status> RejectToBlame(const absl::Status& status);
  // Prepares the operators of the model, and applies all delegates to them
  // again. Leaves out those that fail, and returns the first error.
  absl::Status ApplyAgain();

  Delegates SaveDelegates() const;
  // Restores the delegates if some of them were removed since; they then wait.
  // Returns whether some were.
  bool RestoreDelegates(Delegates saved);

  // Removes all delegates, with those that were rejected or not applied yet.
  // Returns whether there was one that Prepare has to go on without.
  bool RemoveAll();
  // Rejects all delegates, because `culprit` failed with `status`.
  void RejectAll(const Delegate* culprit, const absl::Status& status);
  // Removes the delegate that was applied last. All others then wait.
  void RemoveLast();

 private:
  // A delegate that is not applied, and the reason.
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
  // The delegates that have to be applied again after those that are applied.
  // There are none if the graph is prepared.
  std::vector<Applied> waiting_;
  std::vector<Rejected> rejected_;
  // The delegates to apply when the graph is prepared for the first time.
  std::vector<DelegateRequest> requests_;
  size_t next_rank_ = 0;
  RunningGraph graph_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_DELEGATED_GRAPH_H_
