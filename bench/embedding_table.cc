// SPDX-License-Identifier: Apache-2.0
// Prints the cost of planning at run time as two Markdown tables. In the first
// table, the first column is the time, in milliseconds, to create a problem in
// C++ and plan it with `skyline`. The other columns show other ways to plan or
// check the same records; their times are relative to the first column. The
// records are those of generated networks, and each time is the shortest of all
// repetitions. The second table is the one in embedding_numbers.h.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include "bench/embedding_numbers.h"
#include "bench/networks.h"
#include "stowage/c/stowage.h"
#include "stowage/plan_cache.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/solution.h"
#include "stowage/verify.h"

namespace stowage::bench {
namespace {

constexpr int kRepetitions = 31;

// Aborts the program if a measured call has failed.
void Require(bool is_done) {
  if (!is_done) std::abort();
}

// Holds several ways to plan or check the same records, and the memory that
// they need. Each function in `works` handles all of the records.
class Ways {
 public:
  explicit Ways(const std::vector<ByteRecord>& records)
      : records_(records),
        problem_(ProblemOf(records)),
        plan_(*Solve(problem_, "skyline")),
        offsets_(records.size()),
        workspace_(records.size()) {
    for (const ByteRecord& r : records) {
      list_.push_back({r.tensor_size, r.first_task, r.last_task});
      placed_.push_back(
          {r.tensor_size, r.first_task, r.last_task, STOWAGE_NONE});
    }
    unplaced_ = placed_;
  }

  // Returns one function for each column of the table, from left to right.
  // Calling the function does the work that the column measures.
  std::vector<std::function<void()>> works() {
    return {[this] { SolveBy("skyline"); },
            [this] { PlanInOneCallOfC(); },
            [this] { SolveBy("greedy_by_size"); },
            [this] { SolveBy("greedy_best"); },
            [this] { PlanInPlace(); },
            [this] { Verify(); },
            [this] { Require(cache_.Get(ProblemOf(records_)).ok()); }};
  }

 private:
  void SolveBy(const char* strategy) {
    Require(Solve(ProblemOf(records_), strategy).ok());
  }

  void Verify() {
    Require(!FindViolation(problem_, *plan_.offsets()).has_value());
  }

  void PlanInOneCallOfC() {
    Require(stowage_assign_offsets(list_.data(), list_.size(), kAlignment,
                                   nullptr, offsets_.data(), &total_,
                                   nullptr) == STOWAGE_OK);
  }

  void PlanInPlace() {
    placed_ = unplaced_;
    Require(stowage_plan_in_place(placed_.data(), placed_.size(), kAlignment,
                                  workspace_.data(),
                                  STOWAGE_WORKSPACE_BYTES(placed_.size()),
                                  &total_, nullptr) == STOWAGE_OK);
  }

  std::vector<ByteRecord> records_;
  Problem problem_;
  Solution plan_;
  PlanCache cache_{size_t{1} << 30};
  std::vector<stowage_record> list_;
  std::vector<uint64_t> offsets_;
  uint64_t total_ = 0;
  std::vector<stowage_placed_record> unplaced_;
  std::vector<stowage_placed_record> placed_;
  std::vector<uint64_t> workspace_;
};

// Measures the ways in turn and repeats this several times, so a change in the
// load of the machine affects all ways equally.
void PrintRow(size_t count) {
  Ways ways(NetworkRecords(count, 1));
  const auto works = ways.works();
  std::vector<double> least(works.size());
  for (int i = 0; i < kRepetitions; ++i) {
    for (size_t way = 0; way < works.size(); ++way) {
      const auto begin = std::chrono::steady_clock::now();
      works[way]();
      const std::chrono::duration<double, std::milli> time =
          std::chrono::steady_clock::now() - begin;
      if (i == 0 || time.count() < least[way]) least[way] = time.count();
    }
  }
  std::printf("| %zu | %.3f |", count, least[0]);
  for (size_t way = 1; way < works.size(); ++way) {
    std::printf(" %.2f |", least[way] / least[0]);
  }
  std::printf("\n");
}

}  // namespace
}  // namespace stowage::bench

int main() {
  std::printf(
      "| records | `skyline`, ms | in C | `greedy_by_size` | `greedy_best` "
      "| in place | verifying alone | cached |\n"
      "|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  for (const size_t count : {30u, 100u, 300u, 1000u, 10000u}) {
    stowage::bench::PrintRow(count);
  }
  std::printf("\n");
  return stowage::bench::PrintEmbeddingNumbers() ? 0 : 1;
}
