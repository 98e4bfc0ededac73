// SPDX-License-Identifier: Apache-2.0
// Tests the verifier on problems with constraints, with random plans and with
// the vectors. Compares it with a painter, which checks every byte of every
// pair of records. The text of each message is tested in
// describe_constraint_violation_test.cc.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/assignment.h"
#include "stowage/constraints.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "stowage/verify.h"
#include "tests/support/constraint_vectors.h"
#include "tests/support/painter.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::ConstraintVector;
using support::IsOk;
using support::Painter;

// Returns a random number below `end`. All numbers are equally likely, although
// RapidCheck begins each test with small numbers.
size_t Below(size_t end) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<size_t>(0, end));
}
bool OneIn(size_t cases) { return Below(cases) == 0; }

constexpr size_t kTasks = 6;

// Returns a random order of tasks, given by edges or by streams with waits. The
// order is consistent with a random sequence of the tasks.
TaskOrder AnyOrder() {
  std::vector<TaskId> sequence(kTasks);
  std::iota(sequence.begin(), sequence.end(), TaskId{0});
  for (size_t i = kTasks; i > 1; --i) {
    std::swap(sequence[i - 1], sequence[Below(i)]);
  }
  std::vector<TaskEdge> edges;
  for (size_t count = Below(9); count > 0; --count) {
    const size_t a = Below(kTasks);
    const size_t b = Below(kTasks);
    if (a < b) edges.push_back({sequence[a], sequence[b]});
  }
  if (OneIn(2)) return *TaskOrder::FromEdges(kTasks, edges);
  std::vector<std::vector<TaskId>> streams(1 + Below(4));
  for (const TaskId task : sequence) {
    streams[Below(streams.size())].push_back(task);
  }
  return *TaskOrder::FromStreams(streams, edges);
}

void AddRecords(size_t count, bool has_order, ProblemSpec* spec) {
  if (has_order) spec->constraints.order = AnyOrder();
  for (size_t i = 0; i < count; ++i) {
    std::vector<TaskId> users = {Below(kTasks)};
    for (size_t more = Below(3); more > 0; --more) {
      users.push_back(Below(kTasks));
    }
    const auto [first, last] = std::minmax_element(users.begin(), users.end());
    spec->records.emplace_back(Below(5), *first, *last);
    spec->alignments.push_back(OneIn(4) ? 4 : 1);
    if (has_order) spec->constraints.users.Add(users);
  }
}

// Adds ranges and groups. If they are contradictory, no plan is safe.
void AddPlaces(ProblemSpec* spec) {
  for (size_t i = 0; i < spec->records.size(); ++i) {
    RecordPlace place;
    if (OneIn(6)) place.min = Below(6);
    if (OneIn(6)) {
      place.max = place.min + spec->records[i].tensor_size + Below(20);
    }
    if (OneIn(2)) {
      place.group = static_cast<uint32_t>(Below(2)) * 7;
      place.at = spec->alignments[i] * Below(6);
    }
    spec->constraints.places.push_back(place);
  }
}

void AddPools(ProblemSpec* spec) {
  spec->constraints.pools = {{"fast", 20}, {"slow", absl::nullopt}};
  for (size_t i = 0; i < spec->records.size(); ++i) {
    spec->constraints.choices.emplace_back();
    if (!OneIn(3)) continue;
    spec->constraints.choices.back() = {
        {static_cast<uint32_t>(Below(2)), Below(9)}};
  }
}

void AddHoles(ProblemSpec* spec) {
  const size_t pools = std::max<size_t>(1, spec->constraints.pools.size());
  for (size_t count = Below(3); count > 0; --count) {
    const size_t begin = 30 * count + Below(20);
    const TaskId first = Below(kTasks);
    spec->constraints.holes.push_back({begin, begin + 1 + Below(4), first,
                                       first + Below(3),
                                       static_cast<uint32_t>(Below(pools))});
  }
}

// Adds each pair of records at most once to each list. Records of one group are
// never added to `apart`.
void AddPairs(ProblemSpec* spec) {
  Constraints& constraints = spec->constraints;
  for (size_t a = 0; a < spec->records.size(); ++a) {
    for (size_t b = 0; b < a; ++b) {
      const bool in_one_group =
          !constraints.places.empty() &&
          constraints.places[a].group != kNoGroup &&
          constraints.places[a].group == constraints.places[b].group;
      if (OneIn(4)) constraints.never.emplace_back(b, a);
      if (!in_one_group && OneIn(8)) {
        constraints.apart.push_back({a, b});
      } else if (!in_one_group && OneIn(2) &&
                 spec->records[a].tensor_size == spec->records[b].tensor_size) {
        constraints.same_or_apart.push_back({a, b, 0});
      }
    }
  }
}

ProblemSpec AnySpec() {
  ProblemSpec spec;
  AddRecords(Below(8), OneIn(2), &spec);
  if (OneIn(2)) AddPlaces(&spec);
  if (OneIn(3)) AddPools(&spec);
  if (OneIn(2)) AddHoles(&spec);
  if (OneIn(2)) AddPairs(&spec);
  return spec;
}

// Returns a plan that mostly respects groups, alignments and pools, so some
// plans are safe.
OffsetsAssignment AnyPlan(const ProblemSpec& spec) {
  const Constraints& constraints = spec.constraints;
  const size_t room = OneIn(2) ? 12 : 60;
  OffsetsAssignment plan;
  const size_t starts[] = {4 * Below(room / 4), 4 * Below(room / 4)};
  for (size_t i = 0; i < spec.records.size(); ++i) {
    size_t offset = spec.alignments[i] * Below(room / spec.alignments[i]);
    if (!constraints.places.empty()) {
      const RecordPlace& place = constraints.places[i];
      if (place.group != kNoGroup) offset = starts[place.group / 7] + place.at;
    }
    plan.offsets.push_back(OneIn(30) ? Below(room) : offset);
    plan.total_size =
        std::max(plan.total_size, offset + spec.records[i].tensor_size);
    if (constraints.pools.empty()) continue;
    plan.pools.push_back(static_cast<uint32_t>(OneIn(4)));
    if (!constraints.choices[i].empty() && !OneIn(20)) {
      plan.pools.back() = constraints.choices[i][0].pool;
    }
  }
  if (!OneIn(10)) plan.total_size *= 2;
  if (OneIn(40) && !plan.pools.empty()) plan.pools.pop_back();
  return plan;
}

// Checks that the verifier and the painter agree on the plan, and that any
// violation reported by the verifier is true.
::testing::AssertionResult AgreesWithPainter(const ProblemSpec& spec,
                                             const OffsetsAssignment& plan) {
  const auto problem = Problem::Create(spec);
  if (!problem.ok()) return ::testing::AssertionFailure() << problem.status();
  const Painter painter(spec, plan);
  const absl::optional<Violation> violation = FindViolation(*problem, plan);
  if (!violation) {
    if (painter.IsSafe()) return ::testing::AssertionSuccess();
    return ::testing::AssertionFailure() << "an unsafe plan passes";
  }
  if (!painter.IsSafe() && painter.IsTrue(*violation)) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure()
         << (painter.IsSafe() ? "of a safe plan: " : "not so: ")
         << Describe(*violation, *problem);
}

RC_GTEST_PROP(VerifyConstraintsPropertyTest, AgreesWithThePainter, ()) {
  const ProblemSpec spec = AnySpec();
  RC_PRE(Problem::Create(spec).ok());
  const OffsetsAssignment plan = AnyPlan(spec);
  RC_CLASSIFY(Painter(spec, plan).IsSafe(), "safe");
  const ::testing::AssertionResult agrees = AgreesWithPainter(spec, plan);
  if (!agrees) RC_LOG() << agrees.message();
  RC_ASSERT(bool{agrees});
}

TEST(VerifyConstraintVectorsTest, TheAnswersAreSafe) {
  for (const std::string& family : support::ConstraintFamilies()) {
    for (const ConstraintVector& vector :
         support::LoadConstraintVectors(family)) {
      SCOPED_TRACE(vector.name);
      if (vector.is_infeasible) continue;
      const auto problem = Problem::Create(vector.spec);
      ASSERT_THAT(problem, IsOk());
      const auto violation = FindViolation(*problem, vector.plan);
      EXPECT_FALSE(violation) << Describe(*violation, *problem);
    }
  }
}

// Returns plans in which one record is damaged, by moving it up or down by one
// byte or by putting it into another pool.
std::vector<OffsetsAssignment> Damaged(const ConstraintVector& vector) {
  std::vector<OffsetsAssignment> plans;
  for (size_t i = 0; i < vector.plan.offsets.size(); ++i) {
    plans.push_back(vector.plan);
    ++plans.back().offsets[i];
    if (vector.plan.offsets[i] > 0) {
      plans.push_back(vector.plan);
      --plans.back().offsets[i];
    }
    for (uint32_t pool = 0; pool <= vector.spec.constraints.pools.size();
         ++pool) {
      if (vector.plan.pools.empty() || vector.plan.pools[i] == pool) continue;
      plans.push_back(vector.plan);
      plans.back().pools[i] = pool;
    }
  }
  // Adds the same plans with a larger total size. A record that was moved up is
  // then still in the arena, so only the other rules can forbid its new place.
  const size_t tight = plans.size();
  for (size_t k = 0; k < tight; ++k) {
    plans.push_back(plans[k]);
    plans.back().total_size += 100;
  }
  return plans;
}

// Returns plans in which a rigid group is moved as a whole, so its records keep
// their offsets in the group.
std::vector<OffsetsAssignment> MovedGroups(const ConstraintVector& vector) {
  std::vector<OffsetsAssignment> plans;
  const std::vector<RecordPlace>& places = vector.spec.constraints.places;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].group == kNoGroup) continue;
    for (const size_t distance : std::vector<size_t>{1, 2, 4, 8}) {
      OffsetsAssignment plan = vector.plan;
      plan.total_size += 100;
      for (size_t j = 0; j < places.size(); ++j) {
        if (places[j].group == places[i].group) plan.offsets[j] += distance;
      }
      plans.push_back(std::move(plan));
    }
  }
  return plans;
}

TEST(VerifyConstraintVectorsTest, DamagedAnswersAreCheckedAsByThePainter) {
  for (const std::string& family : support::ConstraintFamilies()) {
    for (const ConstraintVector& vector :
         support::LoadConstraintVectors(family)) {
      SCOPED_TRACE(vector.name);
      if (vector.is_infeasible) continue;
      for (const OffsetsAssignment& plan : Damaged(vector)) {
        EXPECT_TRUE(AgreesWithPainter(vector.spec, plan));
      }
      for (const OffsetsAssignment& plan : MovedGroups(vector)) {
        EXPECT_TRUE(AgreesWithPainter(vector.spec, plan));
      }
    }
  }
}

// The problem has a group of 100,000 records that all overlap, 50,000 pairs in
// `never`, and half a million pairs that must be apart. If any check took
// quadratic time, the test would exceed its time limit.
TEST(VerifyConstraintsTest, LargeConstraintsAreVerifiedInTime) {
  constexpr size_t kRecords = 100000;
  ProblemSpec spec;
  OffsetsAssignment plan;
  for (size_t i = 0; i < 3 * kRecords; ++i) {
    RecordPlace place;
    if (i < kRecords) place.group = 1;
    spec.constraints.places.push_back(place);
    spec.records.emplace_back(8, i / kRecords, 3);
    plan.offsets.push_back(i < kRecords ? 0 : 8 * (i - kRecords + 1));
    if (i <= kRecords + 1) continue;
    for (size_t k = 1; k <= 5; ++k) {
      spec.constraints.apart.push_back({i - k, i});
    }
    if (i < 2 * kRecords) continue;
    plan.offsets[i] = plan.offsets[i - 1];
    if (i % 2 == 0) plan.offsets[i] += 16;
    spec.constraints.apart.resize(spec.constraints.apart.size() - 5);
    if (i % 2 == 1) spec.constraints.never.emplace_back(i, i - 1);
  }
  plan.total_size = 24 * kRecords;
  const auto problem = Problem::Create(std::move(spec));
  ASSERT_THAT(problem, IsOk());
  const auto violation = FindViolation(*problem, plan);
  EXPECT_FALSE(violation) << Describe(*violation);

  plan.offsets[5] = 1;
  EXPECT_EQ(FindViolation(*problem, plan)->kind, Violation::Kind::kGroupBroken);
  plan.offsets[5] = 0;
  plan.offsets.back() -= 16;
  EXPECT_EQ(FindViolation(*problem, plan)->kind,
            Violation::Kind::kOverlappingBytes);
}

// 20,000 tasks run on 8 streams. A record begins at each task, and the plan
// reuses the bytes of a record 64 tasks later, which is safe. The plan becomes
// unsafe if two records of consecutive tasks get the same bytes.
TEST(VerifyConstraintsTest, LargeOrdersAreVerifiedInTime) {
  constexpr size_t kManyTasks = 20000;
  constexpr size_t kStreams = 8;
  std::vector<std::vector<TaskId>> streams(kStreams);
  std::vector<TaskEdge> waits;
  ProblemSpec spec;
  OffsetsAssignment plan;
  for (TaskId task = 0; task < kManyTasks; ++task) {
    streams[task % kStreams].push_back(task);
    std::vector<TaskId> users = {task};
    if (task + 3 < kManyTasks) {
      waits.push_back({task, task + 3});
      users.push_back(task + 3);
    }
    spec.records.emplace_back(64, task, users.back());
    spec.constraints.users.Add(users);
    // Every stream waits for a task within the next 24 tasks, so the bytes of
    // the task's record are free 64 tasks later.
    plan.offsets.push_back(64 * (task % 64));
  }
  plan.total_size = 64 * 64;
  spec.constraints.order = *TaskOrder::FromStreams(streams, waits);
  const auto problem = Problem::Create(std::move(spec));
  ASSERT_THAT(problem, IsOk());
  const auto violation = FindViolation(*problem, plan);
  EXPECT_FALSE(violation) << Describe(*violation);
  plan.offsets[12345] = plan.offsets[12346];
  const auto found = FindViolation(*problem, plan);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->kind, Violation::Kind::kUnorderedSharing);
  EXPECT_EQ(found->first_tensor, 12345u);
  EXPECT_EQ(found->second_tensor, 12346u);
}

struct UnsafeModel {
  const char* model;
  size_t pairs[5];  // by number of streams; at 0, only data orders tasks
};

// A plan for a sequence of operators may be unsafe if some of the operators run
// at the same time. The expected numbers of unsafe pairs are those of
// tests/data/constraints/unsafe_measurements.txt.
TEST(VerifyConstraintsTest, PlansOfASequenceAreUnsafeOnStreams) {
  const UnsafeModel models[] = {
      {"blazeface_front_f32", {49, 0, 22, 34, 48}},
      {"deeplabv3_257_mv_gpu_f32", {0, 0, 0, 0, 0}},
      {"deeplabv3_mnv2_dm05_pascal_u8", {1, 0, 1, 1, 1}},
      {"hand_recrop_f16w", {22, 0, 22, 22, 22}},
      {"inception_v3_w025_299_f32_synthetic", {53, 0, 39, 49, 52}},
      {"mcunet_vww_i8", {0, 0, 0, 0, 0}},
      {"mobilenet_v2_1.0_224_u8", {0, 0, 0, 0, 0}},
      {"posenet_mv1_100_257_iq", {0, 0, 0, 0, 0}},
      {"resnet8_i8", {2, 0, 2, 2, 2}},
      {"ssd_mobilenet_v1_coco_u8_postprocess", {51, 0, 19, 39, 41}}};
  for (const UnsafeModel& c : models) {
    SCOPED_TRACE(c.model);
    const auto sequence = Problem::Create(support::LoadDag(c.model, 1));
    const auto solution = Solve(*sequence, "skyline");
    ASSERT_THAT(solution, IsOk());
    for (const size_t streams : std::vector<size_t>{0, 2, 3, 4}) {
      ProblemSpec spec = support::LoadDag(c.model, streams);
      // Counts the unsafe pairs. Each pair that the verifier finds is added to
      // `never`, which allows it, until the verifier finds no further pair.
      size_t pairs = 0;
      while (const auto violation =
                 FindViolation(*Problem::Create(spec), *solution->offsets())) {
        ASSERT_EQ(violation->kind, Violation::Kind::kUnorderedSharing);
        spec.constraints.never.emplace_back(violation->first_tensor,
                                            violation->second_tensor);
        ++pairs;
      }
      EXPECT_EQ(pairs, c.pairs[streams]) << streams;
    }
  }
}

}  // namespace
}  // namespace stowage
