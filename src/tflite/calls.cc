// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflite/calls.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "model_schema/model_generated.h"
#include "stowage/error_payload.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"

namespace stowage {
namespace {

// The tensors between which a call passes values: one list of the caller and
// one list of the callee. Arguments are passed from the caller to the callee,
// and results in the opposite direction.
struct PassedLists {
  absl::string_view what;         // is "argument" or "result"
  absl::Span<const size_t> ours;  // has tensors of the caller
  absl::string_view end;          // is "input" or "output"
  absl::Span<const size_t> theirs;
  // True if the sizes must be equal. False for the results of a loop, because
  // each round of its body may change the size of a tensor.
  bool compares_sizes = true;
};

// Returns whether the model fixes the number of bytes of the tensor. In some
// models, an empty shape means that the shape is unknown.
bool HasFixedSize(const TensorSpec& tensor) {
  return ElementBits(tensor.type) > 0 &&
         (tensor.has_rank || !tensor.shape.empty()) &&
         !absl::c_linear_search(tensor.signature, -1);
}

// Returns the options of the operator, or null if the operator has a different
// name or options of a different type.
template <typename Options>
const Options* OptionsOfType(const OperatorSpec& op, absl::string_view name) {
  constexpr auto kType = tflite::BuiltinOptionsTraits<Options>::enum_value;
  return op.name == name && op.options_type == static_cast<int>(kType)
             ? static_cast<const Options*>(op.options)
             : nullptr;
}

// Follows the calls in a model, starting from each subgraph that has not been
// reached from an earlier subgraph.
class CallChecker {
 public:
  explicit CallChecker(const Model& model)
      : model_(model), depths_(model.subgraphs().size(), 0) {}

  absl::Status Run() {
    for (size_t graph = 0; graph < depths_.size(); ++graph) {
      if (depths_[graph] > 0) continue;
      if (absl::Status status = Visit(graph); !status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  // A subgraph that is being visited, and the operator being checked in it.
  struct Step {
    size_t graph = 0;
    size_t op = 0;
  };

  absl::Status Visit(size_t graph);
  absl::Status CheckOperator(const OperatorSpec& op, size_t graph);
  absl::Status CheckCallee(int number, size_t* callee);
  absl::Status CheckPassed(const PassedLists& lists, size_t callee) const;
  absl::Status CheckIf(const OperatorSpec& op);
  absl::Status CheckWhile(const OperatorSpec& op);
  absl::Status CheckCall(absl::Span<const size_t> arguments,
                         absl::Span<const size_t> results, size_t callee) const;
  absl::Status CheckCondition(const SubgraphSpec& graph, size_t tensor) const;
  const SubgraphSpec& caller() const {
    return model_.subgraphs()[chain_.back().graph];
  }
  absl::Status Refuse(absl::string_view why) const;

  const Model& model_;
  std::vector<Step> chain_;
  // For each subgraph, the number of subgraphs in the longest chain of calls
  // that begins with it; 0 if the subgraph has not been visited.
  std::vector<size_t> depths_;
  std::vector<size_t> callees_;  // those of the operator that is checked
};

// Returns an error that names the chain of calls that leads to the last
// operator.
absl::Status CallChecker::Refuse(absl::string_view why) const {
  std::string place = absl::StrCat(model_.name(), ": ");
  for (size_t i = 0; i < chain_.size(); ++i) {
    const SubgraphSpec& graph = model_.subgraphs()[chain_[i].graph];
    absl::StrAppend(&place, i == 0 ? "" : " > ", "subgraph ", chain_[i].graph,
                    ", ", graph.OperatorPlace(chain_[i].op));
  }
  return WithOperator(
      absl::InvalidArgumentError(absl::StrCat(place, ": ", why)),
      chain_.back().op);
}

absl::Status CallChecker::Visit(size_t graph) {
  const SubgraphSpec& spec = model_.subgraphs()[graph];
  size_t depth = 1;
  for (size_t i = 0; i < spec.operators.size(); ++i) {
    if (!CallsSubgraphs(spec.operators[i])) continue;
    chain_.push_back({graph, i});
    absl::Status status = CheckOperator(spec.operators[i], graph);
    if (!status.ok()) return status;
    for (const size_t callee : std::exchange(callees_, {})) {
      if (depths_[callee] == 0) {
        status = Visit(callee);
        if (!status.ok()) return status;
      }
      depth = std::max(depth, depths_[callee] + 1);
      if (chain_.size() + depths_[callee] > kMaxCallDepth) {
        return Refuse(absl::StrCat("calls subgraph ", callee,
                                   " too deep; expected at most ",
                                   kMaxCallDepth, " nested subgraphs"));
      }
    }
    chain_.pop_back();
  }
  depths_[graph] = depth;
  return absl::OkStatus();
}

absl::Status CallChecker::CheckCallee(int number, size_t* callee) {
  const size_t count = model_.subgraphs().size();
  if (number < 0 || static_cast<size_t>(number) >= count) {
    return Refuse(absl::StrCat("calls subgraph ", number,
                               "; expected an index below ", count));
  }
  *callee = static_cast<size_t>(number);
  if (absl::c_any_of(chain_,
                     [&](const Step& step) { return step.graph == *callee; })) {
    return Refuse(absl::StrCat(
        "calls subgraph ", number,
        ", which is in this chain already; expected no subgraph that calls "
        "itself"));
  }
  if (chain_.size() == kMaxCallDepth) {
    return Refuse(absl::StrCat("calls subgraph ", number,
                               " too deep; expected at most ", kMaxCallDepth,
                               " nested subgraphs"));
  }
  callees_.push_back(*callee);
  return absl::OkStatus();
}

absl::Status CallChecker::CheckOperator(const OperatorSpec& op, size_t graph) {
  const std::vector<int> called = CalledSubgraphs(op);
  if (called.empty()) {
    return Refuse(
        "its options do not name the subgraphs that it calls; expected options "
        "of its type");
  }
  for (const int number : called) {
    size_t callee = graph;
    absl::Status status = CheckCallee(number, &callee);
    if (!status.ok()) return status;
  }
  if (op.name == "IF") return CheckIf(op);
  if (op.name == "WHILE") return CheckWhile(op);
  return CheckCall(op.inputs, op.outputs, callees_[0]);
}

absl::Status CallChecker::CheckIf(const OperatorSpec& op) {
  if (op.inputs.empty() || op.inputs[0] == kAbsent) {
    return Refuse("it has no condition; expected it as input 0");
  }
  absl::Status status = CheckCondition(caller(), op.inputs[0]);
  const absl::Span<const size_t> inputs = op.inputs;
  for (const size_t callee : callees_) {
    if (status.ok()) status = CheckCall(inputs.subspan(1), op.outputs, callee);
  }
  return status;
}

absl::Status CallChecker::CheckWhile(const OperatorSpec& op) {
  const size_t condition = callees_[0];
  if (condition == callees_[1]) {
    return Refuse(absl::StrCat("its condition and its body are both subgraph ",
                               condition, "; expected two subgraphs"));
  }
  if (op.inputs.size() != op.outputs.size()) {
    return Refuse(absl::StrCat("it has ", op.inputs.size(), " inputs and ",
                               op.outputs.size(),
                               " outputs; expected as many of both"));
  }
  const SubgraphSpec& graph = model_.subgraphs()[condition];
  absl::Status status =
      CheckPassed({"argument", op.inputs, "input", graph.inputs}, condition);
  if (status.ok() && graph.outputs.size() != 1) {
    status =
        Refuse(absl::StrCat("its condition, subgraph ", condition, ", has ",
                            graph.outputs.size(), " outputs; expected one"));
  }
  if (status.ok()) status = CheckCondition(graph, graph.outputs[0]);
  const size_t body = callees_[1];
  const SubgraphSpec& turn = model_.subgraphs()[body];
  if (status.ok()) {
    status = CheckPassed({"argument", op.inputs, "input", turn.inputs}, body);
  }
  return status.ok()
             ? CheckPassed(
                   {"result", op.outputs, "output", turn.outputs, false}, body)
             : status;
}

absl::Status CallChecker::CheckCall(absl::Span<const size_t> arguments,
                                    absl::Span<const size_t> results,
                                    size_t callee) const {
  const SubgraphSpec& graph = model_.subgraphs()[callee];
  absl::Status status =
      CheckPassed({"argument", arguments, "input", graph.inputs}, callee);
  return status.ok()
             ? CheckPassed({"result", results, "output", graph.outputs}, callee)
             : status;
}

absl::Status CallChecker::CheckCondition(const SubgraphSpec& graph,
                                         size_t tensor) const {
  const TensorSpec& spec = graph.tensors[tensor];
  if (spec.type == ElementType::kBool && spec.bytes == 1) {
    return absl::OkStatus();
  }
  return Refuse(absl::StrCat("its condition is ", graph.TensorPlace(tensor),
                             ", ", ElementTypeName(spec.type), " ",
                             ShapeText(spec.shape), "; expected one BOOL"));
}

absl::Status CallChecker::CheckPassed(const PassedLists& lists,
                                      size_t callee) const {
  if (lists.ours.size() != lists.theirs.size()) {
    return Refuse(absl::StrCat("it has ", lists.ours.size(), " ", lists.what,
                               "s, and subgraph ", callee, " has ",
                               lists.theirs.size(), " ", lists.end,
                               "s; expected as many"));
  }
  const SubgraphSpec& graph = model_.subgraphs()[callee];
  for (size_t i = 0; i < lists.ours.size(); ++i) {
    const TensorSpec& theirs = graph.tensors[lists.theirs[i]];
    const std::string place = absl::StrCat(
        lists.what, " ", i, " for ", lists.end, " ", i, " of subgraph ", callee,
        ", ", graph.TensorPlace(lists.theirs[i]), ": ");
    if (lists.ours[i] == kAbsent) {
      return Refuse(absl::StrCat(place, "it is left out; expected a tensor"));
    }
    const TensorSpec& ours = caller().tensors[lists.ours[i]];
    if (ours.type != theirs.type) {
      return Refuse(absl::StrCat(place, ElementTypeName(ours.type), " and ",
                                 ElementTypeName(theirs.type),
                                 "; expected equal types"));
    }
    if (lists.compares_sizes && HasFixedSize(ours) && HasFixedSize(theirs) &&
        ours.bytes != theirs.bytes) {
      return Refuse(absl::StrCat(place, ours.bytes, " and ", theirs.bytes,
                                 " bytes; expected equal sizes"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

bool PassesArguments(const OperatorSpec& op) {
  return !op.is_custom && (op.name == "IF" || op.name == "WHILE" ||
                           op.name == "STABLEHLO_COMPOSITE");
}

bool CallsSubgraphs(const OperatorSpec& op) {
  return PassesArguments(op) || (!op.is_custom && op.name == "CALL_ONCE");
}

std::vector<int> CalledSubgraphs(const OperatorSpec& op) {
  if (!CallsSubgraphs(op)) return {};
  if (op.name == "STABLEHLO_COMPOSITE") {
    const auto type = static_cast<tflite::BuiltinOptions2>(op.options_2_type);
    if (op.options_2 == nullptr ||
        type != tflite::BuiltinOptions2::StableHLOCompositeOptions) {
      return {};
    }
    return {static_cast<const tflite::StableHLOCompositeOptions*>(op.options_2)
                ->decomposition_subgraph_index()};
  }
  if (const auto* options = OptionsOfType<tflite::IfOptions>(op, "IF")) {
    return {options->then_subgraph_index(), options->else_subgraph_index()};
  }
  if (const auto* options = OptionsOfType<tflite::WhileOptions>(op, "WHILE")) {
    return {options->cond_subgraph_index(), options->body_subgraph_index()};
  }
  if (const auto* options =
          OptionsOfType<tflite::CallOnceOptions>(op, "CALL_ONCE")) {
    return {options->init_subgraph_index()};
  }
  return {};
}

absl::Status CheckCalls(const Model& model) { return CallChecker(model).Run(); }

}  // namespace stowage
