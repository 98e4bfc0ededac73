// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/shape_run.h"

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/dynamic/dynamic_problem.h"
#include "stowage/dynamic/plan_dynamic.h"
#include "stowage/dynamic/stack_plan.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/dynamic_model.h"
#include "stowage/harness/given_shapes.h"
#include "stowage/harness/inputs.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/run_model.h"
#include "stowage/harness/shape_parameters.h"
#include "stowage/problem.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/tflite/trace_of_graph.h"
#include "stowage/usage_record.h"

namespace stowage::harness {
namespace {

// Returns the records that are planned for the graph with its current inputs.
absl::StatusOr<ProblemSpec> PreparedRecords(const Model& model,
                                            Subgraph* graph) {
  if (absl::Status s = graph->Prepare(); !s.ok()) return s;
  const MemoryPlan& plan = graph->plan();
  if (plan.program != nullptr) {
    return absl::UnimplementedError(
        absl::StrCat(model.name(),
                     ": subgraphs that call each other share the arena, with "
                     "parameters; expected a subgraph without calls"));
  }
  if (plan.prepared_nodes < plan.graph.nodes.size()) {
    return absl::UnimplementedError(absl::StrCat(
        model.name(), ": ", plan.places[plan.prepared_nodes],
        ": shapes that are known only while the model runs, with parameters; "
        "expected shapes that follow from those of the inputs"));
  }
  absl::StatusOr<ModelTrace> trace =
      TraceOfRecords(model.name(), graph->spec(), plan.Records(), 1);
  if (!trace.ok()) return trace.status();
  for (size_t i = 0; i < plan.Records().tensors.size(); ++i) {
    TensorInfo& info = trace->problem.labels.tensors.emplace_back();
    const size_t tensor = plan.Records().tensors[i];
    if (tensor < graph->spec().tensors.size()) {
      info.name = graph->spec().tensors[tensor].name;
    }
  }
  return std::move(trace->problem);
}

// A planner that stacks records in an order that was computed in advance.
class OrderPlanner {
 public:
  OrderPlanner(DynamicProblem problem, const DynamicPlan& plan)
      : problem_(std::move(problem)),
        stack_(plan.stack),
        reserve_(plan.reserve) {}

  absl::StatusOr<OffsetsAssignment> operator()(
      const ArenaRecords& records) const {
    const std::vector<ByteRecord>& expected = problem_.spec().problem.records;
    bool are_same = records.records.size() == expected.size();
    for (size_t i = 0; are_same && i < expected.size(); ++i) {
      are_same = records.records[i].first_task == expected[i].first_task &&
                 records.records[i].last_task == expected[i].last_task;
    }
    if (!are_same) {
      return absl::InvalidArgumentError(
          "the order of stacking is that of other records; expected the same "
          "lifetimes at all shapes");
    }
    std::vector<size_t> sizes;
    for (const ByteRecord& record : records.records) {
      sizes.push_back(record.tensor_size);
    }
    OffsetsAssignment result;
    result.offsets.resize(sizes.size());
    const absl::StatusOr<size_t> height =
        stack_.Offsets(sizes, absl::MakeSpan(result.offsets));
    if (!height.ok()) return height.status();
    if (*height > reserve_) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the stack takes ", *height, " bytes; expected at most ",
                       reserve_, ", the reserve of the plan for all values"));
    }
    result.total_size = *height;
    return result;
  }

 private:
  DynamicProblem problem_;
  StackPlan stack_;
  size_t reserve_;
};

// Fills the inputs of runs with several shapes.
class ShapedInputs {
 public:
  ShapedInputs(const RunOptions& options, absl::Span<const GivenTensors> shapes,
               size_t* at)
      : seed_(options.seed),
        files_(options.inputs),
        invocations_(options.invocations),
        shapes_(shapes.begin(), shapes.end()),
        at_(at),
        source_(seed_, files_) {}

  absl::Status operator()(Subgraph& graph, size_t invocation) {
    const size_t run = invocation / invocations_;
    const size_t within = invocation % invocations_;
    if (within == 0) {
      if (at_ != nullptr) *at_ = run;
      absl::Status status = ResizeInputs(shapes_[run], &graph);
      if (status.ok()) status = graph.Allocate();
      if (!status.ok()) return status;
      source_ = InputSource(seed_, files_);
    }
    return source_(graph, within);
  }

 private:
  uint64_t seed_;
  InputFiles files_;
  size_t invocations_;
  std::vector<GivenTensors> shapes_;
  size_t* at_;
  InputSource source_;
};

}  // namespace

absl::StatusOr<DynamicModel> DynamicProblemOfRun(const Model& model,
                                                 const RunOptions& options,
                                                 const ShapeParameters& open) {
  if (absl::Status s = model.CheckSubgraph(options.subgraph); !s.ok()) return s;
  if (options.plan.sharing == Sharing::kGroups || options.plan.streams > 1) {
    return absl::UnimplementedError(absl::StrCat(
        model.name(), ": ",
        options.plan.streams > 1 ? "several streams" : "sharing of groups",
        ", with parameters; expected one stream, and sharing that is fixed"));
  }
  InterpreterOptions plan = options.plan;
  plan.observers.clear();
  const absl::StatusOr<std::unique_ptr<Interpreter>> interpreter =
      Interpreter::Create(model, plan);
  if (!interpreter.ok()) return interpreter.status();
  Subgraph& graph = (*interpreter)->subgraph(options.subgraph);
  absl::StatusOr<DynamicModel> found = DynamicProblemOfModel(
      open,
      [&](absl::Span<const GivenShape> shapes) -> absl::StatusOr<ProblemSpec> {
        const absl::StatusOr<GivenTensors> given =
            ResolveShapes(model, options.subgraph, shapes);
        if (!given.ok()) return given.status();
        if (absl::Status s = ResizeInputs(*given, &graph); !s.ok()) return s;
        return PreparedRecords(model, &graph);
      });
  if (found.ok()) {
    found->spec.problem.alignment = options.plan.tensor_alignment;
  }
  return found;
}

void UseOrder(const DynamicProblem& problem, const DynamicPlan& plan,
              RunOptions* options) {
  options->plan.planner = OrderPlanner(problem, plan);
  options->plan.arena_reserve = plan.reserve;
}

CheckOptions CheckOptionsAt(const RunOptions& options,
                            absl::Span<const GivenTensors> shapes, size_t* at) {
  CheckOptions check = CheckOptionsOf(options);
  check.invocations = options.invocations * shapes.size();
  check.feed = ShapedInputs(options, shapes, at);
  // Bisection is disabled, because it would plan only for the first shape.
  check.bisect = false;
  if (!shapes.empty()) {
    for (const auto& [tensor, shape] : shapes.front()) {
      check.plan.shapes[{options.subgraph, tensor}] = shape;
    }
  }
  return check;
}

}  // namespace stowage::harness
