// SPDX-License-Identifier: Apache-2.0
#include "tests/recordings/executorch_programs.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "flatbuffers/flatbuffers.h"
#include "recordings_schema/executorch_generated.h"

namespace stowage::recordings {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;

Offset<void> ValueContent(const ExecutorchValue& value,
                          FlatBufferBuilder* builder) {
  if (value.kind == executorch::KernelTypes::TensorList) {
    return executorch::CreateTensorListDirect(*builder, &value.members).Union();
  }
  if (value.kind == executorch::KernelTypes::OptionalTensorList) {
    return executorch::CreateOptionalTensorListDirect(*builder, &value.members)
        .Union();
  }
  if (value.kind != executorch::KernelTypes::Tensor) {
    return executorch::CreateInt(*builder).Union();
  }
  Offset<executorch::AllocationDetails> place;
  if (value.is_planned) {
    place = executorch::CreateAllocationDetails(
        *builder, value.memory, static_cast<uint32_t>(value.offset),
        static_cast<uint32_t>(value.offset >> 32));
  }
  return executorch::CreateTensorDirect(*builder, value.type, &value.sizes,
                                        value.data, place, value.dynamism)
      .Union();
}

Offset<void> InstructionContent(const ExecutorchInstruction& instruction,
                                FlatBufferBuilder* builder) {
  const std::vector<int32_t>& args = instruction.args;
  switch (instruction.kind) {
    case executorch::InstructionArguments::KernelCall:
      return executorch::CreateKernelCallDirect(*builder, instruction.index,
                                                &args)
          .Union();
    case executorch::InstructionArguments::DelegateCall:
      return executorch::CreateDelegateCallDirect(*builder, instruction.index,
                                                  &args)
          .Union();
    case executorch::InstructionArguments::MoveCall:
      return executorch::CreateMoveCall(*builder, args[0], args[1]).Union();
    case executorch::InstructionArguments::JumpFalseCall:
      return executorch::CreateJumpFalseCall(*builder, args[0],
                                             instruction.index)
          .Union();
    case executorch::InstructionArguments::FreeCall:
      return executorch::CreateFreeCall(*builder, args[0]).Union();
    default:
      return executorch::CreateInt(*builder).Union();
  }
}

Offset<executorch::Chain> ChainOf(const ExecutorchMethod& method, size_t begin,
                                  size_t end, FlatBufferBuilder* builder) {
  std::vector<Offset<executorch::Instruction>> instructions;
  for (size_t i = begin; i < end; ++i) {
    const ExecutorchInstruction& instruction = method.instructions[i];
    const Offset<void> content = InstructionContent(instruction, builder);
    instructions.push_back(
        executorch::CreateInstruction(*builder, instruction.kind, content));
  }
  return executorch::CreateChainDirect(*builder, &instructions);
}

Offset<executorch::ExecutionPlan> MethodOf(const ExecutorchMethod& method,
                                           FlatBufferBuilder* builder) {
  std::vector<Offset<executorch::EValue>> values;
  for (const ExecutorchValue& value : method.values) {
    const Offset<void> content = ValueContent(value, builder);
    values.push_back(executorch::CreateEValue(*builder, value.kind, content));
  }
  std::vector<Offset<executorch::Chain>> chains;
  if (method.first_chain > 0) {
    chains.push_back(ChainOf(method, 0, method.first_chain, builder));
  }
  chains.push_back(
      ChainOf(method, method.first_chain, method.instructions.size(), builder));
  std::vector<Offset<executorch::Operator>> operators;
  for (const std::string& name : method.operators) {
    operators.push_back(
        executorch::CreateOperatorDirect(*builder, name.c_str(), "out"));
  }
  std::vector<Offset<executorch::BackendDelegate>> delegates;
  for (const std::string& name : method.delegates) {
    delegates.push_back(
        executorch::CreateBackendDelegateDirect(*builder, name.c_str()));
  }
  return executorch::CreateExecutionPlanDirect(
      *builder, method.name.c_str(), &values, &method.inputs, &method.outputs,
      &chains, &operators, &delegates, &method.memories);
}

std::string BytesOf(const FlatBufferBuilder& builder) {
  return std::string(reinterpret_cast<const char*>(builder.GetBufferPointer()),
                     builder.GetSize());
}

}  // namespace

ExecutorchValue Planned(std::vector<int32_t> sizes, uint64_t offset) {
  ExecutorchValue value;
  value.sizes = std::move(sizes);
  value.offset = offset;
  return value;
}

ExecutorchValue Unplanned(std::vector<int32_t> sizes) {
  ExecutorchValue value = Planned(std::move(sizes), 0);
  value.is_planned = false;
  return value;
}

ExecutorchValue ListOf(std::vector<int32_t> members, bool is_optional) {
  ExecutorchValue value;
  value.kind = is_optional ? executorch::KernelTypes::OptionalTensorList
                           : executorch::KernelTypes::TensorList;
  value.members = std::move(members);
  return value;
}

ExecutorchInstruction Kernel(std::vector<int32_t> args, int32_t op) {
  return {executorch::InstructionArguments::KernelCall, op, std::move(args)};
}

std::string ExecutorchFile(const std::vector<ExecutorchMethod>& methods) {
  FlatBufferBuilder builder;
  std::vector<Offset<executorch::ExecutionPlan>> plans;
  plans.reserve(methods.size());
  for (const ExecutorchMethod& method : methods) {
    plans.push_back(MethodOf(method, &builder));
  }
  executorch::FinishProgramBuffer(
      builder, executorch::CreateProgramDirect(builder, 0, &plans));
  return BytesOf(builder);
}

std::string ExecutorchBundle(const std::string& program) {
  FlatBufferBuilder builder;
  builder.ForceVectorAlignment(program.size(), 1, 32);
  const auto bytes = builder.CreateVector(
      reinterpret_cast<const uint8_t*>(program.data()), program.size());
  builder.Finish(executorch::CreateBundledProgram(builder, 0, bytes), "BP08");
  return BytesOf(builder);
}

}  // namespace stowage::recordings
