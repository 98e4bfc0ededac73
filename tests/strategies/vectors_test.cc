// SPDX-License-Identifier: Apache-2.0
// Compares the plans of every classic strategy with those of the original
// implementation. They must be equal bit for bit.
#include "tests/support/vectors.h"

#include <cstddef>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/planner.h"
#include "stowage/usage_record.h"

namespace stowage {
namespace {

using support::LoadExtentVectors;
using support::LoadReallocationVectors;
using support::LoadUpstreamCases;
using support::LoadVectors;
using support::ObjectsIn;
using support::OffsetsIn;
using support::RecordsIn;
using support::Vector;
using ::testing::ElementsAreArray;

template <typename TensorSizeT>
void ExpectObjects(const std::vector<TensorUsageRecord<TensorSizeT>>& records,
                   MemoryStrategy strategy, const nlohmann::json& expected,
                   const UsageGraph* graph = nullptr) {
  SCOPED_TRACE(StrategyName(strategy));
  ObjectsAssignment<TensorSizeT> plan;
  const absl::Status status =
      AssignObjectsToTensors(records, strategy, &plan, graph);
  if (expected.is_string()) {
    ASSERT_EQ(expected, "unsupported");
    EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented) << status;
    return;
  }
  ASSERT_TRUE(status.ok()) << status;
  const auto want = ObjectsIn<TensorSizeT>(expected);
  EXPECT_THAT(plan.object_ids, ElementsAreArray(want.object_ids));
  EXPECT_TRUE(plan.object_sizes == want.object_sizes);
}

void ExpectOffsets(const std::vector<TensorUsageRecord<size_t>>& records,
                   MemoryStrategy strategy, size_t alignment,
                   const nlohmann::json& expected) {
  SCOPED_TRACE(StrategyName(strategy));
  OffsetsAssignment plan;
  const absl::Status status =
      AssignOffsetsToTensors(records, strategy, &plan, alignment);
  ASSERT_TRUE(status.ok()) << status;
  const OffsetsAssignment want = OffsetsIn(expected);
  EXPECT_THAT(plan.offsets, ElementsAreArray(want.offsets));
  EXPECT_EQ(plan.total_size, want.total_size);
}

struct NamedStrategy {
  const char* key;  // in the vectors
  MemoryStrategy strategy;
};

// MINCOSTFLOW is not in these lists. Its plans equal those of the original only
// in cost, so they are tested separately.
constexpr NamedStrategy kSortedInput[] = {
    {"EQUALITY_WITH_HASH", MemoryStrategy::EQUALITY},
    {"GREEDY_IN_ORDER", MemoryStrategy::GREEDY_IN_ORDER},
};
constexpr NamedStrategy kAnyInput[] = {
    {"NAIVE", MemoryStrategy::NAIVE},
    {"GREEDY_BY_BREADTH", MemoryStrategy::GREEDY_BY_BREADTH},
    {"GREEDY_BY_SIZE", MemoryStrategy::GREEDY_BY_SIZE},
    {"GREEDY_BEST", MemoryStrategy::GREEDY_BEST},
};

TEST(Vectors, SharedObjectsAreThoseOfTheOriginals) {
  for (const Vector& vector : LoadVectors()) {
    SCOPED_TRACE(vector.name);
    for (const NamedStrategy& s : kAnyInput) {
      ExpectObjects(vector.records, s.strategy, vector.expected.at(s.key));
    }
    if (!vector.sorted) continue;
    for (const NamedStrategy& s : kSortedInput) {
      ExpectObjects(vector.records, s.strategy, vector.expected.at(s.key));
    }
  }
}

TEST(Vectors, OffsetsOfGreedyBySizeAreThoseOfTheOriginal) {
  for (const Vector& vector : LoadVectors()) {
    SCOPED_TRACE(vector.name);
    ExpectOffsets(vector.records, MemoryStrategy::GREEDY_BY_SIZE, 1,
                  vector.expected.at("OFFSETS_GREEDY_BY_SIZE_ALIGN1"));
    ExpectOffsets(vector.records, MemoryStrategy::GREEDY_BY_SIZE, 64,
                  vector.expected.at("OFFSETS_GREEDY_BY_SIZE_ALIGN64"));
  }
}

TEST(Vectors, OtherOffsetsAreLayoutsOfTheSharedObjects) {
  for (const Vector& vector : LoadVectors()) {
    SCOPED_TRACE(vector.name);
    ExpectOffsets(vector.records, MemoryStrategy::NAIVE, 1,
                  vector.expected.at("NAIVE"));
    if (!vector.sorted) continue;
    for (const NamedStrategy& s : kSortedInput) {
      ExpectOffsets(vector.records, s.strategy, 1, vector.expected.at(s.key));
    }
  }
}

// GREEDY_BEST returns the smallest of several plans. The original makes only
// one plan, by placing its shared objects one after another.
TEST(Vectors, OffsetsOfGreedyBestAreNeverLargerThanAnyOfItsCandidates) {
  for (const Vector& vector : LoadVectors()) {
    SCOPED_TRACE(vector.name);
    OffsetsAssignment best;
    ASSERT_TRUE(AssignOffsetsToTensors(vector.records,
                                       MemoryStrategy::GREEDY_BEST, &best)
                    .ok());
    for (const char* candidate :
         {"GREEDY_BEST", "GREEDY_BY_SIZE", "GREEDY_BY_BREADTH",
          "OFFSETS_GREEDY_BY_SIZE_ALIGN1"}) {
      EXPECT_LE(best.total_size,
                OffsetsIn(vector.expected.at(candidate)).total_size)
          << candidate;
    }
    OffsetsAssignment by_breadth;
    ASSERT_TRUE(AssignOffsetsToTensors(vector.records,
                                       MemoryStrategy::GREEDY_BY_BREADTH,
                                       &by_breadth)
                    .ok());
    EXPECT_LE(best.total_size, by_breadth.total_size);
  }
}

template <typename TensorSizeT>
void ExpectExtents(const std::vector<TensorUsageRecord<TensorSizeT>>& records,
                   const nlohmann::json& expected) {
  for (const NamedStrategy& s :
       {NamedStrategy{"EQUALITY", MemoryStrategy::EQUALITY},
        NamedStrategy{"GREEDY_IN_ORDER", MemoryStrategy::GREEDY_IN_ORDER},
        NamedStrategy{"MINCOSTFLOW", MemoryStrategy::MINCOSTFLOW}}) {
    ExpectObjects(records, s.strategy, expected.at(s.key));
  }
  for (const NamedStrategy& s : kAnyInput) {
    ExpectObjects(records, s.strategy, expected.at(s.key));
  }
}

template <typename TensorSizeT>
void ExpectAllExtents() {
  const auto vectors = LoadExtentVectors<TensorSizeT>();
  ASSERT_FALSE(vectors.empty());
  for (const auto& vector : vectors) {
    SCOPED_TRACE(vector.name);
    ExpectExtents(vector.records, vector.expected);
  }
}

TEST(Vectors, ExtentsOfTwoDimensions) { ExpectAllExtents<uint2>(); }
TEST(Vectors, ExtentsOfThreeDimensions) { ExpectAllExtents<uint3>(); }
TEST(Vectors, ShapesInBhwc) { ExpectAllExtents<BHWC>(); }

TEST(Vectors, ReallocationGraphs) {
  for (const auto& vector : LoadReallocationVectors()) {
    SCOPED_TRACE(vector.name);
    ExpectObjects(vector.records, MemoryStrategy::GREEDY_IN_ORDER,
                  vector.expected.at("GREEDY_IN_ORDER"));
    ExpectObjects(vector.records, MemoryStrategy::GREEDY_IN_ORDER,
                  vector.expected.at("GREEDY_IN_ORDER_REALLOC"),
                  &vector.reallocation_graph);
  }
}

// Runs the cases from the tests of the original strategies.
TEST(Vectors, CasesOfTheOriginals) {
  for (const nlohmann::json& test :
       LoadUpstreamCases({"size_type", "records", "expected"})) {
    SCOPED_TRACE(test.at("test").get<std::string>());
    const nlohmann::json& expected = test.at("expected");
    if (test.at("size_type") != "size_t") continue;
    const auto records = RecordsIn<size_t>(test.at("records"));
    for (const NamedStrategy& s : kAnyInput) {
      if (expected.contains(s.key)) {
        ExpectObjects(records, s.strategy, expected.at(s.key));
      }
    }
    for (const NamedStrategy& s : kSortedInput) {
      if (expected.contains(s.key)) {
        ExpectObjects(records, s.strategy, expected.at(s.key));
      }
    }
    if (expected.contains("OFFSETS_GREEDY_BY_SIZE_ALIGN1")) {
      ExpectOffsets(records, MemoryStrategy::GREEDY_BY_SIZE, 1,
                    expected.at("OFFSETS_GREEDY_BY_SIZE_ALIGN1"));
    }
    if (expected.contains("OFFSETS_GREEDY_BY_SIZE")) {
      ExpectOffsets(records, MemoryStrategy::GREEDY_BY_SIZE,
                    test.at("base_addr_align_bytes").get<size_t>(),
                    expected.at("OFFSETS_GREEDY_BY_SIZE"));
    }
  }
}

}  // namespace
}  // namespace stowage
