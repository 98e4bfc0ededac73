// SPDX-License-Identifier: Apache-2.0
// Tests that shrinking turns large failing traces and problems into small ones.
#include "stowage/testing/shrink.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/kit/failure_kind.h"
#include "src/kit/transforms.h"
#include "stowage/constraints.h"
#include "stowage/feature.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "stowage/testing/generators.h"
#include "stowage/testing/random_problems.h"
#include "stowage/testing/random_records.h"
#include "stowage/testing/specs.h"

namespace stowage::testing {
namespace {

std::string Text(const ProblemSpec& spec) { return rc::toString(spec); }

// Returns whether two records conflict.
bool HasConflict(const ProblemSpec& spec) {
  const ByteRecords& records = spec.records;
  for (size_t i = 0; i < records.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (Conflict(records[i], records[j])) return true;
    }
  }
  return false;
}

// Returns whether any record begins at the task at which an earlier record
// ends.
bool HasTouch(const ProblemSpec& spec) {
  const ByteRecords& records = spec.records;
  for (const ByteRecord& a : records) {
    for (const ByteRecord& b : records) {
      if (a.first_task < b.first_task && a.last_task == b.first_task) {
        return true;
      }
    }
  }
  return false;
}

size_t SizeOf(const ProblemSpec& instance, size_t i) {
  return instance.records[i].tensor_size;
}
size_t LastTaskOf(const ProblemSpec& instance, size_t i) {
  return instance.records[i].last_task;
}
size_t AlignmentOf(const ProblemSpec& instance, size_t i) {
  return AlignmentsOf(instance).Of(i);
}

// Returns the maximum of `number` over all records of the instance.
size_t Most(const ProblemSpec& instance,
            size_t (*number)(const ProblemSpec& instance, size_t i)) {
  size_t max = 0;
  for (size_t i = 0; i < instance.records.size(); ++i) {
    max = std::max(max, number(instance, i));
  }
  return max;
}

bool IsSorted(const ProblemSpec& instance) {
  return std::is_sorted(instance.records.begin(), instance.records.end(),
                        BeginsBefore());
}

TEST(ShrinkRecordsTest, LeavesTheCore) {
  constexpr TaskId kLast = std::numeric_limits<TaskId>::max();
  const struct {
    const char* name;
    ByteRecords records;
    StillFailsFn still_fails;
    const char* smallest;
  } cases[] = {
      {"nothing is needed",
       {{100, 3, 7}, {50, 4, 9}},
       [](const ProblemSpec&) { return true; },
       "[]"},
      {"one of them",
       {{100, 3, 7}, {50, 4, 9}},
       [](const ProblemSpec& in) { return !in.records.empty(); },
       "[{size 1, tasks [0, 0]}]"},
      {"two that conflict",
       {{100, 3, 7}, {50, 4, kLast}, {9, 100, kLast}},
       &HasConflict,
       "[{size 1, tasks [0, 0]}, {size 1, tasks [0, 0]}]"},
      {"two that touch",
       {{100, 3, 700}, {50, 4, 9}, {8, 700, kLast}},
       &HasTouch,
       "[{size 1, tasks [0, 1]}, {size 1, tasks [1, 1]}]"},
      {"a size above a limit, found by halving",
       {{100000, 3, 7}, {50, 4, 9}},
       [](const ProblemSpec& in) {
         return std::any_of(
             in.records.begin(), in.records.end(),
             [](const ByteRecord& record) { return record.tensor_size > 777; });
       },
       "[{size 778, tasks [0, 0]}]"},
      {"a distance of tasks stays, but moves to the start",
       {{100, 1000, 7000}, {50, 900, 900}},
       [](const ProblemSpec& in) {
         return std::any_of(in.records.begin(), in.records.end(),
                            [](const ByteRecord& record) {
                              return record.last_task - record.first_task ==
                                     6000;
                            });
       },
       "[{size 1, tasks [0, 6000]}]"},
      {"a distance of two records",
       {{1, kLast - 6000, kLast - 6000}, {1, kLast, kLast}},
       [](const ProblemSpec& in) {
         return in.records.size() == 2 &&
                in.records[1].first_task - in.records[0].last_task == 6000;
       },
       "[{size 1, tasks [0, 0]}, {size 1, tasks [6000, 6000]}]"},
      {"a size of zero stays",
       {{100, 3, 7}, {0, 4, 9}},
       [](const ProblemSpec& in) {
         return std::any_of(
             in.records.begin(), in.records.end(),
             [](const ByteRecord& record) { return record.tensor_size == 0; });
       },
       "[{size 0, tasks [0, 0]}]"},
      {"an order stays",
       {{1, 0, 0}, {1, 5, 9}, {1, 2, 9}},
       [](const ProblemSpec& in) {
         return !std::is_sorted(in.records.begin(), in.records.end(),
                                BeginsBefore());
       },
       "[{size 1, tasks [1, 1]}, {size 1, tasks [0, 0]}]"},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(Text(Shrink(SpecOf(c.records), c.still_fails).smallest),
              c.smallest)
        << c.name;
  }
}

TEST(ShrinkRecordsTest, BringsAlignmentsDown) {
  ProblemSpec spec;
  spec.records = {{1, 0, 0}, {1, 0, 0}, {1, 0, 0}};
  spec.alignments = {64, 4096, 16};
  const auto has_large = [](const ProblemSpec& in) {
    return Most(in, AlignmentOf) >= 32;
  };
  EXPECT_EQ(Text(Shrink(spec, has_large).smallest),
            "[{size 1, tasks [0, 0]}] aligned to [32]");
  const auto has_any = [](const ProblemSpec& in) {
    return !in.records.empty();
  };
  EXPECT_EQ(Text(Shrink(spec, has_any).smallest), "[{size 1, tasks [0, 0]}]");
}

TEST(ShrinkRecordsTest, KeepsRecordsInExecutionOrder) {
  const auto still_fails = [](const ProblemSpec& in) {
    EXPECT_TRUE(IsSorted(in));
    return in.records.size() > 2;
  };
  const ProblemSpec spec = RandomInstance(Family::kBranches, 1, 40);
  EXPECT_EQ(Shrink(spec, still_fails).smallest.records.size(), 3);
}

TEST(ShrinkRecordsTest, EndsAfterAsManyCallsAsItMay) {
  size_t calls = 0;
  const auto still_fails = [&calls](const ProblemSpec& in) {
    ++calls;
    return in.records.size() > 500;
  };
  const ProblemSpec spec = RandomInstance(Family::kUnsorted, 1, 1000);
  for (const size_t max_calls : {size_t{0}, size_t{1}, size_t{100}}) {
    calls = 0;
    const ShrunkSpec shrunk = Shrink(spec, still_fails, max_calls);
    EXPECT_EQ(calls, max_calls);
    EXPECT_GT(shrunk.smallest.records.size(), 500);
    EXPECT_FALSE(shrunk.is_complete);
  }
}

RC_GTEST_PROP(ShrinkRecordsTest, WhatIsLeftFailsAndIsNotLarger, ()) {
  Parameters parameters;
  parameters.max_alignment = 64;
  const ProblemSpec spec = *AnyInstances(parameters);
  const auto still_fails = [](const ProblemSpec& in) {
    RC_ASSERT(CheckUsageRecords(in.records).ok());
    RC_ASSERT(AlignmentsOf(in).Check(in.records.size()).ok());
    return HasTouch(in);
  };
  RC_PRE(still_fails(spec));
  const ProblemSpec smallest = Shrink(spec, still_fails).smallest;
  RC_ASSERT(still_fails(smallest));
  RC_ASSERT(smallest.records.size() == 2u);
  RC_ASSERT(Most(smallest, SizeOf) <= Most(spec, SizeOf));
  RC_ASSERT(Most(smallest, LastTaskOf) <= Most(spec, LastTaskOf));
  RC_ASSERT(Most(smallest, AlignmentOf) <= Most(spec, AlignmentOf));
  RC_ASSERT(IsSorted(smallest) || !IsSorted(spec));
  RC_ASSERT(Text(smallest) == Text(Shrink(spec, still_fails).smallest));
}

// A problem, a condition under which it fails, and the smallest problem that
// still satisfies the condition.
struct ProblemCase {
  const char* name;
  ProblemSpec (*problem)();
  bool (*still_fails)(const ProblemSpec& instance);
  const char* smallest;  // as a problem file
};

ProblemSpec ManyRecords() {
  ProblemSpec instance;
  instance.records = {{100, 30, 70}, {50, 40, 90}, {7, 500, 900}};
  instance.alignments = {64, 1, 16};
  return instance;
}

ProblemSpec GroupOfTwo() {
  ProblemSpec instance = ManyRecords();
  instance.constraints.places = {{0, absl::nullopt, 1, 0},
                                 {8, 4000, 1, 1000},
                                 {16, absl::nullopt, kNoGroup, 0}};
  return instance;
}

ProblemSpec TwoHoles() {
  ProblemSpec instance = ManyRecords();
  instance.constraints.holes = {{640, 650, 10, 20}, {64, 4096, 35, 800}};
  return instance;
}

ProblemSpec FixedOffsets() {
  ProblemSpec instance = ManyRecords();
  instance.fixed_offsets = {absl::nullopt, 4096, 64};
  return instance;
}

ProblemSpec Streams() {
  ProblemSpec instance;
  instance.constraints.order =
      *TaskOrder::FromStreams({{0, 1, 2, 6}, {3, 4, 5, 7}}, {{1, 4}, {5, 6}});
  instance.constraints.users = UserLists({{0, 1}, {3, 5}, {6, 7}});
  instance.records = {{100, 0, 1}, {50, 3, 5}, {7, 6, 7}};
  return instance;
}

ProblemSpec Edges() {
  ProblemSpec instance;
  instance.constraints.order =
      *TaskOrder::FromEdges(6, {{0, 1}, {1, 2}, {2, 5}, {0, 3}, {3, 4}});
  instance.constraints.users = UserLists({{0, 2}, {5}, {4}});
  instance.records = {{100, 0, 2}, {50, 5, 5}, {9, 4, 4}};
  return instance;
}

bool HasOrderedPair(const ProblemSpec& instance) {
  const Constraints& constraints = instance.constraints;
  if (!constraints.order) return false;
  for (size_t i = 0; i < constraints.users.size(); ++i) {
    for (size_t j = 0; j < constraints.users.size(); ++j) {
      if (constraints.order->Precedes(constraints.users[i].back(),
                                      constraints.users[j].front())) {
        return true;
      }
    }
  }
  return false;
}

TEST(ShrinkProblemTest, LeavesTheCore) {
  const ProblemCase cases[] = {
      {"a group with a distance", &GroupOfTwo,
       [](const ProblemSpec& in) {
         return in.records.size() >= 2 && in.constraints.places[1].at >= 100;
       },
       "{\"records\":[\n"
       "{\"id\":\"t0\",\"size\":1,\"lower\":0,\"upper\":1},\n"
       "{\"id\":\"t1\",\"size\":1,\"lower\":0,\"upper\":1,\"group\":\"1\","
       "\"at\":100}]}\n"},
      {"a hole that is live with a record", &TwoHoles,
       [](const ProblemSpec& in) {
         for (const Hole& hole : in.constraints.holes) {
           for (const ByteRecord& record : in.records) {
             if (hole.first_task <= record.last_task &&
                 record.first_task <= hole.last_task) {
               return true;
             }
           }
         }
         return false;
       },
       "{\"records\":[\n"
       "{\"id\":\"t0\",\"size\":1,\"lower\":0,\"upper\":1}],\n\"holes\":[\n"
       "{\"begin\":0,\"end\":1,\"lower\":0,\"upper\":1}]}\n"},
      {"a fixed offset of some height", &FixedOffsets,
       [](const ProblemSpec& in) {
         for (const auto& offset : in.fixed_offsets) {
           if (offset && *offset >= 777) return true;
         }
         return false;
       },
       "{\"records\":[\n{\"id\":\"t0\",\"size\":1,\"lower\":0,\"upper\":1,"
       "\"fixed\":777}]}\n"},
      {"two tasks of streams", &Streams, &HasOrderedPair,
       "{\"records\":[\n{\"id\":\"t0\",\"size\":1,\"users\":[0]},\n"
       "{\"id\":\"t1\",\"size\":1,\"users\":[1]}],\n\"tasks\":2,\n"
       "\"streams\":[\n[1],\n[0]],\n\"waits\":[[0,1]],\n\"order\":\"partial\"}"
       "\n"},
      {"two tasks of a graph", &Edges, &HasOrderedPair,
       "{\"records\":[\n{\"id\":\"t0\",\"size\":1,\"users\":[0]},\n"
       "{\"id\":\"t1\",\"size\":1,\"users\":[1]}],\n\"tasks\":2,\n"
       "\"edges\":[[0,1]],\n\"order\":\"partial\"}\n"},
  };
  for (const ProblemCase& c : cases) {
    const ProblemSpec smallest = Shrink(c.problem(), c.still_fails).smallest;
    const auto json = FormatProblemJson(ToFile(smallest));
    ASSERT_TRUE(json.ok()) << c.name;
    EXPECT_EQ(*json, c.smallest) << c.name;
  }
}

TEST(ShrinkProblemTest, EndsWhereTheOrderMustStay) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    ProblemParameters parameters;
    parameters.features = {Feature::kPartialOrder};
    const ProblemSpec problem = RandomProblem(seed, 8, parameters);
    if (!problem.constraints.order) continue;
    const auto shrunk = Shrink(problem, [](const ProblemSpec& spec) {
      return spec.constraints.order.has_value();
    });
    EXPECT_TRUE(shrunk.is_complete) << seed;
    EXPECT_LE(shrunk.smallest.records.size(), 1U) << seed;
  }
}

// Shrinking keeps only the tasks that records use. It renumbers them from 0
// without gaps and preserves their order.
TEST(ShrinkProblemTest, KeepsTheOrderOfTheTasksThatAreLeft) {
  for (const bool is_of_streams : {false, true}) {
    for (uint64_t seed = 0; seed < 200; ++seed) {
      ProblemParameters parameters;
      parameters.features = {Feature::kPartialOrder};
      const ProblemSpec problem = RandomProblem(seed, 8, parameters);
      if (!problem.constraints.order ||
          problem.constraints.order->is_of_streams() != is_of_streams) {
        continue;
      }
      const ProblemSpec used = WithUsedTasksAlone(problem);
      const auto& before = problem.constraints;
      const auto& after = used.constraints;
      for (size_t i = 0; i < problem.records.size(); ++i) {
        for (size_t j = 0; j < problem.records.size(); ++j) {
          for (size_t k = 0; k < before.users[i].size(); ++k) {
            for (size_t l = 0; l < before.users[j].size(); ++l) {
              EXPECT_EQ(
                  before.order->Precedes(before.users[i][k],
                                         before.users[j][l]),
                  after.order->Precedes(after.users[i][k], after.users[j][l]))
                  << seed;
            }
          }
        }
      }
      EXPECT_TRUE(Problem::Create(used).ok()) << seed;
    }
  }
}

TEST(ShrinkProblemTest, StaysAProblemThatIsValid) {
  ProblemParameters parameters;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const ProblemSpec problem = RandomProblem(seed, 8, parameters);
    if (!HasConstraints(problem)) continue;
    const ProblemSpec smallest =
        Shrink(problem, [](const ProblemSpec& candidate) {
          EXPECT_TRUE(HasConstraints(candidate));
          // The file that reproduces a failure also contains the constraints.
          const auto file = FormatProblemJson(ToFile(candidate));
          EXPECT_TRUE(file.ok());
          const auto read = ParseProblemJson(file.value_or(""), "p");
          EXPECT_TRUE(read.ok());
          EXPECT_TRUE(HasConstraints(read->problem));
          EXPECT_TRUE(Problem::Create(candidate).ok());
          return candidate.records.size() > 1;
        }).smallest;
    EXPECT_LE(smallest.records.size(),
              std::max<size_t>(2, problem.records.size()));
    if (problem.records.size() > 1) {
      EXPECT_EQ(smallest.records.size(), 2U);
    }
  }
}

TEST(FailureKindTest, IsTheMessageWithoutNumbers) {
  const struct {
    const char* message;
    const char* kind;
  } cases[] = {
      {"", ""},
      {"no number.", "no number."},
      {"tensor 0 and tensor 12 both hold bytes [0, 1) at task 7",
       "tensor # and tensor # both hold bytes [#) at task #"},
      {"was still running after 50ms", "was still running after #"},
      {"at 0x7ffe01: t12 is not there", "at # is not there"},
      {"cannot place 3, 4 and [5, 6, 7]", "cannot place # and [#]"},
      {"17", "#"},
      {"1, 2; (3)", "#)"},
  };
  for (const auto& c : cases) EXPECT_EQ(FailureKind(c.message), c.kind);
}

}  // namespace
}  // namespace stowage::testing
