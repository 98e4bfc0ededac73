// SPDX-License-Identifier: Apache-2.0
// Tests the logs that a search writes when weak bounds of the relaxation force
// it to branch. The logs contain every kind of branch and leaf, and the check
// of certificates accepts every log.
#include "optimal/objects/class_log.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "optimal/objects/objects_kernel.h"
#include "src/base/work_limit.h"
#include "src/bounds/interval_ranks.h"
#include "src/construct/linear_program.h"
#include "src/proof/objects_log.h"
#include "stowage/base/random.h"
#include "tests/strategies/optimal_inputs.h"

namespace stowage::optimal {
namespace {

using ::testing::ElementsAre;

// Solves a linear program but randomly sets some of its prices to 0. The bounds
// are then too low, so the search has to branch often.
class ForgetfulProgram final : public LinearProgram {
 public:
  // Keeps about `kept` of every ten prices and sets the others to 0.
  ForgetfulProgram(uint64_t kept, uint64_t seed)
      : program_(CreateLinearProgram()), kept_(kept), random_(seed) {}

  void AddColumns(absl::Span<const LinearColumn> columns) override {
    program_->AddColumns(columns);
  }
  bool AddRows(absl::Span<const LinearRow> rows,
               const StopSignal& stop) override {
    return program_->AddRows(rows, stop);
  }
  void SetMaxOfColumn(int column, double max) override {
    program_->SetMaxOfColumn(column, max);
  }
  void SetBoundsOfRow(int row, double least, double max) override {
    program_->SetBoundsOfRow(row, least, max);
  }
  Outcome Solve(const StopSignal& stop, uint64_t* pivots) override {
    const Outcome outcome = program_->Solve(stop, pivots);
    prices_.clear();
    for (const double price : program_->prices()) {
      prices_.push_back(random_.Below(10) < kept_ ? price : 0);
    }
    return outcome;
  }
  absl::Span<const double> values() const override {
    return program_->values();
  }
  absl::Span<const double> prices() const override { return prices_; }

 private:
  const std::unique_ptr<LinearProgram> program_;
  const uint64_t kept_;
  Random random_;
  std::vector<double> prices_;
};

// Returns a search that has to show that no objects for the records have a
// total size below `limit`. Records without bytes are skipped.
CompleteSearch SearchBelow(const Records& records, size_t limit) {
  const IntervalRanks ranks = RankIntervals(records);
  CompleteSearch search;
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].tensor_size == 0) continue;
    search.items.push_back({records[i].tensor_size, ranks.intervals[i]});
    search.records.push_back(i);
  }
  search.limit = limit;
  search.last_limit = limit;
  return search;
}

// Returns nine records whose optimum is equal to or slightly above the bound of
// the relaxation, depending on the random parts of their sizes.
Records RecordsWithGap(Random* random) {
  Records records = {{19356, 0, 2}, {4948, 0, 0},  {53445, 5, 5},
                     {28599, 4, 5}, {96504, 3, 4}, {97039, 5, 6},
                     {37964, 1, 1}, {2113, 1, 4},  {25597, 2, 3}};
  for (ByteRecord& record : records) {
    record.tensor_size += random->Below(2000);
  }
  return records;
}

absl::StatusOr<std::string> LogOf(const CompleteSearch& search, uint64_t kept,
                                  uint64_t seed) {
  std::string text;
  const absl::Status written =
      WriteClassLog(search, std::make_unique<ForgetfulProgram>(kept, seed),
                    [&](absl::string_view piece) {
                      absl::StrAppend(&text, piece);
                      return absl::OkStatus();
                    });
  if (!written.ok()) return written;
  return text;
}

// Returns whether the log has no steps, because the relaxation alone shows that
// no plan is below the limit.
bool IsEmpty(const std::string& log) { return absl::StartsWith(log, "end "); }

TEST(ClassLog, ProvesTheLeastOfAllPlansHoweverWeakTheBounds) {
  if (CreateLinearProgram() == nullptr) GTEST_SKIP() << "no solver is linked";
  Random random(37);
  std::set<char> letters;
  for (int round = 0; round < 500; ++round) {
    const bool has_gap = round % 5 == 0;
    const Records records =
        has_gap ? RecordsWithGap(&random) : TinyRecords(&random, 6);
    // Keeps nine of ten prices for records with a gap, because the search would
    // have too many nodes with fewer prices.
    const uint64_t kept = has_gap ? 9 : random.Below(11);
    const size_t least = LeastSumOfObjects(records);
    if (least == 0) continue;
    const CompleteSearch search = SearchBelow(records, least);
    const absl::StatusOr<std::string> text = LogOf(search, kept, random.Next());
    ASSERT_TRUE(text.ok()) << text.status();
    if (IsEmpty(*text)) continue;
    const absl::StatusOr<size_t> bound = certificate::BoundOfObjectsLog(
        records, {search.records, least - 1, *text});
    ASSERT_TRUE(bound.ok()) << bound.status();
    ASSERT_EQ(*bound, least) << "round " << round;
    for (const absl::string_view line : absl::StrSplit(*text, '\n')) {
      letters.insert(line.empty() ? 'e' : line.front());
    }
  }
  EXPECT_THAT(letters, ElementsAre('b', 'e', 'm', 'n', 't', 'w', 'x'));
}

// Each plan that a search finds lowers its limit to the total size of the plan.
// Finally, the search claims that there is no plan below the last limit, and
// its log proves this claim.
TEST(ClassLog, ProvesWhatIsBelowTheLastLimit) {
  if (CreateLinearProgram() == nullptr) GTEST_SKIP() << "no solver is linked";
  Random random(41);
  size_t proved = 0;
  for (int round = 0; round < 200; ++round) {
    const Records records = TinyRecords(&random, 6);
    const size_t least = LeastSumOfObjects(records);
    if (least == 0) continue;
    const CompleteSearch search = SearchBelow(records, 4 * least);
    const absl::StatusOr<std::string> text =
        LogOf(search, random.Below(11), random.Next());
    ASSERT_TRUE(text.ok()) << text.status();
    if (IsEmpty(*text)) continue;
    const auto bound_below = [&](size_t limit) {
      return certificate::BoundOfObjectsLog(records,
                                            {search.records, limit - 1, *text});
    };
    ASSERT_EQ(bound_below(least).value_or(0), least) << "round " << round;
    ASSERT_FALSE(bound_below(least + 1).ok()) << "round " << round;
    ++proved;
  }
  EXPECT_GT(proved, 50u);
}

TEST(ClassLog, EndsWithTheFirstErrorOfWriting) {
  if (CreateLinearProgram() == nullptr) GTEST_SKIP() << "no solver is linked";
  const Records records = {{24, 0, 0}, {8, 0, 1}, {8, 1, 2}, {24, 2, 2}};
  for (int allowed = 0; allowed < 20; ++allowed) {
    int left = allowed;
    const absl::Status written = WriteClassLog(
        SearchBelow(records, 40), std::make_unique<ForgetfulProgram>(0, 1),
        [&](absl::string_view /*piece*/) {
          return left-- > 0 ? absl::OkStatus() : absl::DataLossError("full");
        });
    EXPECT_EQ(written, absl::DataLossError("full")) << allowed;
  }
}

}  // namespace
}  // namespace stowage::optimal
