// SPDX-License-Identifier: Apache-2.0
// Divides an arena into pieces, and stores for each piece how long it is free
// before and after a border between two steps. FreeSpace (free_space.h) uses
// such a list for intervals that cross a border. For intervals that cross no
// border, it uses ColumnList (column_list.h).
#ifndef STOWAGE_SRC_CONSTRUCT_BORDER_LIST_H_
#define STOWAGE_SRC_CONSTRUCT_BORDER_LIST_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "src/base/bits.h"
#include "src/base/chunk_pool.h"
#include "src/construct/stretch.h"

namespace stowage {

// `Step` is an unsigned type that can represent every distance, in steps,
// between a border and the ends of an interval. Its largest value means that a
// piece is always free.
template <typename Step>
class BorderList {
 public:
  static constexpr Step kAlways = std::numeric_limits<Step>::max();

  struct alignas(64) Chunk {
    ChunkField<Step> before;
    ChunkField<Step> after;
    ChunkField<uint32_t> begin;  // is counted from the first byte of the chunk
  };
  using Pool = ChunkPool<Chunk>;

  // The bytes from `begin` to the beginning of the next piece. They are free
  // for intervals that begin at most `before` steps before the border and end
  // at most `after` steps after it.
  struct Piece {
    size_t begin;
    Step before;
    Step after;

    bool IsFreeAs(const Piece& other) const {
      return before == other.before && after == other.after;
    }
  };

  // Scratch memory of Limit, shared by all lists.
  struct Scratch {
    std::vector<Piece> fresh;
    std::vector<Piece> pieces;
  };

  // Creates a list in which all bytes are always free.
  explicit BorderList(Pool* pool) {
    entries_.push_back({0, pool->Get(), 1});
    Set({0, kAlways, kAlways}, 0, entries_.data());
  }

  // Prefetches the chunk that Limit needs. Call this function some time before
  // Limit.
  void PrefetchAt(size_t offset) const {
    Prefetch(entries_[EntryAt(entries_, offset)].chunk);
  }

  // Returns the number of pieces. Adjacent pieces differ in `before` or
  // `after`. The last piece has no end and is always free.
  size_t size() const { return size_; }

  // Restricts the intervals for which `bytes` are free to those that begin at
  // most `before` steps before the border and end at most `after` steps after
  // it. O(log k + pieces changed + 64) for k pieces, and occasionally O(k /
  // 64).
  void Limit(Stretch bytes, Step before, Step after, Pool* pool,
             Scratch* scratch);

  // Like FreeSpace::VisitFree, for the interval from `before` steps before the
  // border to `after` steps after it. `others` iterates over further stretches
  // that are in use during that interval.
  template <typename Others, typename Visit>
  size_t VisitFree(Step before, Step after, size_t size, Others others,
                   Visit& visit) const;

  // Prefetches the entries. Call this function before PrefetchChunks and
  // PrefetchFree.
  void PrefetchEntries() const {
    PrefetchBytes(entries_.data(), entries_.size() * sizeof(Entry));
  }
  // Prefetches the chunks. Call this function before VisitFree.
  void PrefetchChunks() const {
    for (const Entry& entry : entries_) Prefetch(entry.chunk);
  }
  // Prefetches the chunks that KeepFree needs. Call this function before
  // KeepFree.
  void PrefetchFree(const std::vector<Stretch>& free) const {
    size_t e = 0;
    const Chunk* loaded = nullptr;
    for (const Stretch& bytes : free) {
      e = EntryFrom(e, bytes.begin);
      if (entries_[e].chunk != loaded) Prefetch(entries_[e].chunk);
      loaded = entries_[e].chunk;
    }
  }

  // Intersects the stretches in `free` with the bytes that, according to this
  // list, are free from `before` steps before the border to `after` steps after
  // it. Appends the resulting parts that have at least `size` bytes to `rest`.
  // Requires that `free` lists stretches in rising order, the last of which has
  // no end. The last part then has no end either, and is always appended.
  void KeepFree(Step before, Step after, const std::vector<Stretch>& free,
                size_t size, std::vector<Stretch>* rest) const;

 private:
  using Entry = ChunkEntry<Chunk>;

  struct Position {
    size_t entry;
    size_t index;
  };

  Piece At(Position at) const {
    const Entry& entry = entries_[at.entry];
    return {entry.base + entry.chunk->begin[at.index],
            entry.chunk->before[at.index], entry.chunk->after[at.index]};
  }
  static void Set(const Piece& piece, size_t index, Entry* entry) {
    entry->chunk->begin[index] =
        static_cast<uint32_t>(piece.begin - entry->base);
    entry->chunk->before[index] = piece.before;
    entry->chunk->after[index] = piece.after;
  }
  bool IsEnd(Position at) const { return at.entry == entries_.size(); }
  Position Next(Position at) const {
    if (++at.index < entries_[at.entry].count) return at;
    return {at.entry + 1, 0};
  }
  // Returns the entry of the piece that contains byte `offset`. Requires that
  // this entry is entry `e` or a later one.
  size_t EntryFrom(size_t e, size_t offset) const {
    while (e + 1 < entries_.size() && entries_[e + 1].base <= offset) ++e;
    return e;
  }
  // Returns the index, within the chunk of `entry`, of the piece that contains
  // byte `offset`.
  static size_t FindIn(const Entry& entry, size_t offset) {
    const size_t past = std::min(offset - entry.base, kChunkReach);
    return CountUpTo(entry.chunk->begin, entry.count,
                     static_cast<uint32_t>(past)) -
           1;
  }
  // Returns the piece that contains byte `offset`.
  Position Find(size_t offset) const {
    const size_t entry = EntryAt(entries_, offset);
    return {entry, FindIn(entries_[entry], offset)};
  }

  // Returns a bit set of the pieces of a chunk that are in use at some step
  // from `before` steps before the border to `after` steps after it.
  static uint64_t InUse(const Entry& entry, Step before, Step after) {
    const Chunk& chunk = *entry.chunk;
    ChunkField<uint8_t> flags;
    for (size_t k = 0; k < kInChunk; ++k) {
      flags[k] =
          static_cast<uint8_t>(static_cast<unsigned>(chunk.before[k] < before) |
                               static_cast<unsigned>(chunk.after[k] < after));
    }
    return BitsOf(flags) & LowestBits(entry.count);
  }
  // Returns a bit set of the pieces at which the use changes: pieces in use
  // that follow a free piece, and free pieces that follow a piece in use.
  // `is_in_use` is true if the last piece of the previous chunk was in use.
  static uint64_t Transitions(const Entry& entry, uint64_t in_use,
                              bool is_in_use) {
    const uint64_t below = in_use << 1 | (is_in_use ? uint64_t{1} : 0);
    return (in_use ^ below) & LowestBits(entry.count);
  }
  // Returns the offset at which the lowest piece of the bit set `pieces`
  // begins. Requires that the set is not empty.
  static size_t FirstBegin(const Entry& entry, uint64_t pieces) {
    const auto k = static_cast<size_t>(countr_zero(pieces));
    return entry.base + entry.chunk->begin[k];
  }

  // Replaces `count` pieces, beginning with `first`, by `fresh`.
  void Replace(Position first, size_t count, const std::vector<Piece>& fresh,
               Pool* pool, std::vector<Piece>* scratch);
  // Like Replace if the chunk of `first` has room for the result. Otherwise,
  // changes nothing and returns false.
  bool ReplaceInChunk(Position first, size_t count,
                      const std::vector<Piece>& fresh);
  // Replaces the chunks from `first` to `last`, exclusive, by chunks that
  // contain `pieces`.
  void Rewrite(size_t first, size_t last, const std::vector<Piece>& pieces,
               Pool* pool);

  // The base of each entry is the beginning of its first piece.
  std::vector<Entry> entries_;
  size_t size_ = 1;
};

template <typename Step>
void BorderList<Step>::Limit(Stretch bytes, Step before, Step after, Pool* pool,
                             Scratch* scratch) {
  const Position first = Find(bytes.begin);
  std::vector<Piece>& fresh = scratch->fresh;
  fresh.clear();
  // The piece below `first`, if there is one.
  const bool has_below = first.entry > 0 || first.index > 0;
  const Piece below =
      !has_below ? Piece{0, 0, 0}
      : first.index > 0
          ? At({first.entry, first.index - 1})
          : At({first.entry - 1, entries_[first.entry - 1].count - 1});
  const auto push = [&](const Piece& piece) {
    if (fresh.empty() ? has_below && below.IsFreeAs(piece)
                      : fresh.back().IsFreeAs(piece)) {
      return;
    }
    fresh.push_back(piece);
  };
  size_t count = 0;
  bool changes = false;
  Position at = first;
  Piece piece = At(at);
  while (true) {
    const Position next = Next(at);
    const bool is_last = IsEnd(next);
    const Piece above = is_last ? Piece{0, 0, 0} : At(next);
    ++count;
    if (piece.before <= before && piece.after <= after) {
      push(piece);
    } else {
      changes = true;
      if (piece.begin < bytes.begin) push(piece);
      push({std::max(piece.begin, bytes.begin), std::min(piece.before, before),
            std::min(piece.after, after)});
      if (is_last || above.begin > bytes.end) {
        push({bytes.end, piece.before, piece.after});
      }
    }
    at = next;
    if (is_last) break;
    piece = above;
    if (above.begin >= bytes.end) break;
  }
  if (!changes) return;
  // If the next piece is now equal to its predecessor, merges the two.
  if (!IsEnd(at) && (fresh.empty() ? below : fresh.back()).IsFreeAs(piece)) {
    ++count;
  }
  Replace(first, count, fresh, pool, &scratch->pieces);
}

template <typename Step>
bool BorderList<Step>::ReplaceInChunk(Position first, size_t count,
                                      const std::vector<Piece>& fresh) {
  Entry& entry = entries_[first.entry];
  const size_t last = first.index + count;
  if (last > entry.count) return false;
  const size_t next_last = first.index + fresh.size();
  const size_t next_count = entry.count - count + fresh.size();
  if (next_count > kInChunk) return false;
  if (first.index == 0 &&
      (fresh.empty() || fresh.front().begin != entry.base)) {
    return false;
  }
  if (!fresh.empty() && fresh.back().begin - entry.base >= kChunkReach) {
    return false;
  }
  if (next_last != last) {
    const auto move = [&](auto* field) {
      auto* const numbers = field->data();
      if (next_last < last) {
        std::copy(numbers + last, numbers + entry.count, numbers + next_last);
      } else {
        std::copy_backward(numbers + last, numbers + entry.count,
                           numbers + next_count);
      }
    };
    move(&entry.chunk->begin);
    move(&entry.chunk->before);
    move(&entry.chunk->after);
  }
  for (size_t k = 0; k < fresh.size(); ++k) {
    Set(fresh[k], first.index + k, &entry);
  }
  entry.count = next_count;
  return true;
}

template <typename Step>
void BorderList<Step>::Replace(Position first, size_t count,
                               const std::vector<Piece>& fresh, Pool* pool,
                               std::vector<Piece>* scratch) {
  size_ = size_ - count + fresh.size();
  if (ReplaceInChunk(first, count, fresh)) return;
  scratch->clear();
  for (size_t k = 0; k < first.index; ++k) {
    scratch->push_back(At({first.entry, k}));
  }
  scratch->insert(scratch->end(), fresh.begin(), fresh.end());
  size_t entry = first.entry;
  size_t rest = first.index + count;
  while (rest > entries_[entry].count) rest -= entries_[entry++].count;
  for (; rest < entries_[entry].count; ++rest) {
    scratch->push_back(At({entry, rest}));
  }
  Rewrite(first.entry, entry + 1, *scratch, pool);
}

template <typename Step>
void BorderList<Step>::Rewrite(size_t first, size_t last,
                               const std::vector<Piece>& pieces, Pool* pool) {
  for (size_t k = first; k < last; ++k) pool->Return(entries_[k].chunk);
  const size_t chunks = (pieces.size() + kInChunk - 1) / kInChunk;
  std::vector<Entry> written;
  for (size_t k = 0; k < pieces.size(); ++k) {
    // All chunks get the same number of pieces. A chunk gets fewer if the next
    // piece begins too far above the base of the chunk.
    const size_t share = (pieces.size() + chunks - 1) / chunks;
    if (written.empty() || written.back().count == share ||
        pieces[k].begin - written.back().base >= kChunkReach) {
      written.push_back({pieces[k].begin, pool->Get(), 0});
    }
    Set(pieces[k], written.back().count++, &written.back());
  }
  const auto at =
      entries_.erase(entries_.begin() + static_cast<ptrdiff_t>(first),
                     entries_.begin() + static_cast<ptrdiff_t>(last));
  entries_.insert(at, written.begin(), written.end());
}

template <typename Step>
void BorderList<Step>::KeepFree(Step before, Step after,
                                const std::vector<Stretch>& free, size_t size,
                                std::vector<Stretch>* rest) const {
  size_t known = entries_.size();  // the entry that `in_use` belongs to
  uint64_t in_use = 0;
  const auto look_at = [&](size_t e) {
    if (e != known) in_use = InUse(entries_[e], before, after);
    known = e;
  };
  size_t e = 0;
  for (const Stretch& bytes : free) {
    e = EntryFrom(e, bytes.begin);
    look_at(e);
    const size_t first = FindIn(entries_[e], bytes.begin);
    bool is_in_use = (in_use >> first & 1) != 0;
    size_t begin = bytes.begin;
    uint64_t transitions =
        Transitions(entries_[e], in_use, false) & ~LowestBits(first + 1);
    while (true) {
      for (; transitions != 0; transitions &= transitions - 1) {
        const size_t transition = FirstBegin(entries_[e], transitions);
        if (transition >= bytes.end) break;
        if (!is_in_use && transition - begin >= size) {
          rest->push_back({begin, transition});
        }
        begin = transition;
        is_in_use = !is_in_use;
      }
      if (transitions != 0 || e + 1 == entries_.size() ||
          entries_[e + 1].base >= bytes.end) {
        break;
      }
      ++e;
      look_at(e);
      transitions = Transitions(entries_[e], in_use, is_in_use);
    }
    // If the last bytes of the stretch are in use, there is no free part at its
    // end.
    if (is_in_use) begin = bytes.end;
    KeepIfLarge({begin, bytes.end}, size, rest);
  }
}

template <typename Step>
template <typename Others, typename Visit>
size_t BorderList<Step>::VisitFree(Step before, Step after, size_t size,
                                   Others others, Visit& visit) const {
  size_t top = 0;
  size_t too_many = std::numeric_limits<size_t>::max();
  bool is_in_use = false;  // says whether the last piece passed is in use
  for (size_t e = 0; e < entries_.size(); ++e) {
    PrefetchNext(entries_, e);
    const Entry& entry = entries_[e];
    const uint64_t in_use = InUse(entry, before, after);
    uint64_t transitions = Transitions(entry, in_use, is_in_use);
    if (transitions == 0) continue;
    if (is_in_use) {
      top = FirstBegin(entry, transitions);
      transitions &= transitions - 1;
    }
    while (transitions != 0) {
      const size_t begin = FirstBegin(entry, transitions);
      transitions &= transitions - 1;
      if (!VisitBelow(begin, size, &others, &top, &too_many, visit)) return top;
      // If the gap has less than `size` bytes, the difference wraps around to
      // nearly 2^64, and the gap is skipped.
      if (begin - top - size < too_many - size) {
        too_many = visit(Stretch{top, begin});
        if (too_many <= size) return top;
      }
      if (transitions == 0) break;
      top = FirstBegin(entry, transitions);
      transitions &= transitions - 1;
    }
    is_in_use = (in_use >> (entry.count - 1) & 1) != 0;
  }
  VisitBelow(kNoEnd, size, &others, &top, &too_many, visit);
  return top;
}

}  // namespace stowage

#endif  // STOWAGE_SRC_CONSTRUCT_BORDER_LIST_H_
