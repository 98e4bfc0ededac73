// SPDX-License-Identifier: Apache-2.0
#include "src/harness/delegated_graph.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
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
#include "src/harness/running_graph.h"
#include "stowage/error_payload.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"

namespace stowage::harness {
namespace {

// Returns the result of `delegate.info()`, or an error if info() throws.
absl::StatusOr<DelegateInfo> InfoOf(const Delegate& delegate) {
  return CallGuarded("info", [&]() -> absl::StatusOr<DelegateInfo> {
    return delegate.info();
  });
}

absl::StatusOr<std::shared_ptr<Delegate>> Create(
    const DelegateRequest& request) {
  absl::StatusOr<std::shared_ptr<Delegate>> created = CallGuarded(
      "the function that creates a delegate", [&] { return request.create(); });
  if (created.ok() && *created == nullptr) {
    return absl::InvalidArgumentError("null; expected a delegate");
  }
  return created;
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

DelegatedGraph::DelegatedGraph(SharedState* shared, size_t index,
                               CallFrames* frames)
    : shared_(shared), graph_(shared, index, frames) {
  for (const auto& create : shared->resolver.delegates()) {
    requests_.emplace_back();
    requests_.back().create = create;
  }
  for (const DelegateRequest& request : shared->options.delegates) {
    if (!request.subgraph || *request.subgraph == index) {
      requests_.push_back(request);
    }
  }
  for (const std::shared_ptr<Delegate>& delegate : shared->applied_to_all) {
    requests_.emplace_back();
    requests_.back().create = [delegate] { return delegate; };
  }
}

const DelegatedGraph::Applied* DelegatedGraph::Find(
    const Delegate* delegate) const {
  for (const auto* const list : {&applied_, &waiting_}) {
    for (const Applied& applied : *list) {
      if (applied.delegate.get() == delegate) return &applied;
    }
  }
  return nullptr;
}

absl::Status DelegatedGraph::CheckNotApplied(const Delegate& delegate) const {
  const Applied* const applied = Find(&delegate);
  if (applied == nullptr) return absl::OkStatus();
  return absl::FailedPreconditionError(
      absl::StrCat(graph_.Place(), ": delegate ", applied->info.name,
                   " is applied already; expected each once"));
}

absl::Status DelegatedGraph::Prepare() {
  // The kernels of a delegate that allows no dynamic tensors may be prepared
  // only once, so a graph with such a delegate is not prepared again.
  if (StaysPrepared()) return absl::OkStatus();
  absl::Status failed = absl::OkStatus();
  if (HasStaticDelegate() || !waiting_.empty()) {
    failed = ApplyAgain();
  } else {
    failed = graph_.Prepare();
    if (!failed.ok()) failed = GoOnWithoutFailed(failed);
  }
  if (!graph_.is_prepared()) return failed;
  failed.Update(ApplyRequested());
  graph_.FreeReplaced();
  return failed;
}

absl::Status DelegatedGraph::Apply(std::shared_ptr<Delegate> delegate,
                                   const ApplyOptions& options) {
  Applied applied;
  applied.delegate = std::move(delegate);
  applied.options = options;
  applied.rank = next_rank_++;
  return Attach(std::move(applied));
}

absl::Status DelegatedGraph::UndoLast(const RunningGraph::Snapshot& before) {
  const Applied last = std::move(applied_.back());
  applied_.pop_back();
  SetSpareBytes();
  graph_.buffers().FreeAllOf(last.delegate.get());
  graph_.Restore(before);
  if (!graph_.WasPreparedSince(before)) return absl::OkStatus();
  absl::Status status = graph_.Prepare();
  return status.ok() ? status : GoOnWithoutFailed(status);
}

absl::optional<absl::Status> DelegatedGraph::RejectToBlame(
    const absl::Status& status) {
  auto rejected = FindFailed(status);
  if (rejected == applied_.end()) {
    if (applied_.empty() || !absl::IsResourceExhausted(status)) {
      return absl::nullopt;
    }
    --rejected;
  }
  return RejectApplied(rejected, status);
}

absl::Status DelegatedGraph::ApplyAgain() {
  DetachAll();
  absl::Status failed = graph_.Prepare();
  for (Applied& applied : std::exchange(waiting_, {})) {
    if (!graph_.is_prepared()) {
      // An operator could not be prepared, either because no delegate replaces
      // it or because the delegate that replaced it was rejected. The remaining
      // delegates wait until the graph is prepared.
      waiting_.push_back(std::move(applied));
      continue;
    }
    const std::string name = applied.info.name;
    const size_t rank = applied.rank;
    const absl::Status status = Attach(std::move(applied));
    if (!status.ok()) failed.Update(Reject(name, rank, status));
  }
  return failed;
}

DelegatedGraph::Delegates DelegatedGraph::SaveDelegates() const {
  Delegates saved = {applied_, rejected_.size()};
  saved.given.insert(saved.given.end(), waiting_.begin(), waiting_.end());
  return saved;
}

bool DelegatedGraph::RestoreDelegates(Delegates saved) {
  if (count() >= saved.given.size()) return false;
  DetachAll();
  waiting_ = std::move(saved.given);
  rejected_.resize(saved.rejected);
  return true;
}

bool DelegatedGraph::RemoveAll() {
  rejected_.clear();
  requests_.clear();
  if (count() == 0) return false;
  DetachAll();
  waiting_.clear();
  return true;
}

void DelegatedGraph::RejectAll(const Delegate* culprit,
                               const absl::Status& status) {
  const std::string culprit_name = DelegateName(*culprit);
  for (const Applied& applied : applied_) {
    const std::string& name = applied.info.name;
    absl::Status why = status;
    if (applied.delegate.get() != culprit) {
      why = absl::FailedPreconditionError(absl::StrCat(
          graph_.Place(), ": delegate ", name, ": removed because delegate ",
          culprit_name, " has failed; expected none to fail"));
    }
    rejected_.push_back({name, WithDelegate(why, name), applied.rank});
  }
  DetachAll();
  waiting_.clear();
}

void DelegatedGraph::RemoveLast() {
  // Keeps the delegate until the end of this function, because it must outlive
  // its kernels, which DetachAll destroys.
  const Applied last = std::move(applied_.back());
  applied_.pop_back();
  DetachAll();
}

// Applies the delegates of the resolver, and then the delegates in the options.
// Only the first call has an effect.
absl::Status DelegatedGraph::ApplyRequested() {
  absl::Status failed = absl::OkStatus();
  for (const DelegateRequest& request : std::exchange(requests_, {})) {
    absl::StatusOr<std::shared_ptr<Delegate>> created = Create(request);
    const size_t rank = next_rank_++;
    absl::Status status = created.status();
    std::string name = request.name;
    if (status.ok()) {
      name = DelegateName(**created);
      status = Attach({*std::move(created), {}, request.options, rank});
    } else {
      status = AtPlace(graph_.Place(), status);
    }
    if (!status.ok()) failed.Update(Reject(name, rank, status));
  }
  return failed;
}

// Lets the delegate replace nodes of a prepared graph. After an error, the
// graph is as before, unless UndoLast cannot prepare it again.
absl::Status DelegatedGraph::Attach(Applied applied) {
  Delegate* const delegate = applied.delegate.get();
  if (absl::Status status = CheckNotApplied(*delegate); !status.ok()) {
    return status;
  }
  if (!graph_.is_prepared()) {
    return absl::FailedPreconditionError(
        absl::StrCat(graph_.Place(),
                     ": not prepared, because an earlier delegate was refused; "
                     "expected operators that can be prepared again"));
  }
  const absl::StatusOr<DelegateInfo> info = InfoOf(*delegate);
  if (!info.ok()) return AtPlace(graph_.Place(), info.status());
  if (absl::Status status = CheckApplicable(*info); !status.ok()) return status;
  applied.info = *info;
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
  // If the message begins with Place(), the error occurred while all nodes were
  // being prepared. It may then come from a node of another delegate, so the
  // node that failed has to be found.
  const DelegatedNode* failed = nullptr;
  if (absl::StartsWith(status.message(), graph_.Place())) {
    failed = FailedNode(status);
  } else {
    status = AtPlace(absl::StrCat(graph_.Place(), ": delegate ", info->name),
                     status);
  }
  status =
      WithDelegate(status, failed == nullptr ? info->name : failed->info.name);
  return AndThen(status, UndoLast(before));
}

// Checks that a delegate with this info can be applied to the graph.
absl::Status DelegatedGraph::CheckApplicable(const DelegateInfo& info) const {
  if (shared_->options.streams > 1) {
    return absl::FailedPreconditionError(
        absl::StrCat(graph_.Place(), ": delegate ", info.name, ": with ",
                     shared_->options.streams,
                     " streams; expected 1 stream with a delegate"));
  }
  const absl::optional<size_t> dynamic = graph_.FirstDynamicTask();
  if (!info.allows_dynamic_tensors && dynamic) {
    return absl::FailedPreconditionError(absl::StrCat(
        graph_.Place(*dynamic), ": delegate ", info.name,
        ": the shapes that it computes depend on data; expected shapes that "
        "are known, or a delegate that allows dynamic tensors"));
  }
  return absl::OkStatus();
}

// Records why a delegate is not applied. Returns OK if the options permit
// running the graph without the delegate, otherwise the error.
absl::Status DelegatedGraph::Reject(absl::string_view name, size_t rank,
                                    const absl::Status& status) {
  rejected_.push_back({std::string(name), WithDelegate(status, name), rank});
  return shared_->options.delegate_fallback ? absl::OkStatus()
                                            : rejected_.back().status;
}

// Rejects a delegate that is applied. All other delegates then wait to be
// applied again.
absl::Status DelegatedGraph::RejectApplied(
    std::vector<Applied>::iterator rejected, const absl::Status& status) {
  // Keeps the delegate until the end of this function, because it must outlive
  // its kernels, which DetachAll destroys.
  const Applied removed = std::move(*rejected);
  applied_.erase(rejected);
  DetachAll();
  return Reject(removed.info.name, removed.rank, status);
}

// Rejects the delegate whose kernel failed with `status`, and applies all other
// delegates again.
absl::Status DelegatedGraph::GoOnWithoutFailed(const absl::Status& status) {
  const auto failed = FindFailed(status);
  if (failed == applied_.end()) return status;
  absl::Status result = RejectApplied(failed, status);
  result.Update(ApplyAgain());
  return result;
}

// Returns the delegate node in which the error `status` occurred, or null if it
// did not occur in a delegate node.
const DelegatedNode* DelegatedGraph::FailedNode(
    const absl::Status& status) const {
  const absl::optional<size_t> node = OperatorOf(status);
  return node && *node < graph_.nodes().size()
             ? graph_.nodes()[*node].delegated.get()
             : nullptr;
}

// Returns the delegate with the node in which the error `status` occurred, or
// the end of the list if it did not occur in a delegate node.
std::vector<DelegatedGraph::Applied>::iterator DelegatedGraph::FindFailed(
    const absl::Status& status) {
  const DelegatedNode* const node = FailedNode(status);
  return absl::c_find_if(applied_, [&](const Applied& applied) {
    return node != nullptr && applied.delegate.get() == node->delegate;
  });
}

bool DelegatedGraph::HasStaticDelegate() const {
  return absl::c_any_of(applied_, [](const Applied& applied) {
    return !applied.info.allows_dynamic_tensors;
  });
}

// Restores the operators of the model. All delegates then wait to be applied
// again.
void DelegatedGraph::DetachAll() {
  graph_.buffers().FreeAll();
  graph_.DropDelegated();
  waiting_.insert(waiting_.begin(), std::make_move_iterator(applied_.begin()),
                  std::make_move_iterator(applied_.end()));
  applied_.clear();
  SetSpareBytes();
}

void DelegatedGraph::SetSpareBytes() {
  size_t bytes = 0;
  for (const Applied& applied : applied_) {
    bytes = std::max(bytes, applied.info.spare_bytes);
  }
  graph_.tensors().set_spare_bytes(bytes);
}

AppliedDelegate DelegatedGraph::DescribeOne(const Applied& applied) const {
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

std::vector<AppliedDelegate> DelegatedGraph::Describe() const {
  std::map<size_t, AppliedDelegate> by_rank;
  for (const Applied& applied : SaveDelegates().given) {
    by_rank[applied.rank] = DescribeOne(applied);
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
