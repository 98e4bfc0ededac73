// SPDX-License-Identifier: Apache-2.0
// Tests the observers of checks.h with planted faults. The check that is made
// for a fault must find it, and must name the operator, the tensor and the
// byte.
//
// The offsets are chosen by hand so that each fault hits a known byte. The
// alignment is 64, and each tensor has 64 bytes or slightly fewer.
#include "stowage/harness/checks.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/observer.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/shadow.h"
#include "stowage/harness/tensor.h"
#include "stowage/tflite/model.h"
#include "tests/harness/byte_models.h"

namespace stowage::harness {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

constexpr uint8_t kPattern = 0xA5;

absl::Status RunOnce(const ByteModel& model, InterpreterOptions options,
                     std::vector<ExecutionObserver*> observers) {
  const LoadedModel loaded(model.spec());
  options.observers = std::move(observers);
  auto interpreter = Interpreter::Create(*loaded, ByteOperators(), options);
  if (!interpreter.ok()) return interpreter.status();
  Subgraph& graph = (*interpreter)->primary();
  absl::Status status = graph.Allocate();
  if (status.ok()) status = FeedBytes(graph, 0);
  if (status.ok()) status = graph.Invoke();
  return status;
}

// Returns a chain of operators in which `middle` computes b from a. The last
// operator also reads the tensors in `late`, so those tensors are live until
// task 2.
//
//   tensor  0 in  1 a  2 b  3 c        tasks  0: a  1: b  2: c
ByteModel Chain(const std::string& middle, size_t bytes,
                const std::vector<size_t>& late = {}) {
  ByteModel model;
  const size_t in = model.AddInput(bytes);
  const size_t a = model.Add("Mix", {in});
  const size_t b = model.Add(middle, {a});
  std::vector<size_t> last = {b};
  last.insert(last.end(), late.begin(), late.end());
  model.MarkOutput(model.Add("Mix", last));
  return model;
}

struct PlantedCase {
  std::string name;
  ByteModel model;
  std::map<size_t, size_t> offsets;
  std::string finding;  // part of the message
  size_t guard_bytes = 64;
  ShadowMode shadow = ShadowMode::kNone;
};

void PrintTo(const PlantedCase& planted, std::ostream* os) {
  *os << planted.name;
}

InterpreterOptions OptionsOf(const PlantedCase& planted) {
  InterpreterOptions options;
  options.planner = PlanAt(planted.offsets);
  options.guard_bytes = planted.guard_bytes;
  options.shadow = planted.shadow;
  options.io_lifetime = IoLifetime::kUse;
  return options;
}

class BytesThatAreNotLive : public ::testing::TestWithParam<PlantedCase> {};

TEST_P(BytesThatAreNotLive, AreWatchedByPoison) {
  const PlantedCase& planted = GetParam();
  PoisonChecker poison(kPattern);
  const auto run = [&] {
    return RunOnce(planted.model, OptionsOf(planted), {&poison});
  };
  if (kHasAddressSanitizer) {
    EXPECT_DEATH(run().IgnoreError(), "use-after-poison");
    return;
  }
  const absl::Status status = run();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_THAT(std::string(status.message()),
              AllOf(HasSubstr("operator 1 (CUSTOM \"WriteOneMore\"): poison "
                              "check: writes 0xee to byte "),
                    HasSubstr(planted.finding)));
}

INSTANTIATE_TEST_SUITE_P(
    , BytesThatAreNotLive,
    ::testing::Values(
        PlantedCase{"AfterItsLifetime",
                    Chain("WriteOneMore", 64),
                    {{0, 128}, {1, 0}, {2, 64}, {3, 192}},
                    "byte 128 of the arena, which belongs to tensor 0 "
                    "\"t0\" (tasks [0, 0]), not live at task 1; tensor 2 "
                    "\"t2\" (tasks [1, 2]), "
                    "which it writes, ends 0 bytes before it"},
        PlantedCase{"BeforeItsLifetime",
                    Chain("WriteOneMore", 64),
                    {{0, 192}, {1, 0}, {2, 64}, {3, 128}},
                    "byte 128 of the arena, which belongs to tensor 3 "
                    "\"t3\" (tasks from 2), not live at task 1"},
        PlantedCase{"Alignment",
                    Chain("WriteOneMore", 60),
                    {{0, 192}, {1, 0}, {2, 64}, {3, 128}},
                    "byte 124 of the arena, which belongs to no tensor; "},
        PlantedCase{"BeyondTheArena",
                    Chain("WriteOneMore", 64),
                    {{0, 128}, {1, 0}, {2, 192}, {3, 0}},
                    "byte 256 of the arena, which belongs to no tensor: it "
                    "is beyond the plan"}),
    [](const auto& planted) { return planted.param.name; });

class LiveBytesOfOthers : public ::testing::TestWithParam<PlantedCase> {};

TEST_P(LiveBytesOfOthers, AreWatchedByTouch) {
  const PlantedCase& planted = GetParam();
  TouchChecker touch;
  const absl::Status status =
      RunOnce(planted.model, OptionsOf(planted), {&touch});
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
  EXPECT_THAT(
      std::string(status.message()),
      AllOf(HasSubstr("operator 1 (CUSTOM "), HasSubstr(planted.finding)));
}

ByteModel WithConstant() {
  ByteModel model;
  const size_t in = model.AddInput(8);
  const size_t constant = model.AddConstant({1, 2, 3, 4});
  const size_t a = model.Add("Mix", {in});
  model.MarkOutput(model.Add("ChangeInput", {constant, a}));
  return model;
}

ByteModel WithDynamicInput() {
  ByteModel model;
  const size_t expanded = model.Add("Expand", {model.AddInput(8)});
  model.MarkOutput(model.Add("ChangeInput", {expanded}));
  return model;
}

// Returns the model in -> a -> b -> c with the outputs c and a. SpoilCopy
// computes b.
ByteModel WithSpoiledOutput() {
  ByteModel model;
  const size_t a = model.Add("Mix", {model.AddInput(64)});
  const size_t b = model.Add("SpoilCopy", {a});
  model.MarkOutput(model.Add("Mix", {b}));
  model.MarkOutput(a);
  return model;
}

INSTANTIATE_TEST_SUITE_P(
    , LiveBytesOfOthers,
    ::testing::Values(
        // Tensor a is live until task 2, but the plan places b on it at task 1.
        PlantedCase{"OverlappingPlan",
                    Chain("Mix", 64, {1}),
                    {{0, 192}, {1, 0}, {2, 0}, {3, 128}},
                    "touch check: changes byte 0 of tensor 1 \"t1\" (tasks "
                    "[0, 2]), which it does not write, from "},
        PlantedCase{"OverlappingInPart",
                    Chain("Mix", 100, {1}),
                    {{0, 192}, {1, 0}, {2, 64}, {3, 320}},
                    "touch check: changes byte 64 of tensor 1 \"t1\""},
        PlantedCase{"OverlappingPlanOfShadows",
                    Chain("Mix", 64, {1}),
                    {{0, 192}, {1, 0}, {2, 0}, {3, 128}},
                    "touch check: changes byte 0 of tensor 1 \"t1\" (tasks "
                    "[0, 2]), which it does not write, from ",
                    64,
                    ShadowMode::kAll},
        PlantedCase{"OverlappingInPartOfShadows",
                    Chain("Mix", 100, {1}),
                    {{0, 192}, {1, 0}, {2, 64}, {3, 320}},
                    "touch check: changes byte 64 of tensor 1 \"t1\"",
                    64,
                    ShadowMode::kAll},
        // The operator writes one byte past the end of b. The input starts at
        // that byte and is still live.
        PlantedCase{"LiveNeighbour",
                    Chain("WriteOneMore", 64, {0}),
                    {{0, 128}, {1, 0}, {2, 64}, {3, 192}},
                    "touch check: changes byte 0 of tensor 0 \"t0\" (tasks "
                    "[0, 2]), which it does not write, from 0x02 to 0xee; that "
                    "is byte 128 of the arena, and tensor 2 \"t2\" (tasks [1, "
                    "2]), which it writes, ends 0 bytes before it"},
        PlantedCase{"ItsOwnInput",
                    Chain("ChangeInput", 64),
                    {{0, 128}, {1, 0}, {2, 64}, {3, 192}},
                    "touch check: changes byte 63 of tensor 1 \"t1\" (tasks "
                    "[0, 1]), which it does not write, "},
        PlantedCase{"AConstant",
                    WithConstant(),
                    {{0, 0}, {2, 64}, {3, 128}},
                    "touch check: changes byte 3 of tensor 1 \"t1\" (no "
                    "tasks), which it does not write, from 0x04 to 0x05"},
        PlantedCase{"MemoryOfItsOwn",
                    WithDynamicInput(),
                    {{0, 0}},
                    "touch check: changes byte 2 of tensor 1 \"t1\""},
        // The operator claims that it leaves its input unmodified, so its
        // output may reuse the memory of the input although another operator
        // reads the input later.
        PlantedCase{"InPlaceThoughReadAgain",
                    Chain("SpoilCopy", 64, {1}),
                    {{0, 128}, {1, 0}, {3, 64}},
                    "touch check: changes byte 0 of tensor 1 \"t1\" (tasks "
                    "[0, 2]), whose memory it takes over in place, and which "
                    "operator 2 (CUSTOM \"Mix\") still reads, from "},
        PlantedCase{"InPlaceThoughTheCallerReads",
                    WithSpoiledOutput(),
                    {{0, 128}, {1, 0}, {3, 64}},
                    "touch check: changes byte 0 of tensor 1 \"t1\" (tasks "
                    "from 0), whose memory it takes over in place, and which "
                    "the graph's caller still reads, from "}),
    [](const auto& planted) { return planted.param.name; });

// Each of the two checks ignores the faults for which the other check is made,
// so the tests above show which check finds which fault.
TEST(TouchChecker, DoesNotSeeBytesThatAreNotLive) {
  TouchChecker touch;
  PlantedCase planted{
      "", Chain("WriteOneMore", 64), {{0, 128}, {1, 0}, {2, 64}, {3, 192}}, ""};
  const absl::Status status =
      RunOnce(planted.model, OptionsOf(planted), {&touch});
  EXPECT_TRUE(status.ok()) << status;
}

TEST(PoisonChecker, DoesNotSeeLiveBytes) {
  PoisonChecker poison(kPattern);
  PlantedCase planted{"",
                      Chain("WriteOneMore", 64, {0}),
                      {{0, 128}, {1, 0}, {2, 64}, {3, 192}},
                      ""};
  const absl::Status status =
      RunOnce(planted.model, OptionsOf(planted), {&poison});
  EXPECT_TRUE(status.ok()) << status;
}

TEST(TouchChecker, SeesAVariableThatIsNotTheOperators) {
  ByteModel model;
  const size_t in = model.AddInput(8);
  const size_t variable = model.AddVariable(64);
  const size_t other = model.AddVariable(64);
  const size_t a = model.Add("Accumulate", {in, variable});
  const size_t b = model.Add("WriteOneMore", {a, other});
  model.MarkOutput(b);
  const LoadedModel loaded(model.spec());
  OperatorResolver resolver = ByteOperators();
  // This operator also writes the byte before its own variable, which belongs
  // to another variable.
  resolver.Add(CustomOperator(
      "WriteOneMore",
      [](OperatorContext& context) {
        return context.ResizeOutput(0, context.input(0).shape);
      },
      [](OperatorContext& context) {
        std::memset(context.output(0).data, 1, context.output(0).bytes);
        context.variable(1).as<uint8_t>()[-1] = 0xEE;
        return absl::OkStatus();
      }));
  TouchChecker touch;
  InterpreterOptions options;
  options.observers = {&touch};
  auto interpreter = Interpreter::Create(*loaded, resolver, options);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  ASSERT_TRUE((*interpreter)->primary().Allocate().ok());
  EXPECT_THAT(
      std::string((*interpreter)->primary().Invoke().message()),
      HasSubstr("operator 1 (CUSTOM \"WriteOneMore\"): touch check: changes "
                "byte 63 of tensor 1 \"t1\""));
}

// Passes executions on to a checker with the lifetime of one tensor cut short,
// as faulty lifetime rules would do.
class ShortenLifetime : public ExecutionObserver {
 public:
  ShortenLifetime(ExecutionObserver* checker, size_t tensor, size_t last)
      : checker_(*checker), tensor_(tensor), last_(last) {}

  absl::Status BeforeOperator(const Execution& at) override {
    return With(at, &ExecutionObserver::BeforeOperator);
  }
  absl::Status AfterOperator(const Execution& at) override {
    return With(at, &ExecutionObserver::AfterOperator);
  }

 private:
  absl::Status With(const Execution& at,
                    absl::Status (ExecutionObserver::*call)(const Execution&)) {
    std::vector<Lifetime> lifetimes(at.lifetimes.begin(), at.lifetimes.end());
    lifetimes[tensor_].last = last_;
    Execution changed = at;
    changed.lifetimes = lifetimes;
    return (checker_.*call)(changed);
  }

  ExecutionObserver& checker_;
  size_t tensor_;
  size_t last_;
};

TEST(PoisonChecker, SeesAReadAfterAWrongEndOfALifetime) {
  PoisonChecker poison(kPattern);
  ShortenLifetime wrong(&poison, 1, 1);
  const absl::Status status = RunOnce(Chain("Mix", 8, {1}), {}, {&wrong});
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(
      std::string(status.message()),
      HasSubstr("operator 2 (CUSTOM \"Mix\"): poison check: reads tensor 1 "
                "\"t1\" (tasks [0, 1]) at task 2, outside its lifetime"));
}

// Records the content of the outputs and temporaries of each operator before
// the operator runs.
class LookAround : public ExecutionObserver {
 public:
  absl::Status BeforeOperator(const Execution& at) override {
    for (const size_t t : at.writes) {
      const Tensor& tensor = at.tensors[t];
      bytes_.insert(bytes_.end(), tensor.as<uint8_t>(),
                    tensor.as<uint8_t>() + tensor.bytes);
    }
    return absl::OkStatus();
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<uint8_t> bytes_;
};

TEST(PoisonChecker, OutputsAndTemporariesHoldThePatternAtFirst) {
  PoisonChecker poison(kPattern);
  LookAround look;
  const absl::Status status =
      RunOnce(Chain("Scratch", 8), {}, {&poison, &look});
  EXPECT_TRUE(status.ok()) << status;
  EXPECT_EQ(look.bytes().size(), 3 * 8 + 11);
  EXPECT_THAT(look.bytes(), Each(kPattern));
}

// During the run, the checker fills every input that is no longer needed with
// the pattern. The caller can fill the input again for the next run, also after
// a resize and after a failed run.
TEST(PoisonChecker, LetsTheCallerFillInputsBetweenRuns) {
  const LoadedModel loaded(Chain("RefuseOdd", 64).spec());
  PoisonChecker poison(kPattern);
  TouchChecker touch;
  InterpreterOptions options;
  options.io_lifetime = IoLifetime::kUse;
  options.observers = {&poison, &touch};
  auto interpreter = Interpreter::Create(*loaded, ByteOperators(), options);
  ASSERT_TRUE(interpreter.ok()) << interpreter.status();
  Subgraph& graph = (*interpreter)->primary();
  size_t refused = 0;
  for (const int32_t bytes : {64, 64, 400, 1, 64}) {
    ASSERT_TRUE(graph.ResizeInput(0, {bytes}).ok());
    ASSERT_TRUE(graph.Allocate().ok());
    for (size_t invocation = 0; invocation < 8; ++invocation) {
      ASSERT_TRUE(FeedBytes(graph, invocation).ok());
      const absl::Status status = graph.Invoke();
      if (absl::IsInvalidArgument(status)) {
        ++refused;
      } else {
        ASSERT_TRUE(status.ok()) << status;
      }
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, 40);
}

}  // namespace
}  // namespace stowage::harness
