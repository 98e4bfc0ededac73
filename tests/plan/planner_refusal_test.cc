// SPDX-License-Identifier: Apache-2.0
// Tests which requests the planner refuses, with the complete messages, and
// which wrong results of a strategy it rejects.
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/planner.h"
#include "stowage/registry.h"
#include "stowage/verify.h"
#include "tests/model/extreme_sizes.h"
#include "tests/plan/scripted_strategy.h"
#include "tests/support/plan_request.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using support::Plan;
using support::PlanRequest;
using ::testing::ElementsAre;
using ::testing::StartsWith;
using ByteRecords = std::vector<TensorUsageRecord<size_t>>;

PlanRequest With(std::string strategy, PlanKind kind = PlanKind::kOffsets) {
  PlanRequest options;
  options.strategy = std::move(strategy);
  options.kind = kind;
  return options;
}

void Register(std::string name, FeatureSet features,
              ScriptedStrategy::Script offsets,
              ScriptedStrategy::Script objects = nullptr) {
  ASSERT_THAT(
      RegisterStrategy(std::make_unique<ScriptedStrategy>(
          std::move(name), features, std::move(offsets), std::move(objects))),
      IsOk());
}

TEST(RefusalTest, RecordsAreNamed) {
  const struct {
    ByteRecords records;
    absl::StatusCode code;
    const char* message;
  } cases[] = {
      {{{16, 0, 1}, {16, 3, 2}},
       absl::StatusCode::kInvalidArgument,
       "record 1: its first task 3 is after its last task 2; "
       "expected the first not after the last"},
      {{{kMax, 0, 0}, {1, 5, 5}},
       absl::StatusCode::kOutOfRange,
       "record 1: its size 1 makes the sum of sizes overflow 64 bits; expected "
       "a sum below 2^64"},
  };
  for (const auto& c : cases) {
    ObjectsAssignment<size_t> objects = {{7}, {7}};
    EXPECT_THAT(
        AssignObjectsToTensors(c.records, MemoryStrategy::NAIVE, &objects),
        FailsWith(c.code, c.message));
    EXPECT_THAT(objects.object_ids, ElementsAre(7));  // unchanged
    EXPECT_THAT(objects.object_sizes, ElementsAre(7));

    OffsetsAssignment offsets = {{7}, 7};
    EXPECT_THAT(
        AssignOffsetsToTensors(c.records, MemoryStrategy::NAIVE, &offsets),
        FailsWith(c.code, c.message));
    EXPECT_THAT(offsets.offsets, ElementsAre(7));
    EXPECT_EQ(offsets.total_size, 7);

    for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
      EXPECT_THAT(Plan(c.records, With("naive", kind)),
                  FailsWith(c.code, c.message));
    }
  }
}

TEST(RefusalTest, ExtentsAreCheckedToo) {
  ObjectsAssignment<BHWC> shapes;
  EXPECT_THAT(AssignObjectsToTensors<BHWC>({{BHWC(1, -8, 4, 2), 0, 1}},
                                           MemoryStrategy::NAIVE, &shapes),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "record 0: size 1x-8x4x2 has a component below 0; "
                        "expected 0 or above"));
}

TEST(RefusalTest, ExtentsAreOfTheStrategiesThatKnowThem) {
  ObjectsAssignment<uint2> flat;
  EXPECT_THAT(AssignObjectsToTensors<uint2>(
                  {{uint2(8, 4), 0, 1}}, MemoryStrategy::GREEDY_BY_SIZE, &flat),
              FailsWith(absl::StatusCode::kUnimplemented,
                        "strategy 'greedy_by_size' does not support extents"));
  ObjectsAssignment<BHWC> shapes;
  EXPECT_THAT(
      AssignObjectsToTensors<BHWC>({{BHWC(1, 8, 4, 2), 0, 1}},
                                   MemoryStrategy::GREEDY_IN_ORDER, &shapes),
      FailsWith(absl::StatusCode::kUnimplemented,
                "strategy 'greedy_in_order' does not support shapes"));
}

TEST(RefusalTest, AlignmentsArePowersOfTwo) {
  const ByteRecords records = {{16, 0, 1}, {16, 0, 1}};
  for (const size_t alignment : {size_t{0}, size_t{3}}) {
    const auto refused =
        FailsWith(absl::StatusCode::kInvalidArgument,
                  "alignment: it is " + std::to_string(alignment) +
                      "; expected a power of two");
    OffsetsAssignment offsets = {{7}, 7};
    EXPECT_THAT(AssignOffsetsToTensors(records, MemoryStrategy::NAIVE, &offsets,
                                       alignment),
                refused);
    EXPECT_EQ(offsets.total_size, 7);
    for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
      ProblemSpec spec;
      spec.kind = kind;
      spec.records = records;
      spec.alignment = alignment;
      EXPECT_THAT(Problem::Create(spec), refused);
    }
  }
  const std::vector<size_t> list = {16, 48};
  ProblemSpec spec;
  spec.records = records;
  spec.alignments = list;
  EXPECT_THAT(
      Problem::Create(spec),
      FailsWith(absl::StatusCode::kInvalidArgument,
                "record 1: its alignment is 48; expected a power of two"));
  spec.alignments.pop_back();
  EXPECT_THAT(
      Problem::Create(spec),
      FailsWith(absl::StatusCode::kInvalidArgument,
                "alignments: 1 given; expected 2, one for each record"));
}

TEST(RefusalTest, PaddedSizesMustFit64Bits) {
  OffsetsAssignment offsets;
  EXPECT_THAT(AssignOffsetsToTensors({{1, 0, 0}, {1, 1, 1}},
                                     MemoryStrategy::NAIVE, &offsets, kHalf),
              FailsWith(absl::StatusCode::kOutOfRange,
                        "record 1: its size 1 with alignment "
                        "9223372036854775808 makes the sum of sizes overflow "
                        "64 bits; expected a sum below 2^64"));
  EXPECT_THAT(AssignOffsetsToTensors({{kMax - 6, 0, 0}}, MemoryStrategy::NAIVE,
                                     &offsets, 8),
              FailsWith(absl::StatusCode::kOutOfRange,
                        "record 0: its size 18446744073709551609 with "
                        "alignment 8 makes the sum of sizes overflow "
                        "64 bits; expected a sum below 2^64"));
  EXPECT_THAT(AssignOffsetsToTensors({{kMax - 7, 0, 0}}, MemoryStrategy::NAIVE,
                                     &offsets, 8),
              IsOk());
}

TEST(RefusalTest, StrategiesAreAskedForNothingTheyCannotDo) {
  Register("only_offsets", OffsetsOnly(), nullptr);
  Register("only_objects", ObjectsOnly(), nullptr);
  EXPECT_THAT(
      Plan({}, With("only_offsets", PlanKind::kObjects)),
      FailsWith(absl::StatusCode::kUnimplemented,
                StartsWith("strategy 'only_offsets' does not support objects; "
                           "expected one of ")));
  EXPECT_THAT(Plan({}, With("only_objects")),
              FailsWith(absl::StatusCode::kUnimplemented,
                        StartsWith("strategy 'only_objects' does not support "
                                   "offsets; expected one of ")));
}

// If the input calls groups "gaps", the message uses the same word.
TEST(RefusalTest, GroupsAreCalledAsTheInputCallsThem) {
  ProblemSpec spec;
  spec.records = {{8, 0, 1}, {8, 2, 3}};
  spec.constraints.places.resize(2);
  for (RecordPlace& place : spec.constraints.places) place.group = 0;
  spec.constraints.places[1].at = 4;
  for (const char* word : {"groups", "gaps"}) {
    spec.constraints.group_word = word;
    const auto problem = Problem::Create(spec);
    ASSERT_TRUE(problem.ok()) << problem.status();
    EXPECT_THAT(
        Solve(*problem, "naive"),
        FailsWith(absl::StatusCode::kUnimplemented,
                  StartsWith(absl::StrCat("strategy 'naive' does not support ",
                                          word, "; expected one of "))));
  }
}

TEST(RefusalTest, AReallocationGraphIsNeverDroppedSilently) {
  const UsageGraph graph = {{}};
  const auto refused =
      FailsWith(absl::StatusCode::kUnimplemented,
                StartsWith("strategy 'naive' does not support "
                           "reallocation_graph; expected one of "));
  const ByteRecords records = {{16, 0, 1}};
  ObjectsAssignment<size_t> objects = {{7}, {7}};
  EXPECT_THAT(
      AssignObjectsToTensors(records, MemoryStrategy::NAIVE, &objects, &graph),
      refused);
  EXPECT_THAT(objects.object_ids, ElementsAre(7));
  OffsetsAssignment offsets;
  EXPECT_THAT(AssignOffsetsToTensors(records, MemoryStrategy::NAIVE, &offsets,
                                     /*base_addr_align_bytes=*/1, &graph),
              refused);
  PlanRequest options = With("naive");
  options.reallocation_graph = &graph;
  EXPECT_THAT(Plan(records, options), refused);
}

TEST(RefusalTest, AReallocationGraphIsOfBytes) {
  const UsageGraph graph = {{1}, {}};
  const std::vector<TensorUsageRecord<uint2>> records = {{{4, 4}, 0, 1},
                                                         {{4, 4}, 2, 3}};
  ObjectsAssignment<uint2> plan;
  EXPECT_THAT(AssignObjectsToTensors(records, MemoryStrategy::GREEDY_IN_ORDER,
                                     &plan, &graph),
              FailsWith(absl::StatusCode::kUnimplemented,
                        "reallocation graph: not supported for extents and "
                        "shapes; expected sizes in bytes"));
}

TEST(RefusalTest, AReallocationGraphMustFitTheRecords) {
  FeatureSet features = OffsetsOnly();
  features.Add(Feature::kReallocationGraph);
  Register("wants_a_graph", features, nullptr);
  const struct {
    UsageGraph graph;
    const char* message;
  } cases[] = {
      {{{}},
       "reallocation graph: it has 1 entries; expected 2, one for each record"},
      {{{}, {}, {}},
       "reallocation graph: it has 3 entries; expected 2, one for each record"},
      {{{1}, {0, 2}},
       "reallocation graph: entry 1 lists record 2; expected an index below "
       "2"},
      {{{7}, {}},
       "reallocation graph: entry 0 lists record 7; expected an index below "
       "2"},
  };
  for (const auto& c : cases) {
    PlanRequest options = With("wants_a_graph");
    options.reallocation_graph = &c.graph;
    EXPECT_THAT(Plan(ByteRecords{{16, 0, 1}, {16, 1, 2}}, options),
                FailsWith(absl::StatusCode::kInvalidArgument, c.message));
  }
}

TEST(RefusalTest, StrategiesThatAreNotThereAreNotFound) {
  EXPECT_THAT(Plan({}, With("magic")),
              FailsWith(absl::StatusCode::kNotFound,
                        StartsWith("no strategy 'magic'; expected one of ")));
}

// A request with a mistake is refused even if the records also exceed the
// capacity.
TEST(RefusalTest, ComesBeforeTheVerdictOnTheCapacity) {
  const ByteRecords records = {{16, 0, 1}};
  PlanRequest options = With("naive");
  options.capacity = 1;
  options.alignments = 3;
  EXPECT_THAT(
      Plan(records, options),
      FailsWith(absl::StatusCode::kInvalidArgument,
                "record 0: its alignment is 3; expected a power of two"));
  const UsageGraph graph = {{}};
  options = With("naive");
  options.capacity = 1;
  options.reallocation_graph = &graph;
  EXPECT_THAT(Plan(records, options),
              FailsWith(absl::StatusCode::kUnimplemented,
                        StartsWith("strategy 'naive' does not support "
                                   "reallocation_graph; expected one of ")));
}

// Expects the error for an unsafe plan with a violation of the given kind.
void ExpectUnsafe(const absl::Status& status, const std::string& strategy,
                  Violation::Kind kind, const std::string& message) {
  EXPECT_THAT(status, FailsWith(absl::StatusCode::kFailedPrecondition,
                                "strategy '" + strategy +
                                    "' returned an unsafe plan: " + message));
  const absl::optional<Violation> violation = ViolationOf(status);
  ASSERT_TRUE(violation) << status;
  EXPECT_EQ(violation->kind, kind) << status;
}

TEST(UnsafePlanTest, NeverLeavesTheLibrary) {
  const ByteRecords records = {{16, 0, 1}, {16, 1, 2}};
  const struct {
    const char* strategy;
    OffsetsAssignment plan;
    Violation::Kind kind;
    const char* violation;
  } cases[] = {
      {"overlaps",
       {{0, 8}, 24},
       Violation::Kind::kOverlappingBytes,
       "tensor 0 and tensor 1 both hold bytes [8, 16) at task 1"},
      {"forgets_one",
       {{0}, 32},
       Violation::Kind::kCountMismatch,
       "the plan has 1 places for 2 tensors"},
      {"adds_one",
       {{0, 16, 32}, 64},
       Violation::Kind::kCountMismatch,
       "the plan has 3 places for 2 tensors"},
      {"understates",
       {{0, 16}, 31},
       Violation::Kind::kBeyondArena,
       "tensor 1 holds bytes [16, 32), beyond an arena of 31 bytes"},
      {"misaligns",
       {{1, 24}, 40},
       Violation::Kind::kMisaligned,
       "tensor 0 starts at byte 1, which is not a multiple of 8"},
  };
  for (const auto& c : cases) {
    Register(
        c.strategy, OffsetsOnly(),
        [plan = c.plan](const Problem&, const SolveOptions&) { return plan; });
    PlanRequest options = With(c.strategy);
    options.alignments = 8;
    ExpectUnsafe(Plan(records, options).status(), c.strategy, c.kind,
                 c.violation);
  }
}

TEST(UnsafePlanTest, OfObjectsNeverLeavesTheLibraryEither) {
  const ByteRecords records = {{16, 0, 1}, {8, 1, 2}};
  const struct {
    const char* strategy;
    ObjectsAssignment<size_t> plan;
    Violation::Kind kind;
    const char* violation;
  } cases[] = {
      {"shares",
       {{0, 0}, {16}},
       Violation::Kind::kSharedObject,
       "tensor 0 and tensor 1 both hold object 0 at task 1"},
      {"skimps",
       {{0, 1}, {15, 8}},
       Violation::Kind::kObjectTooSmall,
       "tensor 0 is larger than its object 0"},
      {"invents",
       {{0, 2}, {16, 8}},
       Violation::Kind::kUnknownObject,
       "tensor 1 has object 2, but there are 2 objects"},
      {"gives_up",
       {{}, {}},
       Violation::Kind::kCountMismatch,
       "the plan has 0 places for 2 tensors"},
  };
  for (const auto& c : cases) {
    Register(
        c.strategy, ObjectsOnly(), nullptr,
        [plan = c.plan](const Problem&, const SolveOptions&) { return plan; });
    ExpectUnsafe(Plan(records, With(c.strategy, PlanKind::kObjects)).status(),
                 c.strategy, c.kind, c.violation);
  }
}

TEST(UnsafePlanTest, AMissingPlanCountsAsOneWithoutPlaces) {
  Register("says_nothing", {Feature::kOffsets, Feature::kObjects}, nullptr);
  for (const PlanKind kind : {PlanKind::kOffsets, PlanKind::kObjects}) {
    const absl::Status status =
        Plan(ByteRecords{{16, 0, 1}, {8, 1, 2}}, With("says_nothing", kind))
            .status();
    ExpectUnsafe(status, "says_nothing", Violation::Kind::kCountMismatch,
                 "there is no plan; expected one of the problem's kind");
    EXPECT_EQ(ViolationOf(status)->expected, 2);
    EXPECT_EQ(ViolationOf(status)->found, 0);
  }
}

TEST(UnsafePlanTest, ObjectsWhoseTotalOverflowsAreRefused) {
  Register("boasts", ObjectsOnly(), nullptr,
           [](const Problem&, const SolveOptions&) {
             return ObjectsAssignment<size_t>{{0, 1}, {kMax, 8}};
           });
  EXPECT_THAT(Plan(ByteRecords{{16, 0, 1}, {8, 1, 2}},
                   With("boasts", PlanKind::kObjects)),
              FailsWith(absl::StatusCode::kOutOfRange,
                        "object 1: its size makes the total overflow 64 bits; "
                        "expected a total below 2^64"));
}

TEST(StrategyErrorTest, IsPassedOn) {
  Register("fails", OffsetsOnly(), [](const Problem&, const SolveOptions&) {
    return absl::ResourceExhaustedError("no patience left");
  });
  EXPECT_THAT(
      Plan({}, With("fails")),
      FailsWith(absl::StatusCode::kResourceExhausted, "no patience left"));
}

}  // namespace
}  // namespace stowage
