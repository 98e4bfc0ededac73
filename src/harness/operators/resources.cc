// SPDX-License-Identifier: Apache-2.0
// Registers the operators of resource variables, which outlive an invocation:
// VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE, and CALL_ONCE, which initializes
// the variables.
#include "stowage/harness/resources.h"

#include <cstring>

#include "src/harness/kernels/support.h"
#include "stowage/tflite/calls.h"

namespace stowage::harness::resources {
namespace {

absl::Status PrepareAssignVariable(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 0));
  return CheckInputType(context, 0, {ElementType::kResource});
}

absl::Status AssignVariable(OperatorContext& context) {
  return context.resources().Assign(context.input(0).resource,
                                    context.input(1));
}

class CallOnce : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 0, 0, 0));
    // The interpreter has already checked the calls of the model (CheckCalls).
    const std::vector<int> called = CalledSubgraphs(context.spec());
    if (called.empty()) {
      return RefuseModel("it calls no subgraph; expected one");
    }
    subgraph_ = static_cast<size_t>(called[0]);
    // The call is prepared already here, so that the plan can place the
    // subgraph in the arena. If this fails, Invoke reports the error.
    context.PrepareCall(subgraph_, {}).status().IgnoreError();
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    return context.InvokeOnce(subgraph_);
  }

 private:
  size_t subgraph_ = 0;
};

absl::Status PrepareReadVariable(OperatorContext& context) {
  STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
  STOWAGE_RETURN_IF_ERROR(CheckInputType(context, 0, {ElementType::kResource}));
  // Converters that do not know the shape of a variable declare it as a scalar.
  // In that case, the output is dynamic and gets its shape in Invoke.
  if (context.output(0).shape.empty()) context.MakeOutputDynamic(0);
  return absl::OkStatus();
}

absl::Status ReadVariable(OperatorContext& context) {
  const Tensor* value = context.resources().Get(context.input(0).resource);
  if (value == nullptr) {
    return RefuseModel(
        "the variable has no value; expected that it is assigned before");
  }
  Tensor& output = context.output(0);
  if (output.type != value->type) {
    return RefuseModel("the variable is ", ElementTypeName(value->type),
                       "; expected ", ElementTypeName(output.type));
  }
  if (output.storage == Storage::kDynamic) {
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, value->shape));
  } else if (output.shape != value->shape) {
    return RefuseModel("the variable's shape is ", ShapeText(value->shape),
                       "; expected ", ShapeText(output.shape));
  }
  // Nothing is copied if the plan has placed the output in the memory of the
  // variable.
  if (value->bytes > 0 && output.data != value->data) {
    std::memcpy(output.data, value->data, value->bytes);
  }
  return absl::OkStatus();
}

std::string TextOf(const flatbuffers::String* text) {
  return text == nullptr ? "" : text->str();
}

class VarHandle : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 0, 0, 1));
    STOWAGE_RETURN_IF_ERROR(
        CheckOutputType(context, 0, {ElementType::kResource}));
    STOWAGE_ASSIGN_OR_RETURN(const auto* options,
                             OptionsOf<tflite::VarHandleOptions>(context));
    number_ = context.resources().Find(TextOf(options->container()),
                                       TextOf(options->shared_name()));
    context.output(0).resource = number_;
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    context.output(0).resource = number_;
    return absl::OkStatus();
  }

 private:
  int32_t number_ = -1;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<FunctionKernel>("ASSIGN_VARIABLE",
                                   "assigns a tensor to a resource variable",
                                   PrepareAssignVariable, AssignVariable),
          Operator<CallOnce>("CALL_ONCE",
                             "runs another subgraph when it is first invoked, "
                             "to give resources their first values"),
          Operator<FunctionKernel>("READ_VARIABLE",
                                   "the value of a resource variable",
                                   PrepareReadVariable, ReadVariable),
          Operator<VarHandle>(
              "VAR_HANDLE",
              "the number of a resource variable, by container and name")};
}

}  // namespace stowage::harness::resources
