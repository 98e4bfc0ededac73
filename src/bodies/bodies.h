// SPDX-License-Identifier: Apache-2.0
// What moves as one: the records of one pool under constraints, as bodies with
// a start each. For problems without constraints use the records themselves.
//
// A body is a group, or a record that is in none. Its start is the byte from
// which its records are `at` bytes away, so that everything that limits one of
// them limits the start:
//
//   at 0    ┌──────┐                        a start of 32 places the pieces at
//           │ a    │   at 24                32 and 56; an alignment of 16 for b
//           └──────┘  ┌───────┐             asks for starts 8 above a multiple
//                     │ b     │             of 16
//   start ──┘         └───────┘
#ifndef STOWAGE_BODIES_BODIES_H_
#define STOWAGE_BODIES_BODIES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/assignment.h"
#include "stowage/problem.h"

namespace stowage::bodies {

// Bytes. Differences of two are never an overflow: see Bodies::Make.
using Level = int64_t;

// Above every level.
constexpr Level kNoLevel = Level{1} << 61;

// The bytes of one record. Records without bytes only limit their body.
struct Piece {
  uint32_t record = 0;
  uint32_t body = 0;
  Level at = 0;    // above the start
  Level size = 0;  // above 0
};

struct Body {
  uint32_t first_piece = 0;  // half-open
  uint32_t end_piece = 0;
  Level alignment = 1;   // a power of two
  Level residue = 0;     // a start is this, modulo the alignment
  Level min = 0;         // of the start
  Level max = kNoLevel;  // of the start, inclusive
  Level extent = 0;      // one past the last byte of any record

  bool is_fixed() const { return min == max; }
};

// The indices of all records of a problem: those of a pool where there is but
// one.
std::vector<uint32_t> AllRecordsOf(const Problem& problem);

// The error of a caller for whom Bodies::Make returns nothing.
absl::Status LevelsOverflow();

// A pool that no problem has.
constexpr uint32_t kNoPool = ~uint32_t{0};

class Bodies {
 public:
  // The bodies of some records, which have whole groups, in one pool; kNoPool
  // for one without holes and capacity. The problem must outlive the object.
  // Nothing if levels would overflow. O(n + holes).
  static absl::optional<Bodies> Make(const Problem& problem,
                                     absl::Span<const uint32_t> records,
                                     uint32_t pool);

  const Problem& problem() const { return *problem_; }
  // All records, those without bytes as well, in the order of Make.
  const std::vector<uint32_t>& records() const { return records_; }
  size_t size() const { return bodies_.size(); }
  const Body& operator[](size_t body) const { return bodies_[body]; }
  absl::Span<const Piece> pieces() const { return pieces_; }
  absl::Span<const Piece> PiecesOf(size_t body) const {
    return absl::MakeConstSpan(pieces_).subspan(
        bodies_[body].first_piece,
        bodies_[body].end_piece - bodies_[body].first_piece);
  }
  absl::Span<const Hole> holes() const { return holes_; }
  absl::optional<Level> capacity() const { return capacity_; }
  // Enough for any plan of the bodies that can be pushed no lower.
  Level most() const { return most_; }

  // The lowest start from `level` on at which the body is in its domain and in
  // no hole; kNoLevel if there is none. It rises with `level`. O(pieces *
  // holes) for each hole in the way.
  Level LowestStart(size_t number, Level level) const;
  // The highest start up to `level` that the residue allows; may be below min.
  Level HighestStart(size_t body, Level level) const;

  // Writes the offsets of the records whose bodies have these starts, and
  // returns the highest end.
  Level WriteOffsets(absl::Span<const Level> starts,
                     std::vector<size_t>* offsets) const;
  Level TopOf(absl::Span<const Level> starts) const;

 private:
  explicit Bodies(const Problem& problem) : problem_(&problem) {}
  void AddRecord(uint32_t record, uint32_t number);
  bool SumUp();
  void SortHoles();

  const Problem* problem_;
  std::vector<Body> bodies_;
  std::vector<Piece> pieces_;  // by body
  std::vector<uint32_t> records_;
  std::vector<uint32_t> body_of_;    // of records_
  std::vector<Hole> holes_;          // of the pool, by end
  std::vector<size_t> hole_begins_;  // the least of this hole and those after
  bool holes_are_forever_ = false;   // whatever their tasks
  absl::optional<Level> capacity_;
  Level most_ = 0;
};

}  // namespace stowage::bodies

#endif  // STOWAGE_BODIES_BODIES_H_
