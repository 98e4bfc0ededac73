// SPDX-License-Identifier: Apache-2.0
// Tests that the generators produce usage records as documented, and that
// counterexamples shrink to a readable size.
#include "stowage/testing/generators.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <sstream>
#include <vector>

#include "gtest/gtest.h"
#include "rapidcheck.h"
#include "stowage/profile.h"
#include "tests/support/status_matchers.h"

namespace stowage::testing {
namespace {

using support::IsOk;

// Returns samples that are the same in every run.
template <typename T>
std::vector<T> Sample(const rc::Gen<T>& gen, uint64_t count = 100) {
  std::vector<T> sample;
  for (uint64_t seed = 0; seed < count; ++seed) {
    sample.push_back(gen(rc::Random(seed), 40).value());
  }
  return sample;
}

// Returns the number of samples for which `is` returns true.
template <typename T>
size_t Count(const rc::Gen<T>& gen, const std::function<bool(const T&)>& is,
             uint64_t count = 100) {
  const std::vector<T> sample = Sample(gen, count);
  return static_cast<size_t>(std::count_if(sample.begin(), sample.end(), is));
}

bool IsSorted(const ByteRecords& records) {
  return std::is_sorted(records.begin(), records.end(), BeginsBefore());
}

TEST(GeneratorsTest, RecordsAreValidAndInTheOrderPromised) {
  const struct {
    const char* name;
    rc::Gen<ByteRecords> gen;
    bool sorted;
  } families[] = {
      {"chain", ChainRecords(), true},
      {"branchy", BranchyRecords(), true},
      {"long-lived", LongLivedRecords(), true},
      {"tied", TiedRecords(), true},
      {"zero-sized", ZeroSizedRecords(), true},
      {"huge", HugeRecords(), true},
      {"gappy", GappyRecords(), true},
      {"network", NetworkRecords(), true},
      {"any sorted", AnySortedRecords(), true},
      {"unsorted", UnsortedRecords(), false},
      {"any", AnyRecords(), false},
  };
  for (const auto& family : families) {
    SCOPED_TRACE(family.name);
    size_t unsorted = 0;
    for (const ByteRecords& records : Sample(family.gen)) {
      EXPECT_THAT(CheckUsageRecords(records), IsOk());
      if (!IsSorted(records)) ++unsorted;
    }
    EXPECT_EQ(unsorted == 0, family.sorted);
    EXPECT_TRUE(family.gen(rc::Random(), 0).value().empty());
  }
}

TEST(GeneratorsTest, InAChainOnlyNeighboursConflict) {
  for (const ByteRecords& records : Sample(ChainRecords())) {
    for (size_t i = 0; i < records.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        EXPECT_EQ(Conflict(records[i], records[j]), j + 1 == i);
      }
    }
  }
}

TEST(GeneratorsTest, FamiliesHaveTheirProperties) {
  const auto has = [](const std::function<bool(const ByteRecord&)>& is) {
    return [is](const ByteRecords& records) {
      return std::any_of(records.begin(), records.end(), is);
    };
  };
  const auto has_ties = [](const ByteRecords& records) {
    std::set<size_t> sizes;
    std::set<TaskId> tasks;
    for (const ByteRecord& r : records) {
      sizes.insert(r.tensor_size);
      tasks.insert(r.first_task);
    }
    return sizes.size() < records.size() && tasks.size() < records.size();
  };
  const auto lives_long =
      has([](const ByteRecord& r) { return r.last_task - r.first_task >= 20; });
  const auto is_empty =
      has([](const ByteRecord& r) { return r.tensor_size == 0; });
  const auto is_far =
      has([](const ByteRecord& r) { return r.last_task >> 32 != 0; });
  const auto is_last = has([](const ByteRecord& r) {
    return r.last_task == std::numeric_limits<TaskId>::max();
  });
  const auto is_large = [](const ByteRecords& records) {
    return NaiveSize(records) > std::numeric_limits<uint32_t>::max();
  };
  EXPECT_GT(Count<ByteRecords>(TiedRecords(), has_ties), 80);
  EXPECT_GT(Count<ByteRecords>(LongLivedRecords(), lives_long), 50);
  EXPECT_EQ(Count<ByteRecords>(BranchyRecords(), lives_long), 0);
  EXPECT_GT(Count<ByteRecords>(ZeroSizedRecords(), is_empty), 80);
  EXPECT_EQ(Count<ByteRecords>(BranchyRecords(), is_empty), 0);
  EXPECT_GT(Count<ByteRecords>(GappyRecords(), is_far), 80);
  EXPECT_GT(Count<ByteRecords>(GappyRecords(), is_last), 80);
  EXPECT_GT(Count<ByteRecords>(HugeRecords(), is_large), 80);
  // Networks have long-lived records, because their decoders read the outputs
  // of encoders again.
  EXPECT_GT(Count<ByteRecords>(NetworkRecords(), lives_long), 50);

  // AnyRecords covers all of these cases.
  for (const auto& is : std::vector<std::function<bool(const ByteRecords&)>>{
           has_ties, lives_long, is_empty, is_far, is_large}) {
    EXPECT_GT(Count<ByteRecords>(AnyRecords(), is, 1000), 0);
  }
}

template <typename TensorSizeT>
void ExpectUsefulExtents() {
  size_t equal = 0;
  size_t covering = 0;
  size_t incomparable = 0;
  for (const auto& records : Sample(ExtentRecords<TensorSizeT>())) {
    EXPECT_TRUE(std::is_sorted(records.begin(), records.end(), BeginsBefore()));
    EXPECT_THAT(CheckUsageRecords(records), IsOk());
    for (size_t i = 1; i < records.size(); ++i) {
      const TensorSizeT& a = records[i - 1].tensor_size;
      const TensorSizeT& b = records[i].tensor_size;
      if (a == b) {
        ++equal;
      } else if (Covers(a, b) || Covers(b, a)) {
        ++covering;
      } else {
        ++incomparable;
      }
    }
  }
  EXPECT_GT(equal, 0);
  EXPECT_GT(covering, 100);
  EXPECT_GT(incomparable, 100);
}

TEST(GeneratorsTest, ExtentsAreEqualCoveringAndIncomparable) {
  ExpectUsefulExtents<uint2>();
  ExpectUsefulExtents<uint3>();
  ExpectUsefulExtents<BHWC>();
}

TEST(GeneratorsTest, AlignmentsAreOneForEach) {
  std::set<size_t> seen;
  for (const auto& alignments : Sample(AlignmentLists(7))) {
    EXPECT_EQ(alignments.size(), 7);
    EXPECT_THAT(Alignments(alignments).Check(7), IsOk());
    seen.insert(alignments.begin(), alignments.end());
  }
  EXPECT_EQ(*seen.begin(), 1);
  EXPECT_GT(seen.size(), 5);
}

// Generates records for which `is` returns true, and shrinks them. Each step
// replaces the records with the first simpler records for which `is` still
// returns true. Stops when there are no such records.
ByteRecords Shrunk(const rc::Gen<ByteRecords>& gen,
                   const std::function<bool(const ByteRecords&)>& is) {
  for (uint64_t seed = 0;; ++seed) {
    rc::Shrinkable<ByteRecords> best = gen(rc::Random(seed), 60);
    if (!is(best.value())) continue;
    for (bool simpler = true; simpler;) {
      simpler = false;
      auto candidates = best.shrinks();
      while (auto candidate = candidates.next()) {
        if (!is(candidate->value())) continue;
        best = *candidate;
        simpler = true;
        break;
      }
    }
    return best.value();
  }
}

TEST(GeneratorsTest, CounterexamplesShrinkToTheirCore) {
  const auto has_conflict = [](const ByteRecords& records) {
    for (size_t i = 0; i < records.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (Conflict(records[i], records[j])) return true;
      }
    }
    return false;
  };
  for (const auto& gen : {BranchyRecords(), LongLivedRecords(), GappyRecords(),
                          UnsortedRecords()}) {
    const ByteRecords core = Shrunk(gen, has_conflict);
    EXPECT_EQ(rc::toString(core),
              "[{size 1, tasks [0, 0]}, {size 1, tasks [0, 0]}]");
  }
  EXPECT_EQ(rc::toString(Shrunk(ChainRecords(), has_conflict)),
            "[{size 1, tasks [0, 1]}, {size 1, tasks [1, 2]}]");
  EXPECT_LE(Shrunk(NetworkRecords(), has_conflict).size(), 5);  // one block
}

TEST(GeneratorsTest, CounterexamplesShowSizesAndTasks) {
  EXPECT_EQ(rc::toString(TensorUsageRecord<BHWC>(BHWC(1, 8, 4, 2), 3, 5)),
            "{size 1x8x4x2, tasks [3, 5]}");
}

}  // namespace
}  // namespace stowage::testing
