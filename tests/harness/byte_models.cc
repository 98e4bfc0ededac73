// SPDX-License-Identifier: Apache-2.0
#include "tests/harness/byte_models.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/tflite/model_draft.h"
#include "stowage/assignment.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

using tflite::BuiltinOperator;
using tflite::TensorType;

class FunctionKernel : public Kernel {
 public:
  FunctionKernel(KernelFunction prepare, KernelFunction invoke)
      : prepare_(std::move(prepare)), invoke_(std::move(invoke)) {}
  absl::Status Prepare(OperatorContext& context) override {
    return prepare_(context);
  }
  absl::Status Invoke(OperatorContext& context) override {
    return invoke_(context);
  }

 private:
  KernelFunction prepare_;
  KernelFunction invoke_;
};

absl::Status PrepareBytes(OperatorContext& context) {
  const auto options = context.spec().custom_options;
  const int32_t more = options.empty() ? 0 : options[0];
  return context.ResizeOutput(
      0, {static_cast<int32_t>(context.input(0).bytes) + more});
}

// Returns byte i of an input. Indices past the last byte wrap around to the
// first one.
uint32_t ByteOf(const Tensor& tensor, size_t i) {
  return tensor.bytes == 0 ? 1 : tensor.as<uint8_t>()[i % tensor.bytes];
}

void MixInto(OperatorContext& context, uint8_t* out, size_t bytes) {
  uint32_t sum = 7;
  for (size_t k = 0; k < context.input_count(); ++k) {
    const Tensor& input = context.input(k);
    for (size_t i = 0; i < input.bytes; ++i) {
      sum = sum * 31 + ByteOf(input, i) + 1;
    }
  }
  for (size_t i = 0; i < bytes; ++i) {
    sum = sum * 31 + 11;
    out[i] = static_cast<uint8_t>(sum >> 8);
  }
}

absl::Status Mix(OperatorContext& context) {
  Tensor& output = context.output(0);
  MixInto(context, output.as<uint8_t>(), output.bytes);
  return absl::OkStatus();
}

absl::Status MixInPlace(OperatorContext& context) {
  Tensor& output = context.output(0);
  for (size_t i = 0; i < output.bytes; ++i) {
    uint32_t sum = 5;
    for (size_t k = 0; k < context.input_count(); ++k) {
      sum = sum * 31 + ByteOf(context.input(k), i);
    }
    output.as<uint8_t>()[i] = static_cast<uint8_t>(sum);
  }
  return absl::OkStatus();
}

absl::Status Copy(OperatorContext& context) {
  const Tensor& input = context.input(0);
  Tensor& output = context.output(0);
  // An in-place copy must write nothing, because a task that runs at the same
  // time may be reading the bytes. Uses memmove because the input and the
  // output may partly overlap under a planted plan.
  if (output.bytes > 0 && output.data != input.data) {
    std::memmove(output.data, input.data, output.bytes);
  }
  return absl::OkStatus();
}

absl::Status PrepareJoin(OperatorContext& context) {
  size_t bytes = 0;
  for (size_t i = 0; i < context.input_count(); ++i) {
    context.DeclareInputPart(i, 0, bytes);
    bytes += context.input(i).bytes;
  }
  return context.ResizeOutput(0, {static_cast<int32_t>(bytes)});
}

absl::Status Join(OperatorContext& context) {
  auto* to = context.output(0).as<uint8_t>();
  for (size_t i = 0; i < context.input_count(); ++i) {
    const Tensor& input = context.input(i);
    // Uses memmove because the input and the output may partly overlap under a
    // planted plan.
    if (input.bytes > 0 && input.data != to) {
      std::memmove(to, input.data, input.bytes);
    }
    to += input.bytes;
  }
  return absl::OkStatus();
}

absl::Status PrepareScratch(OperatorContext& context) {
  const auto bytes = static_cast<int32_t>(context.input(0).bytes) + 3;
  const auto scratch = context.AddTemporary(ElementType::kUint8, {bytes});
  return scratch.ok() ? PrepareBytes(context) : scratch.status();
}

absl::Status Scratch(OperatorContext& context) {
  Tensor& scratch = context.temporary(0);
  MixInto(context, scratch.as<uint8_t>(), scratch.bytes);
  Tensor& output = context.output(0);
  for (size_t i = 0; i < output.bytes; ++i) {
    output.as<uint8_t>()[i] = static_cast<uint8_t>(ByteOf(scratch, i) + i);
  }
  return absl::OkStatus();
}

absl::Status Accumulate(OperatorContext& context) {
  Tensor& sum = context.variable(1);
  for (size_t i = 0; i < sum.bytes; ++i) {
    sum.as<uint8_t>()[i] =
        static_cast<uint8_t>(ByteOf(sum, i) + ByteOf(context.input(0), i));
  }
  Tensor& output = context.output(0);
  for (size_t i = 0; i < output.bytes; ++i) {
    output.as<uint8_t>()[i] = static_cast<uint8_t>(ByteOf(sum, i));
  }
  return absl::OkStatus();
}

absl::Status PrepareExpand(OperatorContext& context) {
  context.MakeOutputDynamic(0);
  return absl::OkStatus();
}

absl::Status Expand(OperatorContext& context) {
  const auto count = static_cast<int32_t>(ByteOf(context.input(0), 0) % 16) + 1;
  const absl::Status status = context.ResizeOutput(0, {count});
  return status.ok() ? Mix(context) : status;
}

absl::Status CallOnce(OperatorContext& context) {
  const absl::Status status = context.InvokeOnce(1);
  return status.ok() ? Mix(context) : status;
}

absl::Status WriteOneMore(OperatorContext& context) {
  Tensor& output = context.output(0);
  MixInto(context, output.as<uint8_t>(), output.bytes);
  // 0xEE differs from the previous value of the byte, which is either zero or
  // one of the fill patterns of the checkers.
  output.as<uint8_t>()[output.bytes] = 0xEE;
  return absl::OkStatus();
}

absl::Status SpoilCopy(OperatorContext& context) {
  const absl::Status status = Copy(context);
  context.output(0).as<uint8_t>()[0] ^= 1;
  return status;
}

absl::Status ChangeInput(OperatorContext& context) {
  const Tensor& input = context.input(0);
  const absl::Status status = Mix(context);
  const_cast<uint8_t*>(input.as<uint8_t>())[input.bytes - 1] ^= 1;
  return status;
}

absl::Status LeaveOutLast(OperatorContext& context) {
  Tensor& output = context.output(0);
  MixInto(context, output.as<uint8_t>(), output.bytes - 1);
  return absl::OkStatus();
}

absl::Status ReadOutput(OperatorContext& context) {
  uint8_t* output = context.output(0).as<uint8_t>();
  const uint8_t before = output[0];
  const absl::Status status = Mix(context);
  output[0] = static_cast<uint8_t>(output[0] + before);
  return status;
}

absl::Status RefuseOdd(OperatorContext& context) {
  if (ByteOf(context.input(0), 0) % 2 == 1) {
    return absl::InvalidArgumentError("the first byte is odd");
  }
  return Copy(context);
}

}  // namespace

OperatorRegistration CustomOperator(const std::string& name,
                                    KernelFunction prepare,
                                    KernelFunction invoke, InPlace in_place) {
  OperatorRegistration registration(name);
  registration.IsCustom().SharesMemoryOf(in_place).CreatedBy(
      [prepare = std::move(prepare), invoke = std::move(invoke)] {
        return std::make_unique<FunctionKernel>(prepare, invoke);
      });
  return registration;
}

OperatorResolver ByteOperators() {
  const InPlace unmodified = InPlace::kUnmodified | InPlace::kInput0;
  OperatorResolver resolver;
  const auto add = [&](const std::string& name, const KernelFunction& prepare,
                       const KernelFunction& invoke,
                       InPlace in_place = InPlace::kNever) {
    resolver.Add(CustomOperator(name, prepare, invoke, in_place));
  };
  add("Mix", PrepareBytes, Mix);
  add("MixInPlace", PrepareBytes, MixInPlace,
      InPlace::kInput0 | InPlace::kInput1);
  add("Copy", PrepareBytes, Copy, unmodified);
  add("Join", PrepareJoin, Join);
  add("Scratch", PrepareScratch, Scratch);
  add("Accumulate", PrepareBytes, Accumulate);
  add("Expand", PrepareExpand, Expand);
  add("CallOnce", PrepareBytes, CallOnce);
  add("WriteOneMore", PrepareBytes, WriteOneMore);
  add("SpoilCopy", PrepareBytes, SpoilCopy, unmodified);
  add("ChangeInput", PrepareBytes, ChangeInput);
  add("LeaveOutLast", PrepareBytes, LeaveOutLast);
  add("ReadOutput", PrepareBytes, ReadOutput);
  add("RefuseOdd", PrepareBytes, RefuseOdd, unmodified);
  return resolver;
}

GraphSpec& ByteModel::graph() {
  if (spec_.graphs.empty()) BeginSubgraph();
  return spec_.graphs.back();
}

void ByteModel::BeginSubgraph() {
  if (spec_.buffers.empty()) spec_.buffers.emplace_back();
  spec_.graphs.emplace_back();
}

size_t ByteModel::AddTensor(size_t bytes) {
  GraphSpec& to = graph();
  const size_t index = to.tensors.size();
  TensorDraft& tensor = to.tensors.emplace_back();
  tensor.shape = {static_cast<int32_t>(bytes)};
  tensor.type = TensorType::UINT8;
  tensor.name = absl::StrCat("t", index);
  return index;
}

size_t ByteModel::AddInput(size_t bytes) {
  const size_t index = AddTensor(bytes);
  graph().tensors[index].shape_signature = {-1};
  graph().inputs.push_back(static_cast<int32_t>(index));
  return index;
}

size_t ByteModel::AddVariable(size_t bytes) {
  const size_t index = AddTensor(bytes);
  graph().tensors[index].is_variable = true;
  return index;
}

size_t ByteModel::AddConstant(std::vector<uint8_t> bytes) {
  const size_t index = AddTensor(bytes.size());
  graph().tensors[index].buffer = static_cast<uint32_t>(spec_.buffers.size());
  spec_.buffers.push_back({std::move(bytes)});
  return index;
}

size_t ByteModel::Add(const std::string& name,
                      const std::vector<size_t>& inputs, uint8_t more_bytes) {
  // The model declares a wrong shape for the output, so Prepare must compute
  // the right one.
  const size_t output = AddTensor(1);
  OperatorDraft& op = graph().operators.emplace_back();
  op.code = static_cast<uint32_t>(spec_.codes.size());
  for (const size_t t : inputs) op.inputs.push_back(static_cast<int32_t>(t));
  op.outputs = {static_cast<int32_t>(output)};
  if (more_bytes > 0) op.custom_options = {more_bytes};
  spec_.codes.push_back({BuiltinOperator::CUSTOM, name});
  return output;
}

void ByteModel::MarkOutput(size_t tensor) {
  graph().outputs.push_back(static_cast<int32_t>(tensor));
}

LoadedModel::LoadedModel(const ModelSpec& spec) : bytes_(Build(spec)) {
  auto model = Model::Parse(bytes_, "bytes.tflite");
  if (!model.ok()) {
    std::cerr << model.status() << "\n";
    std::abort();
  }
  model_ = *std::move(model);
}

absl::Status FeedBytes(Subgraph& graph, size_t invocation) {
  for (size_t i = 0; i < graph.input_count(); ++i) {
    Tensor& input = graph.input(i);
    for (size_t byte = 0; byte < input.bytes; ++byte) {
      input.as<uint8_t>()[byte] =
          static_cast<uint8_t>(byte * 37 + i * 5 + invocation * 11 + 2);
    }
  }
  return absl::OkStatus();
}

absl::Status FeedZeros(Subgraph& graph, size_t /*invocation*/) {
  for (size_t i = 0; i < graph.input_count(); ++i) {
    Tensor& input = graph.input(i);
    std::fill_n(input.as<uint8_t>(), input.bytes, uint8_t{0});
  }
  return absl::OkStatus();
}

std::function<absl::StatusOr<OffsetsAssignment>(const ArenaRecords&)> PlanAt(
    std::map<size_t, size_t> offsets) {
  return [offsets = std::move(offsets)](
             const ArenaRecords& records) -> absl::StatusOr<OffsetsAssignment> {
    OffsetsAssignment plan;
    for (const size_t t : records.tensors) {
      const auto found = offsets.find(t);
      if (found == offsets.end()) {
        return absl::NotFoundError(absl::StrCat("no place for tensor ", t));
      }
      plan.offsets.push_back(found->second);
    }
    return plan;
  };
}

}  // namespace stowage::harness
