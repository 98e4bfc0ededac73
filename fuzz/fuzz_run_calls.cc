// SPDX-License-Identifier: Apache-2.0
// Calls the interpreter in any order. The calls are encoded in the description
// of the model. Calls may fail only by returning a status, and every plan must
// be safe.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "fuzz/bounded_operators.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/input.h"
#include "fuzz/model_input.h"
#include "fuzz/model_mutator.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/memory_report.h"
#include "stowage/harness/program_plan.h"
#include "stowage/harness/recorder.h"
#include "stowage/harness/shadow.h"
#include "stowage/tflite/model.h"
#include "stowage/verify.h"
#include "stowage/verify_values.h"

namespace stowage::harness {
namespace {

constexpr int kMaxCalls = 64;

// Strategies that search are left out because they are slow; fuzz_planner.cc
// covers them.
constexpr absl::string_view kStrategies[] = {
    "naive",          "greedy_by_size",    "greedy_in_order",
    "arena_best_fit", "greedy_by_breadth", "equality",
    "micro_first_fit"};

void CheckStatus(const absl::Status& status) {
  Check(status.ok() || absl::IsInvalidArgument(status) ||
            absl::IsResourceExhausted(status) || absl::IsOutOfRange(status) ||
            absl::IsAborted(status) || absl::IsCancelled(status) ||
            absl::IsFailedPrecondition(status) || absl::IsNotFound(status) ||
            absl::IsUnimplemented(status),
        status.ToString());
}

class Caller {
 public:
  Caller(const Model& model, Input calls) : model_(model), calls_(calls) {}

  void Run() {
    Create();
    for (int i = 0; i < kMaxCalls && !calls_.is_empty(); ++i) {
      if (interpreter_ == nullptr) {
        Create();
      } else {
        Call();
      }
    }
  }

 private:
  void Create();
  void Call();
  void Resize();
  void Allocate();
  void Write();
  void Read() const;
  void FindSignature();
  void CheckPlan() const;

  Subgraph& graph() const { return interpreter_->subgraph(at_); }

  const Model& model_;
  Input calls_;
  std::unique_ptr<Recorder> recorder_;
  std::unique_ptr<Interpreter> interpreter_;
  size_t at_ = 0;                // the subgraph that is called
  std::vector<bool> allocated_;  // by subgraph
};

void Caller::Create() {
  interpreter_ = nullptr;
  recorder_ = std::make_unique<Recorder>();
  InterpreterOptions options;
  options.memory_limit = kMemoryLimit;
  options.max_turns = kMaxTurns;
  const size_t who = calls_.UpTo(std::size(kStrategies) - 1);
  options.strategy = std::string(kStrategies[who]);
  const uint8_t flags = calls_.Byte();
  constexpr ShadowMode kShadows[] = {ShadowMode::kNone, ShadowMode::kMissing,
                                     ShadowMode::kAll};
  options.shadow = kShadows[who % std::size(kShadows)];
  options.kind = (flags & 1) != 0 ? PlanKind::kObjects : PlanKind::kOffsets;
  options.preserve_all_tensors = (flags & 2) != 0;
  options.io_lifetime = (flags & 4) != 0 ? IoLifetime::kUse : IoLifetime::kKeep;
  if ((flags & 8) != 0) options.observers = {recorder_.get()};
  options.guard_bytes = flags >> 6U;
  options.tensor_alignment = size_t{16} << ((flags >> 4U) & 3U);
  absl::StatusOr<std::unique_ptr<Interpreter>> created =
      Interpreter::Create(model_, BoundedOperators(), options);
  CheckStatus(created.status());
  if (!created.ok()) return;
  interpreter_ = *std::move(created);
  at_ = 0;
  allocated_.assign(model_.subgraphs().size(), false);
}

void Caller::Call() {
  switch (calls_.UpTo(11)) {
    case 0:
      return Create();
    case 1:
      at_ = calls_.UpTo(model_.subgraphs().size() - 1);
      return;
    case 2:
      return Resize();
    case 3:
    case 4:
      return Allocate();
    case 5:
    case 6:
      CheckStatus(graph().Invoke());
      return Read();
    case 7:
      return Write();
    case 8:
      graph().ResetVariables();
      return;
    case 9:
      interpreter_->Reset();
      return;
    case 10:
      graph().Cancel();
      return;
    default:
      return FindSignature();
  }
}

void Caller::Resize() {
  const size_t i = calls_.UpTo(graph().input_count());
  Shape shape(calls_.UpTo(5));
  for (int32_t& dim : shape) {
    dim = static_cast<int32_t>(calls_.Byte()) - 2;
  }
  const absl::Status status = graph().ResizeInput(i, shape);
  CheckStatus(status);
  // After an input is resized, it has no memory for its new size until the next
  // Allocate.
  if (status.ok()) allocated_[at_] = false;
}

void Caller::Allocate() {
  const absl::Status status = graph().Allocate();
  CheckStatus(status);
  allocated_[at_] = status.ok();
  if (!status.ok()) return;
  CheckPlan();
  MemoryReportOf(graph()).Text();
}

void Caller::Write() {
  if (!allocated_[at_]) return;
  const uint8_t value = calls_.Byte();
  for (size_t i = 0; i < graph().input_count(); ++i) {
    Tensor& tensor = graph().input(i);
    if (tensor.data == nullptr || tensor.is_constant()) continue;
    auto* const bytes = static_cast<uint8_t*>(tensor.data);
    std::fill(bytes, bytes + tensor.bytes, value);
  }
}

// Checks that every byte of the outputs can be read at any time after Allocate.
void Caller::Read() const {
  if (!allocated_[at_]) return;
  for (size_t i = 0; i < graph().output_count(); ++i) {
    const absl::Span<const uint8_t> bytes = graph().output(i).span<uint8_t>();
    if (bytes.data() == nullptr) continue;
    const std::string copy(bytes.begin(), bytes.end());
    Check(copy.size() == bytes.size(), "an output of another size");
  }
}

void Caller::FindSignature() {
  const size_t i = calls_.UpTo(model_.signatures().size());
  const std::string key =
      i < model_.signatures().size() ? model_.signatures()[i].key : "none";
  const absl::StatusOr<Subgraph*> found = interpreter_->FindSignature(key);
  CheckStatus(found.status());
  Check(found.ok() || i == model_.signatures().size(), "a signature is lost");
}

// Checks that no tensor of the current plan overwrites a value that is still to
// be read.
void Caller::CheckPlan() const {
  const MemoryPlan& plan = graph().plan();
  if (plan.program != nullptr) {
    // Tensors of a program may share bytes while both are live; an example is a
    // variable and a tensor that was read from it. Check values instead of
    // lifetimes.
    const ProgramPlan& program = *plan.program;
    const auto fault =
        FindValueFault(program.planned.points, program.planned.offsets);
    Check(!fault, fault ? DescribeValueFault(program.program,
                                             program.planned.points, *fault)
                        : "");
    return;
  }
  // Skip tensors that depend on computed shapes until they are planned, because
  // they have no place before.
  const ArenaRecords planned =
      RecordsOf(plan.graph, plan.lifetimes, plan.graph.nodes.size());
  OffsetsAssignment assignment;
  assignment.total_size = plan.arena_bytes;
  std::vector<TensorUsageRecord<size_t>> records;
  for (size_t i = 0; i < planned.tensors.size(); ++i) {
    const size_t t = planned.tensors[i];
    if (t >= plan.offsets.size() || !plan.offsets[t]) continue;
    assignment.offsets.push_back(*plan.offsets[t]);
    records.push_back(planned.records[i]);
  }
  const auto violation = FindViolation(records, assignment, plan.alignment);
  Check(!violation, violation ? Describe(*violation) : "");
}

}  // namespace
}  // namespace stowage::harness

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto model = stowage::ParseModelInput(data, size);
  if (model == nullptr) return 0;
  const stowage::Input calls(model->description());
  stowage::harness::Caller(*model, calls).Run();
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size,
                                          size_t max_size, unsigned int seed) {
  // Mutates the calls and the model with equal probability.
  return seed % 2 == 0 ? stowage::MutateDescription(data, size, max_size)
                       : stowage::MutateModel(data, size, max_size, seed);
}
