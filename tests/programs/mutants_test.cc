// SPDX-License-Identifier: Apache-2.0
// Tests that the mistakes of planners of programs are found both by a run on
// bytes and by the check by values. Each mistake is planted in the points or in
// the plan of a small program.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/programs/live_runs.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_file.h"
#include "stowage/verify_values.h"
#include "tests/programs/byte_machine.h"

namespace stowage {
namespace {

// This loop has a variable that is read after the loop but not in the body.
constexpr char kIdleBody[] = R"({"functions": [
  {"tensors": [{"id": "x", "size": 4}, {"id": "v", "size": 4},
               {"id": "r", "size": 4}],
   "inputs": ["x"], "outputs": ["r"],
   "nodes": [{"in": ["x"], "out": ["v"], "while": [1, 2]},
             {"in": ["v"], "out": ["r"]}]},
  {"tensors": [{"id": "v", "size": 4}, {"id": "t", "size": 4},
               {"id": "u", "size": 4}, {"id": "c", "size": 1}],
   "inputs": ["v"], "outputs": ["c"],
   "nodes": [{"in": ["v"], "out": ["t"]}, {"in": ["t"], "out": ["u"]},
             {"in": ["u"], "out": ["c"]}]},
  {"tensors": [{"id": "v", "size": 4}, {"id": "w", "size": 4}],
   "inputs": ["v"], "outputs": ["w"],
   "nodes": [{"in": [], "out": ["w"]}]}]})";

// This loop has a variable that only the body reads. The body returns it
// unchanged.
constexpr char kKeptVariable[] = R"({"functions": [
  {"tensors": [{"id": "x", "size": 4}, {"id": "k", "size": 4},
               {"id": "v", "size": 4}, {"id": "w", "size": 4}],
   "inputs": ["x", "k"], "outputs": ["v"],
   "nodes": [{"in": ["x", "k"], "out": ["v", "w"], "while": [1, 2]}]},
  {"tensors": [{"id": "v", "size": 4}, {"id": "w", "size": 4},
               {"id": "c", "size": 1}],
   "inputs": ["v", "w"], "outputs": ["c"],
   "nodes": [{"in": ["v"], "out": ["c"]}]},
  {"tensors": [{"id": "v", "size": 4}, {"id": "w", "size": 4},
               {"id": "t", "size": 4}, {"id": "u", "size": 4}],
   "inputs": ["v", "w"], "outputs": ["u", "w"],
   "nodes": [{"in": ["v", "w"], "out": ["t"]}, {"in": ["t"], "out": ["u"]}]}
  ]})";

// This program has a branch whose argument is read after the branch.
constexpr char kBranch[] = R"({"functions": [
  {"tensors": [{"id": "c", "size": 1}, {"id": "x", "size": 4},
               {"id": "r", "size": 4}, {"id": "s", "size": 4}],
   "inputs": ["c"], "outputs": ["s"],
   "nodes": [{"in": [], "out": ["x"]},
             {"in": ["c", "x"], "out": ["r"], "if": [1, 2]},
             {"in": ["x", "r"], "out": ["s"]}]},
  {"tensors": [{"id": "x", "size": 4}, {"id": "t", "size": 4},
               {"id": "y", "size": 4}],
   "inputs": ["x"], "outputs": ["y"],
   "nodes": [{"in": ["x"], "out": ["t"]}, {"in": ["t"], "out": ["y"]}]},
  {"tensors": [{"id": "x", "size": 4}, {"id": "z", "size": 4}],
   "inputs": ["x"], "outputs": ["z"],
   "nodes": [{"in": ["x"], "out": ["z"]}]}]})";

// This program calls a function twice. A tensor is live across the first call.
constexpr char kTwoCalls[] = R"({"functions": [
  {"tensors": [{"id": "x", "size": 4}, {"id": "k", "size": 4},
               {"id": "r", "size": 4}, {"id": "s", "size": 4},
               {"id": "o", "size": 4}],
   "inputs": ["x"], "outputs": ["o"],
   "nodes": [{"in": ["x"], "out": ["k"]},
             {"in": ["x"], "out": ["r"], "call": [1]},
             {"in": ["k", "r"], "out": ["s"]},
             {"in": ["s"], "out": ["o"], "call": [1]}]},
  {"tensors": [{"id": "a", "size": 4}, {"id": "t", "size": 4},
               {"id": "b", "size": 4}],
   "inputs": ["a"], "outputs": ["b"],
   "nodes": [{"in": ["a"], "out": ["t"]}, {"in": ["t"], "out": ["b"]}]}]})";

// A loop that swaps its variables.
constexpr char kSwap[] = R"({"functions": [
  {"tensors": [{"id": "a", "size": 4}, {"id": "b", "size": 4},
               {"id": "p", "size": 4}, {"id": "q", "size": 4}],
   "inputs": ["a", "b"], "outputs": ["p", "q"],
   "nodes": [{"in": ["a", "b"], "out": ["p", "q"], "while": [1, 2]}]},
  {"tensors": [{"id": "x", "size": 4}, {"id": "y", "size": 4},
               {"id": "c", "size": 1}],
   "inputs": ["x", "y"], "outputs": ["c"],
   "nodes": [{"in": ["x"], "out": ["c"]}]},
  {"tensors": [{"id": "x", "size": 4}, {"id": "y", "size": 4}],
   "inputs": ["x", "y"], "outputs": ["y", "x"], "nodes": []}]})";

// This program reads the old value of a state after writing the new value.
constexpr char kState[] = R"({"functions": [
  {"tensors": [{"id": "x", "size": 4}, {"id": "new", "size": 4},
               {"id": "old", "size": 4}, {"id": "o", "size": 4},
               {"id": "done", "size": 4}],
   "inputs": ["x"], "outputs": ["o"],
   "nodes": [{"in": ["x"], "out": ["new"]},
             {"in": [], "out": ["old"],
              "reads": [{"variable": "s", "output": 0}]},
             {"in": ["old", "new"], "out": ["o"]},
             {"in": ["new", "o"], "out": ["done"],
              "assigns": [{"variable": "s", "input": 0}]}]}],
  "variables": [{"id": "s", "size": 4}]})";

using Offsets = std::vector<optional<size_t>>;

SlotId SlotCalled(const Program& program, const std::string& name) {
  SlotId slot = 0;
  while (SlotName(program, slot) != name) ++slot;
  return slot;
}

// Returns a plan in which slots that are live at the same point do not overlap.
// Places the slots in order, each at its lowest feasible offset.
Offsets FirstFit(const ProgramPoints& points) {
  const std::vector<std::vector<LiveRun>> runs = LiveRuns(points);
  const auto meet = [&](SlotId a, SlotId b) {
    for (const LiveRun& x : runs[a]) {
      for (const LiveRun& y : runs[b]) {
        if (x.first <= y.last && y.first <= x.last) return true;
      }
    }
    return false;
  };
  Offsets offsets(runs.size());
  for (SlotId slot = 0; slot < runs.size(); ++slot) {
    const size_t size = points.slot_sizes[slot];
    size_t offset = 0;
    for (bool moves = true; moves;) {
      moves = false;
      for (SlotId other = 0; other < slot; ++other) {
        const size_t end = *offsets[other] + points.slot_sizes[other];
        if (!meet(slot, other) || offset >= end ||
            *offsets[other] >= offset + size) {
          continue;
        }
        offset = end;
        moves = true;
      }
    }
    offsets[slot] = offset;
  }
  return offsets;
}

// Returns the points of a kind.
std::vector<uint32_t> PointsOfKind(const ProgramPoints& points,
                                   PointKind kind) {
  std::vector<uint32_t> found;
  for (uint32_t p = 0; p < points.points.size(); ++p) {
    if (points.points[p].kind == kind) found.push_back(p);
  }
  return found;
}

struct Mutant {
  const char* name;
  const char* program;
  void (*change_points)(ProgramPoints* points);
  void (*change_plan)(const Program& program, Offsets* offsets);
};

void PrintTo(const Mutant& mutant, std::ostream* out) { *out << mutant.name; }

class PlantedMutant : public ::testing::TestWithParam<Mutant> {};

std::string FaultOfRuns(const Program& program, const Offsets& offsets) {
  MachinePlan plan;
  plan.offsets = offsets;
  std::string fault;
  for (uint64_t seed = 0; seed < 50 && fault.empty(); ++seed) {
    fault = RunOnBytes(program, plan, seed);
  }
  return fault;
}

TEST_P(PlantedMutant, IsCaughtByARunAndByTheValues) {
  const Mutant& mutant = GetParam();
  const StatusOr<ProgramFile> file = ParseProgramJson(mutant.program, "p");
  ASSERT_TRUE(file.ok()) << file.status();
  const StatusOr<ProgramPoints> points = PointsOf(file->program);
  ASSERT_TRUE(points.ok());
  const Offsets right = FirstFit(*points);
  EXPECT_EQ(FaultOfRuns(file->program, right), "");
  EXPECT_FALSE(FindValueFault(*points, right));
  ProgramPoints changed = *points;
  if (mutant.change_points != nullptr) mutant.change_points(&changed);
  Offsets wrong = FirstFit(changed);
  if (mutant.change_plan != nullptr) {
    mutant.change_plan(file->program, &wrong);
  }
  EXPECT_NE(FaultOfRuns(file->program, wrong), "");
  EXPECT_TRUE(FindValueFault(*points, wrong));
}

const Mutant kMutants[] = {
    {"VariableEndsWithItsLastReadInTheCondition", kIdleBody,
     [](ProgramPoints* points) {
       // The points have no path out of the loop.
       const uint32_t p = PointsOfKind(*points, PointKind::kCondition)[0];
       std::vector<uint32_t>& next = points->points[p].next;
       next = {*std::min_element(next.begin(), next.end())};
     },
     nullptr},
    {"VariableEndsWithItsLastReadInTheBody", kKeptVariable,
     [](ProgramPoints* points) {
       // The points have no iteration after the first.
       for (const uint32_t p : PointsOfKind(*points, PointKind::kTurn)) {
         points->points[p].next.clear();
       }
     },
     nullptr},
    {"NothingIsLiveOverTheOtherBranch", kBranch,
     [](ProgramPoints* points) {
       const uint32_t p = PointsOfKind(*points, PointKind::kResults)[0];
       points->points[p].next.clear();
     },
     nullptr},
    {"LastCallSiteAlone", kTwoCalls,
     [](ProgramPoints* points) {
       // Frame 1 is the first call.
       for (Point& point : points->points) {
         if (point.call != 1) continue;
         const auto is_own = [&](SlotId slot) {
           return slot >= points->first_slot[1] && slot < points->first_slot[2];
         };
         for (std::vector<SlotId>* list : {&point.reads, &point.writes}) {
           list->erase(std::remove_if(list->begin(), list->end(), is_own),
                       list->end());
         }
       }
     },
     nullptr},
    {"BranchResultInPlaceOfALiveArgument", kBranch, nullptr,
     [](const Program& program, Offsets* offsets) {
       (*offsets)[SlotCalled(program, "0.r")] =
           (*offsets)[SlotCalled(program, "0.x")];
     }},
    {"VariableWrittenBeforeItsLastRead", kState, nullptr,
     [](const Program& program, Offsets* offsets) {
       (*offsets)[SlotCalled(program, "0.new")] =
           (*offsets)[SlotCalled(program, "s")];
     }},
};

INSTANTIATE_TEST_SUITE_P(All, PlantedMutant, ::testing::ValuesIn(kMutants),
                         [](const auto& row) { return row.param.name; });

TEST(CopiesOneAfterTheOther, AreCaughtByARun) {
  const StatusOr<ProgramFile> file = ParseProgramJson(kSwap, "p");
  ASSERT_TRUE(file.ok()) << file.status();
  const StatusOr<ProgramPoints> points = PointsOf(file->program);
  ASSERT_TRUE(points.ok());
  MachinePlan plan;
  plan.offsets = FirstFit(*points);
  EXPECT_EQ(FaultOfRuns(file->program, plan.offsets), "");
  plan.copies_in_order = true;
  std::string fault;
  for (uint64_t seed = 0; seed < 50 && fault.empty(); ++seed) {
    fault = RunOnBytes(file->program, plan, seed);
  }
  EXPECT_NE(fault, "");
}

}  // namespace
}  // namespace stowage
