// SPDX-License-Identifier: Apache-2.0
#include "src/harness/kernels/copy_at_once.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <list>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/span.h"

namespace stowage::harness {
namespace {

// A copy of bytes. `is_saved` is true if the source was moved to scratch
// memory.
struct Move : ByteCopy {
  bool is_saved = false;
};

// Returns whether `a` overwrites a byte that `b` still has to read. A saved
// source is never overwritten.
bool Overwrites(const Move& a, const Move& b) {
  const std::less<> precedes;
  const uint8_t* const destination = a.destination;
  return !b.is_saved && precedes(destination, b.source + b.bytes) &&
         precedes(b.source, destination + a.bytes);
}

class Mover {
 public:
  Mover(const std::vector<ByteCopy>& copies, absl::Span<uint8_t> scratch)
      : scratch_(scratch) {
    for (const ByteCopy& copy : copies) {
      if (copy.bytes == 0 || copy.destination == copy.source) continue;
      moves_.push_back({copy});
    }
  }

  void MoveAll() {
    while (!moves_.empty()) {
      const auto next = absl::c_find_if(moves_, [this](const Move& move) {
        return absl::c_none_of(moves_, [&](const Move& other) {
          return &other != &move && Overwrites(move, other);
        });
      });
      if (next == moves_.end()) {
        SaveOneSource();
        continue;
      }
      // The source and the destination may overlap partially, which memmove
      // permits.
      std::memmove(next->destination, next->source, next->bytes);
      moves_.erase(next);
    }
  }

 private:
  // Saves one source that the first move would overwrite.
  void SaveOneSource() {
    if (absl::c_none_of(moves_, [](const Move& m) { return m.is_saved; })) {
      used_ = 0;
    }
    const auto found = std::find_if(
        moves_.begin() + 1, moves_.end(),
        [this](const Move& other) { return Overwrites(moves_[0], other); });
    const Move saved = *found;
    uint8_t* place = nullptr;
    if (scratch_.size() - used_ >= saved.bytes) {
      place = scratch_.data() + used_;
      used_ += saved.bytes;
    } else {
      place = own_.emplace_back(saved.bytes).data();
    }
    std::memcpy(place, saved.source, saved.bytes);
    for (Move& move : moves_) {
      if (move.is_saved || move.source != saved.source ||
          move.bytes != saved.bytes) {
        continue;
      }
      move.source = place;
      move.is_saved = true;
    }
  }

  const absl::Span<uint8_t> scratch_;
  size_t used_ = 0;  // the bytes of `scratch_` that moves still read
  std::list<std::vector<uint8_t>> own_;
  std::vector<Move> moves_;
};

}  // namespace

void CopyAtOnce(const std::vector<ByteCopy>& copies,
                absl::Span<uint8_t> scratch) {
  Mover(copies, scratch).MoveAll();
}

}  // namespace stowage::harness
