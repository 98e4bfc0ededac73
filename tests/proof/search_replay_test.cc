// SPDX-License-Identifier: Apache-2.0
// Tests the replay of the steps of a proof. A prover that chooses suitable
// steps can prove everything that is true. Neither this prover nor random steps
// can prove anything false.
#include "src/proof/search_replay.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "gtest/gtest.h"
#include "stowage/base/random.h"
#include "stowage/lower_bound.h"
#include "stowage/problem.h"
#include "tests/proof/tiny_problems.h"
#include "tests/support/sanitized.h"

namespace stowage {
namespace {

using certificate::SearchReplay;

uint64_t Below(Random* random, uint64_t limit) { return random->Below(limit); }

// Tries to prove that the records do not fit, and succeeds if they do not. In
// each node, it first tries the steps that refute the node immediately, and
// then the other steps in random order.
class Prover {
 public:
  Prover(const Problem& problem, const std::vector<size_t>& records,
         size_t capacity, Random* random)
      : capacity_(capacity),
        random_(random),
        replay_(problem, records, capacity) {
    for (size_t i = 0; i < records.size(); ++i) order_.push_back(i);
  }

  bool Proves() {
    if (!replay_.IsProved()) Refute();
    return replay_.IsProved();
  }

 private:
  bool Cuts() {
    for (size_t task = 0; task < 10; ++task) {
      for (size_t level = 0; level <= capacity_; ++level) {
        if (replay_.Full(task, level).ok()) return true;
      }
    }
    return std::any_of(order_.begin(), order_.end(),
                       [&](size_t i) { return replay_.Stuck(i).ok(); });
  }

  // Returns whether the open node was refuted.
  bool Refute() {
    if (Cuts()) return true;
    std::vector<size_t> order = order_;
    for (size_t k = order.size(); k > 1; --k) {
      std::swap(order[k - 1], order[Below(random_, k)]);
    }
    if (Below(random_, 2) == 0) {
      for (const size_t i : order) {
        if (!replay_.Part(i).ok()) continue;
        if (Refute()) return true;
        // This part may fit, since it was not refuted. Another part may
        // nevertheless not fit.
        EXPECT_TRUE(replay_.Abandon().ok());
      }
    }
    if (replay_.Close().ok()) return true;
    for (const size_t i : order) {
      // The replay refuses a record that does not have to be placed here.
      if (!replay_.Place(i).ok()) continue;
      if (!Refute()) return false;
      if (replay_.Close().ok()) return true;
    }
    return false;
  }

  size_t capacity_;
  Random* random_;
  SearchReplay replay_;
  std::vector<size_t> order_;
};

// A problem, the numbers of all its records, and a capacity that the records
// may or may not fit.
struct Question {
  Problem problem;
  std::vector<size_t> all;
  size_t capacity = 0;
};

absl::optional<Question> RandomQuestion(Random* random) {
  absl::StatusOr<Problem> problem = Problem::Create(RandomSpec(random, 6));
  if (!problem.ok()) return absl::nullopt;
  std::vector<size_t> all(problem->size());
  std::iota(all.begin(), all.end(), size_t{0});
  const size_t capacity = LowerBoundOf(*problem).bytes + Below(random, 3);
  return Question{*std::move(problem), std::move(all), capacity};
}

// Three records of 5 bytes at multiples of 8 occupy 8, 8 and 5 bytes.
TEST(SearchReplay, CountsThePaddingOfAlignments) {
  struct Case {
    const char* name;
    std::vector<size_t> alignments;
    size_t fixed_at;  // the offset of the last record, or 0
    size_t capacity;
    size_t level;
    bool is_full;
  };
  for (const Case& c : std::vector<Case>{
           {"one byte is missing", {8, 8, 8}, 0, 20, 0, true},
           {"all fit", {8, 8, 8}, 0, 21, 0, false},
           {"the least alignment counts", {8, 2, 8}, 0, 16, 0, true},
           {"all fit by the least alignment", {8, 2, 8}, 0, 17, 0, false},
           {"one is not aligned", {8, 1, 8}, 0, 16, 0, false},
           {"a fixed record may end anywhere", {8, 8, 1}, 16, 21, 0, false},
       }) {
    SCOPED_TRACE(c.name);
    ProblemSpec spec;
    spec.records =
        std::vector<TensorUsageRecord<size_t>>{{5, 0, 1}, {5, 1, 2}, {5, 1, 1}};
    spec.alignments = c.alignments;
    if (c.fixed_at > 0) {
      spec.fixed_offsets = {absl::nullopt, absl::nullopt, c.fixed_at};
    }
    const Problem problem = Problem::Create(spec).value();
    SearchReplay replay(problem, {0, 1, 2}, c.capacity);
    EXPECT_EQ(replay.Full(1, c.level).ok(), c.is_full);
    EXPECT_EQ(replay.IsProved(), c.is_full);
  }
}

TEST(SearchReplay, ProvesWhatIsTrueAndNothingElse) {
  Random random(3);
  constexpr size_t kQuestions = support::Sampled(1500);
  size_t proved = 0;
  size_t refuted = 0;
  for (size_t k = 0; k < kQuestions; ++k) {
    const absl::optional<Question> question = RandomQuestion(&random);
    if (!question) continue;
    const auto& [problem, all, capacity] = *question;
    const bool fits = Fits(problem, capacity);
    EXPECT_EQ(Prover(problem, all, capacity, &random).Proves(), !fits) << k;
    ++(fits ? refuted : proved);
  }
  EXPECT_GT(proved, kQuestions / 15);
  EXPECT_GT(refuted, kQuestions / 15);
}

// Performs random steps, one after another.
TEST(SearchReplay, IsNotMovedByStepsAtRandom) {
  Random random(4);
  for (int k = 0; k < 3000; ++k) {
    const absl::optional<Question> question = RandomQuestion(&random);
    if (!question) continue;
    const auto& [problem, all, capacity] = *question;
    SearchReplay replay(problem, all, capacity);
    for (int step = 0; step < 200 && !replay.IsProved(); ++step) {
      const size_t i = Below(&random, all.size() + 1);
      switch (Below(&random, 6)) {
        case 0:
          replay.Place(i).IgnoreError();
          break;
        case 1:
          replay.Part(i).IgnoreError();
          break;
        case 2:
          replay.Full(i, Below(&random, capacity + 2)).IgnoreError();
          break;
        case 3:
          replay.Stuck(i).IgnoreError();
          break;
        case 4:
          replay.Close().IgnoreError();
          break;
        case 5:
          if (Below(&random, 4) == 0) replay.Abandon().IgnoreError();
          break;
      }
    }
    EXPECT_FALSE(replay.IsProved() && Fits(problem, capacity)) << k;
  }
}

}  // namespace
}  // namespace stowage
