// SPDX-License-Identifier: Apache-2.0
// Tests that CheckPlan, which compares a run under a plan with a run without
// sharing, finds planted faults and reports sound models as safe.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/assignment.h"
#include "stowage/harness/arena_planner.h"
#include "stowage/harness/checks.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/recorder.h"
#include "stowage/harness/shadow.h"
#include "stowage/planner.h"
#include "stowage/registry.h"
#include "stowage/tflite/model.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"
#include "tests/harness/byte_models.h"
#include "tests/support/plan_request.h"
#include "tests/support/sanitized.h"

namespace stowage::harness {
namespace {

using support::Plan;
using support::PlanRequest;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

CheckReport Check(const ByteModel& model, const CheckOptions& options) {
  const LoadedModel loaded(model.spec());
  auto report = CheckPlan(*loaded, ByteOperators(), options);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *std::move(report) : CheckReport();
}

CheckOptions Fed(ShadowMode shadow = ShadowMode::kNone) {
  CheckOptions options;
  options.feed = FeedBytes;
  options.plan.shadow = shadow;
  return options;
}

constexpr ShadowMode kWithAndWithoutShadows[] = {ShadowMode::kNone,
                                                 ShadowMode::kAll};

// Returns in -> a -> b -> c -> out. `middle` computes b, and c also reads a.
//
//   tensor  0 in  1 a  2 b  3 c  4 out     tasks  0: a  1: b  2: c  3: out
ByteModel Fork(const std::string& middle = "Mix", size_t bytes = 64) {
  ByteModel model;
  const size_t in = model.AddInput(bytes);
  const size_t a = model.Add("Mix", {in});
  const size_t b = model.Add(middle, {a});
  const size_t c = model.Add("Mix", {b, a});
  model.MarkOutput(model.Add("Mix", {c}));
  return model;
}

// Returns a wrong plan, in which tensor 1 ends too early and b is put on it.
absl::StatusOr<OffsetsAssignment> WithAWrongLifetime(
    const ArenaRecords& records) {
  std::vector<TensorUsageRecord<size_t>> wrong = records.records;
  for (size_t i = 0; i < wrong.size(); ++i) {
    if (records.tensors[i] == 1) wrong[i].last_task = wrong[i].first_task;
  }
  PlanRequest options;
  options.strategy = "greedy_by_size";
  options.kind = PlanKind::kOffsets;
  options.alignments = 64;
  const absl::StatusOr<Solution> result = Plan(wrong, options);
  if (!result.ok()) return result.status();
  return *result->offsets();
}

TEST(CheckPlan, ComparesOutputs) {
  for (const ShadowMode shadow : kWithAndWithoutShadows) {
    CheckOptions options = Fed(shadow);
    options.plan.planner = WithAWrongLifetime;
    options.touch = false;
    const CheckReport report = Check(Fork(), options);
    EXPECT_TRUE(report.finding.ok()) << report.finding;
    ASSERT_TRUE(report.difference.has_value());
    EXPECT_EQ(report.difference->tensor, 4);
    EXPECT_EQ(report.difference->node, 3);
    EXPECT_EQ(report.difference->byte, 0);
    EXPECT_NE(report.difference->expected, report.difference->found);
    EXPECT_THAT(report.difference->text,
                HasSubstr("invocation 0, subgraph 0, operator 3 (CUSTOM "
                          "\"Mix\"), tensor 4 \"t4\": byte 0 is 0x"));
  }
}

TEST(CheckPlan, ComparesWhatOperatorsCompute) {
  CheckOptions options = Fed();
  options.plan.planner = WithAWrongLifetime;
  options.touch = false;
  options.compares_all = true;
  const CheckReport report = Check(Fork(), options);
  ASSERT_TRUE(report.difference.has_value());
  EXPECT_EQ(report.difference->tensor, 3);
  EXPECT_EQ(report.difference->node, 2);
}

TEST(CheckPlan, NamesThePairOfAnOverlap) {
  for (const ShadowMode shadow : kWithAndWithoutShadows) {
    for (const bool touch : {false, true}) {
      CheckOptions options = Fed(shadow);
      options.plan.planner = WithAWrongLifetime;
      options.touch = touch;
      const CheckReport report = Check(Fork(), options);
      EXPECT_EQ(report.finding.ok(), !touch);
      ASSERT_TRUE(report.bisection.has_value());
      ASSERT_THAT(report.bisection->pairs, SizeIs(1)) << report.Text();
      const SharingPair& pair = report.bisection->pairs[0];
      EXPECT_EQ(pair.first_tensor, 1);
      EXPECT_EQ(pair.second_tensor, 2);
      EXPECT_EQ(pair.end - pair.begin, 64);
      EXPECT_EQ(pair.in_place_node, absl::nullopt);
      EXPECT_THAT(pair.text,
                  HasSubstr("tensor 1 \"t1\" (tasks 0 to 2) and "
                            "tensor 2 \"t2\" (tasks 1 to 2) both have "
                            "bytes ["));
      EXPECT_THAT(report.Text(), HasSubstr(pair.text));
    }
  }
}

// Thirty tensors in a row alternate between two places. One pair shares bytes
// although both tensors are needed at the same time.
TEST(CheckPlan, NamesOnePairAmongHundreds) {
  ByteModel model;
  size_t last = model.AddInput(64);
  std::vector<size_t> row;
  for (size_t i = 0; i < 30; ++i) {
    std::vector<size_t> inputs = {last};
    if (i == 20) inputs.push_back(row[10]);
    last = model.Add("Mix", inputs);
    row.push_back(last);
  }
  model.MarkOutput(last);
  std::map<size_t, size_t> offsets = {{0, 128}};
  for (size_t i = 0; i < row.size(); ++i) offsets[row[i]] = i % 2 * 64;
  // No other tensor may be in the place of row[10] while row[10] is live. This
  // loop moves all tensors that would be there, except for row[16].
  for (size_t i = 11; i <= 20; ++i) {
    if (i % 2 == 0 && i != 16) offsets[row[i]] = 192;
  }
  for (const ShadowMode shadow : kWithAndWithoutShadows) {
    CheckOptions options = Fed(shadow);
    options.plan.planner = PlanAt(offsets);
    options.touch = false;
    const CheckReport report = Check(model, options);
    EXPECT_FALSE(report.is_safe());
    ASSERT_TRUE(report.bisection.has_value());
    ASSERT_THAT(report.bisection->pairs, SizeIs(1)) << report.Text();
    EXPECT_EQ(report.bisection->pairs[0].first_tensor, row[10]);
    EXPECT_EQ(report.bisection->pairs[0].second_tensor, row[16]);
    EXPECT_LT(report.bisection->runs, 60);
  }
}

TEST(CheckPlan, NamesThePairOfAnInPlaceFlag) {
  for (const bool touch : {false, true}) {
    CheckOptions options = Fed();
    options.touch = touch;
    const CheckReport report = Check(Fork("SpoilCopy"), options);
    EXPECT_FALSE(report.is_safe());
    EXPECT_EQ(report.finding.ok(), !touch);
    ASSERT_TRUE(report.bisection.has_value());
    ASSERT_THAT(report.bisection->pairs, SizeIs(1)) << report.Text();
    const SharingPair& pair = report.bisection->pairs[0];
    EXPECT_EQ(pair.first_tensor, 1);
    EXPECT_EQ(pair.second_tensor, 2);
    EXPECT_EQ(pair.in_place_node, 1);
    EXPECT_THAT(pair.text,
                HasSubstr("operator 1 (CUSTOM \"SpoilCopy\") writes tensor 2 "
                          "\"t2\" in place of tensor 1 \"t1\", bytes ["));
  }
}

// Plans once, and returns the same plan even if tensors have grown.
class StalePlanner {
 public:
  absl::StatusOr<OffsetsAssignment> operator()(const ArenaRecords& records) {
    if (first_->offsets.empty()) {
      PlanRequest options;
      options.strategy = "greedy_by_size";
      options.kind = PlanKind::kOffsets;
      options.alignments = 64;
      const absl::StatusOr<Solution> result = Plan(records.records, options);
      if (!result.ok()) return result.status();
      *first_ = *result->offsets();
    }
    return *first_;
  }

 private:
  std::shared_ptr<OffsetsAssignment> first_ =
      std::make_shared<OffsetsAssignment>();
};

absl::Status GrowAndFeed(Subgraph& graph, size_t invocation) {
  if (invocation > 0) {
    const auto bytes = static_cast<int32_t>(64 + 100 * invocation);
    absl::Status status = graph.ResizeInput(0, {bytes});
    if (status.ok()) status = graph.Allocate();
    if (!status.ok()) return status;
  }
  return FeedBytes(graph, invocation);
}

TEST(CheckPlan, FindsAStalePlanAfterAResize) {
  for (const ShadowMode shadow : kWithAndWithoutShadows) {
    CheckOptions options = Fed(shadow);
    options.feed = GrowAndFeed;
    options.plan.planner = StalePlanner();
    EXPECT_TRUE(Check(Fork(), options).is_safe());
    options.invocations = 3;
    const CheckReport touched = Check(Fork(), options);
    EXPECT_THAT(std::string(touched.finding.message()),
                HasSubstr("touch check: changes byte"));
    ASSERT_TRUE(touched.bisection.has_value());
    EXPECT_THAT(touched.bisection->pairs, SizeIs(1)) << touched.Text();

    options.touch = false;
    options.plan.planner = StalePlanner();
    const CheckReport compared = Check(Fork(), options);
    ASSERT_TRUE(compared.difference.has_value()) << compared.Text();
    EXPECT_EQ(compared.difference->invocation, 1);
  }
}

TEST(CheckPlan, FindsWhoReadsWhatNobodyWrote) {
  for (const std::string name : {"LeaveOutLast", "ReadOutput"}) {
    CheckOptions options = Fed();
    options.compares_all = true;
    const CheckReport report = Check(Fork(name), options);
    ASSERT_TRUE(report.difference.has_value()) << name;
    EXPECT_EQ(report.difference->node, 1);
    EXPECT_EQ(report.difference->byte, name == "ReadOutput" ? 0 : 63);
    ASSERT_TRUE(report.bisection.has_value());
    EXPECT_THAT(report.bisection->pairs, IsEmpty());
    EXPECT_THAT(report.Text(), HasSubstr("fails without sharing, too"));
  }
}

TEST(CheckPlan, TellsAnOperatorsFaultFromAPlans) {
  const auto check = [] { return Check(Fork("WriteOneMore"), Fed()); };
  if (kHasAddressSanitizer) {
    EXPECT_DEATH(check(), "use-after-poison");
    return;
  }
  const CheckReport report = check();
  EXPECT_TRUE(report.is_without_sharing);
  EXPECT_EQ(report.bisection, absl::nullopt);
  EXPECT_THAT(report.Text(),
              HasSubstr("without sharing: bytes.tflite: subgraph "
                        "0, operator 1 (CUSTOM \"WriteOneMore\"): "));
}

// Without the poison check, a write past the end of a tensor is found only by
// the damage to its neighbor. The two tensors named share no bytes.
TEST(CheckPlan, NamesNeighbours) {
  CheckOptions options = Fed();
  options.poison = false;
  options.touch = false;
  options.plan.planner =
      PlanAt({{0, 256}, {1, 64}, {2, 0}, {3, 128}, {4, 192}});
  const CheckReport report = Check(Fork("WriteOneMore"), options);
  ASSERT_TRUE(report.bisection.has_value());
  ASSERT_THAT(report.bisection->pairs, SizeIs(1)) << report.Text();
  EXPECT_EQ(report.bisection->pairs[0].first_tensor, 1);
  EXPECT_EQ(report.bisection->pairs[0].second_tensor, 2);
  EXPECT_THAT(report.bisection->pairs[0].text,
              HasSubstr("lie side by side, 0 bytes apart"));
}

TEST(CheckPlan, FindsAnErrorThatOnlyThePlanBrings) {
  ByteModel model;
  const size_t in = model.AddInput(64);
  const size_t even = model.Add("Copy", {in});
  const size_t other = model.Add("Mix", {in});
  const size_t out = model.Add("RefuseOdd", {even});
  model.MarkOutput(model.Add("Mix", {out, other}));
  CheckOptions options = Fed();
  options.poison = false;
  options.touch = false;
  // `other` overwrites `even`. Mix therefore computes an odd first byte, and
  // RefuseOdd returns an error.
  options.plan.planner =
      PlanAt({{0, 128}, {even, 0}, {other, 0}, {4, 192}, {out, 256}});
  const CheckReport report = Check(model, options);
  EXPECT_EQ(report.finding.code(), absl::StatusCode::kInvalidArgument)
      << report.Text();
  EXPECT_FALSE(report.is_without_sharing);
  ASSERT_TRUE(report.bisection.has_value());
  EXPECT_THAT(report.bisection->pairs, SizeIs(1)) << report.Text();
}

TEST(CheckPlan, SaysWhatItCannotCheck) {
  const LoadedModel loaded(Fork().spec());
  EXPECT_THAT(
      std::string(CheckPlan(*loaded, ByteOperators(), {}).status().message()),
      HasSubstr("expected a feed for subgraph 0"));
  CheckOptions options = Fed();
  options.subgraph = 1;
  EXPECT_THAT(
      std::string(
          CheckPlan(*loaded, ByteOperators(), options).status().message()),
      HasSubstr("no subgraph 1; expected an index below 1"));
}

// The observers in the options see the run under the plan exactly once, and do
// not see the run without sharing.
TEST(CheckPlan, ShowsTheRunToObservers) {
  Profiler profiler;
  CheckOptions options = Fed();
  options.plan.planner = WithAWrongLifetime;
  options.touch = false;
  options.plan.observers = {&profiler};
  EXPECT_FALSE(Check(Fork(), options).is_safe());
  ASSERT_THAT(profiler.Operators(), SizeIs(4));
  EXPECT_EQ(profiler.Operators()[0].runs, 1);
}

// The tests below run sound models.

// The kind of an operator, the indices of its inputs, and its additional bytes.
using Step = std::tuple<size_t, std::vector<size_t>, uint8_t>;

ByteModel ModelOf(size_t bytes, const std::vector<Step>& steps,
                  const std::vector<size_t>& outputs) {
  const std::vector<std::string> kinds = {"Mix",     "MixInPlace", "Copy",
                                          "Scratch", "Accumulate", "Expand",
                                          "CallOnce"};
  ByteModel model;
  std::vector<size_t> tensors = {model.AddInput(bytes), model.AddInput(5),
                                 model.AddConstant({3, 1, 4})};
  const size_t variable = model.AddVariable(9);
  for (const auto& [kind, reads, more] : steps) {
    std::vector<size_t> inputs;
    for (const size_t read : reads) {
      inputs.push_back(tensors[tensors.size() - 1 - read % tensors.size()]);
    }
    if (inputs.empty()) inputs.push_back(tensors.back());
    const std::string& name = kinds[kind % kinds.size()];
    if (name == "Accumulate") inputs.resize(1), inputs.push_back(variable);
    // An output that is computed in place must have as many bytes as the input.
    const bool may_grow = name == "Mix" || name == "Scratch";
    tensors.push_back(model.Add(name, inputs, may_grow ? more : uint8_t{0}));
  }
  model.MarkOutput(tensors.back());
  for (const size_t output : outputs) {
    model.MarkOutput(tensors[output % tensors.size()]);
  }
  // CallOnce calls this subgraph.
  model.BeginSubgraph();
  const size_t initial = model.AddConstant({9, 9});
  model.Add("Mix", {model.Add("Mix", {initial})});
  return model;
}

struct Planning {
  std::string strategy;
  PlanKind kind;
};

std::vector<Planning> AllPlannings() {
  std::vector<Planning> all = {{"", PlanKind::kOffsets}};
  for (const Strategy* strategy : AllStrategies()) {
    const FeatureSet features = strategy->info().features;
    const std::string& name = strategy->info().name;
    using Kind = PlanKind;
    if (features.Has(Feature::kOffsets)) all.push_back({name, Kind::kOffsets});
    if (features.Has(Feature::kObjects)) all.push_back({name, Kind::kObjects});
  }
  return all;
}

ByteModel AnyModel() {
  const auto bytes = *rc::gen::inRange<size_t>(1, 200);
  const auto steps = *rc::gen::nonEmpty(rc::gen::container<std::vector<Step>>(
      rc::gen::tuple(rc::gen::inRange<size_t>(0, 7),
                     rc::gen::resize(3, rc::gen::container<std::vector<size_t>>(
                                            rc::gen::inRange<size_t>(0, 5))),
                     rc::gen::inRange<uint8_t>(0, 255))));
  const auto outputs = *rc::gen::resize(
      2, rc::gen::container<std::vector<size_t>>(rc::gen::arbitrary<size_t>()));
  return ModelOf(bytes, steps, outputs);
}

ShadowMode AnyShadow() {
  return *rc::gen::element(ShadowMode::kNone, ShadowMode::kAll);
}

// After a resize, the shadows of Expand and its readers know no shapes.
bool IsUnknownShape(const CheckOptions& options, const absl::Status& status) {
  return options.plan.shadow == ShadowMode::kAll &&
         absl::IsInvalidArgument(status) &&
         absl::StrContains(status.message(), "the shape is not known");
}

RC_GTEST_PROP(CheckPlan, RaisesNoFalseAlarm, ()) {
  const ByteModel model = AnyModel();
  const LoadedModel loaded(model.spec());
  CheckOptions options;
  options.feed = *rc::gen::arbitrary<bool>() ? FeedBytes : GrowAndFeed;
  options.invocations = 3;
  options.compares_all = *rc::gen::arbitrary<bool>();
  options.plan.io_lifetime =
      *rc::gen::element(IoLifetime::kKeep, IoLifetime::kUse);
  options.plan.preserve_all_tensors =
      *rc::gen::weightedElement<bool>({{4, false}, {1, true}});
  options.plan.shadow = AnyShadow();
  std::vector<Planning> plannings = AllPlannings();
  if (support::kIsSanitized) plannings = {*rc::gen::elementOf(plannings)};
  for (const Planning& planning : plannings) {
    options.plan.strategy = planning.strategy;
    options.plan.kind = planning.kind;
    const auto report = CheckPlan(*loaded, ByteOperators(), options);
    RC_LOG() << planning.strategy << "\n";
    if (IsUnknownShape(options, report.status())) return;
    if (!report.ok()) RC_FAIL(report.status().ToString());
    if (!report->is_safe()) RC_FAIL(report->Text());
  }
}

// Most of these random plans are unsafe. CheckPlan must not report a safe plan,
// and must name a pair that shares bytes while both tensors are live.
RC_GTEST_PROP(CheckPlan, NamesWhoIsInTheWay, ()) {
  const ByteModel model = AnyModel();
  const LoadedModel loaded(model.spec());
  const auto places = *rc::gen::container<std::vector<size_t>>(
      50, rc::gen::inRange<size_t>(0, 40));
  ArenaRecords records;
  OffsetsAssignment plan;
  CheckOptions options = Fed();
  options.touch = *rc::gen::arbitrary<bool>();
  options.poison = options.touch;
  options.plan.shadow = AnyShadow();
  bool is_first = true;
  options.plan.planner = [&](const ArenaRecords& asked) {
    OffsetsAssignment offsets;
    for (size_t i = 0; i < asked.tensors.size(); ++i) {
      // The plan of the called subgraph is safe.
      const size_t place =
          is_first ? places[asked.tensors[i] % places.size()] : i;
      offsets.offsets.push_back(place * 64);
    }
    if (is_first) {
      records = asked;
      plan = offsets;
    }
    is_first = false;
    return absl::StatusOr<OffsetsAssignment>(offsets);
  };
  const auto report = CheckPlan(*loaded, ByteOperators(), options);
  if (IsUnknownShape(options, report.status())) return;
  if (!report.ok()) RC_FAIL(report.status().ToString());
  RC_CLASSIFY(!report->is_safe(), "unsafe");
  if (report->is_safe()) return;
  plan.total_size = 1 << 20;
  RC_ASSERT(FindViolation(records.records, plan).has_value());
  RC_ASSERT(report->bisection.has_value());
  RC_LOG() << report->Text();
  RC_ASSERT(!report->bisection->pairs.empty());
  const auto record_of = [&](size_t tensor) {
    const auto found =
        std::find(records.tensors.begin(), records.tensors.end(), tensor);
    RC_ASSERT(found != records.tensors.end());
    return records
        .records[static_cast<size_t>(found - records.tensors.begin())];
  };
  bool is_one_in_the_way = false;
  for (const SharingPair& pair : report->bisection->pairs) {
    is_one_in_the_way =
        is_one_in_the_way ||
        (!pair.in_place_node && pair.begin < pair.end &&
         Conflict(record_of(pair.first_tensor), record_of(pair.second_tensor)));
  }
  RC_ASSERT(is_one_in_the_way);
}

}  // namespace
}  // namespace stowage::harness
