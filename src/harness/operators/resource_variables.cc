// SPDX-License-Identifier: Apache-2.0
// VAR_HANDLE, READ_VARIABLE and ASSIGN_VARIABLE: resource variables, which
// outlive an invocation and have a number for each container and name.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "src/harness/kernels/support.h"
#include "stowage/harness/resources.h"

namespace stowage::harness::resource_variables {
namespace {

std::string TextOf(const flatbuffers::String* text) {
  return text == nullptr ? "" : text->str();
}

class VarHandle : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 0, 0, 1));
    STOWAGE_RETURN_IF_ERROR(
        CheckOutputType(context, 0, {ElementType::kResource}));
    STOWAGE_ASSIGN_OR_RETURN(
        const auto* const options,
        OptionsOf<tflite::VarHandleOptions>(context.spec()));
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

// Where the model leaves the shape open, it is known only while running.
class ReadVariable : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 1, 1, 1));
    STOWAGE_RETURN_IF_ERROR(
        CheckInputType(context, 0, {ElementType::kResource}));
    // Converters write a scalar where they do not know the shape.
    if (context.output(0).shape.empty()) context.MakeOutputDynamic(0);
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    const Tensor* value = context.resources().Get(context.input(0).resource);
    if (value == nullptr) {
      return RefuseModel(
          "the variable has no value: expected that it is assigned before");
    }
    Tensor& output = context.output(0);
    if (output.type != value->type) {
      return RefuseModel("the variable is ", ElementTypeName(value->type),
                         ": expected ", ElementTypeName(output.type));
    }
    if (output.storage == Storage::kDynamic) {
      STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, value->shape));
    } else if (output.shape != value->shape) {
      return RefuseModel("the variable's shape is ", ShapeText(value->shape),
                         ": expected ", ShapeText(output.shape));
    }
    if (value->bytes > 0) std::memcpy(output.data, value->data, value->bytes);
    return absl::OkStatus();
  }
};

class AssignVariable : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 0));
    return CheckInputType(context, 0, {ElementType::kResource});
  }

  absl::Status Invoke(OperatorContext& context) override {
    return context.resources().Assign(context.input(0).resource,
                                      context.input(1));
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("VAR_HANDLE")
              .Computes("the number of a resource variable, by container and "
                        "name")
              .Creates<VarHandle>(),
          OperatorRegistration("READ_VARIABLE")
              .Computes("the value of a resource variable")
              .Creates<ReadVariable>(),
          OperatorRegistration("ASSIGN_VARIABLE")
              .Computes("a tensor becomes the value of a resource variable")
              .Creates<AssignVariable>()};
}

}  // namespace stowage::harness::resource_variables
