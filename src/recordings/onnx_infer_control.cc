// SPDX-License-Identifier: Apache-2.0
// Infers the shapes of nodes with subgraphs: If, Loop and Scan.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "src/recordings/onnx_call.h"
#include "src/recordings/onnx_infer.h"
#include "src/recordings/onnx_model.h"
#include "src/recordings/onnx_type.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {
namespace {

// The maximum work for subgraphs, in nodes, values and elements. The subgraph
// of a loop is visited until its shapes no longer change, so the work for
// nested loops is multiplied.
constexpr size_t kMaxSubgraphWork = size_t{1} << 22;

// After this number of rounds, a shape that still changes becomes unknown.
// After twice this number, the whole type becomes unknown if it still changes.
constexpr size_t kMaxLoopRounds = 3;

bool IsSameType(const OnnxType& a, const OnnxType& b) {
  return a.kind == b.kind && a.element == b.element && a.dims == b.dims;
}

bool IsTrue(const optional<OnnxData>& data) {
  return data && data->size() == 1 &&
         (*data)[0].kind == OnnxNumber::Kind::kInteger &&
         (*data)[0].integer != 0;
}

void AddInput(OnnxType type, optional<OnnxData> data, OnnxResults* inputs) {
  inputs->types.push_back(std::move(type));
  inputs->data.push_back(std::move(data));
}

// Marks the dimensions that are open in `both`, the union of the types of two
// branches, but known in `one`, the type of one branch. Their extents depend on
// the branch that is taken.
void SetCountedWhereOtherThan(const OnnxType& both, const OnnxType& one,
                              size_t output, OnnxCall* call) {
  if (!both.dims || !one.dims) return;
  for (size_t axis = 0; axis < both.dims->size(); ++axis) {
    if ((*both.dims)[axis] == kOnnxOpen && (*one.dims)[axis] != kOnnxOpen) {
      call->SetCounted(output, axis);
    }
  }
}

OnnxType OnnxScalar(int32_t element) {
  OnnxType type;
  type.element = element;
  type.dims.emplace();
  return type;
}

}  // namespace

OnnxGraph* OnnxInference::FindSubgraph(const OnnxNode& node,
                                       string_view attribute, Frame* frame) {
  for (size_t i = 0; i < node.graph_count; ++i) {
    OnnxSubgraph& subgraph = frame->graph->subgraphs[node.first_graph + i];
    if (subgraph.attribute == attribute) return subgraph.graph.get();
  }
  return nullptr;
}

// Infers the types of the values of a subgraph for the given inputs.
absl::Status OnnxInference::RunSubgraph(OnnxGraph* graph,
                                        const OnnxResults& inputs, Frame* outer,
                                        OnnxResults* results) {
  subgraph_work_ += 1 + graph->nodes.size() + graph->values.size();
  if (subgraph_work_ > kMaxSubgraphWork) {
    return absl::ResourceExhaustedError(
        "it has too many loops and branches to follow; expected a model whose "
        "loops are unrolled or simplified");
  }
  Frame frame = {graph, {}};
  for (size_t id = 0; id < graph->values.size(); ++id) {
    OnnxValue& value = graph->values[id];
    if (value.is_outer) {
      const uint32_t from = outer->graph->ids.find(value.name)->second;
      const OnnxValue& known = outer->graph->values[from];
      value.type = known.type;
      value.proto = known.proto;
      value.is_initializer = known.is_initializer;
      const auto data = outer->data.find(from);
      if (data != outer->data.end()) {
        frame.data.emplace(static_cast<uint32_t>(id), data->second);
        subgraph_work_ += data->second.size();
      }
    } else if (!value.is_initializer) {
      value.type = OnnxType();
    }
  }
  for (size_t i = 0; i < graph->inputs.size(); ++i) {
    OnnxValue& value = graph->values[graph->inputs[i]];
    if (i < inputs.types.size()) value.type = inputs.types[i];
    if (i < inputs.data.size() && inputs.data[i]) {
      frame.data.emplace(graph->inputs[i], *inputs.data[i]);
    }
    MergeDeclared(value, &value.type);
  }
  absl::Status status = RunNodes(&frame);
  if (!status.ok()) return status;
  *results = {};
  for (const uint32_t id : graph->outputs) {
    const auto data = frame.data.find(id);
    AddInput(
        graph->values[id].type,
        data != frame.data.end() ? optional<OnnxData>(data->second) : nullopt,
        results);
  }
  return absl::OkStatus();
}

absl::Status OnnxInference::RunIf(OnnxCall* call, Frame* frame) {
  OnnxGraph* const branches[] = {
      FindSubgraph(call->node(), "then_branch", frame),
      FindSubgraph(call->node(), "else_branch", frame)};
  const optional<int64_t> condition = call->Integer(0);
  OnnxResults results;
  bool is_first = true;
  for (size_t i = 0; i < 2; ++i) {
    const bool is_taken = !condition || (*condition != 0) == (i == 0);
    if (branches[i] == nullptr || !is_taken) continue;
    OnnxResults branch;
    absl::Status status = RunSubgraph(branches[i], {}, frame, &branch);
    if (!status.ok()) return status;
    if (is_first) {
      results = std::move(branch);
      is_first = false;
      continue;
    }
    if (branch.types.size() != results.types.size()) return absl::OkStatus();
    results.data.clear();
    for (size_t k = 0; k < results.types.size(); ++k) {
      OnnxType both = UnionOfOnnxTypes(results.types[k], branch.types[k]);
      SetCountedWhereOtherThan(both, results.types[k], k, call);
      SetCountedWhereOtherThan(both, branch.types[k], k, call);
      results.types[k] = std::move(both);
    }
  }
  for (size_t k = 0; k < results.types.size(); ++k) {
    call->SetType(k, results.types[k]);
  }
  if (!results.data.empty() && results.data[0] && call->HasOutput(0)) {
    call->SetData(*results.data[0]);
  }
  return absl::OkStatus();
}

// Runs the body of a loop until the types of its states are valid for every
// round. The states are the inputs [first, first + count). In each later round,
// they are the results of the previous round, beginning at `first_result`.
absl::Status OnnxInference::RunBody(OnnxGraph* body, size_t first, size_t count,
                                    OnnxResults* inputs, Frame* frame,
                                    OnnxResults* results, size_t first_result) {
  // The contents of a state may change after the first round, so they are
  // dropped.
  for (size_t i = 0; i < count; ++i) inputs->data[first + i] = nullopt;
  for (size_t round = 0;; ++round) {
    absl::Status status = RunSubgraph(body, *inputs, frame, results);
    if (!status.ok()) return status;
    bool is_stable = true;
    for (size_t i = 0; i < count; ++i) {
      OnnxType& state = inputs->types[first + i];
      const size_t result = first_result + i;
      OnnxType both = result < results->types.size()
                          ? UnionOfOnnxTypes(state, results->types[result])
                          : OnnxType();
      const bool is_same = IsSameType(both, state);
      if (!is_same && round >= kMaxLoopRounds) both.dims = nullopt;
      if (round >= 2 * kMaxLoopRounds) both = OnnxType();
      is_stable &= IsSameType(both, state);
      state = std::move(both);
    }
    if (is_stable || round > 2 * kMaxLoopRounds) return absl::OkStatus();
  }
}

absl::Status OnnxInference::RunLoop(OnnxCall* call, Frame* frame) {
  OnnxGraph* const body = FindSubgraph(call->node(), "body", frame);
  if (body == nullptr || call->input_count() < 2) return absl::OkStatus();
  const size_t states = call->input_count() - 2;
  OnnxResults inputs;
  AddInput(OnnxScalar(kOnnxInt64), nullopt, &inputs);
  // The condition is true whenever the body runs.
  AddInput(OnnxScalar(kOnnxBool), OnnxData{OnnxNumber::Integer(1)}, &inputs);
  for (size_t i = 0; i < states; ++i) {
    AddInput(call->Input(2 + i), nullopt, &inputs);
  }
  OnnxResults results;
  absl::Status status = RunBody(body, 2, states, &inputs, frame, &results, 1);
  if (!status.ok() || results.types.empty()) return status;
  for (size_t i = 0; i < states; ++i) call->SetType(i, inputs.types[2 + i]);
  const bool starts = !call->HasInput(1) || call->Integer(1).value_or(0) != 0;
  const optional<int64_t> most = call->Integer(0);
  const int64_t rounds = most && starts && IsTrue(results.data[0])
                             ? std::max<int64_t>(*most, 0)
                             : kOnnxOpen;
  for (size_t i = states; i + 1 < results.types.size(); ++i) {
    OnnxType type = results.types[i + 1];
    if (type.dims) type.dims->insert(type.dims->begin(), rounds);
    call->SetType(i, std::move(type));
    if (rounds == kOnnxOpen) call->SetCounted(i, 0);
  }
  return absl::OkStatus();
}

absl::Status OnnxInference::RunScan(OnnxCall* call, Frame* frame) {
  OnnxGraph* const body = FindSubgraph(call->node(), "body", frame);
  const int64_t scanned = call->Int("num_scan_inputs", 0);
  // Before version 9, Scan had a batch dimension, which is not supported here.
  if (body == nullptr || call->opset() < 9 || scanned < 1 ||
      static_cast<size_t>(scanned) > call->input_count()) {
    return absl::OkStatus();
  }
  const size_t states = call->input_count() - static_cast<size_t>(scanned);
  const auto axis_of = [call](const char* name, size_t i, size_t rank) {
    const std::vector<int64_t> axes =
        call->Ints(name).value_or(std::vector<int64_t>());
    return OnnxAxis(i < axes.size() ? axes[i] : 0, rank);
  };
  OnnxResults inputs;
  for (size_t i = 0; i < states; ++i) {
    AddInput(call->Input(i), nullopt, &inputs);
  }
  int64_t steps = kOnnxOpen;
  for (size_t i = states; i < call->input_count(); ++i) {
    OnnxType type = call->Input(i);
    if (type.dims) {
      const optional<size_t> axis =
          axis_of("scan_input_axes", i - states, type.dims->size());
      if (!axis) return absl::OkStatus();
      if (steps == kOnnxOpen) steps = (*type.dims)[*axis];
      type.dims->erase(type.dims->begin() + static_cast<ptrdiff_t>(*axis));
    }
    AddInput(std::move(type), nullopt, &inputs);
  }
  OnnxResults results;
  absl::Status status = RunBody(body, 0, states, &inputs, frame, &results, 0);
  if (!status.ok()) return status;
  for (size_t i = 0; i < states; ++i) call->SetType(i, inputs.types[i]);
  for (size_t i = states; i < results.types.size(); ++i) {
    OnnxType type = results.types[i];
    if (type.dims) {
      const optional<size_t> axis =
          axis_of("scan_output_axes", i - states, type.dims->size() + 1);
      if (!axis) continue;
      type.dims->insert(type.dims->begin() + static_cast<ptrdiff_t>(*axis),
                        steps);
    }
    call->SetType(i, std::move(type));
  }
  return absl::OkStatus();
}

absl::Status OnnxInference::RunControl(OnnxCall* call, Frame* frame) {
  const string_view op = call->node().op;
  if (!call->node().domain.empty()) return absl::OkStatus();
  if (op == "If") return RunIf(call, frame);
  if (op == "Loop") return RunLoop(call, frame);
  if (op == "Scan") return RunScan(call, frame);
  return absl::OkStatus();
}

}  // namespace stowage::recordings
