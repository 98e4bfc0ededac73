// SPDX-License-Identifier: Apache-2.0
// Compares the verifier with a second verifier that is simple enough that
// mistakes in it are unlikely. Uses safe plans and damaged plans.
#include <algorithm>
#include <cstddef>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/assignment.h"
#include "stowage/testing/generators.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage {
namespace {

using testing::ByteRecords;
using Sizes = std::vector<size_t>;

bool IsInArena(const ByteRecords& records, const OffsetsAssignment& plan,
               size_t i) {
  return records[i].tensor_size <= plan.total_size &&
         plan.offsets[i] <= plan.total_size - records[i].tensor_size;
}

bool ShareATask(const ByteRecords& records, size_t i, size_t j) {
  const bool i_ends_before = records[i].last_task < records[j].first_task;
  const bool j_ends_before = records[j].last_task < records[i].first_task;
  return !i_ends_before && !j_ends_before;
}

// Returns whether two tensors share a byte. Requires that both tensors are
// inside the arena.
bool ShareAByte(const ByteRecords& records, const OffsetsAssignment& plan,
                size_t i, size_t j) {
  if (records[i].tensor_size == 0 || records[j].tensor_size == 0) return false;
  const size_t i_end = plan.offsets[i] + records[i].tensor_size;
  const size_t j_end = plan.offsets[j] + records[j].tensor_size;
  return i_end > plan.offsets[j] && j_end > plan.offsets[i];
}

// Returns whether a plan is safe, by checking every pair of tensors. This
// function is the second verifier.
bool IsSafe(const ByteRecords& records, const OffsetsAssignment& plan,
            const Sizes& alignments) {
  if (plan.offsets.size() != records.size()) return false;
  for (size_t i = 0; i < records.size(); ++i) {
    if (!IsInArena(records, plan, i)) return false;
    if (plan.offsets[i] % alignments[i] != 0) return false;
  }
  for (size_t i = 0; i < records.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (ShareATask(records, i, j) && ShareAByte(records, plan, i, j)) {
        return false;
      }
    }
  }
  return true;
}

bool IsLive(const TensorUsageRecord<size_t>& record, TaskId task) {
  return record.first_task <= task && task <= record.last_task;
}

bool IsGenuineOverlap(const ByteRecords& records, const OffsetsAssignment& plan,
                      const Violation& v) {
  if (v.first_tensor >= v.second_tensor) return false;
  if (v.second_tensor >= records.size() || v.begin >= v.end) return false;
  for (const size_t i : {v.first_tensor, v.second_tensor}) {
    if (!IsLive(records[i], v.task)) return false;
    if (v.begin < plan.offsets[i]) return false;
    if (v.end > plan.offsets[i] + records[i].tensor_size) return false;
  }
  // The violation must name the first task at which both tensors are live.
  return v.task == 0 || !IsLive(records[v.first_tensor], v.task - 1) ||
         !IsLive(records[v.second_tensor], v.task - 1);
}

// Returns whether the violation reported by the verifier is true.
bool IsGenuine(const ByteRecords& records, const OffsetsAssignment& plan,
               const Sizes& alignments, const Violation& v) {
  switch (v.kind) {
    case Violation::Kind::kCountMismatch:
      return v.found == plan.offsets.size() && v.expected == records.size() &&
             v.found != v.expected;
    case Violation::Kind::kMisaligned:
      return v.begin == plan.offsets[v.first_tensor] &&
             v.expected == alignments[v.first_tensor] &&
             v.begin % v.expected != 0;
    case Violation::Kind::kBeyondArena:
      return v.begin == plan.offsets[v.first_tensor] &&
             v.expected == plan.total_size &&
             !IsInArena(records, plan, v.first_tensor);
    case Violation::Kind::kOverlappingBytes:
      return IsGenuineOverlap(records, plan, v);
    default:
      return false;  // a plan of offsets has no other kind of violation
  }
}

// Returns a plan in which each record is at the lowest free offset.
OffsetsAssignment FirstFit(const ByteRecords& records,
                           const Sizes& alignments) {
  OffsetsAssignment plan;
  plan.offsets.resize(records.size());
  for (size_t i = 0; i < records.size(); ++i) {
    std::vector<std::pair<size_t, size_t>> taken;
    for (size_t j = 0; j < i; ++j) {
      if (!ShareATask(records, i, j)) continue;
      taken.emplace_back(plan.offsets[j],
                         plan.offsets[j] + records[j].tensor_size);
    }
    std::sort(taken.begin(), taken.end());
    size_t offset = 0;
    for (const auto& [begin, end] : taken) {
      if (offset + records[i].tensor_size <= begin) break;
      offset = std::max(offset, AlignUp(end, alignments[i]));
    }
    plan.offsets[i] = offset;
    plan.total_size =
        std::max(plan.total_size, offset + records[i].tensor_size);
  }
  return plan;
}

OffsetsAssignment OneAfterAnother(const ByteRecords& records,
                                  const Sizes& alignments) {
  OffsetsAssignment plan;
  for (size_t i = 0; i < records.size(); ++i) {
    plan.offsets.push_back(AlignUp(plan.total_size, alignments[i]));
    plan.total_size = plan.offsets[i] + records[i].tensor_size;
  }
  return plan;
}

enum class Damage { kShift, kSwap, kMove, kShrinkArena, kForget };

void Break(const ByteRecords& records, OffsetsAssignment* plan) {
  const auto any = [&] {
    return *rc::gen::inRange<size_t>(0, plan->offsets.size());
  };
  switch (*rc::gen::element(Damage::kShift, Damage::kShift, Damage::kSwap,
                            Damage::kSwap, Damage::kMove, Damage::kShrinkArena,
                            Damage::kForget)) {
    case Damage::kShift:  // up or down, possibly misaligned or below 0
      plan->offsets[any()] +=
          *rc::gen::element<size_t>(1, 64, 4096, size_t{0} - 1, size_t{0} - 64);
      return;
    case Damage::kSwap:
      std::swap(plan->offsets[any()], plan->offsets[any()]);
      return;
    case Damage::kMove:
      plan->offsets[any()] = *rc::gen::oneOf(rc::gen::elementOf(plan->offsets),
                                             rc::gen::arbitrary<size_t>());
      return;
    case Damage::kShrinkArena:
      plan->total_size -=
          std::min(plan->total_size, *rc::gen::inRange<size_t>(1, 1000));
      return;
    case Damage::kForget:
      if (records.size() > 1) plan->offsets.pop_back();
      return;
  }
}

RC_GTEST_PROP(VerifyOffsetsPropertyTest, AgreesWithTheCheckOfEveryPair, ()) {
  const ByteRecords records = *rc::gen::scale(0.5, testing::AnyRecords());
  const Sizes alignments = *testing::AlignmentLists(records.size());
  OffsetsAssignment plan = *rc::gen::arbitrary<bool>()
                               ? FirstFit(records, alignments)
                               : OneAfterAnother(records, alignments);
  RC_ASSERT(IsSafe(records, plan, alignments));
  const int damages = *rc::gen::element(0, 1, 1, 2, 3);
  for (int i = 0; i < damages && !plan.offsets.empty(); ++i) {
    Break(records, &plan);
  }
  const bool safe = IsSafe(records, plan, alignments);
  RC_CLASSIFY(safe, "safe");
  RC_CLASSIFY(!safe, "unsafe");

  const auto violation = FindViolation(records, plan, Alignments(alignments));
  RC_ASSERT(violation.has_value() == !safe);
  if (violation) {
    RC_LOG() << Describe(*violation);
    RC_ASSERT(IsGenuine(records, plan, alignments, *violation));
  }
}

// Randomly changes some records of a safe plan, and sometimes the size of its
// arena.
RC_GTEST_PROP(VerifyOffsetsPropertyTest, AgreesWithTheCheckOfChangedRecords,
              ()) {
  ByteRecords records = *rc::gen::scale(0.5, testing::AnyRecords());
  RC_PRE(!records.empty());
  Sizes alignments = *testing::AlignmentLists(records.size());
  OffsetsAssignment plan = FirstFit(records, alignments);
  const auto changed = *rc::gen::container<std::vector<size_t>>(
      *rc::gen::inRange<size_t>(0, 4),
      rc::gen::inRange<size_t>(0, records.size()));
  for (const size_t i : changed) {
    ByteRecord& record = records[i];
    switch (*rc::gen::inRange(0, 6)) {
      case 0:
        record.tensor_size = *rc::gen::inRange<size_t>(0, 100000);
        break;
      case 1:
        record.tensor_size = ~size_t{0};
        break;
      case 2:
        record.first_task -= std::min<TaskId>(record.first_task, 1);
        break;
      case 3:
        record.last_task += record.last_task + 1 > record.last_task ? 1 : 0;
        break;
      case 4:
        alignments[i] = size_t{1} << *rc::gen::inRange(0, 12);
        break;
      default:
        plan.offsets[i] = *rc::gen::elementOf(plan.offsets);
    }
  }
  if (*rc::gen::inRange(0, 4) == 0) {
    plan.total_size -= std::min<size_t>(plan.total_size, 1);
  }
  const auto violation =
      FindViolationOfChanged(records, plan, Alignments(alignments), changed);
  const bool safe = IsSafe(records, plan, alignments);
  RC_CLASSIFY(safe, "safe");
  RC_ASSERT(violation.has_value() == !safe);
  RC_ASSERT(FindViolation(records, plan, Alignments(alignments)).has_value() ==
            !safe);
  if (violation) RC_ASSERT(IsGenuine(records, plan, alignments, *violation));
}

TEST(FindViolationOfChangedTest, ChecksTheRecordsThatAreNamed) {
  const ByteRecords records = {{16, 0, 1}, {16, 1, 2}, {16, 2, 3}};
  const OffsetsAssignment overlapping = {{0, 8, 32}, 48};
  EXPECT_FALSE(FindViolationOfChanged(records, overlapping, Alignments(), {2}));
  const auto violation =
      FindViolationOfChanged(records, overlapping, Alignments(), {1});
  ASSERT_TRUE(violation);
  EXPECT_EQ(Describe(*violation),
            "tensor 0 and tensor 1 both hold bytes [8, 16) at task 1");
  // The end of every record is checked, even if no record is named.
  const OffsetsAssignment small = {{0, 16, 32}, 40};
  const auto beyond = FindViolationOfChanged(records, small, Alignments(), {});
  ASSERT_TRUE(beyond);
  EXPECT_EQ(beyond->kind, Violation::Kind::kBeyondArena);
  EXPECT_EQ(beyond->first_tensor, 2u);
}

// The arena is small and has few places, so most plans are unsafe, and there
// are tensors without bytes everywhere.
RC_GTEST_PROP(VerifyOffsetsPropertyTest, AgreesOnCrowdedArenas, ()) {
  using Sampled = std::tuple<size_t, TaskId, TaskId, size_t>;
  const auto sampled = *rc::gen::resize(
      8,
      rc::gen::container<std::vector<Sampled>>(rc::gen::resize(
          rc::kNominalSize, rc::gen::tuple(rc::gen::inRange<size_t>(0, 5),
                                           rc::gen::inRange<TaskId>(0, 10),
                                           rc::gen::inRange<TaskId>(0, 4),
                                           rc::gen::inRange<size_t>(0, 24)))));
  ByteRecords records;
  OffsetsAssignment plan = {{}, 27};
  for (const auto& [tensor_size, first, lived, offset] : sampled) {
    records.emplace_back(tensor_size, first, first + lived);
    plan.offsets.push_back(offset);
  }
  const Sizes alignments(records.size(), 1);
  const auto violation = FindViolation(records, plan);
  RC_CLASSIFY(!violation, "safe");
  RC_CLASSIFY(violation.has_value(), "unsafe");
  RC_ASSERT(violation.has_value() == !IsSafe(records, plan, alignments));
  if (violation) {
    RC_ASSERT(IsGenuine(records, plan, alignments, *violation));
  }
}

}  // namespace
}  // namespace stowage
