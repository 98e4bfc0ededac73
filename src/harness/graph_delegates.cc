// SPDX-License-Identifier: Apache-2.0
// Applies delegates to a graph, applies them again, and removes them.
#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/harness/call_delegate.h"
#include "src/harness/delegated_node.h"
#include "src/harness/graph_session.h"
#include "src/harness/placement.h"
#include "src/harness/running_graph.h"
#include "stowage/error_payload.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"

namespace stowage::harness {
namespace {

// Returns what info() of the delegate returns. Returns an error if info()
// throws.
absl::StatusOr<DelegateInfo> InfoOf(const Delegate& delegate) {
  return CallGuarded("info", [&]() -> absl::StatusOr<DelegateInfo> {
    return delegate.info();
  });
}

template <typename Owner>
void AddMemory(const Owner& owner, std::vector<DelegateMemory>* all) {
  absl::Status ignored = CallGuarded("Memory", [&] {
    for (DelegateMemory& memory : owner.Memory()) {
      const auto same = absl::c_find_if(*all, [&](const DelegateMemory& other) {
        return other.what == memory.what;
      });
      if (same == all->end()) {
        all->push_back(std::move(memory));
      } else {
        same->bytes += memory.bytes;
      }
    }
    return absl::OkStatus();
  });
  ignored.IgnoreError();
}

}  // namespace

absl::Status AndThen(const absl::Status& status, const absl::Status& then) {
  return then.ok()
             ? status
             : WithMessage(status, absl::StrCat(status.message(), "; and then ",
                                                then.message()));
}

std::string DelegateName(const Delegate& delegate) {
  const absl::StatusOr<DelegateInfo> info = InfoOf(delegate);
  return info.ok() && !info->name.empty() ? info->name : "without a name";
}

absl::Status GraphSession::CheckNotRunning() const {
  if (!is_running_) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      graph_.Place(), ": it is running; expected a call between invocations"));
}

absl::Status GraphSession::CheckNotApplied(const Delegate& delegate) const {
  for (const Applied& applied : applied_) {
    if (applied.delegate.get() != &delegate) continue;
    return absl::FailedPreconditionError(
        absl::StrCat(graph_.Place(), ": delegate ", applied.info.name,
                     " is applied already; expected each once"));
  }
  return absl::OkStatus();
}

bool GraphSession::HasStaticDelegate() const {
  return absl::c_any_of(applied_, [](const Applied& applied) {
    return !applied.info.allows_dynamic_tensors;
  });
}

void GraphSession::SetSpareBytes() {
  size_t bytes = 0;
  for (const Applied& applied : applied_) {
    bytes = std::max(bytes, applied.info.spare_bytes);
  }
  memory_.set_spare_bytes(bytes);
  graph_.tensors().set_spare_bytes(bytes);
}

// Prepares all operators and delegate nodes that are not prepared yet. If a
// delegate had to be left out, returns its error; the graph is prepared without
// it.
absl::Status GraphSession::PrepareGraph() {
  // Kernels of delegates that allow no dynamic tensors may be prepared only
  // once.
  if (is_prepared_ && !is_changed_ && HasStaticDelegate()) {
    return absl::OkStatus();
  }
  is_prepared_ = false;
  absl::Status failed = absl::OkStatus();
  if (HasStaticDelegate() || is_detached_) {
    failed = ReapplyAll();
  } else {
    failed = graph_.Prepare();
    is_prepared_ = failed.ok();
    if (!is_prepared_) failed = GoOnWithoutFailed(failed);
  }
  if (!is_prepared_) return failed;
  is_changed_ = false;
  if (!has_applied_requested_) failed.Update(ApplyRequested());
  graph_.FreeReplaced();
  return failed;
}

// Returns the delegate node in which the error `status` occurred. Returns null
// if the error occurred in an operator.
const DelegatedNode* GraphSession::FailedNode(
    const absl::Status& status) const {
  const absl::optional<size_t> node = OperatorOf(status);
  return node && *node < graph_.nodes().size()
             ? graph_.nodes()[*node].delegated.get()
             : nullptr;
}

// Returns the delegate in whose node the error `status` occurred. Returns the
// end of the list if the error occurred in an operator.
std::vector<GraphSession::Applied>::iterator GraphSession::FindFailed(
    const absl::Status& status) {
  const DelegatedNode* const node = FailedNode(status);
  return absl::c_find_if(applied_, [&](const Applied& applied) {
    return node != nullptr && applied.delegate.get() == node->delegate;
  });
}

// Applies all delegates again except the one whose kernel failed with `status`.
absl::Status GraphSession::GoOnWithoutFailed(const absl::Status& status) {
  const auto failed = FindFailed(status);
  if (failed == applied_.end()) return status;
  // This copy keeps the delegate alive until its kernels are destroyed.
  const Applied rejected = *failed;
  applied_.erase(failed);
  absl::Status result = Reject(rejected.info.name, rejected.rank, status);
  result.Update(ReapplyAll());
  return result;
}

// Applies all delegates again to the operators of the model. Leaves out those
// that fail.
absl::Status GraphSession::ReapplyAll() {
  graph_.buffers().FreeAll();
  graph_.DropDelegated();
  is_detached_ = true;
  if (absl::Status status = graph_.Prepare(); !status.ok()) return status;
  is_prepared_ = true;
  is_detached_ = false;
  absl::Status failed = absl::OkStatus();
  for (Applied& applied : std::exchange(applied_, {})) {
    if (!is_prepared_) {
      // A delegate before this one was refused, and the operators that it would
      // have replaced cannot be prepared.
      applied_.push_back(std::move(applied));
      is_detached_ = true;
      continue;
    }
    const std::string name = applied.info.name;
    const size_t rank = applied.rank;
    const absl::Status status = Attach(std::move(applied));
    if (!status.ok()) failed.Update(Reject(name, rank, status));
  }
  return failed;
}

// Removes delegates one by one until the graph can be allocated, beginning with
// the error `status`. Each time, it removes the delegate whose kernel failed,
// or the last delegate if memory was exhausted.
absl::Status GraphSession::AllocateWithFewer(absl::Status status) {
  absl::Status failed = absl::OkStatus();
  while (!status.ok() && !applied_.empty()) {
    auto taken = FindFailed(status);
    if (taken == applied_.end()) {
      if (!absl::IsResourceExhausted(status)) break;
      --taken;
    }
    // This copy keeps the delegate alive until its kernels are destroyed.
    const Applied rejected = *taken;
    applied_.erase(taken);
    failed.Update(Reject(rejected.info.name, rejected.rank, status));
    FreeArenas();
    status = ReapplyAll();
    if (!is_prepared_) return status;
    failed.Update(status);
    graph_.FreeReplaced();
    PlanAllLifetimes();
    status = AllocatePlanned();
  }
  failed.Update(status);
  return failed;
}

// Restores the delegates that AllocateWithFewer has removed if the graph could
// not be allocated without them, either. The next allocation applies them
// again.
void GraphSession::KeepDelegates(std::vector<Applied> before,
                                 size_t rejected_before) {
  if (applied_.size() >= before.size()) return;
  graph_.buffers().FreeAll();
  graph_.DropDelegated();
  applied_ = std::move(before);
  rejected_.resize(rejected_before);
  is_prepared_ = false;
  is_detached_ = true;
}

// Applies the delegates of the resolver and then those of the options. It is
// called only once.
absl::Status GraphSession::ApplyRequested() {
  has_applied_requested_ = true;
  std::vector<DelegateRequest> requests;
  for (const auto& create : shared_->resolver.delegates()) {
    requests.emplace_back();
    requests.back().create = create;
  }
  requests.insert(requests.end(), shared_->options.delegates.begin(),
                  shared_->options.delegates.end());
  absl::Status failed = absl::OkStatus();
  for (const DelegateRequest& request : requests) {
    if (request.subgraph && *request.subgraph != index_) continue;
    absl::StatusOr<std::shared_ptr<Delegate>> created =
        CallGuarded("the function that creates a delegate",
                    [&] { return request.create(); });
    if (created.ok() && *created == nullptr) {
      created = absl::InvalidArgumentError("null; expected a delegate");
    }
    std::string name = request.name;
    const size_t rank = next_rank_++;
    absl::Status status = created.status();
    if (status.ok()) {
      name = DelegateName(**created);
      Applied applied;
      applied.delegate = *std::move(created);
      applied.options = request.options;
      applied.rank = rank;
      status = Attach(std::move(applied));
    } else {
      status = AtPlace(graph_.Place(), status);
    }
    if (!status.ok()) failed.Update(Reject(name, rank, status));
  }
  return failed;
}

// Records why a delegate is not applied. Returns OK if the options permit
// running the graph without this delegate, else an error.
absl::Status GraphSession::Reject(absl::string_view name, size_t rank,
                                  const absl::Status& status) {
  rejected_.push_back({std::string(name), WithDelegate(status, name), rank});
  return shared_->options.delegate_fallback ? absl::OkStatus()
                                            : rejected_.back().status;
}

// Lets the delegate replace nodes of a graph that is prepared. After an error
// the graph is as before, unless UndoAttach cannot prepare it again.
absl::Status GraphSession::Attach(Applied applied) {
  Delegate* const delegate = applied.delegate.get();
  if (absl::Status status = CheckNotApplied(*delegate); !status.ok()) {
    return status;
  }
  if (!is_prepared_) {
    return absl::FailedPreconditionError(absl::StrCat(
        graph_.Place(),
        ": not prepared since a delegate before this one was refused; expected "
        "operators that can be prepared again"));
  }
  const absl::StatusOr<DelegateInfo> info = InfoOf(*delegate);
  if (!info.ok()) return AtPlace(graph_.Place(), info.status());
  applied.info = *info;
  const std::string name = absl::StrCat("delegate ", info->name);
  if (shared_->options.streams > 1) {
    return absl::FailedPreconditionError(absl::StrCat(
        graph_.Place(), ": ", name, ": with ", shared_->options.streams,
        " streams; expected 1 stream with a delegate"));
  }
  const absl::optional<size_t> dynamic = graph_.FirstDynamicTask();
  if (!info->allows_dynamic_tensors && dynamic) {
    return absl::FailedPreconditionError(absl::StrCat(
        graph_.Place(*dynamic), ": ", name,
        ": the shapes that it computes depend on data; expected shapes that "
        "are known, or a delegate that allows dynamic tensors"));
  }
  const ApplyOptions options = applied.options;
  RunningGraph::ReplaceOptions replace;
  replace.fuse = !shared_->options.preserve_all_tensors ||
                 !shared_->options.splits_partitions;
  replace.stays_static = HasStaticDelegate();
  const RunningGraph::Snapshot before = graph_.TakeSnapshot();
  applied_.push_back(std::move(applied));
  SetSpareBytes();
  absl::Status status = graph_.Replace(delegate, *info, options, replace);
  if (status.ok()) return status;
  // An error in preparing all nodes begins with the place of the graph, and may
  // concern a node of another delegate.
  const DelegatedNode* failed = nullptr;
  if (absl::StartsWith(status.message(), graph_.Place())) {
    failed = FailedNode(status);
  } else {
    status = AtPlace(absl::StrCat(graph_.Place(), ": ", name), status);
  }
  status =
      WithDelegate(status, failed == nullptr ? info->name : failed->info.name);
  return AndThen(status, UndoAttach(before));
}

// Removes the delegate that was applied last, after an error. If all nodes were
// prepared since `before`, they are prepared once more, because otherwise
// operators, and nodes of delegates that allow dynamic tensors, would not be as
// before. A delegate that fails to be prepared again is rejected, too, and its
// error is returned. If an operator fails, the graph is not prepared.
absl::Status GraphSession::UndoAttach(const RunningGraph::Snapshot& before) {
  const Applied last = std::move(applied_.back());
  applied_.pop_back();
  SetSpareBytes();
  graph_.buffers().FreeAllOf(last.delegate.get());
  graph_.Restore(before);
  if (!graph_.WasPreparedSince(before)) return absl::OkStatus();
  absl::Status status = graph_.Prepare();
  is_prepared_ = status.ok();
  return is_prepared_ ? status : GoOnWithoutFailed(status);
}

absl::Status GraphSession::ApplyDelegate(std::shared_ptr<Delegate> delegate,
                                         const ApplyOptions& options) {
  if (delegate == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        graph_.Place(), ": a delegate that is null; expected one to apply"));
  }
  if (absl::Status status = CheckNotRunning(); !status.ok()) return status;
  if (absl::Status status = CheckNotApplied(*delegate); !status.ok()) {
    return status;
  }
  const BusyMark busy(&is_running_);
  if (!is_prepared_ || is_changed_) {
    if (absl::Status status = PrepareAll(); !status.ok()) return status;
  }
  const RunningGraph::Snapshot before = graph_.TakeSnapshot();
  MemoryPlan plan = plan_;
  const size_t count = applied_.size();
  Applied applied;
  applied.delegate = std::move(delegate);
  applied.options = options;
  applied.rank = next_rank_++;
  absl::Status status = Attach(std::move(applied));
  if (status.ok()) {
    PlanAllLifetimes();
    status = AllocatePlanned();
    if (status.ok()) {
      graph_.FreeReplaced();
      return status;
    }
    status =
        AtPlace(absl::StrCat("delegate ", applied_.back().info.name), status);
    status = AndThen(status, UndoAttach(before));
  }
  absl::Status restored = absl::OkStatus();
  if (is_prepared_) {
    restored =
        applied_.size() == count
            ? RestorePlan(std::move(plan), graph_.WasPreparedSince(before))
            : PlanWithFewer();
  }
  if (!is_prepared_ || !restored.ok()) ForgetMemory();
  return AndThen(status, restored);
}

// Restores the plan after a delegate was refused. The memory of this plan still
// exists. If operators were prepared anew, their temporaries have other numbers
// but the same places.
absl::Status GraphSession::RestorePlan(MemoryPlan plan, bool was_prepared) {
  plan_ = std::move(plan);
  if (was_prepared) PlanAllLifetimes();
  if (!is_allocated_) return absl::OkStatus();
  absl::Status status =
      was_prepared ? PlaceFirst(shared_->options, &plan_) : absl::OkStatus();
  if (status.ok()) status = memory_.Bind(plan_, 0, graph_.tensors().all());
  return status.ok() ? Fold() : AtPlace(graph_.Place(), status);
}

// Plans memory for the remaining delegates, after one delegate was refused and
// others were rejected because of it.
absl::Status GraphSession::PlanWithFewer() {
  graph_.FreeReplaced();
  PlanAllLifetimes();
  return is_allocated_ ? AllocatePlanned() : absl::OkStatus();
}

absl::Status GraphSession::RemoveDelegates() {
  if (absl::Status status = CheckNotRunning(); !status.ok()) return status;
  rejected_.clear();
  has_applied_requested_ = true;
  if (applied_.empty()) return absl::OkStatus();
  const BusyMark busy(&is_running_);
  const bool was_allocated = is_allocated_;
  DropDelegates();
  return was_allocated ? AllocateAll() : absl::OkStatus();
}

void GraphSession::DropDelegates() {
  graph_.buffers().FreeAll();
  graph_.DropDelegated();
  applied_.clear();
  SetSpareBytes();
  is_prepared_ = false;
  is_allocated_ = false;
  is_detached_ = false;
}

absl::Status GraphSession::RemoveLastDelegate() {
  applied_.pop_back();
  SetSpareBytes();
  is_prepared_ = false;
  is_detached_ = true;
  const BusyMark busy(&is_running_);
  return AllocateAll();
}

AppliedDelegate GraphSession::Describe(const Applied& applied) const {
  AppliedDelegate result;
  result.name = applied.info.name;
  AddMemory(*applied.delegate, &result.memory);
  for (const int id : graph_.execution_plan()) {
    const Node& node = graph_.nodes()[static_cast<size_t>(id)];
    if (node.delegated == nullptr ||
        node.delegated->delegate != applied.delegate.get()) {
      continue;
    }
    const DelegatedNode& delegated = *node.delegated;
    result.partitions.push_back(
        {id, delegated.replaced, delegated.partition.inputs,
         delegated.partition.outputs, delegated.steps.size()});
    for (const Workspace& workspace : delegated.workspaces) {
      result.workspace_bytes += workspace.bytes;
    }
    AddMemory(*delegated.kernel, &result.memory);
  }
  result.copies = graph_.buffers().CopiesOf(applied.delegate.get());
  return result;
}

std::vector<AppliedDelegate> GraphSession::delegates() const {
  std::map<size_t, AppliedDelegate> by_rank;
  for (const Applied& applied : applied_) {
    by_rank[applied.rank] = Describe(applied);
  }
  for (const Rejected& rejected : rejected_) {
    AppliedDelegate& described = by_rank[rejected.rank];
    described.name = rejected.name;
    described.status = rejected.status;
  }
  std::vector<AppliedDelegate> all;
  all.reserve(by_rank.size());
  for (auto& [rank, delegate] : by_rank) all.push_back(std::move(delegate));
  return all;
}

}  // namespace stowage::harness
