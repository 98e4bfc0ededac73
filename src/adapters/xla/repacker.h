// SPDX-License-Identifier: Apache-2.0
// Provides a repacker for XLA's memory space assignment, which also runs XLA's
// own repacker and keeps the better packing.
//
// Include this header in a build of XLA, after
// xla/service/memory_space_assignment/repacking.h, and pass the repacker to the
// assignment (Options::repacker). To plan allocations that arrive one call at a
// time, as in XLA's heap simulator, call Solve (stowage/planner.h) instead.
//
//   using xla::memory_space_assignment::MemorySpaceAssignmentRepacker;
//   xla::memory_space_assignment::MemorySpaceAssignmentBestFitRepacker host(
//       max_size, alignment);
//   stowage::adapters::XlaRepacker<MemorySpaceAssignmentRepacker> repacker(
//       max_size, alignment, &host);
//   options.repacker = &repacker;
//
// XLA's types are template parameters, so this header includes no file of XLA.
// For the requirements of XLA on a repacker, see README.md in this folder.
#ifndef STOWAGE_ADAPTERS_XLA_REPACKER_H_
#define STOWAGE_ADAPTERS_XLA_REPACKER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <utility>
#include <vector>

#include "src/adapters/beside_host.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::adapters {

namespace internal {

// The types in the signature of Repacker::Repack.
template <typename Member>
struct RepackTypes;
template <typename R, typename Class, typename S>
struct RepackTypes<R (Class::*)(S)> {
  using Result = R;  // a status or a bool
  using Blocks = S;  // a span of pointers to blocks
};

// Returns the group of each block, identified by the index of the first block
// of the group. A group consists of the blocks that `next_colocated` links in a
// ring. Returns nullopt if following the links from a block never leads back to
// the block, or leads out of the list.
template <typename Blocks>
optional<std::vector<uint32_t>> RingsOf(const Blocks& blocks) {
  std::map<const void*, size_t> indices;
  for (size_t i = 0; i < blocks.size(); ++i) indices.emplace(blocks[i], i);
  if (indices.size() != blocks.size()) return nullopt;
  std::vector<uint32_t> rings(blocks.size(), kNoGroup);
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (rings[i] != kNoGroup) continue;
    const auto* block = blocks[i];
    do {
      const auto found = indices.find(block);
      if (found == indices.end() || rings[found->second] != kNoGroup) {
        return nullopt;
      }
      rings[found->second] = static_cast<uint32_t>(i);
      block = block->next_colocated;
    } while (block != blocks[i]);
  }
  return rings;
}

// Returns the problem that the blocks describe, or nullopt if Stowage cannot
// express it. Only this function converts lifetimes: those of blocks are
// inclusive at both ends, but may begin below 0.
template <typename Blocks>
optional<ProblemSpec> SpecOfBlocks(const Blocks& blocks, int64_t max_size,
                                   int64_t alignment) {
  if (max_size < 0 || alignment <= 0) return nullopt;
  ProblemSpec spec;
  spec.alignment = static_cast<size_t>(alignment);
  spec.capacity = static_cast<size_t>(max_size);
  if (!IsValidAlignment(spec.alignment)) return nullopt;
  const optional<std::vector<uint32_t>> rings = RingsOf(blocks);
  if (!rings) return nullopt;
  int64_t begin = 0;
  for (const auto* block : blocks) {
    if (block->original_slice_data.has_value() || block->size < 0 ||
        block->end_time < block->inclusive_start_time) {
      return nullopt;
    }
    begin = std::min<int64_t>(begin, block->inclusive_start_time);
  }
  const size_t shift = size_t{0} - static_cast<size_t>(begin);
  bool has_groups = false;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const auto* block = blocks[i];
    spec.records.emplace_back(
        static_cast<size_t>(block->size),
        static_cast<size_t>(block->inclusive_start_time) + shift,
        static_cast<size_t>(block->end_time) + shift);
    RecordPlace& place = spec.constraints.places.emplace_back();
    if (block->next_colocated == block) continue;
    place.group = (*rings)[i];
    has_groups = true;
  }
  if (!has_groups) spec.constraints.places.clear();
  return spec;
}

// Returns a violation for the first block that ends beyond the capacity. O(n).
inline optional<Violation> FindBeyondMaximum(
    const ProblemSpec& spec, const std::vector<size_t>& offsets) {
  for (size_t i = 0; i < offsets.size(); ++i) {
    const optional<size_t> end =
        CheckedAdd(offsets[i], spec.records[i].tensor_size);
    if (end && *end <= *spec.capacity) continue;
    Violation violation;
    violation.kind = Violation::Kind::kBeyondCapacity;
    violation.first_tensor = i;
    violation.begin = offsets[i];
    violation.end = end.value_or(std::numeric_limits<size_t>::max());
    violation.expected = *spec.capacity;
    return violation;
  }
  return nullopt;
}

// Checks a packing of blocks with rings for which Problem::Create fails.
// Requires that FindBeyondMaximum returns nullopt. O(n^2).
inline optional<Violation> FindViolationWithRings(
    const ProblemSpec& spec, const std::vector<size_t>& offsets) {
  for (size_t i = 0; i < offsets.size(); ++i) {
    const ByteRecord& record = spec.records[i];
    Violation violation;
    violation.first_tensor = i;
    violation.begin = offsets[i];
    violation.end = offsets[i] + record.tensor_size;
    if (offsets[i] % spec.alignment != 0) {
      violation.kind = Violation::Kind::kMisaligned;
      violation.expected = spec.alignment;
      return violation;
    }
    const uint32_t ring = spec.constraints.places[i].group;
    if (ring != kNoGroup && offsets[i] != offsets[ring]) {
      violation.kind = Violation::Kind::kGroupBroken;
      violation.second_tensor = ring;
      violation.found = offsets[ring];
      return violation;
    }
    for (size_t k = 0; k < i; ++k) {
      const ByteRecord& other = spec.records[k];
      const TaskId task = std::max(record.first_task, other.first_task);
      const size_t begin = std::max(offsets[i], offsets[k]);
      const size_t end = std::min(offsets[i] + record.tensor_size,
                                  offsets[k] + other.tensor_size);
      const bool in_one_ring =
          ring != kNoGroup && ring == spec.constraints.places[k].group;
      if (in_one_ring || begin >= end ||
          task > std::min(record.last_task, other.last_task)) {
        continue;
      }
      violation.kind = Violation::Kind::kOverlappingBytes;
      violation.first_tensor = k;
      violation.second_tensor = i;
      violation.task = task;
      violation.begin = begin;
      violation.end = end;
      return violation;
    }
  }
  return nullopt;
}

}  // namespace internal

// Repacks blocks. `Repacker` is xla::memory_space_assignment::
// MemorySpaceAssignmentRepacker, the base class of all repackers of XLA.
template <typename Repacker>
class XlaRepacker : public Repacker {
 public:
  using Types = internal::RepackTypes<decltype(&Repacker::Repack)>;
  using Result = typename Types::Result;
  using Blocks = typename Types::Blocks;

  // `max_size` and `alignment` are the values of the host, in bytes. `host` is
  // XLA's repacker; it is not owned and may be null. If it is null, blocks that
  // Stowage cannot plan remain where they are.
  XlaRepacker(int64_t max_size, int64_t alignment, Repacker* host,
              BesideHostOptions options = {})
      : Repacker(max_size, alignment),
        max_bytes_(max_size),
        block_alignment_(alignment),
        host_(host),
        options_(std::move(options)) {}

  // Sets a function that is called with the violation if the host returns a
  // packing that is unsafe or ends beyond `max_size`. The repacker replaces or
  // undoes such a packing.
  void OnUnsafeHost(std::function<void(const Violation&)> report) {
    report_ = std::move(report);
  }

  // Assigns an offset to every block, such that all blocks fit into `max_size`,
  // and returns true. If no such packing is found, changes no block and returns
  // false. Errors: those of the host.
  //
  // Only the host repacks the blocks of a call if some block is sliced, if a
  // ring contains a block that is not listed, or if an alignment is not a power
  // of two. If Stowage refuses the rings, the packing of the host is checked,
  // and kept if it is safe. Takes as long as the host and Solve together, plus
  // O(n^2) for n blocks with such rings.
  Result Repack(Blocks blocks) override {
    optional<ProblemSpec> spec =
        internal::SpecOfBlocks(blocks, max_bytes_, block_alignment_);
    if (!spec) return AskHost(blocks);
    std::vector<int64_t> before;
    for (const auto* block : blocks) before.push_back(block->offset);
    Result answer = AskHost(blocks);
    if (!answer.ok()) return answer;
    OffsetsAssignment host;
    optional<Violation> violation;
    if (*answer) {
      for (const auto* block : blocks) {
        host.offsets.push_back(static_cast<size_t>(block->offset));
      }
      violation = internal::FindBeyondMaximum(*spec, host.offsets);
      if (!violation) {
        host.total_size = *HighestEnd(spec->records, host.offsets);
        // If Stowage refuses the groups, only the host has a plan.
        const bool has_groups = !spec->constraints.empty();
        if (has_groups && !Problem::Create(*spec).ok()) {
          violation = internal::FindViolationWithRings(*spec, host.offsets);
          if (!violation) return answer;
        }
      }
    }
    if (violation && report_) report_(*violation);
    const bool has_host = *answer && !violation;
    const StatusOr<BesideHost> plan =
        PlanBesideHost(*std::move(spec), has_host ? &host : nullptr, options_);
    return Write(plan, before, blocks);
  }

 private:
  Result AskHost(Blocks blocks) {
    return host_ == nullptr ? Result(false) : host_->Repack(blocks);
  }

  // Writes the plan to the blocks. If no plan fits, restores the offsets in
  // `before`.
  Result Write(const StatusOr<BesideHost>& plan,
               const std::vector<int64_t>& before, Blocks blocks) const {
    const optional<Violation> violation =
        plan.ok() ? plan->host_violation : ViolationOf(plan.status());
    if (violation && report_) report_(*violation);
    const bool fits =
        plan.ok() && plan->plan.total_size <= static_cast<size_t>(max_bytes_);
    for (size_t i = 0; i < blocks.size(); ++i) {
      blocks[i]->offset =
          fits ? static_cast<int64_t>(plan->plan.offsets[i]) : before[i];
    }
    return fits;
  }

  const int64_t max_bytes_;
  const int64_t block_alignment_;
  Repacker* const host_;
  const BesideHostOptions options_;
  std::function<void(const Violation&)> report_;
};

}  // namespace stowage::adapters

#endif  // STOWAGE_ADAPTERS_XLA_REPACKER_H_
