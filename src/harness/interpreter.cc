// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/interpreter.h"

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
#include "src/harness/graph_runner.h"
#include "src/harness/interpreter_state.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// Subgraphs that call each other take the stack; those of models do so once.
constexpr int kMaxCallDepth = 64;

}  // namespace

InterpreterState::InterpreterState(const Model& model,
                                   OperatorResolver resolver,
                                   const InterpreterOptions& options)
    : model_(model),
      resolver_(std::move(resolver)),
      options_(options),
      budget_(options.memory_limit),
      resources_(&budget_) {}

absl::Status InterpreterState::Load() {
  if (!IsValidAlignment(options_.tensor_alignment) ||
      options_.tensor_alignment < kMinTensorAlignment) {
    return absl::InvalidArgumentError(absl::StrCat(
        "tensor alignment ", options_.tensor_alignment,
        ": expected a power of two, ", kMinTensorAlignment, " at least"));
  }
  if (options_.shadow == ShadowMode::kNone) {
    if (absl::Status status = CheckSupported(); !status.ok()) return status;
  }
  for (size_t i = 0; i < model_.subgraphs().size(); ++i) {
    subgraphs_.push_back(std::unique_ptr<Subgraph>(
        new Subgraph(std::make_unique<GraphRunner>(this, i))));
  }
  is_done_.assign(subgraphs_.size(), false);
  is_running_.assign(subgraphs_.size(), false);
  return absl::OkStatus();
}

absl::Status InterpreterState::CheckSupported() const {
  std::set<std::string> missing;
  std::string first_place;
  for (size_t i = 0; i < model_.subgraphs().size(); ++i) {
    const SubgraphSpec& graph = model_.subgraphs()[i];
    for (size_t op = 0; op < graph.operators.size(); ++op) {
      const std::string why = WhyUnsupported(graph.operators[op]);
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
      model_.name(), ": unsupported operators: ", absl::StrJoin(missing, ", "),
      "; the first is ", first_place,
      "; expected operators with kernels, or shadows in their place "
      "(InterpreterOptions::shadow, --shadow)"));
}

std::string InterpreterState::WhyUnsupported(const OperatorSpec& op) const {
  std::string name = op.TypeText();
  const OperatorRegistration* found = resolver_.Find(op.name, op.is_custom);
  if (found == nullptr || found->create == nullptr) return name;
  if (op.version >= found->min_version && op.version <= found->max_version) {
    return "";
  }
  return absl::StrCat(name, " version ", op.version, " (kernels are for ",
                      found->min_version,
                      found->min_version == found->max_version
                          ? ""
                          : absl::StrCat(" to ", found->max_version),
                      ")");
}

std::vector<ShadowedOperator> InterpreterState::ShadowedOperators() const {
  std::vector<ShadowedOperator> all;
  for (const auto& subgraph : subgraphs_) {
    subgraph->runner_->AddShadowed(&all);
  }
  return all;
}

absl::Status InterpreterState::InvokeOnce(size_t subgraph) {
  if (subgraph >= subgraphs_.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "it calls subgraph ", subgraph, ": there are ", subgraphs_.size()));
  }
  if (is_done_[subgraph]) return absl::OkStatus();
  const SubgraphSpec& spec = model_.subgraphs()[subgraph];
  if (is_running_[subgraph] || subgraph == 0 || !spec.inputs.empty() ||
      !spec.outputs.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("it calls subgraph ", subgraph,
                     ": expected one without inputs and outputs that does not "
                     "call itself"));
  }
  if (depth_ == kMaxCallDepth) {
    return absl::InvalidArgumentError(
        absl::StrCat("it calls subgraph ", subgraph, ", which is deeper than ",
                     kMaxCallDepth, " calls within each other"));
  }
  ++depth_;
  is_running_[subgraph] = true;
  absl::Status status = subgraphs_[subgraph]->Allocate();
  if (status.ok()) status = subgraphs_[subgraph]->Invoke();
  is_running_[subgraph] = false;
  --depth_;
  is_done_[subgraph] = status.ok();
  return status;
}

void InterpreterState::Reset() {
  resources_.Clear();
  is_done_.assign(subgraphs_.size(), false);
  for (const auto& subgraph : subgraphs_) subgraph->ResetVariables();
}

absl::StatusOr<std::unique_ptr<Interpreter>> Interpreter::Create(
    const Model& model, const InterpreterOptions& options) {
  return Create(model, BuiltinOperators(), options);
}

absl::StatusOr<std::unique_ptr<Interpreter>> Interpreter::Create(
    const Model& model, const OperatorResolver& resolver,
    const InterpreterOptions& options) {
  auto state = std::make_unique<InterpreterState>(model, resolver, options);
  if (absl::Status status = state->Load(); !status.ok()) return status;
  return std::unique_ptr<Interpreter>(new Interpreter(std::move(state)));
}

Interpreter::Interpreter(std::unique_ptr<InterpreterState> state)
    : state_(std::move(state)) {}

Interpreter::~Interpreter() = default;

const Model& Interpreter::model() const { return state_->model(); }

Subgraph& Interpreter::subgraph(size_t index) {
  return state_->subgraph(index);
}

absl::StatusOr<Subgraph*> Interpreter::FindSignature(absl::string_view key) {
  const absl::Span<const SignatureSpec> signatures = model().signatures();
  for (const SignatureSpec& signature : signatures) {
    if (signature.key == key) return &subgraph(signature.subgraph);
  }
  return absl::NotFoundError(absl::StrCat(
      model().name(), ": no signature \"", key, "\": there are ",
      signatures.size(), ": ",
      absl::StrJoin(signatures, ", ",
                    [](std::string* out, const SignatureSpec& signature) {
                      absl::StrAppend(out, "\"", signature.key, "\"");
                    })));
}

std::vector<ShadowedOperator> Interpreter::ShadowedOperators() const {
  return state_->ShadowedOperators();
}

void Interpreter::Reset() { state_->Reset(); }

Subgraph::Subgraph(std::unique_ptr<GraphRunner> runner)
    : runner_(std::move(runner)) {}

Subgraph::~Subgraph() = default;

const SubgraphSpec& Subgraph::spec() const { return runner_->spec_; }

Tensor& Subgraph::input(size_t i) {
  return runner_->tensors_[spec().inputs[i]];
}

const Tensor& Subgraph::output(size_t i) const {
  return runner_->tensors_[spec().outputs[i]];
}

const Tensor& Subgraph::tensor(size_t index) const {
  return runner_->tensors_[index];
}

absl::Status Subgraph::ResizeInput(size_t i, const Shape& shape) {
  return runner_->ResizeInput(i, shape);
}

absl::Status Subgraph::Prepare() { return runner_->Prepare(); }

absl::Status Subgraph::Allocate() { return runner_->Allocate(); }

absl::Status Subgraph::Invoke() { return runner_->Invoke(); }

void Subgraph::Cancel() { runner_->is_cancelled_ = true; }

void Subgraph::ResetVariables() { runner_->ResetVariables(); }

const ArenaGraph& Subgraph::arena_graph() const {
  return runner_->arena_graph_;
}

absl::Span<const Lifetime> Subgraph::lifetimes() const {
  return runner_->lifetimes_;
}

ArenaRecords Subgraph::records() const {
  const size_t prepared = prepared_operators();
  return RecordsOf(arena_graph(), lifetimes(),
                   prepared == 0 ? 0 : prepared - 1);
}

size_t Subgraph::prepared_operators() const { return runner_->prepared_; }

const ArenaPlan& Subgraph::plan() const { return runner_->plan_; }

const std::string& Subgraph::plan_strategy() const {
  return runner_->plan_strategy_;
}

size_t Subgraph::tensor_alignment() const {
  return runner_->state_->options().tensor_alignment;
}

size_t Subgraph::operator_data_bytes() const {
  size_t bytes = 0;
  for (const Node& node : runner_->nodes_) {
    for (const MemoryBlock& block : node.data) bytes += block.size();
  }
  return bytes;
}

size_t Subgraph::metadata_bytes() const {
  size_t bytes = 0;
  for (const Tensor& tensor : runner_->tensors_) {
    bytes +=
        sizeof(Tensor) + tensor.name.size() +
        tensor.shape.size() * sizeof(int32_t) +
        tensor.quantization.scales.size() * (sizeof(float) + sizeof(int32_t));
  }
  return bytes;
}

}  // namespace stowage::harness
