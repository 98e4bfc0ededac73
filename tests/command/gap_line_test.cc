// SPDX-License-Identifier: Apache-2.0
// Tests the line that shows the gap of a running search.
#include "src/command/gap_line.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>
#include <ostream>
#include <string>

#include "stowage/strategy.h"

namespace stowage::cli {
namespace {

struct GapCase {
  std::string name;
  SearchProgress first;
  SearchProgress now;
  std::string line;
};

std::ostream& operator<<(std::ostream& out, const GapCase& gap) {
  return out << gap.name;
}

SearchProgress At(size_t total, size_t bound) { return {total, bound, 0, ""}; }

constexpr size_t kMax = std::numeric_limits<size_t>::max();

const GapCase kGaps[] = {
    {"first plan", At(150, 100), At(150, 100),
     "bound 100 [                    ] 150 plan +50.00 %"},
    {"better plan", At(150, 100), At(125, 100),
     "bound 100 [                <<<<] 125 plan +25.00 %"},
    {"better bound", At(150, 100), At(125, 120),
     "bound 120 [>>>>         <<<<<<<] 125 plan +4.17 %"},
    {"met at the bound", At(150, 100), At(100, 100),
     "bound 100 [<<<<<<<<<<<<<<<<<<<<] 100 plan +0.00 %"},
    {"met at the plan", At(150, 100), At(150, 150),
     "bound 150 [>>>>>>>>>>>>>>>>>>>>] 150 plan +0.00 %"},
    {"no gap at all", At(100, 100), At(100, 100),
     "bound 100 [<<<<<<<<<<<<<<<<<<<<] 100 plan +0.00 %"},
    {"a byte of many", At(kMax, 1), At(kMax - 1, 1),
     "bound 1 [                    ] 18446744073709551614 plan, "
     "1.84e+19 times the bound"},
    {"no bound", At(8, 0), At(4, 0), "bound 0 [              <<<<<<] 4 plan"},
};

class GapLineTest : public testing::TestWithParam<GapCase> {};

TEST_P(GapLineTest, ClosesFromBothEnds) {
  EXPECT_EQ(GapLine(GetParam().first, GetParam().now), GetParam().line);
}

INSTANTIATE_TEST_SUITE_P(Gaps, GapLineTest, testing::ValuesIn(kGaps));

}  // namespace
}  // namespace stowage::cli
