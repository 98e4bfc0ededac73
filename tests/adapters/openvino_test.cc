// SPDX-License-Identifier: Apache-2.0
// Tests the adapter for OpenVINO: its interface, lifetimes, ids, random boxes,
// and which boxes it leaves to the host.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/adapters/openvino/memory_solver.h"
#include "stowage/verify.h"
#include "tests/adapters/openvino_host.h"

namespace stowage::adapters {
namespace {

using Solver = MemorySolver<ov::MemorySolver>;
using Box = ov::MemorySolver::Box;

constexpr int64_t kMaxBoxSize = std::numeric_limits<int64_t>::max();

// Returns whether two boxes share bytes and are live at the same time by the
// rule of the host.
bool ShareBytes(const Box& a, int64_t at_a, const Box& b, int64_t at_b) {
  return a.start <= b.finish && b.start <= a.finish && at_a < at_b + b.size &&
         at_b < at_a + a.size;
}

TEST(OpenvinoMemorySolver, ReusesBytesOfBoxesThatDoNotTouch) {
  Solver solver({{0, 1, 64, 0}, {2, 3, 64, 1}});
  EXPECT_EQ(solver.solve(), 64);
  EXPECT_EQ(solver.get_offset(0), 0);
  EXPECT_EQ(solver.get_offset(1), 0);
}

// Both ends of a lifetime are inclusive.
TEST(OpenvinoMemorySolver, SeparatesBoxesThatTouchAtEitherEnd) {
  Solver solver({{2, 4, 64, 0}, {4, 6, 64, 1}, {0, 2, 64, 2}});
  EXPECT_EQ(solver.solve(), 128);
  EXPECT_NE(solver.get_offset(0), solver.get_offset(1));
  EXPECT_NE(solver.get_offset(0), solver.get_offset(2));
}

TEST(OpenvinoMemorySolver, TakesMinusOneForTheEndOfAllBoxes) {
  Solver by_start({{0, -1, 64, 0}, {5, 5, 64, 1}});
  EXPECT_EQ(by_start.solve(), 128);
  Solver by_finish({{0, -1, 64, 0}, {1, 5, 64, 1}, {5, 5, 64, 2}});
  EXPECT_EQ(by_finish.solve(), 192);
}

TEST(OpenvinoMemorySolver, IsSmallerThanTheHost) {
  const std::vector<Box> boxes = {
      {4, 5, 2, 0}, {1, 3, 6, 1}, {2, 4, 6, 2}, {4, 6, 5, 3}};
  EXPECT_EQ(ov::MemorySolver(boxes).solve(), 14);
  Solver solver(boxes);
  EXPECT_EQ(solver.solve(), 13);
  EXPECT_EQ(solver.max_depth(), 13);
}

TEST(OpenvinoMemorySolver, AcceptsNothingAndDefaultBoxes) {
  Solver nothing(std::vector<Box>{});
  EXPECT_EQ(nothing.solve(), 0);
  Solver one(std::vector<Box>{{}});
  EXPECT_EQ(one.solve(), 0);
  EXPECT_EQ(one.get_offset(0), 0);
}

TEST(OpenvinoMemorySolver, SaysTheSameDepthsBeforeAndAfter) {
  Solver solver({{0, 2, 4, 0}, {1, 3, 8, 1}, {3, 3, 2, 2}});
  EXPECT_EQ(solver.max_depth(), 12);
  EXPECT_EQ(solver.max_top_depth(), 2);
  solver.solve();
  EXPECT_EQ(solver.max_depth(), 12);
  EXPECT_EQ(solver.max_top_depth(), 2);
}

TEST(OpenvinoMemorySolver, ThrowsForUnknownIds) {
  Solver solver({{0, 2, 4, 7}});
  EXPECT_ANY_THROW(solver.get_offset(7)) << "not solved yet";
  solver.solve();
  EXPECT_EQ(solver.get_offset(7), 0);
  EXPECT_ANY_THROW(solver.get_offset(0)) << "the number that the host knows";
  EXPECT_ANY_THROW(solver.get_offset(-1));
}

TEST(OpenvinoMemorySolver, SolvesOnce) {
  Solver solver({{0, 2, 4, 7}, {1, 2, 6, 8}});
  EXPECT_EQ(solver.solve(), 10);
  EXPECT_EQ(solver.solve(), 10);
}

// The host places the smallest box last, so the offset of this box becomes the
// offset of the id.
TEST(OpenvinoMemorySolver, RemembersTheSmallestBoxOfAnId) {
  const std::vector<Box> boxes = {{0, 2, 4, 3}, {0, 2, 8, 3}, {0, 2, 6, 3}};
  ov::MemorySolver host(boxes);
  EXPECT_EQ(host.solve(), 18);
  EXPECT_EQ(host.get_offset(3), 14);
  Solver solver(boxes);
  EXPECT_EQ(solver.solve(), 18) << "all three have bytes of their own";
  EXPECT_EQ(solver.get_offset(3), 14);
}

TEST(OpenvinoMemorySolver, NormalizesBoxesAsTheHost) {
  std::vector<Box> boxes = {{0, -1, 4, 0}, {1, 1, 4, 1}};
  EXPECT_EQ(Solver::normalize_boxes(boxes), 2);
  EXPECT_EQ(boxes[0].finish, 1);
}

// A solver that returns the same offset for every box.
class OneOffset : public ov::MemorySolver {
 public:
  using ov::MemorySolver::MemorySolver;
  int64_t solve() { return 64; }
  int64_t get_offset(int id) const {
    if (id < 0) throw std::out_of_range("no such box");
    return 0;
  }
};

TEST(OpenvinoMemorySolver, ReportsAnUnsafePlanAndDoesNotReturnIt) {
  MemorySolver<OneOffset> solver({{0, 2, 64, 0}, {2, 3, 64, 1}});
  EXPECT_EQ(solver.solve(), 128);
  ASSERT_TRUE(solver.host_violation());
  EXPECT_EQ(solver.host_violation()->kind, Violation::Kind::kOverlappingBytes);
  EXPECT_EQ(solver.host_violation()->task, 2u);
  EXPECT_NE(solver.get_offset(0), solver.get_offset(1));
}

TEST(OpenvinoMemorySolver, ThrowsRatherThanReturnAnUnsafePlan) {
  MemorySolver<OneOffset> solver(
      {{0, 2, kMaxBoxSize, 0}, {2, 3, kMaxBoxSize, 1}, {2, 3, kMaxBoxSize, 2}});
  EXPECT_THROW(solver.solve(), std::runtime_error);
  EXPECT_TRUE(solver.host_violation());
  EXPECT_ANY_THROW(solver.get_offset(0));

  // A safe plan would have more bytes than the host can count.
  MemorySolver<OneOffset> two({{0, 2, kMaxBoxSize, 0}, {2, 3, kMaxBoxSize, 1}});
  EXPECT_THROW(two.solve(), std::runtime_error);
}

// Throws, and counts its calls.
class Throwing : public OneOffset {
 public:
  using OneOffset::OneOffset;
  int64_t solve() {
    ++calls;
    throw std::length_error("the host failed");
  }
  static int calls;
};
int Throwing::calls = 0;

// The host must plan only once, so the first exception is stored and thrown
// again.
TEST(OpenvinoMemorySolver, ThrowsTheSameExceptionAgain) {
  MemorySolver<OneOffset> unsafe(
      {{0, 2, kMaxBoxSize, 0}, {2, 3, kMaxBoxSize, 1}, {2, 3, kMaxBoxSize, 2}});
  MemorySolver<Throwing> throwing({{0, 2, 64, 0}});
  MemorySolver<Throwing> alone({{3, 2, 64, 0}});
  for (int call = 0; call < 3; ++call) {
    SCOPED_TRACE(call);
    EXPECT_THROW(unsafe.solve(), std::runtime_error);
    EXPECT_THROW(throwing.solve(), std::length_error);
    EXPECT_THROW(alone.solve(), std::length_error);
    EXPECT_ANY_THROW(unsafe.get_offset(0));
    EXPECT_ANY_THROW(throwing.get_offset(0));
  }
  EXPECT_EQ(Throwing::calls, 2) << "one call for each of two solvers";
}

// Boxes that Stowage cannot represent are passed to the host unchanged,
// including their ids.
TEST(OpenvinoMemorySolver, LeavesWhatIsNoIntervalToTheHost) {
  for (const Box& box : {Box{3, 2, 4, 5}, Box{0, 2, -4, 5}}) {
    MemorySolver<OneOffset> solver(std::vector<Box>{box});
    EXPECT_EQ(solver.solve(), 64);
    EXPECT_EQ(solver.get_offset(5), 0);
  }
}

// With a start below 0, the host would write outside its memory.
TEST(OpenvinoMemorySolver, RefusesStartsBelow0) {
  try {
    const Solver solver({{0, 2, 4, 5}, {-2, 2, 4, 6}});
    FAIL() << "expected an exception";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "box 1: start -2; expected 0 or above");
  }
}

RC_GTEST_PROP(OpenvinoProperty, IsSafeAndNeverLargerThanTheHost, ()) {
  std::vector<Box> boxes;
  for (int i = *rc::gen::inRange(0, 40); i > 0; --i) {
    const int start = *rc::gen::inRange(0, 20);
    const bool is_endless = *rc::gen::inRange(0, 10) == 0;
    const int finish = is_endless ? -1 : start + *rc::gen::inRange(0, 8);
    boxes.push_back({start, finish, *rc::gen::inRange<int64_t>(0, 100),
                     static_cast<int64_t>(boxes.size()) * 3});
  }
  ov::MemorySolver host(boxes);
  Solver solver(boxes);
  const int64_t size = solver.solve();
  RC_ASSERT(!solver.host_violation());
  RC_ASSERT(size <= host.solve());
  RC_ASSERT(size >= solver.max_depth());
  ov::MemorySolver::normalize_boxes(boxes);
  for (const Box& a : boxes) {
    const int64_t at_a = solver.get_offset(static_cast<int>(a.id));
    RC_ASSERT(at_a >= 0 && at_a + a.size <= size);
    for (const Box& b : boxes) {
      if (&a == &b) continue;
      RC_ASSERT(
          !ShareBytes(a, at_a, b, solver.get_offset(static_cast<int>(b.id))));
    }
  }
}

}  // namespace
}  // namespace stowage::adapters
