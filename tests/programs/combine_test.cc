// SPDX-License-Identifier: Apache-2.0
#include "stowage/programs/combine.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/base/statusor.h"
#include "stowage/programs/live_runs.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"

namespace stowage {
namespace {

using ::testing::HasSubstr;

// Returns a program that copies an input through one inner tensor to an output.
NamedProgram Chain(std::string name, size_t in, size_t inner, size_t out) {
  ProgramFunction function;
  function.tensors = {{"in", in}, {"inner", inner}, {"out", out}};
  function.inputs = {0};
  function.outputs = {2};
  function.nodes = {{NodeKind::kOperator, "A", {0}, {1}, {}},
                    {NodeKind::kOperator, "B", {1}, {2}, {}}};
  Program program;
  program.functions = {function};
  return {std::move(name), std::move(program)};
}

// Returns the largest total size of the slots that are live at one point.
size_t Breadth(const Program& program) {
  const StatusOr<ProgramPoints> points = PointsOf(program);
  std::vector<size_t> sums(points->points.size(), 0);
  const std::vector<std::vector<LiveRun>> runs = LiveRuns(*points);
  for (size_t slot = 0; slot < runs.size(); ++slot) {
    for (const LiveRun& run : runs[slot]) {
      for (size_t p = run.first; p <= run.last; ++p) {
        sums[p] += points->slot_sizes[slot];
      }
    }
  }
  return *std::max_element(sums.begin(), sums.end());
}

TEST(OneAtATime, TakesAsMuchAsTheLargest) {
  const NamedProgram parts[] = {Chain("a", 4, 10, 4), Chain("b", 1, 3, 2)};
  const StatusOr<Program> all = OneAtATime(parts);
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_TRUE(CheckProgram(*all).ok());
  EXPECT_EQ(all->entries.size(), 2u);
  EXPECT_EQ(Breadth(*all), Breadth(parts[0].program));
}

TEST(InSequence, HoldsWhatIsHandedOver) {
  const NamedProgram parts[] = {Chain("a", 4, 10, 6), Chain("b", 6, 3, 2)};
  const HandOver over = {0, 0, 1, 0};
  const StatusOr<Program> all = InSequence(parts, {&over, 1});
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_TRUE(CheckProgram(*all).ok());
  const StatusOr<ProgramPoints> points = PointsOf(*all);
  const std::vector<std::vector<LiveRun>> runs = LiveRuns(*points);
  // The tensors of the common function are a.in, a.out and b.out. The tensor
  // a.out is live while b runs.
  ASSERT_EQ(all->functions[0].tensors.size(), 3u);
  ASSERT_EQ(runs[1].size(), 1u);
  size_t last_of_b = 0;
  for (size_t p = 0; p < points->points.size(); ++p) {
    if (points->calls[points->points[p].call].function == 2) last_of_b = p;
  }
  EXPECT_GE(runs[1][0].last, last_of_b);
}

TEST(Interleaved, HoldsBothAtOnce) {
  const NamedProgram parts[] = {Chain("a", 4, 10, 4), Chain("b", 1, 3, 2)};
  const StatusOr<Program> all = Interleaved(parts);
  ASSERT_TRUE(all.ok()) << all.status();
  ASSERT_TRUE(CheckProgram(*all).ok());
  EXPECT_GT(Breadth(*all), Breadth(parts[0].program));
  EXPECT_LE(Breadth(*all),
            Breadth(parts[0].program) + Breadth(parts[1].program));
  EXPECT_EQ(all->functions[0].nodes[2].name, "A");
  EXPECT_EQ(all->functions[0].nodes[3].name, "A");
}

struct RefusedHandOver {
  const char* name;
  std::vector<HandOver> overs;
  const char* message;
};

class InSequenceRefuses : public ::testing::TestWithParam<RefusedHandOver> {};

TEST_P(InSequenceRefuses, WithThePlace) {
  const NamedProgram parts[] = {Chain("a", 4, 10, 6), Chain("b", 6, 3, 2)};
  const StatusOr<Program> all = InSequence(parts, GetParam().overs);
  ASSERT_FALSE(all.ok());
  EXPECT_THAT(std::string(all.status().message()),
              HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, InSequenceRefuses,
    ::testing::Values(RefusedHandOver{"Backwards",
                                      {{1, 0, 0, 0}},
                                      "expected a later program"},
                      RefusedHandOver{"NoSuchOutput",
                                      {{0, 3, 1, 0}},
                                      "output 3 of a handed to input 0 of b"},
                      RefusedHandOver{"Twice",
                                      {{0, 0, 1, 0}, {0, 0, 1, 0}},
                                      "two outputs are handed to it"}),
    [](const auto& row) { return row.param.name; });

TEST(InSequence, RefusesOtherSizes) {
  const NamedProgram parts[] = {Chain("a", 4, 10, 6), Chain("b", 5, 3, 2)};
  const HandOver over = {0, 0, 1, 0};
  EXPECT_THAT(std::string(InSequence(parts, {&over, 1}).status().message()),
              HasSubstr("has 6 bytes, and input 0 of b has 5"));
}

}  // namespace
}  // namespace stowage
