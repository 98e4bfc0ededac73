// SPDX-License-Identifier: Apache-2.0
// Registers the operators that call other subgraphs with arguments: IF, WHILE
// and STABLEHLO_COMPOSITE.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/harness/kernels/copy_at_once.h"
#include "src/harness/kernels/support.h"
#include "stowage/tflite/calls.h"

namespace stowage::harness::control_flow {
namespace {

using Tensors = std::vector<const Tensor*>;

// Returns the subgraphs that the operator calls. Error: InvalidArgument if
// there are not exactly `count`. The interpreter has already checked the calls
// of the model (CheckCalls).
absl::StatusOr<std::vector<size_t>> CalleesOf(const OperatorContext& context,
                                              size_t count) {
  const std::vector<int> called = CalledSubgraphs(context.spec());
  if (called.size() != count) {
    return RefuseModel("it names ", called.size(), " subgraphs; expected ",
                       count);
  }
  return std::vector<size_t>(called.begin(), called.end());
}

// Returns the arguments of the call, which are the inputs of the operator from
// input `first` on.
std::vector<CallTensor> ArgumentsOf(const OperatorContext& context,
                                    size_t first) {
  std::vector<CallTensor> arguments;
  for (size_t i = first; i < context.input_count(); ++i) {
    arguments.push_back({&context.input(i), false});
  }
  return arguments;
}

Tensors TensorsOf(absl::Span<const CallTensor> tensors) {
  Tensors result;
  for (const CallTensor& tensor : tensors) result.push_back(tensor.tensor);
  return result;
}

absl::Status CheckResultCount(const OperatorContext& context, size_t count) {
  if (context.output_count() == count) return absl::OkStatus();
  return RefuseModel("the subgraph returns ", count, " results; expected ",
                     context.output_count());
}

absl::Status CheckResultType(OperatorContext& context, size_t i,
                             const Tensor& result) {
  const Tensor& output = context.output(i);
  if (output.type == result.type) return absl::OkStatus();
  return RefuseModel(OutputPlace(context, i), ": the subgraph returns ",
                     ElementTypeName(result.type), "; expected ",
                     ElementTypeName(output.type));
}

// Sets the shape of output `i` to that of the result of the subgraph, or makes
// the output dynamic if the shape of the result varies.
absl::Status SetResultShape(OperatorContext& context, size_t i,
                            const CallTensor& result) {
  STOWAGE_RETURN_IF_ERROR(CheckResultType(context, i, *result.tensor));
  if (!result.varies) return context.ResizeOutput(i, result.tensor->shape);
  context.MakeOutputDynamic(i);
  return absl::OkStatus();
}

// Assigns the tensors to the outputs of the operator, all at once. `place` has
// the same meaning as in OperatorContext::CopyScratch.
absl::Status Assign(OperatorContext& context, const Tensors& sources,
                    size_t place) {
  STOWAGE_RETURN_IF_ERROR(CheckResultCount(context, sources.size()));
  // The value of a result of varying size is saved first, because such a result
  // gets new memory, and its old memory may be the source of another result.
  std::vector<std::vector<uint8_t>> saved(sources.size());
  std::vector<Shape> shapes(sources.size());
  std::vector<std::pair<int32_t, uint64_t>> handles;
  std::vector<ByteCopy> copies;
  for (size_t i = 0; i < sources.size(); ++i) {
    Tensor& output = context.output(i);
    const Tensor& source = *sources[i];
    // The type is checked again, because an operator may compute a type that
    // differs from the type in the model, and some operators are prepared only
    // during the run.
    STOWAGE_RETURN_IF_ERROR(CheckResultType(context, i, source));
    handles.emplace_back(source.resource, source.digest);
    shapes[i] = source.shape;
    const auto* const data = source.as<uint8_t>();
    if (output.storage == Storage::kDynamic) {
      saved[i].assign(data, data + source.bytes);
      continue;
    }
    // A handle has no bytes, regardless of its shape.
    if (output.storage == Storage::kNone) continue;
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(i, source.shape));
    copies.push_back({output.as<uint8_t>(), data, source.bytes});
  }
  CopyAtOnce(copies, context.CopyScratch(place));
  for (size_t i = 0; i < sources.size(); ++i) {
    Tensor& output = context.output(i);
    if (output.storage == Storage::kDynamic) {
      STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(i, shapes[i]));
      std::copy(saved[i].begin(), saved[i].end(), output.as<uint8_t>());
    }
    output.resource = handles[i].first;
    output.digest = handles[i].second;
  }
  return absl::OkStatus();
}

// Returns the value of a condition, which must be a single BOOL.
absl::StatusOr<bool> ConditionOf(const Tensor& tensor) {
  if (tensor.type != ElementType::kBool || tensor.bytes != 1 ||
      tensor.data == nullptr) {
    return RefuseModel("the condition is ", ElementTypeName(tensor.type), " ",
                       ShapeText(tensor.shape), "; expected one BOOL");
  }
  return *tensor.as<uint8_t>() != 0;
}

// Checks a condition in Prepare. Its shape is checked only if it is already
// known.
absl::Status CheckCondition(const CallTensor& condition) {
  const Tensor& tensor = *condition.tensor;
  if (tensor.type == ElementType::kBool &&
      (condition.varies || tensor.bytes == 1)) {
    return absl::OkStatus();
  }
  return RefuseModel("the condition is ", ElementTypeName(tensor.type), " ",
                     ShapeText(tensor.shape), "; expected one BOOL");
}

class Composite : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_ASSIGN_OR_RETURN(const auto callees, CalleesOf(context, 1));
    callee_ = callees[0];
    STOWAGE_ASSIGN_OR_RETURN(
        const auto results,
        context.PrepareCall(callee_, ArgumentsOf(context, 0)));
    STOWAGE_RETURN_IF_ERROR(CheckResultCount(context, results.size()));
    for (size_t i = 0; i < results.size(); ++i) {
      STOWAGE_RETURN_IF_ERROR(SetResultShape(context, i, results[i]));
    }
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    STOWAGE_ASSIGN_OR_RETURN(
        const Tensors results,
        context.Call(callee_, TensorsOf(ArgumentsOf(context, 0))));
    return Assign(context, results, 0);
  }

 private:
  size_t callee_ = 0;
};

class If : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    if (!context.has_input(0)) {
      return RefuseModel("it has no condition; expected it as input 0");
    }
    STOWAGE_RETURN_IF_ERROR(CheckCondition({&context.input(0), false}));
    STOWAGE_ASSIGN_OR_RETURN(callees_, CalleesOf(context, 2));
    const std::vector<CallTensor> arguments = ArgumentsOf(context, 1);
    STOWAGE_ASSIGN_OR_RETURN(std::vector<CallTensor> results,
                             context.PrepareCall(callees_[0], arguments));
    STOWAGE_RETURN_IF_ERROR(CheckResultCount(context, results.size()));
    // The shapes are copied by SetResultShape before the second call, because
    // both branches may be the same subgraph.
    for (size_t i = 0; i < results.size(); ++i) {
      STOWAGE_RETURN_IF_ERROR(SetResultShape(context, i, results[i]));
    }
    STOWAGE_ASSIGN_OR_RETURN(results,
                             context.PrepareCall(callees_[1], arguments));
    STOWAGE_RETURN_IF_ERROR(CheckResultCount(context, results.size()));
    for (size_t i = 0; i < results.size(); ++i) {
      if (results[i].varies ||
          results[i].tensor->shape != context.output(i).shape) {
        context.MakeOutputDynamic(i);
      }
    }
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    STOWAGE_ASSIGN_OR_RETURN(const bool is_then, ConditionOf(context.input(0)));
    STOWAGE_ASSIGN_OR_RETURN(const Tensors results,
                             context.Call(callees_[is_then ? 0 : 1],
                                          TensorsOf(ArgumentsOf(context, 1))));
    return Assign(context, results, is_then ? 0 : 1);
  }

 private:
  std::vector<size_t> callees_;
};

class While : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override;
  absl::Status Invoke(OperatorContext& context) override;

 private:
  absl::StatusOr<bool> Goes(OperatorContext& context, uint64_t turn) const;
  static Tensors Variables(OperatorContext& context);

  size_t condition_ = 0;
  size_t body_ = 0;
};

absl::Status While::Prepare(OperatorContext& context) {
  STOWAGE_ASSIGN_OR_RETURN(const auto callees, CalleesOf(context, 2));
  condition_ = callees[0];
  body_ = callees[1];
  std::vector<CallTensor> variables = ArgumentsOf(context, 0);
  STOWAGE_RETURN_IF_ERROR(CheckResultCount(context, variables.size()));
  // A variable varies if the body returns it with a different shape, in which
  // case variables that the body computes from it may vary, too. The body is
  // therefore prepared repeatedly until nothing changes.
  bool is_settled = false;
  while (!is_settled) {
    STOWAGE_ASSIGN_OR_RETURN(const std::vector<CallTensor> next,
                             context.PrepareCall(body_, variables));
    STOWAGE_RETURN_IF_ERROR(CheckResultCount(context, next.size()));
    is_settled = true;
    for (size_t i = 0; i < variables.size(); ++i) {
      if (variables[i].varies ||
          (!next[i].varies &&
           next[i].tensor->shape == variables[i].tensor->shape)) {
        continue;
      }
      variables[i].varies = true;
      is_settled = false;
    }
  }
  STOWAGE_ASSIGN_OR_RETURN(const std::vector<CallTensor> goes,
                           context.PrepareCall(condition_, variables));
  if (goes.size() != 1) {
    return RefuseModel("its condition has ", goes.size(),
                       " outputs; expected one");
  }
  STOWAGE_RETURN_IF_ERROR(CheckCondition(goes[0]));
  for (size_t i = 0; i < variables.size(); ++i) {
    STOWAGE_RETURN_IF_ERROR(SetResultShape(context, i, variables[i]));
  }
  return absl::OkStatus();
}

// Returns the variables of the loop, which are the outputs of the operator.
Tensors While::Variables(OperatorContext& context) {
  Tensors variables;
  for (size_t i = 0; i < context.output_count(); ++i) {
    variables.push_back(&context.output(i));
  }
  return variables;
}

absl::Status While::Invoke(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(
      Assign(context, TensorsOf(ArgumentsOf(context, 0)), 0));
  const uint64_t max_turns = context.loop_rule().max_turns;
  for (uint64_t turn = 0;; ++turn) {
    STOWAGE_ASSIGN_OR_RETURN(const bool goes, Goes(context, turn));
    if (!goes) return absl::OkStatus();
    if (turn == max_turns) {
      return absl::ResourceExhaustedError(
          absl::StrCat("the loop makes more than ", max_turns,
                       " turns; expected at most as many (--max-turns)"));
    }
    STOWAGE_ASSIGN_OR_RETURN(const Tensors next,
                             context.Call(body_, Variables(context)));
    STOWAGE_RETURN_IF_ERROR(Assign(context, next, 1));
  }
}

// Returns whether the loop runs another iteration after `turn` iterations.
absl::StatusOr<bool> While::Goes(OperatorContext& context,
                                 uint64_t turn) const {
  STOWAGE_ASSIGN_OR_RETURN(const Tensors condition,
                           context.Call(condition_, Variables(context)));
  if (condition.size() != 1) {
    return RefuseModel("its condition has ", condition.size(),
                       " outputs; expected one");
  }
  STOWAGE_ASSIGN_OR_RETURN(const bool goes, ConditionOf(*condition[0]));
  if (!context.loop_rule().draws_turns) return goes;
  // The condition that a shadow computes is true or false with equal
  // probability, so the number of iterations is limited.
  constexpr uint64_t kMaxDrawnTurns = 3;
  return goes && turn < kMaxDrawnTurns;
}

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<If>("IF", "runs one of two subgraphs"),
          Operator<Composite>("STABLEHLO_COMPOSITE",
                              "runs the subgraph that is its decomposition"),
          Operator<While>(
              "WHILE", "runs a subgraph as long as another one returns true")};
}

}  // namespace stowage::harness::control_flow
