// SPDX-License-Identifier: Apache-2.0
// Stores elements in chunks of up to 64, for the lists of free space
// (border_list.h, column_list.h). A chunk has one array for each field of its
// elements, so one instruction can compare a field of several elements. An
// insertion moves only the elements of one chunk. For sequences that are
// visited element by element, use SortedBlocks (sorted_blocks.h).
#ifndef STOWAGE_SRC_BASE_CHUNK_POOL_H_
#define STOWAGE_SRC_BASE_CHUNK_POOL_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace stowage {

// The maximum number of elements in a chunk, which is the number of bits in a
// word.
inline constexpr size_t kInChunk = 64;

// The maximum number of arena bytes that one chunk may span. The limit exists
// because offsets in a chunk are 32-bit numbers, counted from the first byte of
// the chunk.
inline constexpr size_t kChunkReach = size_t{1} << 31;

// One field of all elements of a chunk.
template <typename Number>
using ChunkField = std::array<Number, kInChunk>;

// The start of a chunk of a list, and the number of its elements.
template <typename Chunk>
struct ChunkEntry {
  size_t base;  // an offset
  Chunk* chunk;
  size_t count;
};

// Returns a word in which bit k is flag k. Requires flags that are 0 or 1.
inline uint64_t BitsOf(const ChunkField<uint8_t>& flags) {
  uint64_t bits = 0;
  for (size_t k = 0; k < kInChunk; k += 8) {
    uint64_t word = 0;
    for (size_t byte = 0; byte < 8; ++byte) {
      word |= uint64_t{flags[k + byte]} << (8 * byte);
    }
    // The product wraps around, and bit j of its highest byte is flag j.
    bits |= (word * 0x0102040810204080u >> 56) << k;
  }
  return bits;
}

// Returns a word in which the lowest `count` bits are set. Requires count <=
// 64.
inline uint64_t LowestBits(size_t count) {
  return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

// Returns a number with all bits set if `is_set` is true, and 0 otherwise.
// Compilers generate no branch for this expression.
inline size_t MaskOf(bool is_set) { return ~static_cast<size_t>(is_set) + 1; }

// Returns the number of elements of numbers[0, count) that are at most `bound`.
// Requires that these elements are in rising order. The bisection has no branch
// that could be mispredicted.
inline size_t CountUpTo(const ChunkField<uint32_t>& numbers, size_t count,
                        uint32_t bound) {
  const uint32_t* base = numbers.data();
  for (size_t size = count; size > 0;) {
    const size_t half = (size + 1) / 2;
    base += half & MaskOf(base[half - 1] <= bound);
    size -= half;
  }
  return static_cast<size_t>(base - numbers.data());
}

// Returns the index of the last entry that begins at or below `offset`.
// Requires that the first entry begins at 0.
template <typename Chunk>
size_t EntryAt(const std::vector<ChunkEntry<Chunk>>& entries, size_t offset) {
  const ChunkEntry<Chunk>* base = entries.data();
  for (size_t size = entries.size(); size > 1;) {
    const size_t half = size / 2;
    base += half & MaskOf(base[half].base <= offset);
    size -= half;
  }
  return static_cast<size_t>(base - entries.data());
}

// Loads data into the cache shortly before it is needed. This matters because
// chunks are scattered in memory, and most of the time is spent waiting for
// them.
inline void PrefetchBytes(const void* data, size_t size) {
  constexpr size_t kLine = 64;
  const char* const bytes = static_cast<const char*>(data);
  for (size_t line = 0; line < size; line += kLine) {
    __builtin_prefetch(bytes + line);
  }
}
template <typename Chunk>
void Prefetch(const Chunk* chunk) {
  PrefetchBytes(chunk, sizeof(Chunk));
}

// Prefetches a chunk that a walk over all chunks will need soon, when the walk
// is at entry k.
template <typename Chunk>
void PrefetchNext(const std::vector<ChunkEntry<Chunk>>& entries, size_t k) {
  constexpr size_t kAhead = 2;
  if (k + kAhead < entries.size()) Prefetch(entries[k + kAhead].chunk);
}

// Owns the chunks of many lists.
template <typename Chunk>
class ChunkPool {
 public:
  Chunk* Get() {
    if (!returned_.empty()) {
      Chunk* const chunk = returned_.back();
      returned_.pop_back();
      return chunk;
    }
    if (left_ == 0) {
      slab_size_ = std::min(2 * slab_size_, kLargestSlab);
      slabs_.push_back(std::make_unique<Chunk[]>(slab_size_));
      left_ = slab_size_;
    }
    return &slabs_.back()[--left_];
  }
  void Return(Chunk* chunk) { returned_.push_back(chunk); }

 private:
  static constexpr size_t kLargestSlab = 64;

  std::vector<std::unique_ptr<Chunk[]>> slabs_;
  std::vector<Chunk*> returned_;
  size_t slab_size_ = 1;
  size_t left_ = 0;  // the unused chunks of the last slab
};

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_CHUNK_POOL_H_
