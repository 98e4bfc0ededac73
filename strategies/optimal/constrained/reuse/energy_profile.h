// SPDX-License-Identifier: Apache-2.0
// Computes the energy of one group at each of its starts, as the pieces of a
// piecewise constant function:
//
//   energy    ____
//            |    |      ___            pieces begin at 0, 2, 4, 6, 8
//     ______ |    |_____|   |_____
//     0      2    4     6   8    count
//
// The function is a sum of intervals. The running time depends mainly on the
// number of intervals rather than on the number of starts.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_ENERGY_PROFILE_H_
#define STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_ENERGY_PROFILE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "src/base/bits.h"
#include "src/bounds/rigid_groups.h"
#include "stowage/base/span.h"

namespace stowage::optimal {

// Packs an energy below 2^40 and a number of hard edges below 2^23 into one
// integer, so that a single addition adds both.
struct PackedEnergy {
  static constexpr int kBits = 40;
  static constexpr int64_t kOneHard = int64_t{1} << kBits;
  static int64_t EnergyOf(int64_t packed) { return packed & (kOneHard - 1); }
  static int64_t HardOf(int64_t packed) { return packed >> kBits; }
};

class EnergyProfile {
 public:
  using Level = rigid::Level;

  struct Piece {
    Level begin = 0;  // ends where the next one begins
    int64_t packed = 0;
  };

  // Computes the sum of some intervals over the starts [0, count). Passes a
  // function add(low, high, packed) to `add_all`, which must call this function
  // once for each interval, and at most `most` times. Each call adds `packed`
  // to the starts in [low, high) that are in [0, count). Returns the pieces by
  // rising begin, followed by an additional piece that begins at `count`.
  // Neighbouring pieces may have the same energy. The result is valid until the
  // next call of Sum. Requires count > 0.
  template <typename Function>
  Span<const Piece> Sum(Level count, size_t most, const Function& add_all) {
    if (pieces_.size() < 2 * most + 3) pieces_.resize(2 * most + 3);
    return count <= kMaxDense ? SumDense(count, add_all)
                              : SumSparse(count, add_all);
  }

 private:
  // The maximum number of starts for which a bitmap marks the starts at which
  // the sum changes.
  static constexpr Level kMaxDense = Level{1} << 15;

  template <typename Function>
  Span<const Piece> SumDense(Level count, const Function& add_all) {
    const size_t words = static_cast<size_t>(count) / 64 + 1;
    if (marks_.size() < words) {
      marks_.resize(words);
      change_at_.resize(words * 64);
    }
    int64_t* const change_at = change_at_.data();
    uint64_t* const marks = marks_.data();
    const auto change = [=](Level at, int64_t packed) {
      const auto index = static_cast<size_t>(at);
      change_at[index] += packed;
      marks[index / 64] |= uint64_t{1} << (index % 64);
    };
    add_all([=](Level low, Level high, int64_t packed) {
      // If the interval is outside [0, count), both changes are at the same end
      // of [0, count), so they cancel each other out.
      change(std::min(std::max<Level>(low, 0), count), packed);
      change(std::min(std::max<Level>(high, 0), count), -packed);
    });
    change(0, 0);
    change(count, 0);
    Piece* piece = pieces_.data();
    int64_t packed = 0;
    for (size_t word = 0; word < words; ++word) {
      for (uint64_t bits = marks[word]; bits != 0; bits &= bits - 1) {
        const size_t at = word * 64 + static_cast<size_t>(countr_zero(bits));
        packed += change_at[at];
        change_at[at] = 0;
        *piece++ = {static_cast<Level>(at), packed};
      }
      marks[word] = 0;
    }
    return {pieces_.data(), static_cast<size_t>(piece - pieces_.data())};
  }

  template <typename Function>
  Span<const Piece> SumSparse(Level count, const Function& add_all) {
    changes_.assign({{0, 0}, {count, 0}});
    add_all([&](Level low, Level high, int64_t packed) {
      changes_.push_back({std::min(std::max<Level>(low, 0), count), packed});
      changes_.push_back({std::min(std::max<Level>(high, 0), count), -packed});
    });
    std::sort(changes_.begin(), changes_.end(),
              [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
    size_t pieces = 0;
    int64_t packed = 0;
    for (const Piece& change : changes_) {
      packed += change.packed;
      if (pieces == 0 || pieces_[pieces - 1].begin < change.begin) ++pieces;
      pieces_[pieces - 1] = {change.begin, packed};
    }
    return {pieces_.data(), pieces};
  }

  std::vector<Piece> pieces_;
  std::vector<int64_t> change_at_;  // 0 between two sums
  std::vector<uint64_t> marks_;     // 0 between two sums
  std::vector<Piece> changes_;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_CONSTRAINED_REUSE_ENERGY_PROFILE_H_
