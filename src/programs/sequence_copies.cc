// SPDX-License-Identifier: Apache-2.0
// Orders simultaneous copies, in the way compilers order parallel moves.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program_problem.h"

namespace stowage {
namespace {

class CopySequencer {
 public:
  CopySequencer(const ProgramPoints& points, Span<const SlotCopy> copies,
                Span<const optional<size_t>> offsets);

  CopySequence Sequence();

 private:
  // Returns whether the move would overwrite bytes that another move still has
  // to read.
  bool IsBlocked(const CopyStep& move) const;
  // Saves in scratch memory a value that the first move would overwrite.
  void SaveOneValue();

  const ProgramPoints& points_;
  const Span<const optional<size_t>> offsets_;
  std::vector<CopyStep> moves_;  // the moves that remain
  size_t scratch_used_ = 0;
  CopySequence result_;
};

CopySequencer::CopySequencer(const ProgramPoints& points,
                             Span<const SlotCopy> copies,
                             Span<const optional<size_t>> offsets)
    : points_(points), offsets_(offsets) {
  for (const SlotCopy& copy : copies) {
    const optional<size_t>& to = offsets[copy.destination];
    const optional<size_t>& from = offsets[copy.source];
    if (to && from && *to != *from) {
      moves_.push_back({copy.destination, copy.source, 0});
    }
  }
}

bool CopySequencer::IsBlocked(const CopyStep& move) const {
  const size_t begin = *offsets_[*move.destination];
  const size_t end = begin + points_.slot_sizes[*move.destination];
  return std::any_of(moves_.begin(), moves_.end(), [&](const CopyStep& other) {
    if (&other == &move || !other.source) return false;
    const size_t at = *offsets_[*other.source];
    return begin < at + points_.slot_sizes[*other.source] && at < end;
  });
}

void CopySequencer::SaveOneValue() {
  const bool is_free =
      std::all_of(moves_.begin(), moves_.end(),
                  [](const CopyStep& move) { return move.source.has_value(); });
  if (is_free) scratch_used_ = 0;
  const size_t begin = *offsets_[*moves_[0].destination];
  const size_t end = begin + points_.slot_sizes[*moves_[0].destination];
  const auto found =
      std::find_if(moves_.begin() + 1, moves_.end(), [&](const CopyStep& move) {
        if (!move.source) return false;
        const size_t at = *offsets_[*move.source];
        return begin < at + points_.slot_sizes[*move.source] && at < end;
      });
  const SlotId saved = *found->source;
  result_.steps.push_back({nullopt, saved, scratch_used_});
  for (CopyStep& move : moves_) {
    if (!move.source || offsets_[*move.source] != offsets_[saved] ||
        points_.slot_sizes[*move.source] != points_.slot_sizes[saved]) {
      continue;
    }
    move.source = nullopt;
    move.scratch = scratch_used_;
  }
  scratch_used_ += points_.slot_sizes[saved];
  result_.scratch_bytes = std::max(result_.scratch_bytes, scratch_used_);
}

CopySequence CopySequencer::Sequence() {
  while (!moves_.empty()) {
    const auto ready =
        std::find_if(moves_.begin(), moves_.end(),
                     [&](const CopyStep& move) { return !IsBlocked(move); });
    if (ready == moves_.end()) {
      SaveOneValue();
      continue;
    }
    result_.steps.push_back(*ready);
    moves_.erase(ready);
  }
  return std::move(result_);
}

}  // namespace

CopySequence SequenceCopies(const ProgramPoints& points,
                            Span<const SlotCopy> copies,
                            Span<const optional<size_t>> offsets) {
  return CopySequencer(points, copies, offsets).Sequence();
}

}  // namespace stowage
