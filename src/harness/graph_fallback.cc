// SPDX-License-Identifier: Apache-2.0
// Runs an invocation, and repeats it without delegates if one of them fails.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "src/harness/call_delegate.h"
#include "src/harness/graph_session.h"
#include "src/harness/resources.h"
#include "src/harness/running_graph.h"
#include "stowage/error_payload.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// The state that is restored after an invocation has failed: the content of the
// inputs and variables, by tensor, and the resources.
struct SavedState {
  std::map<size_t, std::vector<uint8_t>> tensors;
  std::vector<OwnedResources::Saved> resources;
  std::vector<bool> was_invoked_once;
};

// Returns the inputs and variables of the graph. Their content is what an
// invocation begins with.
std::vector<size_t> StateTensors(const SubgraphSpec& spec) {
  std::vector<size_t> tensors;
  for (size_t t = 0; t < spec.tensors.size(); ++t) {
    if (spec.tensors[t].is_variable || absl::c_linear_search(spec.inputs, t)) {
      tensors.push_back(t);
    }
  }
  return tensors;
}

SavedState SaveState(const RunningGraph& graph,
                     absl::Span<const size_t> tensors,
                     const SharedState& shared) {
  SavedState saved;
  for (const size_t t : tensors) {
    const Tensor& tensor = graph.tensors()[t];
    if (tensor.data == nullptr || tensor.is_constant()) continue;
    const auto* const data = tensor.as<uint8_t>();
    saved.tensors[t].assign(data, data + tensor.bytes);
  }
  saved.resources = shared.resources.Save();
  saved.was_invoked_once = shared.was_invoked_once;
  return saved;
}

absl::Status RestoreState(const SavedState& saved, RunningGraph* graph,
                          SharedState* shared) {
  for (const auto& [t, bytes] : saved.tensors) {
    Tensor& tensor = graph->tensors()[t];
    if (tensor.data == nullptr || tensor.bytes != bytes.size()) continue;
    // Memory that the caller provides may be read-only, so it is written only
    // if its content has changed.
    if (bytes.empty() ||
        std::memcmp(tensor.data, bytes.data(), bytes.size()) == 0) {
      continue;
    }
    std::memcpy(tensor.data, bytes.data(), bytes.size());
  }
  shared->was_invoked_once = saved.was_invoked_once;
  return shared->resources.Restore(saved.resources);
}

}  // namespace

absl::Status GraphSession::InvokeWithFallback() {
  const std::vector<size_t> state = StateTensors(spec());
  // Some content of the state may be only in a buffer, so it is copied to
  // memory before it is saved.
  if (absl::Status status = MakeReadable(state); !status.ok()) return status;
  const SavedState saved = SaveState(graph_, state, *shared_);
  const size_t invocation = invocation_;
  absl::Status failed = RunTasks();
  if (failed.ok() || failed_delegate_ == nullptr) return failed;
  const std::string culprit = DelegateName(*failed_delegate_);
  for (const Applied& applied : applied_) {
    const std::string& name = applied.info.name;
    absl::Status why = failed;
    if (applied.delegate.get() != failed_delegate_) {
      why = absl::FailedPreconditionError(absl::StrCat(
          graph_.Place(), ": delegate ", name, ": removed since delegate ",
          culprit, " has failed; expected none to fail"));
    }
    rejected_.push_back({name, WithDelegate(why, name), applied.rank});
  }
  DropDelegates();
  absl::Status status = AllocateAll();
  if (status.ok()) status = RestoreState(saved, &graph_, shared_);
  if (!status.ok()) return status;
  invocation_ = invocation;
  return RunTasks();
}

}  // namespace stowage::harness
