// SPDX-License-Identifier: Apache-2.0
// Lists the stretches of an arena that are in use during some of the steps of a
// column. FreeSpace (free_space.h) uses such a list for intervals within one
// column. For intervals that cross a border between columns, it uses BorderList
// (border_list.h).
#ifndef STOWAGE_SRC_CONSTRUCT_COLUMN_LIST_H_
#define STOWAGE_SRC_CONSTRUCT_COLUMN_LIST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "src/base/bits.h"
#include "src/base/chunk_pool.h"
#include "src/construct/stretch.h"

namespace stowage {

// `Step` is an unsigned type that can represent the number of steps of a
// column.
template <typename Step>
class ColumnList {
 public:
  struct alignas(64) Chunk {
    ChunkField<Step> first;
    ChunkField<Step> last;
    ChunkField<uint32_t> begin;  // is counted from the first byte of the chunk
    ChunkField<size_t> end;      // an offset, since a record may have any size
  };
  using Pool = ChunkPool<Chunk>;

  // Creates a list in which no bytes are in use.
  explicit ColumnList(Pool* pool) { entries_.push_back({0, pool->Get(), 0}); }

  // Prefetches the chunk that Add needs. Call this function before Add.
  void PrefetchAt(size_t offset) const {
    Prefetch(entries_[EntryAt(entries_, offset)].chunk);
  }

  // Prefetches the entries. Call this function before PrefetchChunks.
  void PrefetchEntries() const {
    PrefetchBytes(entries_.data(), entries_.size() * sizeof(Entry));
  }
  // Prefetches the chunks. Call this function before visiting all stretches.
  void PrefetchChunks() const {
    for (const Entry& entry : entries_) Prefetch(entry.chunk);
  }

  // Returns the number of stretches in use. Stretches that touch and are both
  // in use during all steps are joined, and count as one.
  size_t size() const { return size_; }

  // Marks `bytes` as in use from step `first` to step `last`, exclusive, of a
  // column of `steps` steps. Requires at least one byte. O(log k + 64) for k
  // stretches, and occasionally O(k / 64).
  void Add(Stretch bytes, Step first, Step last, Step steps, Pool* pool);

  // Like FreeSpace::VisitFree, for the interval from step `first` to step
  // `last`, exclusive. `others` iterates over further stretches that are in use
  // during that interval.
  template <typename Others, typename Visit>
  size_t VisitFree(Step first, Step last, size_t size, Others others,
                   Visit& visit) const;

  // Like BorderList::KeepFree, for the interval from step `first` to step
  // `last`, exclusive.
  void KeepFree(Step first, Step last, const std::vector<Stretch>& free,
                size_t size, std::vector<Stretch>* rest) const;

  // Iterates over the stretches of a list, from the lowest to the highest.
  // Requires that every stretch of the list is in use during all steps.
  class Cursor {
   public:
    explicit Cursor(const ColumnList& list)
        : entry_(list.entries_.data()),
          last_(entry_ + list.entries_.size() - 1) {
      Load();
    }

    // Returns the beginning of the next stretch, or kNoEnd if there is no next
    // stretch.
    size_t begin() const { return begin_; }
    size_t end() const { return entry_->chunk->end[index_]; }
    void Advance() {
      ++index_;
      Load();
    }

   private:
    void Load() {
      if (index_ == entry_->count && entry_ != last_) {
        ++entry_;
        index_ = 0;
      }
      begin_ = index_ == entry_->count
                   ? kNoEnd
                   : entry_->base + entry_->chunk->begin[index_];
    }

    const ChunkEntry<Chunk>* entry_;
    const ChunkEntry<Chunk>* last_;
    size_t index_ = 0;
    size_t begin_ = 0;
  };

 private:
  using Entry = ChunkEntry<Chunk>;

  // Returns a bit set of the stretches of a chunk that are in use at some step
  // from `first` to `last`, exclusive.
  static uint64_t InUse(const Entry& entry, Step first, Step last) {
    const Chunk& chunk = *entry.chunk;
    ChunkField<uint8_t> flags;
    for (size_t k = 0; k < kInChunk; ++k) {
      flags[k] =
          static_cast<uint8_t>(static_cast<unsigned>(chunk.first[k] < last) &
                               static_cast<unsigned>(chunk.last[k] > first));
    }
    return BitsOf(flags) & LowestBits(entry.count);
  }

  // Joins `bytes`, which are in use during all steps, with the neighbors that
  // they touch and that are also in use during all steps. Returns false and
  // changes nothing if there is no such neighbor.
  bool Join(Stretch bytes, size_t entry, size_t index, Step steps, Pool* pool);
  void Insert(Stretch bytes, Step first, Step last, size_t entry, size_t index,
              Pool* pool);
  void Erase(size_t entry, size_t index, Pool* pool);
  // Divides a full chunk into two.
  void Split(size_t entry, Pool* pool);

  // The entries, sorted by the beginning of their elements. Only the first
  // chunk may be empty; its base is 0. The elements of every other chunk begin
  // at or above the base of the chunk.
  std::vector<Entry> entries_;
  size_t size_ = 0;
};

template <typename Step>
void ColumnList<Step>::Add(Stretch bytes, Step first, Step last, Step steps,
                           Pool* pool) {
  const size_t entry = EntryAt(entries_, bytes.begin);
  const Entry& found = entries_[entry];
  const size_t past = std::min(bytes.begin - found.base, kChunkReach);
  const size_t index =
      CountUpTo(found.chunk->begin, found.count, static_cast<uint32_t>(past));
  const bool is_whole = first == 0 && last == steps;
  if (is_whole && Join(bytes, entry, index, steps, pool)) return;
  Insert(bytes, first, last, entry, index, pool);
}

template <typename Step>
bool ColumnList<Step>::Join(Stretch bytes, size_t entry, size_t index,
                            Step steps, Pool* pool) {
  // The positions of the stretches directly below and directly above `bytes`.
  const size_t low = index == 0 && entry > 0 ? entry - 1 : entry;
  const size_t up_to = low == entry ? index : entries_[low].count;
  const bool has_below = up_to > 0;
  const size_t low_index = has_below ? up_to - 1 : 0;
  const size_t high = index == entries_[entry].count ? entry + 1 : entry;
  const size_t high_index = high == entry ? index : 0;
  const bool has_above = high < entries_.size();
  const auto is_whole = [&](const Chunk& chunk, size_t k) {
    return chunk.first[k] == 0 && chunk.last[k] == steps;
  };
  Chunk* const below = entries_[low].chunk;
  const bool joins_below = has_below && is_whole(*below, low_index) &&
                           below->end[low_index] == bytes.begin;
  Chunk* const above = has_above ? entries_[high].chunk : nullptr;
  const bool joins_above =
      has_above && is_whole(*above, high_index) &&
      entries_[high].base + above->begin[high_index] == bytes.end;
  if (joins_below) {
    below->end[low_index] = joins_above ? above->end[high_index] : bytes.end;
    if (joins_above) Erase(high, high_index, pool);
    return true;
  }
  if (!joins_above) return false;
  if (bytes.begin >= entries_[high].base) {
    above->begin[high_index] =
        static_cast<uint32_t>(bytes.begin - entries_[high].base);
    return true;
  }
  // The joined stretch begins below the base of its chunk, so it has to be
  // inserted at a new position.
  const size_t end = above->end[high_index];
  Erase(high, high_index, pool);
  Insert({bytes.begin, end}, 0, steps, entry, index, pool);
  return true;
}

template <typename Step>
void ColumnList<Step>::Insert(Stretch bytes, Step first, Step last,
                              size_t entry, size_t index, Pool* pool) {
  ++size_;
  if (bytes.begin - entries_[entry].base >= kChunkReach) {
    // All stretches of this chunk are below `bytes`.
    ++entry;
    index = 0;
    entries_.insert(entries_.begin() + static_cast<ptrdiff_t>(entry),
                    {bytes.begin, pool->Get(), 0});
  }
  Entry& found = entries_[entry];
  const auto insert = [&](auto* field, auto number) {
    auto* const numbers = field->data();
    std::copy_backward(numbers + index, numbers + found.count,
                       numbers + found.count + 1);
    numbers[index] = number;
  };
  insert(&found.chunk->first, first);
  insert(&found.chunk->last, last);
  insert(&found.chunk->begin, static_cast<uint32_t>(bytes.begin - found.base));
  insert(&found.chunk->end, bytes.end);
  if (++found.count == kInChunk) Split(entry, pool);
}

template <typename Step>
void ColumnList<Step>::Erase(size_t entry, size_t index, Pool* pool) {
  --size_;
  Entry& found = entries_[entry];
  const auto erase = [&](auto* field) {
    auto* const numbers = field->data();
    std::copy(numbers + index + 1, numbers + found.count, numbers + index);
  };
  erase(&found.chunk->first);
  erase(&found.chunk->last);
  erase(&found.chunk->begin);
  erase(&found.chunk->end);
  if (--found.count > 0 || entry == 0) return;
  pool->Return(found.chunk);
  entries_.erase(entries_.begin() + static_cast<ptrdiff_t>(entry));
}

template <typename Step>
void ColumnList<Step>::Split(size_t entry, Pool* pool) {
  constexpr size_t kKept = kInChunk / 2;
  Entry& lower = entries_[entry];
  const uint32_t shift = lower.chunk->begin[kKept];
  const Entry upper = {lower.base + shift, pool->Get(), kInChunk - kKept};
  for (size_t k = 0; k < upper.count; ++k) {
    upper.chunk->first[k] = lower.chunk->first[kKept + k];
    upper.chunk->last[k] = lower.chunk->last[kKept + k];
    upper.chunk->begin[k] = lower.chunk->begin[kKept + k] - shift;
    upper.chunk->end[k] = lower.chunk->end[kKept + k];
  }
  lower.count = kKept;
  entries_.insert(entries_.begin() + static_cast<ptrdiff_t>(entry) + 1, upper);
}

template <typename Step>
template <typename Others, typename Visit>
size_t ColumnList<Step>::VisitFree(Step first, Step last, size_t size,
                                   Others others, Visit& visit) const {
  size_t top = 0;
  size_t too_many = std::numeric_limits<size_t>::max();
  for (size_t e = 0; e < entries_.size(); ++e) {
    PrefetchNext(entries_, e);
    const Entry& entry = entries_[e];
    const Chunk& chunk = *entry.chunk;
    uint64_t conflicts = InUse(entry, first, last);
    for (; conflicts != 0; conflicts &= conflicts - 1) {
      const auto k = static_cast<size_t>(countr_zero(conflicts));
      const size_t begin = entry.base + chunk.begin[k];
      if (!VisitBelow(begin, size, &others, &top, &too_many, visit)) return top;
      // If the gap has less than `size` bytes, the difference wraps around to
      // nearly 2^64, and the gap is skipped.
      const auto above = static_cast<unsigned>(begin >= top);
      const auto fits =
          static_cast<unsigned>(begin - top - size < too_many - size);
      if ((above & fits) != 0) {
        too_many = visit(Stretch{top, begin});
        if (too_many <= size) return top;
      }
      top = std::max(top, chunk.end[k]);
    }
  }
  VisitBelow(kNoEnd, size, &others, &top, &too_many, visit);
  return top;
}

template <typename Step>
void ColumnList<Step>::KeepFree(Step first, Step last,
                                const std::vector<Stretch>& free, size_t size,
                                std::vector<Stretch>* rest) const {
  auto bytes = free.begin();
  size_t top = bytes->begin;  // the free part of *bytes begins here or above
  for (const Entry& entry : entries_) {
    const Chunk& chunk = *entry.chunk;
    uint64_t in_use = InUse(entry, first, last);
    for (; in_use != 0; in_use &= in_use - 1) {
      const auto k = static_cast<size_t>(countr_zero(in_use));
      const size_t begin = entry.base + chunk.begin[k];
      // This loop terminates at the last stretch at the latest, because the
      // last stretch has no end.
      while (bytes->end <= begin) {
        KeepIfLarge({top, bytes->end}, size, rest);
        ++bytes;
        top = std::max(top, bytes->begin);
      }
      KeepIfLarge({top, begin}, size, rest);
      top = std::max(top, chunk.end[k]);
    }
  }
  for (; bytes != free.end(); ++bytes) {
    top = std::max(top, bytes->begin);
    KeepIfLarge({top, bytes->end}, size, rest);
  }
}

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_COLUMN_LIST_H_
