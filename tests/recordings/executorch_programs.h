// SPDX-License-Identifier: Apache-2.0
// Builds small programs of ExecuTorch for tests.
//
//   ExecutorchMethod method;
//   method.values = {Planned({3, 4}, 0), Planned({3, 4}, 48)};
//   method.instructions = {Kernel({0, 1})};
//   ParseRecording(ExecutorchFile({method}), "net.pte");
#ifndef STOWAGE_TESTS_RECORDINGS_EXECUTORCH_PROGRAMS_H_
#define STOWAGE_TESTS_RECORDINGS_EXECUTORCH_PROGRAMS_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "recordings_schema/executorch_generated.h"

namespace stowage::recordings {

// A value, which is a tensor or a list of the values `members`.
struct ExecutorchValue {
  executorch::KernelTypes kind = executorch::KernelTypes::Tensor;
  std::vector<int32_t> sizes = {};
  uint64_t offset = 0;
  int8_t type = 6;  // float32
  uint32_t memory = 1;
  bool is_planned = true;
  uint32_t data = 0;
  executorch::TensorShapeDynamism dynamism =
      executorch::TensorShapeDynamism::STATIC;
  std::vector<int32_t> members = {};
};

struct ExecutorchInstruction {
  executorch::InstructionArguments kind =
      executorch::InstructionArguments::KernelCall;
  int32_t index = 0;  // the operator, delegate or target of a jump
  std::vector<int32_t> args = {};
};

struct ExecutorchMethod {
  std::string name = "forward";
  std::vector<ExecutorchValue> values = {};
  std::vector<int32_t> inputs = {};
  std::vector<int32_t> outputs = {};
  std::vector<ExecutorchInstruction> instructions = {};
  std::vector<std::string> operators = {"aten::add",
                                        "executorch_prim::et_view"};
  std::vector<std::string> delegates = {};
  std::vector<int64_t> memories = {0, 4096};
  // The number of instructions in the first of two chains, or 0 if there is
  // only one chain.
  size_t first_chain = 0;
};

// Planned and Unplanned return a tensor whose elements have four bytes. ListOf
// returns a list of the values `members`.
ExecutorchValue Planned(std::vector<int32_t> sizes, uint64_t offset);
ExecutorchValue Unplanned(std::vector<int32_t> sizes);
ExecutorchValue ListOf(std::vector<int32_t> members, bool is_optional = false);

ExecutorchInstruction Kernel(std::vector<int32_t> args, int32_t op = 0);

// Returns the bytes of a program (.pte).
std::string ExecutorchFile(const std::vector<ExecutorchMethod>& methods);

// Returns the bytes of a bundle (.bpte) of a program.
std::string ExecutorchBundle(const std::string& program);

}  // namespace stowage::recordings

#endif  // STOWAGE_TESTS_RECORDINGS_EXECUTORCH_PROGRAMS_H_
