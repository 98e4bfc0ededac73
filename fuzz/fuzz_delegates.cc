// SPDX-License-Identifier: Apache-2.0
// Applies and removes delegates in any order on any small graph, with failures
// of any kind. Every call must either return an error or succeed. Delegates
// that are not faulty must compute the same results as the kernels, and their
// kernels and buffers must not leak.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "fuzz/check.h"
#include "fuzz/delegate_faults.h"
#include "fuzz/engine.h"
#include "fuzz/input.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/delegate.h"
#include "stowage/harness/interpreter.h"
#include "stowage/tflite/model.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/fake_delegate.h"

namespace stowage::harness {
namespace {

constexpr size_t kMaxNodes = 9;
constexpr int kMaxCalls = 32;
constexpr size_t kMemory = size_t{1} << 20;

ModelSpec AnyModel(Input* input) {
  ByteModel model;
  std::vector<size_t> tensors;
  for (size_t i = input->UpTo(1) + 1; i > 0; --i) {
    tensors.push_back(model.AddInput(input->UpTo(40) + 1));
  }
  const size_t variable = model.AddVariable(input->UpTo(20) + 1);
  tensors.push_back(model.AddConstant({1, 2, 3, 5, 8}));
  const std::vector<std::string> names = {"Mix",  "MixInPlace", "Scratch",
                                          "Copy", "Accumulate", "Expand"};
  const bool is_dynamic = input->UpTo(3) == 0;
  std::vector<size_t> made;
  for (size_t i = input->UpTo(kMaxNodes); i <= kMaxNodes; ++i) {
    const std::string& name = names[input->UpTo(is_dynamic ? 5 : 4)];
    std::vector<size_t> reads = {input->OneOf(tensors)};
    if (name == "Accumulate") {
      reads.push_back(variable);
    } else if (name != "Copy" && input->Flag()) {
      reads.push_back(input->Flag() ? variable : input->OneOf(tensors));
    }
    const size_t more = name == "Copy" ? 0 : input->UpTo(5);
    made.push_back(model.Add(name, reads, static_cast<uint8_t>(more)));
    tensors.push_back(made.back());
  }
  model.MarkOutput(made.back());
  if (input->Flag()) {
    const size_t other = input->OneOf(made);
    if (other != made.back()) model.MarkOutput(other);
  }
  return model.spec();
}

InterpreterOptions AnyOptions(Input* input) {
  InterpreterOptions options;
  options.strategy = input->Flag() ? "greedy_by_size" : "arena_best_fit";
  options.memory_limit = kMemory;
  options.guard_bytes = 64;
  const uint8_t flags = input->Byte();
  options.preserve_all_tensors = (flags & 7) == 1;
  options.splits_partitions = (flags & 8) == 0;
  options.moves_arena = (flags & 16) != 0;
  options.delegate_fallback = (flags & 96) == 32;
  return options;
}

// Holds two copies of one graph: one with delegates and one without.
class Pair {
 public:
  Pair(const Model& model, InterpreterOptions options, Input* input)
      : input_(*input), has_fallback_(options.delegate_fallback) {
    plain_ = Create(model, options);
    options.observers = {&poison_, &touch_};
    run_ = Create(model, options);
  }

  void Run() {
    for (int i = 0; i < kMaxCalls && !input_.is_empty(); ++i) Call();
    Invoke();
    // Destroy the interpreter first, because it owns kernels and buffers that
    // are counted below.
    run_ = nullptr;
    delegates_.clear();
    for (const auto& log : logs_) {
      Check(log->kernels_created == log->kernels_destroyed, "kernels are left");
      Check(log->IsClean() || has_misused_, "buffers are left");
    }
  }

 private:
  static std::unique_ptr<Interpreter> Create(
      const Model& model, const InterpreterOptions& options) {
    auto interpreter = Interpreter::Create(model, ByteOperators(), options);
    Check(interpreter.ok(), interpreter.status().ToString());
    return *std::move(interpreter);
  }

  Subgraph& run() { return run_->primary(); }
  Subgraph& plain() { return plain_->primary(); }

  void Call() {
    switch (input_.UpTo(12)) {
      case 0:
      case 1:
      case 2:
        return Apply();
      case 3:
        return Remove();
      case 4:
        return Resize();
      case 5:
        return Allocate();
      case 6:
        return SetCustom();
      case 7:
        run().AllowBufferHandleOutput(input_.Flag());
        return;
      case 8:
        run()
            .EnsureReadable(input_.UpTo(run().spec().tensors.size()))
            .IgnoreError();
        return;
      case 9:
        run().ResetVariables();
        plain().ResetVariables();
        return;
      default:
        return Invoke();
    }
  }

  void Apply() {
    const bool is_new = delegates_.empty() || input_.UpTo(4) > 0;
    if (is_new) {
      logs_.push_back(std::make_shared<FakeLog>());
      AnyDelegate sampled = SampleDelegate(&input_, run().spec(), &run());
      has_misused_ = has_misused_ || sampled.misuses;
      faulty_.push_back(sampled.is_faulty);
      delegates_.push_back(std::make_shared<FakeDelegate>(
          std::move(sampled.spec), logs_.back()));
    }
    const size_t which =
        is_new ? delegates_.size() - 1 : input_.UpTo(delegates_.size() - 1);
    const std::vector<int> plan(run().execution_plan().begin(),
                                run().execution_plan().end());
    const size_t arena = run().plan().arena_bytes;
    const size_t applied = AppliedCount();
    const absl::Status status = run().ApplyDelegate(delegates_[which]);
    if (status.ok()) {
      has_faulty_ = has_faulty_ || faulty_[which];
      Check(plain().Allocate().ok(), "the plain graph");
      is_allocated_ = true;
      return;
    }
    Check(!status.message().empty(), "an error without words");
    if (!is_allocated_) return;
    if (AppliedCount() != applied) {
      // A delegate that was already applied could not be prepared again. This
      // is permitted only if a faulty delegate is applied.
      Check(has_faulty_, absl::StrCat("rejected: ", status.ToString()));
      is_allocated_ = false;
      return;
    }
    Check(run().execution_plan() == absl::MakeSpan(plan),
          absl::StrCat("the plan has changed: ", status.ToString()));
    // The arena may have become smaller, because it no longer contains memory
    // for computed shapes.
    Check(run().plan().arena_bytes <= arena,
          absl::StrCat("the arena has changed: ", status.ToString()));
    // The error may also come from a delegate that was already applied, because
    // applying a delegate prepares all of them again.
    Check(faulty_[which] || has_faulty_ || absl::IsFailedPrecondition(status) ||
              absl::IsResourceExhausted(status) || has_custom_,
          absl::StrCat("refused: ", status.ToString()));
  }

  size_t AppliedCount() {
    size_t count = 0;
    for (const AppliedDelegate& delegate : run().delegates()) {
      if (delegate.status.ok()) ++count;
    }
    return count;
  }

  void Remove() {
    const absl::Status status =
        input_.Flag() ? run().RemoveDelegates() : run_->RemoveDelegates();
    if (!status.ok()) {
      Check(has_custom_ || absl::IsResourceExhausted(status),
            status.ToString());
      is_allocated_ = false;
      return;
    }
    has_faulty_ = false;
    Allocate();
    if (!is_allocated_ || has_custom_) return;
    Check(run().delegates().empty(), "delegates are left");
    Check(run().plan().arena_bytes == plain().plan().arena_bytes &&
              run().plan().offsets == plain().plan().offsets,
          "not what it was without delegates");
  }

  void Resize() {
    const size_t i = input_.UpTo(run().input_count() - 1);
    const Shape shape = {static_cast<int32_t>(input_.UpTo(100))};
    const absl::Status status = run().ResizeInput(i, shape);
    Check(status.ok() == plain().ResizeInput(i, shape).ok(), status.ToString());
    if (status.ok()) is_allocated_ = false;
  }

  void Allocate() {
    Check(plain().Allocate().ok(), "the plain graph");
    const absl::Status status = run().Allocate();
    // A delegate that fails is removed, so the second attempt must succeed.
    is_allocated_ = status.ok() || run().Allocate().ok();
    // Variables keep their content if only memory provided by the caller has
    // been exchanged, so reset them.
    run().ResetVariables();
    Check(is_allocated_ || has_custom_ || has_faulty_ ||
              absl::IsResourceExhausted(status),
          status.ToString());
  }

  // Provides memory for a tensor. Skips variables, because a variable would
  // take its content from the provided memory.
  void SetCustom() {
    const size_t t = input_.UpTo(run().spec().tensors.size() - 1);
    if (run().spec().tensors[t].is_variable) return;
    const size_t bytes = run().tensor(t).bytes;
    const size_t spare = input_.UpTo(3) == 0 ? 0 : 600;
    custom_.push_back(std::make_unique<uint8_t[]>(bytes + spare));
    const absl::Status status = run().SetCustomAllocation(
        t, {custom_.back().get(), bytes + spare}, false);
    if (!status.ok()) return;
    has_custom_ = true;
    is_allocated_ = false;
  }

  void Feed(Subgraph& graph) const {
    for (size_t i = 0; i < graph.input_count(); ++i) {
      Tensor& tensor = graph.input(i);
      for (size_t byte = 0; byte < tensor.bytes; ++byte) {
        tensor.as<uint8_t>()[byte] =
            static_cast<uint8_t>(invocation_ * 11 + byte * 37 + i * 5 + 2);
      }
    }
  }

  void Invoke() {
    if (!is_allocated_) Allocate();
    if (!is_allocated_) return;
    ++invocation_;
    Feed(run());
    Feed(plain());
    const absl::Status status = run().Invoke();
    Check(plain().Invoke().ok(), "the plain graph");
    if (!status.ok()) {
      // With a faulty delegate, any check may fail, because the delegate may
      // misuse a buffer. With memory provided by the caller, two errors are
      // permitted: tensors with computed shapes are prepared during the
      // invocation, and the provided memory may then be forbidden or too small.
      Check(has_faulty_ || absl::IsCancelled(status) ||
                (has_custom_ && (absl::IsFailedPrecondition(status) ||
                                 absl::IsInvalidArgument(status))),
            status.ToString());
      // The graph may now run without delegates, and may then need more
      // provided memory.
      if (has_fallback_ && has_custom_) is_allocated_ = false;
      run().ResetVariables();
      plain().ResetVariables();
      return;
    }
    for (size_t i = 0; i < run().output_count(); ++i) {
      const size_t t = run().spec().outputs[i];
      if (!run().EnsureReadable(t).ok()) {
        Check(has_faulty_, "an output that cannot be read");
        continue;
      }
      if (has_misused_) continue;
      const Tensor& expected = plain().output(i);
      const Tensor& found = run().output(i);
      Check(expected.span<uint8_t>() == found.span<uint8_t>(),
            absl::StrCat("output ", i, " differs in invocation ", invocation_,
                         has_fallback_ ? ", with fallback" : ""));
    }
  }

  Input& input_;
  bool has_fallback_;
  PoisonChecker poison_{0x7F};
  TouchChecker touch_;
  std::unique_ptr<Interpreter> plain_;
  std::unique_ptr<Interpreter> run_;
  std::vector<std::shared_ptr<FakeLog>> logs_;
  std::vector<std::shared_ptr<FakeDelegate>> delegates_;
  std::vector<bool> faulty_;  // by delegate
  std::vector<std::unique_ptr<uint8_t[]>> custom_;
  // True if a faulty delegate has been applied.
  bool has_faulty_ = false;
  // True if buffers or shapes have been misused. In this case, any result is
  // permitted.
  bool has_misused_ = false;
  bool has_custom_ = false;
  bool is_allocated_ = false;
  size_t invocation_ = 0;
};

void Fuzz(Input* input) {
  const LoadedModel model(AnyModel(input));
  const InterpreterOptions options = AnyOptions(input);
  Pair(*model, options, input).Run();
}

}  // namespace
}  // namespace stowage::harness

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Input input(data, size);
  stowage::harness::Fuzz(&input);
  return 0;
}
