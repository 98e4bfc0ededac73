// SPDX-License-Identifier: Apache-2.0
// Declares the interface of the repackers of XLA, and implements the rule of
// XLA's own repacker: the blocks with the longest lifetimes are placed first,
// and each ring of blocks is placed as low as its members allow. If
// STOWAGE_XLA_HEADERS is set, XLA's own blocks and base class are used instead.
#ifndef STOWAGE_TESTS_ADAPTERS_XLA_HOST_H_
#define STOWAGE_TESTS_ADAPTERS_XLA_HOST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"

#ifdef STOWAGE_XLA_HEADERS
#include "xla/service/memory_space_assignment/repacking.h"

namespace xla_host {

using xla::AllocationBlock;
using xla::SlicedAllocationData;
using Repacker = xla::memory_space_assignment::MemorySpaceAssignmentRepacker;
#else
namespace xla_host {

// Marks a block with parts that are allocated at different times.
struct SlicedAllocationData {};

struct AllocationBlock {
  int64_t inclusive_start_time = 0;
  int64_t end_time = 0;  // inclusive
  int64_t size = 0;
  int64_t offset = -1;
  int64_t initial_offset = -1;
  int64_t id = 0;
  AllocationBlock* next_colocated = nullptr;
  absl::optional<SlicedAllocationData> original_slice_data;
};

class Repacker {
 public:
  Repacker(int64_t max_size, int64_t alignment)
      : max_size_(max_size), alignment_(alignment) {}
  virtual ~Repacker() = default;
  virtual absl::StatusOr<bool> Repack(absl::Span<AllocationBlock*> blocks) = 0;

 protected:
  int64_t max_size_;
  int64_t alignment_;
};
#endif

// Returns whether two blocks are live at the same time.
inline bool Meet(const AllocationBlock& a, const AllocationBlock& b) {
  return a.inclusive_start_time <= b.end_time &&
         b.inclusive_start_time <= a.end_time;
}

class FirstFitRepacker : public Repacker {
 public:
  using Repacker::Repacker;

  absl::StatusOr<bool> Repack(absl::Span<AllocationBlock*> blocks) override {
    using Ring = std::vector<AllocationBlock*>;
    std::vector<Ring> rings;
    for (AllocationBlock* block : blocks) {
      Ring ring = {block};
      for (auto* next = block->next_colocated; next != block;
           next = next->next_colocated) {
        ring.push_back(next);
      }
      const auto first = std::min_element(
          ring.begin(), ring.end(),
          [](const auto* a, const auto* b) { return a->id < b->id; });
      if (*first == block) rings.push_back(ring);
    }
    const auto key = [](const Ring& ring) {
      int64_t end = ring[0]->end_time;
      for (const auto* block : ring) end = std::max(end, block->end_time);
      return std::make_tuple(ring[0]->inclusive_start_time - end,
                             -ring[0]->size, ring[0]->id);
    };
    std::sort(rings.begin(), rings.end(),
              [&](const Ring& a, const Ring& b) { return key(a) < key(b); });
    std::vector<AllocationBlock> placed;
    int64_t height = 0;
    for (const Ring& ring : rings) {
      const int64_t offset = LowestOffset(ring, placed);
      for (const AllocationBlock* block : ring) {
        placed.push_back(*block);
        placed.back().offset = offset;
        height = std::max(height, offset + block->size);
      }
    }
    if (height > max_size_) return false;
    for (AllocationBlock* block : blocks) {
      block->offset = std::find_if(placed.begin(), placed.end(),
                                   [block](const AllocationBlock& other) {
                                     return other.id == block->id;
                                   })
                          ->offset;
    }
    return true;
  }

 private:
  int64_t LowestOffset(const std::vector<AllocationBlock*>& ring,
                       const std::vector<AllocationBlock>& placed) const {
    int64_t offset = 0;
    for (bool moved = true; moved;) {
      moved = false;
      for (const AllocationBlock& other : placed) {
        for (const AllocationBlock* block : ring) {
          const bool hits = Meet(*block, other) &&
                            offset < other.offset + other.size &&
                            other.offset < offset + block->size;
          if (!hits) continue;
          const int64_t end = other.offset + other.size;
          offset = (end + alignment_ - 1) / alignment_ * alignment_;
          moved = true;
        }
      }
    }
    return offset;
  }
};

}  // namespace xla_host

#endif  // STOWAGE_TESTS_ADAPTERS_XLA_HOST_H_
