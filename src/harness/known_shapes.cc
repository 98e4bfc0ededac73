// SPDX-License-Identifier: Apache-2.0
// Finds the shapes that are known before a run: implements FindKnownShapes of
// stowage/harness/given_shapes.h.
#include "stowage/tflite/known_shapes.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/harness/call_frames.h"
#include "src/harness/running_graph.h"
#include "stowage/error_payload.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/calls.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

// The maximum number of operators that are prepared. It limits the time of the
// walk, which prepares a subgraph again for each call.
constexpr size_t kMaxPrepared = 1'000'000;

// A call of subgraphs by IF or WHILE.
struct ShapeCall {
  std::vector<int> callees;   // has two subgraphs, or none
  size_t first_argument = 0;  // the first input that the callees get
  bool is_loop = false;
};

ShapeCall CallOf(const OperatorSpec& op) {
  if (op.name == "IF") return {CalledSubgraphs(op), 1, false};
  if (op.name == "WHILE") return {CalledSubgraphs(op), 0, true};
  return {};
}

// Everything that is known about an input or output of a graph.
struct GraphEnd {
  Shape shape;
  bool follows = false;     // says whether shape follows from an open extent
  bool is_unknown = false;  // says whether no kernel knows the shape
};

// Walks through the graphs of a model and prepares their operators, to find the
// shapes of their tensors.
class ShapeWalk {
 public:
  ShapeWalk(const Model& model, const OperatorResolver& resolver,
            size_t subgraph, const GivenTensors& given)
      : shared_(model, resolver, InterpreterOptions()),
        root_(subgraph),
        given_(given),
        is_walking_(model.subgraphs().size()) {}

  // Walks through a graph with inputs of the shapes `inputs`, and returns the
  // shapes of its outputs. If `inputs` is nullopt, each input has its shape in
  // `given_` if there is one, and otherwise the shape that the model declares.
  // Returns nullopt, without a walk, if there are too many or too few inputs,
  // or if the calls are recursive, too deep or too many.
  absl::optional<std::vector<GraphEnd>> Walk(
      size_t index, const absl::optional<std::vector<GraphEnd>>& inputs);

  const KnownShapes& found() const { return found_; }
  bool HasWalked(size_t index) const { return walked_.count(index) > 0; }

 private:
  // Everything that is known about a graph during a walk.
  struct State {
    RunningGraph graph;
    // For each tensor, whether its shape or its elements follow from an open
    // extent.
    std::vector<bool> follows;
    // For each tensor, whether one of its extents is open.
    std::vector<bool> is_open;
    // For each tensor, whether its shape follows from a shape that no kernel
    // can compute. `follows` is then also true for the tensor.
    std::vector<bool> is_unknown;
    // True if the model marks an extent of at least one tensor as open, in
    // which case it marks all open extents. If false, an extent without a mark
    // may also be open.
    bool says_what_is_open = false;
  };

  bool IsGiven(const State& state, size_t t) const {
    return state.graph.index() == root_ && given_.count(t) > 0;
  }
  void SetInputs(const absl::optional<std::vector<GraphEnd>>& inputs,
                 State* state) const;
  void PrepareOperator(size_t index, State* state);
  static void SetOutput(size_t t, bool follows, bool is_unknown, State* state);
  bool Call(const OperatorSpec& op, const ShapeCall& call, State* state);
  void SetResult(size_t t, const GraphEnd& one, const GraphEnd& other,
                 State* state);
  void KeepTurn(size_t body, size_t output, const GraphEnd& end);
  bool IsUnknown(const State& state, const OperatorSpec& op, size_t t) const;
  void Keep(const State& state);

  SharedState shared_;
  std::atomic<bool> is_cancelled_{false};  // stays false
  // Prepares the subgraphs that operators other than IF and WHILE call.
  CallFrames frames_{&shared_, &is_cancelled_};
  const size_t root_;
  const GivenTensors& given_;
  std::vector<bool> is_walking_;
  size_t depth_ = 0;
  size_t prepared_ = 0;
  std::set<size_t> walked_;
  // The results of loops that are assumed to keep their shapes, as pairs of the
  // subgraph of the loop body and a tensor in it.
  std::set<std::pair<size_t, size_t>> kept_;
  KnownShapes found_;
};

void ShapeWalk::SetInputs(const absl::optional<std::vector<GraphEnd>>& inputs,
                          State* state) const {
  RunningGraph& graph = state->graph;
  const SubgraphSpec& spec = graph.spec();
  if (graph.index() == root_) {
    for (const auto& [tensor, shape] : given_) {
      graph.tensors().SetDeclaredShape(tensor, shape);
    }
  }
  for (size_t i = 0; inputs && i < spec.inputs.size(); ++i) {
    graph.tensors().SetDeclaredShape(spec.inputs[i], (*inputs)[i].shape);
  }
  graph.tensors().Reset();
  // A tensor that no operator writes is open if the model marks it as open. The
  // entries of tensors that are outputs of operators are set later.
  for (size_t t = 0; t < spec.tensors.size(); ++t) {
    state->is_open[t] = !spec.tensors[t].is_constant && !IsGiven(*state, t) &&
                        HasOpenExtent(spec.tensors[t]);
    state->follows[t] = state->is_open[t];
  }
  for (size_t i = 0; inputs && i < spec.inputs.size(); ++i) {
    const size_t t = spec.inputs[i];
    state->follows[t] = (*inputs)[i].follows;
    state->is_unknown[t] = (*inputs)[i].is_unknown;
    state->is_open[t] =
        state->follows[t] && (HasOpenExtent(spec.tensors[t]) ||
                              (*inputs)[i].shape != spec.tensors[t].shape);
  }
}

absl::optional<std::vector<GraphEnd>> ShapeWalk::Walk(
    size_t index, const absl::optional<std::vector<GraphEnd>>& inputs) {
  const SubgraphSpec& spec = shared_.model.subgraphs()[index];
  if (is_walking_[index] || depth_ == kMaxCallDepth ||
      prepared_ + spec.operators.size() > kMaxPrepared ||
      (inputs && inputs->size() != spec.inputs.size())) {
    return absl::nullopt;
  }
  is_walking_[index] = true;
  ++depth_;
  State state = {RunningGraph(&shared_, index, &frames_),
                 std::vector<bool>(spec.tensors.size()),
                 std::vector<bool>(spec.tensors.size()),
                 std::vector<bool>(spec.tensors.size()),
                 absl::c_any_of(spec.tensors, HasOpenExtent)};
  SetInputs(inputs, &state);
  for (size_t op = 0; op < spec.operators.size(); ++op) {
    ++prepared_;
    PrepareOperator(op, &state);
  }
  Keep(state);
  --depth_;
  is_walking_[index] = false;
  std::vector<GraphEnd> outputs;
  for (const size_t t : spec.outputs) {
    outputs.push_back({state.graph.tensors()[t].shape, state.follows[t],
                       state.is_unknown[t]});
  }
  return outputs;
}

void ShapeWalk::PrepareOperator(size_t index, State* state) {
  const OperatorSpec& op = state->graph.spec().operators[index];
  const ShapeCall call = CallOf(op);
  if (!call.callees.empty() && Call(op, call, state)) return;
  const bool is_computed =
      call.callees.empty() && state->graph.PrepareAlone(index);
  const auto reads_one_of = [&op](const std::vector<bool>& tensors) {
    return absl::c_any_of(op.inputs,
                          [&](size_t t) { return t != kAbsent && tensors[t]; });
  };
  const bool follows = reads_one_of(state->follows);
  const bool is_unknown = reads_one_of(state->is_unknown);
  for (const size_t t : op.outputs) {
    if (t == kAbsent) continue;
    if (is_computed) {
      SetOutput(t, follows, is_unknown, state);
    } else {
      state->is_open[t] = IsUnknown(*state, op, t);
      state->follows[t] = state->is_unknown[t] = state->is_open[t];
    }
  }
}

// Records whether an extent of an output is open, and whether the shape of the
// output follows from an open extent or from an unknown shape. Requires that
// the shape has been set.
void ShapeWalk::SetOutput(size_t t, bool follows, bool is_unknown,
                          State* state) {
  const TensorSpec& spec = state->graph.spec().tensors[t];
  state->follows[t] = follows;
  state->is_unknown[t] = is_unknown;
  state->is_open[t] =
      follows &&
      (HasOpenExtent(spec) || state->graph.tensors()[t].shape != spec.shape);
}

// Returns whether the shape of the output `t` is unknown. Requires that no
// kernel has computed this shape.
bool ShapeWalk::IsUnknown(const State& state, const OperatorSpec& op,
                          size_t t) const {
  const SubgraphSpec& graph = state.graph.spec();
  const TensorSpec& tensor = graph.tensors[t];
  if (IsGiven(state, t) || ElementBytes(tensor.type) == 0) return false;
  if (HasOpenExtent(tensor) || MayLackRank(graph, tensor, op.is_custom)) {
    return true;
  }
  return !state.says_what_is_open &&
         absl::c_any_of(op.inputs, [&](size_t input) {
           return input != kAbsent && !graph.tensors[input].is_constant &&
                  state.graph.tensors()[input].shape !=
                      graph.tensors[input].shape;
         });
}

// Walks through the subgraphs that an operator calls. Returns whether the
// shapes of the results have been set. The shape of a result of IF is known if
// both branches return the same shape. A result of WHILE has the shape of its
// argument, unless an iteration of the loop is known to change the shape. If
// the shape after an iteration depends on data, so that no kernel knows it, the
// loop is assumed to keep the shape, as loops over the elements of an array do.
bool ShapeWalk::Call(const OperatorSpec& op, const ShapeCall& call,
                     State* state) {
  TensorTable& tensors = state->graph.tensors();
  std::vector<GraphEnd> arguments;
  for (size_t i = call.first_argument; i < op.inputs.size(); ++i) {
    const size_t t = op.inputs[i];
    if (t == kAbsent) return false;
    arguments.push_back(
        {tensors[t].shape, state->follows[t], state->is_unknown[t]});
  }
  std::vector<std::vector<GraphEnd>> results;
  for (const int callee : call.callees) {
    if (callee < 0 || static_cast<size_t>(callee) >= is_walking_.size()) {
      return false;
    }
    absl::optional<std::vector<GraphEnd>> outputs =
        Walk(static_cast<size_t>(callee), arguments);
    if (!outputs) return false;
    results.push_back(*std::move(outputs));
  }
  const std::vector<GraphEnd>& before =
      call.is_loop ? arguments : results.front();
  std::vector<GraphEnd>& after = results.back();
  if (before.size() != op.outputs.size() || after.size() != before.size()) {
    return false;
  }
  for (size_t i = 0; i < op.outputs.size(); ++i) {
    if (call.is_loop && after[i].is_unknown && !before[i].is_unknown) {
      after[i] = before[i];
      KeepTurn(static_cast<size_t>(call.callees.back()), i, before[i]);
    }
    if (op.outputs[i] != kAbsent) {
      SetResult(op.outputs[i], before[i], after[i], state);
    }
  }
  return true;
}

// Sets the shape of a result that has either the shape of `one` or that of
// `other`. If these shapes differ, the shape of the result is unknown.
void ShapeWalk::SetResult(size_t t, const GraphEnd& one, const GraphEnd& other,
                          State* state) {
  Tensor& tensor = state->graph.tensors()[t];
  const absl::StatusOr<size_t> bytes = TensorBytes(tensor.type, one.shape);
  if (one.shape == other.shape && bytes.ok()) {
    tensor.shape = one.shape;
    tensor.bytes = *bytes;
    SetOutput(t, one.follows || other.follows,
              one.is_unknown || other.is_unknown, state);
    return;
  }
  state->is_open[t] = !IsGiven(*state, t);
  state->follows[t] = state->is_unknown[t] = state->is_open[t];
}

// Records that a loop is assumed to keep the shape of a result: sets the shape
// of the corresponding output of the loop body to that of `end`.
void ShapeWalk::KeepTurn(size_t body, size_t output, const GraphEnd& end) {
  const SubgraphSpec& graph = shared_.model.subgraphs()[body];
  const size_t t = graph.outputs[output];
  const auto found = found_.find({body, t});
  if (found == found_.end()) return;
  const bool is_new = kept_.insert({body, t}).second;
  const bool is_same = is_new || found->second.shape == end.shape;
  found->second = {is_same ? end.shape : graph.tensors[t].shape,
                   !is_same || end.follows};
}

// Records the shapes of a graph. If an earlier walk has found a different shape
// for a tensor, the shape of that tensor is recorded as unknown.
void ShapeWalk::Keep(const State& state) {
  const RunningGraph& graph = state.graph;
  walked_.insert(graph.index());
  for (size_t t = 0; t < graph.spec().tensors.size(); ++t) {
    const TensorSpec& spec = graph.spec().tensors[t];
    if (spec.is_constant) continue;
    const KnownShape known = {graph.tensors()[t].shape, state.is_open[t]};
    const auto [place, is_new] = found_.try_emplace({graph.index(), t}, known);
    if (is_new) continue;
    KnownShape& kept = place->second;
    if (kept.shape != known.shape) kept = {spec.shape, true};
    kept.is_open = kept.is_open || known.is_open;
  }
}

}  // namespace

absl::StatusOr<KnownShapes> FindKnownShapes(const Model& model,
                                            const OperatorResolver& resolver,
                                            size_t subgraph,
                                            const GivenTensors& given) {
  ShapeWalk walk(model, resolver, subgraph, given);
  walk.Walk(subgraph, absl::nullopt);
  for (size_t g = 0; g < model.subgraphs().size(); ++g) {
    if (!walk.HasWalked(g)) walk.Walk(g, absl::nullopt);
  }
  for (const auto& [tensor, shape] : given) {
    const auto found = walk.found().find({subgraph, tensor});
    if (found == walk.found().end() || found->second.shape == shape) continue;
    return WithTensor(
        absl::InvalidArgumentError(absl::StrCat(
            model.name(), ": subgraph ", subgraph, ": ",
            model.subgraphs()[subgraph].TensorPlace(tensor),
            ": its operator computes ", ShapeText(found->second.shape),
            ", not ", ShapeText(shape),
            " as given; expected no given shape, or the computed one")),
        tensor);
  }
  return walk.found();
}

absl::StatusOr<GivenTensors> ShapesForShadows(const Model& model,
                                              const OperatorResolver& resolver,
                                              size_t subgraph,
                                              const GivenTensors& given) {
  const SubgraphSpec& graph = model.subgraphs()[subgraph];
  GivenTensors ends = given;
  for (const size_t t : graph.inputs) ends.emplace(t, graph.tensors[t].shape);
  const absl::StatusOr<KnownShapes> known =
      FindKnownShapes(model, resolver, subgraph, ends);
  if (!known.ok()) return known.status();
  GivenTensors shapes = given;
  for (const OperatorSpec& op : graph.operators) {
    if (resolver.WhyUnsupported(op).empty()) continue;
    for (const size_t t : op.outputs) {
      const auto found = known->find({subgraph, t});
      if (found == known->end() || found->second.is_open) continue;
      shapes.emplace(t, found->second.shape);
    }
  }
  return shapes;
}

}  // namespace stowage::harness
