// SPDX-License-Identifier: Apache-2.0
// Implements the interpreter, which consists of a model, the sessions of its
// subgraphs, and the state that these sessions share.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "src/harness/carry_outputs.h"
#include "src/harness/graph_session.h"
#include "src/harness/running_graph.h"
#include "stowage/error_payload.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/task_order.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/calls.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

absl::Status CheckSupported(const Model& model,
                            const OperatorResolver& resolver) {
  std::set<std::string> missing;
  std::string first_place;
  for (size_t i = 0; i < model.subgraphs().size(); ++i) {
    const SubgraphSpec& graph = model.subgraphs()[i];
    for (size_t op = 0; op < graph.operators.size(); ++op) {
      const std::string why = resolver.WhyUnsupported(graph.operators[op]);
      if (why.empty()) continue;
      if (missing.empty()) {
        first_place =
            absl::StrCat("subgraph ", i, ", ", graph.OperatorPlace(op));
      }
      missing.insert(why);
    }
  }
  if (missing.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      model.name(), ": unsupported operators: ", absl::StrJoin(missing, ", "),
      "; the first is ", first_place,
      "; expected operators with kernels (a run can put shadows in their "
      "place, as can trace and plan: InterpreterOptions::shadow, --shadow)"));
}

class Session final : public Interpreter {
 public:
  Session(const Model& model, const OperatorResolver& resolver,
          const InterpreterOptions& options);

  const Model& model() const override { return shared_.model; }
  Subgraph& subgraph(size_t index) override { return *graphs_[index]; }
  std::vector<ShadowedOperator> ShadowedOperators() const override;
  absl::Status ApplyDelegate(std::shared_ptr<Delegate> delegate) override;
  absl::Status RemoveDelegates() override;
  void Reset() override;

 private:
  SharedState shared_;
  std::vector<std::unique_ptr<GraphSession>> graphs_;
};

Session::Session(const Model& model, const OperatorResolver& resolver,
                 const InterpreterOptions& options)
    : shared_(model, resolver, options) {
  shared_.was_invoked_once.resize(model.subgraphs().size());
  for (size_t i = 0; i < model.subgraphs().size(); ++i) {
    graphs_.push_back(std::make_unique<GraphSession>(&shared_, i));
  }
}

std::vector<ShadowedOperator> Session::ShadowedOperators() const {
  std::vector<ShadowedOperator> all;
  for (const auto& graph : graphs_) graph->AddShadowed(&all);
  // The operators of a subgraph may be listed several times, because several
  // subgraphs may call it and the caller may run it as well.
  const auto place = [](const ShadowedOperator& op) {
    return std::make_pair(op.subgraph, op.node);
  };
  std::stable_sort(all.begin(), all.end(),
                   [&](const ShadowedOperator& a, const ShadowedOperator& b) {
                     return place(a) < place(b);
                   });
  all.erase(
      std::unique(all.begin(), all.end(),
                  [&](const ShadowedOperator& a, const ShadowedOperator& b) {
                    return place(a) == place(b);
                  }),
      all.end());
  return all;
}

absl::Status Session::ApplyDelegate(std::shared_ptr<Delegate> delegate) {
  for (size_t i = 0; i < graphs_.size(); ++i) {
    absl::Status status = graphs_[i]->ApplyDelegate(delegate, {});
    if (status.ok()) continue;
    while (i > 0) {
      status = AndThen(status, graphs_[--i]->RemoveLastDelegate());
    }
    return status;
  }
  shared_.applied_to_all.push_back(std::move(delegate));
  return absl::OkStatus();
}

absl::Status Session::RemoveDelegates() {
  shared_.applied_to_all.clear();
  absl::Status status = absl::OkStatus();
  for (const auto& graph : graphs_) status.Update(graph->RemoveDelegates());
  return status;
}

void Session::Reset() {
  shared_.resources.Clear();
  shared_.was_invoked_once.assign(graphs_.size(), false);
  for (const auto& graph : graphs_) graph->ResetVariables();
}

}  // namespace

absl::StatusOr<std::unique_ptr<Interpreter>> Interpreter::Create(
    const Model& model, const InterpreterOptions& options) {
  return Create(model, BuiltinOperators(), options);
}

absl::StatusOr<std::unique_ptr<Interpreter>> Interpreter::Create(
    const Model& model, const OperatorResolver& resolver,
    const InterpreterOptions& options) {
  if (!IsValidAlignment(options.tensor_alignment) ||
      options.tensor_alignment < kMinTensorAlignment) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor alignment: ", options.tensor_alignment,
        "; expected a power of two, ", kMinTensorAlignment, " at least"));
  }
  if (options.streams == 0 || options.streams > TaskOrder::kMaxChains) {
    return absl::InvalidArgumentError(absl::StrCat("streams: ", options.streams,
                                                   "; expected 1 to ",
                                                   TaskOrder::kMaxChains));
  }
  if (options.shared_arena != nullptr && options.memory_limit > 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "memory limit: ", options.memory_limit,
        ", with a shared arena; expected the limit of the arena alone"));
  }
  if (options.sharing == Sharing::kGroups &&
      (options.streams > 1 || options.kind != PlanKind::kOffsets)) {
    return absl::InvalidArgumentError(
        absl::StrCat("sharing: groups, with ",
                     options.streams > 1 ? "several streams" : "shared objects",
                     "; expected offsets and one stream"));
  }
  absl::Status status = CheckCarried(model, options);
  if (status.ok()) status = CheckCalls(model);
  if (status.ok() && options.shadow == ShadowMode::kNone) {
    status = CheckSupported(model, resolver);
  }
  if (!status.ok()) return status;
  return std::make_unique<Session>(model, resolver, options);
}

absl::StatusOr<Subgraph*> Interpreter::FindSignature(absl::string_view key) {
  const absl::StatusOr<size_t> index = model().FindSignature(key);
  if (!index.ok()) return index.status();
  return &subgraph(*index);
}

}  // namespace stowage::harness
