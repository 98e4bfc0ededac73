// SPDX-License-Identifier: Apache-2.0
// Tests the linked solver of linear programs and the relaxation of shared
// objects, which uses the solver. Programs can grow by rows and columns, and
// can be stopped at any time.
#include "src/construct/linear_program.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "optimal/objects/chain_weights.h"
#include "optimal/objects/class_model.h"
#include "optimal/objects/class_program.h"
#include "optimal/objects/objects_kernel.h"
#include "src/base/work_limit.h"
#include "stowage/base/random.h"

namespace stowage::optimal {
namespace {

constexpr uint64_t kManyPivots = 100000;

// Provides a stop signal that is set at its `checks`-th check and stays set.
class StopAfter {
 public:
  explicit StopAfter(size_t checks) : left_(checks) {
    stop_.is_unwanted = &is_unwanted_;
  }
  StopAfter(const StopAfter&) = delete;
  StopAfter& operator=(const StopAfter&) = delete;

  const StopSignal& stop() const { return stop_; }
  bool is_set() const { return left_ == 0; }

 private:
  size_t left_;
  const std::function<bool()> is_unwanted_ = [this] {
    if (left_ > 0) --left_;
    return left_ == 0;
  };
  StopSignal stop_;
};

struct Program {
  std::vector<LinearColumn> columns;
  std::vector<LinearRow> rows;  // all rows are met if all columns are large
};

Program RandomProgram(Random* random) {
  Program program;
  const int columns = 2 + static_cast<int>(random->Below(8));
  for (int k = 0; k < columns; ++k) {
    program.columns.push_back(
        {static_cast<double>(1 + random->Below(9)), kUnbounded});
  }
  for (size_t count = 1 + random->Below(10); count > 0; --count) {
    LinearRow row;
    row.least = static_cast<double>(random->Below(20));
    for (int k = 0; k < columns; ++k) {
      if (random->Below(2) == 0) continue;
      row.columns.push_back(k);
      row.factors.push_back(static_cast<double>(1 + random->Below(3)));
    }
    if (row.columns.empty()) continue;
    // A row has a negative factor only if it also has a positive one, so large
    // values of its columns can still satisfy the row.
    if (row.columns.size() > 1 && random->Below(2) == 0) row.factors[0] = -0.5;
    program.rows.push_back(std::move(row));
  }
  return program;
}

double CostOf(const Program& program, absl::Span<const double> values) {
  double cost = 0;
  for (size_t k = 0; k < values.size(); ++k) {
    cost += program.columns[k].cost * values[k];
  }
  return cost;
}

// Adds all rows of the program at once and returns the lowest cost.
double CostAtOnce(const Program& program) {
  const std::unique_ptr<LinearProgram> all = CreateLinearProgram();
  all->AddColumns(program.columns);
  EXPECT_TRUE(all->AddRows(program.rows, StopSignal()));
  uint64_t pivots = kManyPivots;
  EXPECT_EQ(all->Solve(StopSignal(), &pivots),
            LinearProgram::Outcome::kOptimal);
  return CostOf(program, all->values());
}

TEST(LinearProgram, GrowsToWhatItWouldBeAtOnce) {
  if (CreateLinearProgram() == nullptr) GTEST_SKIP() << "no solver is linked";
  Random random(3);
  for (int round = 0; round < 500; ++round) {
    const Program program = RandomProgram(&random);
    const std::unique_ptr<LinearProgram> grown = CreateLinearProgram();
    grown->AddColumns(program.columns);
    uint64_t pivots = kManyPivots;
    for (const LinearRow& row : program.rows) {
      ASSERT_TRUE(grown->AddRows({row}, StopSignal()));
      ASSERT_EQ(grown->Solve(StopSignal(), &pivots),
                LinearProgram::Outcome::kOptimal);
    }
    if (program.rows.empty()) continue;
    ASSERT_NEAR(CostOf(program, grown->values()), CostAtOnce(program), 1e-6)
        << "round " << round;
    for (const LinearRow& row : program.rows) {
      double sum = 0;
      for (size_t k = 0; k < row.columns.size(); ++k) {
        sum += row.factors[k] *
               grown->values()[static_cast<size_t>(row.columns[k])];
      }
      ASSERT_GE(sum, row.least - 1e-6) << "round " << round;
    }
  }
}

// The program first has only the row x >= 4. A column y, which costs less than
// x, and the row x + y >= 9 are added later.
TEST(LinearProgram, GrowsByColumnsBetweenRows) {
  const std::unique_ptr<LinearProgram> program = CreateLinearProgram();
  if (program == nullptr) GTEST_SKIP() << "no solver is linked";
  program->AddColumns({{3, kUnbounded}});
  ASSERT_TRUE(program->AddRows({{4, kUnbounded, {0}, {1}}}, StopSignal()));
  uint64_t pivots = kManyPivots;
  ASSERT_EQ(program->Solve(StopSignal(), &pivots),
            LinearProgram::Outcome::kOptimal);
  EXPECT_NEAR(program->prices()[0], 3, 1e-6);
  program->AddColumns({{1, kUnbounded}});
  ASSERT_TRUE(
      program->AddRows({{9, kUnbounded, {0, 1}, {1, 1}}}, StopSignal()));
  ASSERT_EQ(program->Solve(StopSignal(), &pivots),
            LinearProgram::Outcome::kOptimal);
  EXPECT_NEAR(program->values()[0], 4, 1e-6);
  EXPECT_NEAR(program->values()[1], 5, 1e-6);
}

TEST(LinearProgram, LooksAtTheSignalBeforeItsFirstPivot) {
  const std::unique_ptr<LinearProgram> program = CreateLinearProgram();
  if (program == nullptr) GTEST_SKIP() << "no solver is linked";
  program->AddColumns({{3, kUnbounded}});
  ASSERT_TRUE(program->AddRows({{4, kUnbounded, {0}, {1}}}, StopSignal()));
  // The solver checks the signal first before it calls CLP, and again before it
  // builds the matrix of CLP.
  for (const size_t checks : {size_t{1}, size_t{2}}) {
    const StopAfter after(checks);
    uint64_t pivots = kManyPivots;
    EXPECT_EQ(program->Solve(after.stop(), &pivots),
              LinearProgram::Outcome::kStopped)
        << checks;
    EXPECT_GE(pivots, kManyPivots - 1);
  }
  uint64_t pivots = kManyPivots;
  EXPECT_EQ(program->Solve(StopSignal(), &pivots),
            LinearProgram::Outcome::kOptimal);
}

TEST(LinearProgram, KeepsItsPricesWhereItIsStoppedForGood) {
  if (CreateLinearProgram() == nullptr) GTEST_SKIP() << "no solver is linked";
  size_t stopped = 0;
  for (size_t checks = 1;; ++checks) {
    const std::unique_ptr<LinearProgram> program = CreateLinearProgram();
    program->AddColumns({{3, kUnbounded}});
    ASSERT_TRUE(program->AddRows({{4, kUnbounded, {0}, {1}}}, StopSignal()));
    uint64_t pivots = kManyPivots;
    ASSERT_EQ(program->Solve(StopSignal(), &pivots),
              LinearProgram::Outcome::kOptimal);
    const StopAfter after(checks);
    if (program->AddRows({{9, kUnbounded, {0}, {1}}}, after.stop())) break;
    ++stopped;
    EXPECT_NEAR(program->prices()[0], 3, 1e-6);
    EXPECT_EQ(program->Solve(StopSignal(), &pivots),
              LinearProgram::Outcome::kStopped);
    EXPECT_FALSE(program->AddRows({}, StopSignal()));
  }
  // The solver keeps two copies of the program. It was stopped before, between
  // and after the additions of the row to the two copies.
  EXPECT_GE(stopped, 4u);
}

// Returns random records of many sizes.
std::vector<ObjectItem> RandomItems(uint64_t seed, size_t count) {
  Random random(seed);
  std::vector<ObjectItem> items;
  for (size_t k = 0; k < count; ++k) {
    const auto begin = static_cast<uint32_t>(random.Below(count));
    const auto end = begin + 1 + static_cast<uint32_t>(random.Below(8));
    items.push_back({1 + random.Below(50), {begin, end}});
  }
  return items;
}

std::vector<uint32_t> AllOf(const std::vector<ObjectItem>& items) {
  std::vector<uint32_t> all(items.size());
  std::iota(all.begin(), all.end(), uint32_t{0});
  return all;
}

TEST(ClassModel, IsMadeAsAWholeOrNotAtAll) {
  const std::vector<ObjectItem> items = RandomItems(5, 40);
  const std::vector<uint32_t> all = AllOf(items);
  const size_t cliques = BuildClassModel(items, all).cliques.size();
  size_t checks = 1;
  for (;; ++checks) {
    const StopAfter after(checks);
    const absl::optional<ClassModel> model =
        BuildClassModelUntil(after.stop(), items, all);
    ASSERT_EQ(model.has_value(), !after.is_set()) << checks;
    if (!model) continue;
    EXPECT_EQ(model->cliques.size(), cliques);
    break;
  }
  EXPECT_GT(checks, cliques);
  EXPECT_FALSE(SharesUntil(StopAfter(1).stop(), items, all));
  EXPECT_TRUE(SharesUntil(StopSignal(), items, all));
}

TEST(BoundOfPrices, IsNothingWhereItIsStopped) {
  const std::vector<ObjectItem> items = RandomItems(6, 40);
  const ClassModel model = BuildClassModel(items, AllOf(items));
  const ClassNode root = {model.ranges, {}, true};
  const ClassPrices prices = {std::vector<double>(items.size(), 1), {}};
  EXPECT_GT(BoundOfPrices(model, root, prices, 1).bytes, 0u);
  for (size_t checks = 1; checks <= model.sizes.size(); ++checks) {
    const StopAfter after(checks);
    EXPECT_EQ(BoundOfPrices(model, root, prices, 1, after.stop()).bytes, 0u);
  }
}

// The relaxation returns a valid bound, no matter when the signal is set.
TEST(ClassProgram, StopsAtAnyLook) {
  if (CreateLinearProgram() == nullptr) GTEST_SKIP() << "no solver is linked";
  const std::vector<ObjectItem> items = RandomItems(7, 20);
  const ClassModel model = BuildClassModel(items, AllOf(items));
  const ClassNode root = {model.ranges, {}, true};
  const size_t wanted = std::numeric_limits<size_t>::max();
  uint64_t pivots = kManyPivots;
  ClassProgram undisturbed(model, CreateLinearProgram());
  ASSERT_EQ(undisturbed.Solve(root, wanted, StopSignal(), &pivots),
            ClassProgram::Outcome::kOptimal);
  size_t checks = 1;
  for (;; ++checks) {
    const StopAfter after(checks);
    ClassProgram program(model, CreateLinearProgram());
    pivots = kManyPivots;
    const ClassProgram::Outcome outcome =
        program.Solve(root, wanted, after.stop(), &pivots);
    if (!after.is_set()) {
      EXPECT_EQ(outcome, ClassProgram::Outcome::kOptimal);
      break;
    }
    ASSERT_EQ(outcome, ClassProgram::Outcome::kStopped) << checks;
    ASSERT_LE(program.bound(), undisturbed.bound()) << checks;
    ASSERT_LE(program.BestBound(root, StopSignal()).bytes, undisturbed.bound())
        << checks;
  }
  EXPECT_GT(checks, 100u);
}

}  // namespace
}  // namespace stowage::optimal
