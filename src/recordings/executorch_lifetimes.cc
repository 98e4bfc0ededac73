// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/executorch_lifetimes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "flatbuffers/flatbuffers.h"
#include "recordings_schema/executorch_generated.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/usage_record.h"

namespace stowage::recordings {
namespace {

using Indices = flatbuffers::Vector<int32_t>;

// A file can refer to one list from many places, so the size of the file does
// not limit the time needed to read the file. These limits are far above the
// needs of real programs.
constexpr size_t kMaxTouches = size_t{1} << 22;
constexpr size_t kMaxLoopSteps = size_t{1} << 26;

// The length in bytes to which a name is truncated.
constexpr size_t kMaxOperatorName = 64;

// The operator that returns a result without bytes of its own (source:
// kernels/prim_ops/et_view.cpp of ExecuTorch).
constexpr string_view kViewOperator = "executorch_prim::et_view";

string_view TextOf(const flatbuffers::String* text) {
  return text == nullptr ? string_view()
                         : string_view(text->c_str(), text->size());
}

template <typename T>
size_t SizeOf(const flatbuffers::Vector<T>* list) {
  return list == nullptr ? 0 : list->size();
}

// Collects the lifetimes of the values of one method.
class LifeReader {
 public:
  explicit LifeReader(const executorch::ExecutionPlan& method)
      : method_(method), values_(SizeOf(method.values())) {
    result_.lives.resize(values_);
  }

  StatusOr<ExecutorchLives> Read() {
    absl::Status status = absl::OkStatus();
    for (size_t c = 0; c < SizeOf(method_.chains()) && status.ok(); ++c) {
      const auto* chain = method_.chains()->Get(static_cast<uint32_t>(c));
      status = ReadChain(chain->instructions());
    }
    if (status.ok()) {
      status = Touch("inputs", method_.inputs(), &LifeReader::TouchInput);
    }
    if (status.ok()) {
      status = Touch("outputs", method_.outputs(), &LifeReader::TouchOutput);
    }
    if (!status.ok()) return status;
    if (loops_.size() > kMaxLoopSteps / std::max<size_t>(values_, 1)) {
      return absl::InvalidArgumentError(
          absl::StrCat("has ", loops_.size(), " loops and ", values_,
                       " values; expected fewer"));
    }
    ExtendOverAliases();
    ExtendOverLoops();
    return std::move(result_);
  }

 private:
  using TouchFunction = void (LifeReader::*)(ExecutorchLife* life);

  struct Loop {
    TaskId begin;
    TaskId end;
  };

  TaskId now() const { return result_.operators.size(); }

  void TouchNow(ExecutorchLife* life) {
    if (!life->tasks.empty() && life->tasks.back() == now()) return;
    if (!life->is_used) life->first = now();
    life->is_used = true;
    life->last = now();
    life->tasks.push_back(now());
  }

  // Not static, because a TouchFunction is a pointer to a member function.
  // NOLINTNEXTLINE(readability-convert-member-functions-to-static)
  void TouchInput(ExecutorchLife* life) {
    life->is_input = life->is_used = true;
    life->first = 0;
  }

  void TouchOutput(ExecutorchLife* life) {
    life->is_output = life->is_used = true;
    life->last = result_.end();
  }

  absl::Status NoValue(string_view where, int64_t index) const {
    return absl::InvalidArgumentError(
        absl::StrCat(where, ": value ", index, "; expected one of the ",
                     values_, " values of the method"));
  }

  // Touches a value and, if the value is a list, its members.
  absl::Status TouchValue(string_view where, int64_t index,
                          TouchFunction touch) {
    if (index < 0 || static_cast<size_t>(index) >= values_) {
      return NoValue(where, index);
    }
    const auto* value = method_.values()->Get(static_cast<uint32_t>(index));
    const Indices* members = nullptr;
    if (const auto* list = value->val_as_TensorList()) {
      members = list->items();
    } else if (const auto* optional = value->val_as_OptionalTensorList()) {
      members = optional->items();
    }
    touches_ += 1 + SizeOf(members);
    if (touches_ > kMaxTouches) {
      return absl::InvalidArgumentError(
          absl::StrCat(where, ": more than ", kMaxTouches,
                       " arguments up to here; expected fewer"));
    }
    (this->*touch)(&result_.lives[static_cast<size_t>(index)]);
    for (size_t i = 0; i < SizeOf(members); ++i) {
      const int32_t member = members->Get(static_cast<uint32_t>(i));
      if (member < 0 && value->val_as_OptionalTensorList() != nullptr) continue;
      if (member < 0 || static_cast<size_t>(member) >= values_) {
        return NoValue(absl::StrCat(where, ": list ", index), member);
      }
      (this->*touch)(&result_.lives[static_cast<size_t>(member)]);
    }
    return absl::OkStatus();
  }

  absl::Status Touch(string_view where, const Indices* values,
                     TouchFunction touch) {
    for (size_t i = 0; i < SizeOf(values); ++i) {
      absl::Status touched =
          TouchValue(where, values->Get(static_cast<uint32_t>(i)), touch);
      if (!touched.ok()) return touched;
    }
    return absl::OkStatus();
  }

  absl::Status TouchAll(const Indices* values) {
    return Touch(absl::StrCat("instruction ", now()), values,
                 &LifeReader::TouchNow);
  }

  absl::Status TouchOne(int64_t value) {
    return TouchValue(absl::StrCat("instruction ", now()), value,
                      &LifeReader::TouchNow);
  }

  void Name(string_view name) {
    result_.operators.push_back(
        OneLine(FileText(name.substr(0, kMaxOperatorName))));
  }

  // Records that `alias` has the bytes of `source`. Requires that both values
  // exist.
  void AddAlias(int32_t source, int32_t alias) {
    result_.aliases.emplace_back(static_cast<size_t>(source),
                                 static_cast<size_t>(alias));
  }

  absl::Status ReadKernel(const executorch::KernelCall& call) {
    const int32_t index = call.op_index();
    if (index < 0 ||
        static_cast<size_t>(index) >= SizeOf(method_.operators())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "instruction ", now(), ": operator ", index, "; expected one of the ",
          SizeOf(method_.operators()), " operators of the method"));
    }
    absl::Status touched = TouchAll(call.args());
    if (!touched.ok()) return touched;
    const auto* op = method_.operators()->Get(static_cast<uint32_t>(index));
    const string_view name = TextOf(op->name());
    if (name == kViewOperator && SizeOf(call.args()) == 3) {
      AddAlias(call.args()->Get(0), call.args()->Get(2));
    }
    const string_view overload =
        TextOf(op->overload()).substr(0, kMaxOperatorName);
    Name(absl::StrCat(name.substr(0, kMaxOperatorName),
                      overload.empty() ? "" : ".", overload));
    return absl::OkStatus();
  }

  absl::Status ReadDelegate(const executorch::DelegateCall& call) {
    const int32_t index = call.delegate_index();
    if (index < 0 ||
        static_cast<size_t>(index) >= SizeOf(method_.delegates())) {
      return absl::InvalidArgumentError(absl::StrCat(
          "instruction ", now(), ": delegate ", index, "; expected one of the ",
          SizeOf(method_.delegates()), " delegates of the method"));
    }
    absl::Status touched = TouchAll(call.args());
    if (!touched.ok()) return touched;
    ++result_.delegate_calls;
    const auto* delegate =
        method_.delegates()->Get(static_cast<uint32_t>(index));
    Name(absl::StrCat("delegate ",
                      TextOf(delegate->id()).substr(0, kMaxOperatorName)));
    return absl::OkStatus();
  }

  absl::Status ReadMove(const executorch::MoveCall& call) {
    absl::Status touched = TouchOne(call.move_from());
    if (touched.ok()) touched = TouchOne(call.move_to());
    if (!touched.ok()) return touched;
    AddAlias(call.move_from(), call.move_to());
    Name("move");
    return absl::OkStatus();
  }

  // `chain` is the number of the first instruction of the chain, and `count` is
  // the number of instructions in the chain.
  absl::Status ReadJump(const executorch::JumpFalseCall& call, TaskId chain,
                        size_t count) {
    const int32_t target = call.destination_instruction();
    if (target < 0 || static_cast<size_t>(target) > count) {
      return absl::InvalidArgumentError(absl::StrCat(
          "instruction ", now(), ": a jump to instruction ", target,
          "; expected one of the ", count, " instructions of the chain"));
    }
    absl::Status touched = TouchOne(call.cond_value_index());
    if (!touched.ok()) return touched;
    const TaskId begin = chain + static_cast<size_t>(target);
    if (begin <= now()) loops_.push_back({begin, now()});
    Name("jump if false");
    return absl::OkStatus();
  }

  absl::Status ReadInstruction(const executorch::Instruction& instruction,
                               TaskId chain, size_t count) {
    if (const auto* call = instruction.instr_args_as_KernelCall()) {
      return ReadKernel(*call);
    }
    if (const auto* call = instruction.instr_args_as_DelegateCall()) {
      return ReadDelegate(*call);
    }
    if (const auto* call = instruction.instr_args_as_MoveCall()) {
      return ReadMove(*call);
    }
    if (const auto* call = instruction.instr_args_as_JumpFalseCall()) {
      return ReadJump(*call, chain, count);
    }
    if (const auto* call = instruction.instr_args_as_FreeCall()) {
      absl::Status touched = TouchOne(call->value_index());
      if (touched.ok()) Name("free");
      return touched;
    }
    return absl::InvalidArgumentError(absl::StrCat(
        "instruction ", now(), ": a type of number ",
        static_cast<int>(instruction.instr_args_type()),
        "; expected a call of a kernel or delegate, a move, jump or free"));
  }

  absl::Status ReadChain(
      const flatbuffers::Vector<flatbuffers::Offset<executorch::Instruction>>*
          instructions) {
    const TaskId chain = now();
    const size_t count = SizeOf(instructions);
    for (size_t i = 0; i < count; ++i) {
      absl::Status read = ReadInstruction(
          *instructions->Get(static_cast<uint32_t>(i)), chain, count);
      if (!read.ok()) return read;
    }
    return absl::OkStatus();
  }

  // Extends the lifetime of each value to the ends of its views. Aliases are
  // visited in reverse order, because a view of a view is created by a later
  // instruction. The lifetime of each view is therefore final before it extends
  // the lifetime of its source.
  void ExtendOverAliases() {
    for (size_t i = result_.aliases.size(); i-- > 0;) {
      const auto [source, alias] = result_.aliases[i];
      ExecutorchLife& life = result_.lives[source];
      life.last = std::max(life.last, result_.lives[alias].last);
    }
  }

  // Extends lifetimes over loops. A value that is live at the beginning of a
  // loop may be read in every iteration, so it is live until the loop ends. It
  // suffices to visit each loop once, by rising beginning: if a lifetime ends
  // before a loop begins, no later loop can extend the lifetime.
  void ExtendOverLoops() {
    std::sort(loops_.begin(), loops_.end(),
              [](const Loop& a, const Loop& b) { return a.begin < b.begin; });
    for (ExecutorchLife& life : result_.lives) {
      if (!life.is_used) continue;
      for (const Loop& loop : loops_) {
        const bool is_live = life.first < loop.begin && loop.begin <= life.last;
        if (is_live) life.last = std::max(life.last, loop.end);
      }
    }
  }

  const executorch::ExecutionPlan& method_;
  const size_t values_;
  ExecutorchLives result_;
  std::vector<Loop> loops_;
  size_t touches_ = 0;
};

}  // namespace

StatusOr<ExecutorchLives> LivesOf(const executorch::ExecutionPlan& method) {
  return LifeReader(method).Read();
}

}  // namespace stowage::recordings
