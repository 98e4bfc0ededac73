// SPDX-License-Identifier: Apache-2.0
#include "stowage/verify_values.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"

namespace stowage {
namespace {

using Kind = ValueFault::Kind;

Point Reads(std::vector<SlotId> reads) {
  Point point;
  point.reads = std::move(reads);
  return point;
}

Point Writes(std::vector<SlotId> writes) {
  Point point;
  point.writes = std::move(writes);
  return point;
}

// Returns an operator that reads `inputs` and writes `output`.
Point Computes(SlotId output, std::vector<SlotId> inputs) {
  Point point;
  point.writes = {output};
  point.reads = std::move(inputs);
  return point;
}

Point InPlaceOf(SlotId output, SlotId input, bool is_view) {
  Point point = Computes(output, {input});
  point.in_place = {{output, input, is_view}};
  return point;
}

// Returns a point that performs all copies simultaneously.
Point Copies(std::vector<SlotCopy> copies) {
  Point point;
  point.kind = PointKind::kTurn;
  for (const SlotCopy& copy : copies) {
    point.writes.push_back(copy.destination);
    point.reads.push_back(copy.source);
  }
  point.copies = std::move(copies);
  return point;
}

// Returns consecutive points for slots of 4 bytes.
ProgramPoints Chained(std::vector<Point> list, size_t slots) {
  ProgramPoints points;
  points.points = std::move(list);
  points.slot_sizes.assign(slots, 4);
  for (uint32_t i = 1; i < points.points.size(); ++i) {
    points.points[i - 1].next = {i};
  }
  return points;
}

std::vector<optional<size_t>> At(std::vector<size_t> offsets) {
  return {offsets.begin(), offsets.end()};
}

struct FaultCase {
  const char* name;
  std::vector<Point> points;
  std::vector<size_t> offsets;
  optional<ValueFault> fault;
};

void PrintTo(const FaultCase& c, std::ostream* out) { *out << c.name; }

class FindValueFaultTest : public ::testing::TestWithParam<FaultCase> {};

TEST_P(FindValueFaultTest, FindsTheFirstFault) {
  const FaultCase& c = GetParam();
  const optional<ValueFault> fault =
      FindValueFault(Chained(c.points, c.offsets.size()), At(c.offsets));
  ASSERT_EQ(fault.has_value(), c.fault.has_value());
  if (!fault) return;
  EXPECT_EQ(fault->kind, c.fault->kind);
  EXPECT_EQ(fault->point, c.fault->point);
  EXPECT_EQ(fault->slot, c.fault->slot);
  EXPECT_EQ(fault->byte, c.fault->byte);
  EXPECT_EQ(fault->writer, c.fault->writer);
  EXPECT_EQ(fault->writer_slot, c.fault->writer_slot);
  EXPECT_EQ(fault->other, c.fault->other);
}

INSTANTIATE_TEST_SUITE_P(
    Cases, FindValueFaultTest,
    ::testing::Values(
        FaultCase{"apart",
                  {Writes({0}), Computes(1, {0}), Reads({0, 1})},
                  {0, 4},
                  nullopt},
        FaultCase{"reused",
                  {Writes({0}), Computes(1, {0}), Computes(2, {1}), Reads({2})},
                  {0, 4, 0},
                  nullopt},
        FaultCase{"overwritten",
                  {Writes({0}), Computes(1, {0}), Computes(2, {1}), Reads({0})},
                  {0, 4, 2},
                  ValueFault{Kind::kInPlace, 2, 1, 4, 2, SlotId{2}, 2}},
        FaultCase{"read_after_reuse",
                  {Writes({0}), Writes({1}), Reads({0})},
                  {0, 2},
                  ValueFault{Kind::kOverwritten, 2, 0, 2, 1, SlotId{1}, 0}},
        FaultCase{"never_written",
                  {Writes({1}), Reads({0})},
                  {0, 4},
                  ValueFault{Kind::kOverwritten, 1, 0, 0, nullopt, nullopt, 0}},
        FaultCase{"in_place",
                  {Writes({0}), InPlaceOf(1, 0, false), Reads({1})},
                  {0, 0},
                  nullopt},
        FaultCase{"in_place_but_shifted",
                  {Writes({0}), InPlaceOf(1, 0, false), Reads({1})},
                  {0, 2},
                  ValueFault{Kind::kInPlace, 1, 0, 2, 1, SlotId{1}, 1}},
        FaultCase{"not_declared",
                  {Writes({0}), Computes(1, {0}), Reads({1})},
                  {0, 0},
                  ValueFault{Kind::kInPlace, 1, 0, 0, 1, SlotId{1}, 1}},
        FaultCase{"in_place_and_read_later",
                  {Writes({0}), InPlaceOf(1, 0, false), Reads({0})},
                  {0, 0},
                  ValueFault{Kind::kOverwritten, 2, 0, 0, 1, SlotId{1}, 0}},
        FaultCase{"view_and_read_later",
                  {Writes({0}), InPlaceOf(1, 0, true), Reads({0, 1})},
                  {0, 0},
                  nullopt},
        FaultCase{"copied_view",
                  {Writes({0}), InPlaceOf(1, 0, true), Reads({0, 1})},
                  {0, 4},
                  nullopt},
        // Slot 2 is a view of slot 1, so a result computed in place of slot 2
        // overwrites slot 1.
        FaultCase{"view_of_in_place",
                  {Writes({0}), InPlaceOf(1, 0, false), InPlaceOf(2, 1, true),
                   InPlaceOf(3, 2, false), Computes(4, {1, 3})},
                  {0, 0, 0, 0, 4},
                  ValueFault{Kind::kOverwritten, 4, 1, 0, 3, SlotId{3}, 0}},
        FaultCase{"two_results",
                  {Writes({0, 1})},
                  {0, 3},
                  ValueFault{Kind::kTwoResults, 0, 0, 3, 0, SlotId{1}, 1}},
        FaultCase{"swap",
                  {Writes({0, 1}), Copies({{0, 1}, {1, 0}}), Reads({0, 1})},
                  {0, 4},
                  nullopt},
        FaultCase{"copies_to_one_place",
                  {Writes({0}), Copies({{1, 0}, {2, 0}}), Reads({0, 1, 2})},
                  {0, 4, 4},
                  nullopt},
        FaultCase{"different_copies_to_one_place",
                  {Writes({0, 1}), Copies({{2, 0}, {3, 1}}), Reads({2})},
                  {0, 4, 8, 10},
                  ValueFault{Kind::kTwoResults, 1, 2, 10, 1, SlotId{3}, 3}},
        FaultCase{"copy_over_its_source",
                  {Writes({0}), Copies({{1, 0}}), Reads({1})},
                  {0, 2},
                  nullopt},
        FaultCase{"source_read_after_copy_over_it",
                  {Writes({0}), Copies({{1, 0}}), Reads({0})},
                  {0, 2},
                  ValueFault{Kind::kOverwritten, 2, 0, 2, 1, SlotId{1}, 0}},
        FaultCase{"put_back",
                  {Writes({0}), Copies({{1, 0}}), Writes({2}), Copies({{3, 1}}),
                   Reads({0})},
                  {0, 4, 0, 0},
                  nullopt},
        FaultCase{"overflow",
                  {Writes({0}), Writes({1})},
                  {0, std::numeric_limits<size_t>::max() - 1},
                  ValueFault{Kind::kNoOffset, 1, 1, 0, nullopt, nullopt, 0}}),
    [](const auto& param) { return std::string(param.param.name); });

TEST(FindValueFault, WantsAnOffsetOfUsedSlots) {
  ProgramPoints points = Chained({Writes({0}), Reads({0})}, 2);
  points.slot_sizes.push_back(0);
  points.points[1].reads.push_back(2);
  EXPECT_FALSE(FindValueFault(points, {{0, nullopt, nullopt}}));
  const optional<ValueFault> fault =
      FindValueFault(points, {{nullopt, 0, nullopt}});
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->kind, Kind::kNoOffset);
  EXPECT_EQ(fault->slot, 0u);
}

TEST(FindValueFault, KnowsPartsInTheirPlaces) {
  ProgramPoints points =
      Chained({Writes({0, 1}), Computes(2, {0, 1}), Reads({2})}, 3);
  points.slot_sizes[2] = 8;
  const std::vector<SlotPart> parts = {{1, 0, 2, 0}, {1, 1, 2, 4}};
  EXPECT_FALSE(FindValueFault(points, At({0, 4, 0}), parts));
  EXPECT_FALSE(FindValueFault(points, At({0, 8, 0}), parts));
  EXPECT_TRUE(FindValueFault(points, At({0, 4, 0})));
  EXPECT_TRUE(FindValueFault(points, At({4, 0, 0}), parts));
  // The output takes over the memory of its parts, so no part can be read
  // later.
  points.points[2].reads.push_back(1);
  EXPECT_TRUE(FindValueFault(points, At({0, 4, 0}), parts));
}

// Slot 0 is already in its place, the first half of slot 2, and slot 1 is a
// view of slot 0. The point reads both slots from bytes that it does not write.
TEST(FindValueFault, KnowsAViewOfAPartInItsPlace) {
  ProgramPoints points = Chained(
      {Writes({0}), InPlaceOf(1, 0, true), Computes(2, {0, 1}), Reads({2})}, 3);
  points.slot_sizes[2] = 8;
  const std::vector<SlotPart> both = {{2, 0, 2, 0}, {2, 1, 2, 4}};
  EXPECT_FALSE(FindValueFault(points, At({0, 0, 0}), both));
  const std::vector<SlotPart> second = {{2, 1, 2, 4}};
  EXPECT_TRUE(FindValueFault(points, At({0, 0, 0}), second));
}

// Slot 1 overwrites slot 0 on one of two paths.
TEST(FindValueFault, NamesTheWriterOnOnePath) {
  ProgramPoints points =
      Chained({Writes({0}), Reads({0}), Writes({1}), Reads({0})}, 2);
  points.points[1].next = {2, 3};
  const optional<ValueFault> fault = FindValueFault(points, At({0, 0}));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->point, 3u);
  EXPECT_EQ(fault->writer, optional<size_t>(2));
  EXPECT_EQ(fault->writer_slot, optional<SlotId>(1));
  EXPECT_FALSE(FindValueFault(points, At({0, 4})));
}

// On each of two paths, slots 1 and 2 are assigned the same value, but the
// value differs between the paths.
TEST(FindValueFault, KeepsEqualValuesOverJoins) {
  const auto join = [](Point then) {
    ProgramPoints points = Chained({Writes({0, 4}), Copies({{1, 0}, {2, 0}}),
                                    std::move(then), Copies({{1, 2}})},
                                   5);
    points.points[0].next = {1, 2};
    points.points[1].next = {3};
    return points;
  };
  const std::vector<optional<size_t>> offsets = At({0, 4, 8, 8, 12});
  ProgramPoints points = join(Copies({{1, 4}, {2, 4}}));
  points.points.push_back(Copies({{2, 1}}));
  points.points.push_back(Reads({1, 2}));
  points.points[3].next = {4};
  points.points[4].next = {5};
  EXPECT_FALSE(FindValueFault(points, offsets));
}

// In this loop, a value is needed two iterations after it has been written.
TEST(FindValueFault, FollowsLoopsUntilNothingChanges) {
  // Each iteration assigns a, b := b, c and then writes slot 3. If slot 3 is at
  // the offset of c, the next read of c is a fault.
  ProgramPoints points =
      Chained({Writes({0, 1, 2}), Reads({0}), Copies({{0, 1}, {1, 2}}),
               Writes({3}), Reads({2})},
              4);
  points.points[3].next = {1};
  points.points[1].next = {2, 4};
  EXPECT_FALSE(FindValueFault(points, At({0, 4, 8, 12})));
  const optional<ValueFault> fault = FindValueFault(points, At({0, 4, 8, 8}));
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->slot, 2u);
  EXPECT_EQ(fault->writer, optional<size_t>(3));
}

// The loop keeps a copy of the value that slot 0 had in one iteration. In the
// next iteration, the same point writes another value to slot 0.
TEST(FindValueFault, TellsTurnsApart) {
  ProgramPoints points = Chained(
      {Writes({0, 1}), Writes({0}), Reads({1}), Copies({{1, 0}}), Reads({1})},
      2);
  points.points[3].next = {1, 4};
  EXPECT_FALSE(FindValueFault(points, At({0, 4})));
  // If both slots are at the same offset, the next value of slot 0 overwrites
  // slot 1.
  points.points[0] = Writes({0});
  points.points[0].next = {1};
  points.points[2].reads = {0};
  EXPECT_FALSE(FindValueFault(points, At({0, 0})));
  points.points[2].reads = {0, 1};
  points.points[0].copies = {};
  EXPECT_TRUE(FindValueFault(points, At({0, 0})));
}

TEST(DescribeValueFault, NamesOperatorTensorByteAndWriter) {
  Program program;
  ProgramFunction main;
  main.tensors = {{"x", 4}, {"y", 4}, {"z", 4}};
  main.inputs = {0};
  main.outputs = {2};
  main.nodes = {{NodeKind::kOperator, "ABS", {0}, {1}, {}},
                {NodeKind::kOperator, "ADD", {0, 1}, {2}, {}}};
  main.nodes[0].in_place = {{0, 0, false}};
  program.functions = {main};
  const StatusOr<ProgramPoints> points = PointsOf(program);
  ASSERT_TRUE(points.ok()) << points.status();
  const auto text = [&](std::vector<optional<size_t>> offsets) {
    const optional<ValueFault> fault = FindValueFault(*points, offsets);
    return fault ? DescribeValueFault(program, *points, *fault)
                 : std::string("none");
  };
  EXPECT_EQ(text({0, 4, 8}), "none");
  EXPECT_EQ(text({0, 0, 8}),
            "function 0, node 1 (ADD) reads tensor 0.x, but byte 0 was last "
            "written by function 0, node 0 (ABS), for tensor 0.y");
  EXPECT_EQ(text({0, 4, 6}),
            "function 0, node 1 (ADD) writes tensor 0.z over tensor 0.y, which "
            "it reads, from byte 6 on; expected separate bytes, or the same "
            "bytes if the operator may compute in place");
  EXPECT_EQ(text({0, nullopt, 6}),
            "function 0, node 0 (ABS) uses tensor 0.y, which has no offset; "
            "expected one whose end is below 2^64");
}

}  // namespace
}  // namespace stowage
