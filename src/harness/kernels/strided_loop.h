// SPDX-License-Identifier: Apache-2.0
// Loops over several tensors at once, which may have different strides. Used by
// kernels that copy or broadcast (shapes.h).
#ifndef STOWAGE_SRC_HARNESS_KERNELS_STRIDED_LOOP_H_
#define STOWAGE_SRC_HARNESS_KERNELS_STRIDED_LOOP_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "stowage/harness/shapes.h"
#include "stowage/tflite/element_type.h"

namespace stowage::harness {

// A loop over N tensors. Axes are given from the slowest to the fastest.
// Strides are in elements; the stride of a tensor is 0 along an axis on which
// the tensor is repeated, and negative along an axis on which it is read
// backwards. Two adjacent axes are merged if they can be traversed with a
// single stride in every tensor, so that the innermost loop is as long as
// possible.
template <size_t N>
class StridedLoop {
 public:
  using Offsets = std::array<int64_t, N>;
  struct Axis {
    int64_t extent = 0;
    Offsets strides = {};
  };

  // Creates a loop that visits nothing.
  StridedLoop() = default;

  // Creates a loop over these axes. Requires that no extent is negative.
  // Without axes, the loop visits one element.
  explicit StridedLoop(absl::Span<const Axis> axes) : is_empty_(false) {
    inner_.extent = 1;
    inner_.strides.fill(1);
    for (const Axis& axis : axes) {
      if (axis.extent == 0) is_empty_ = true;
      if (axis.extent > 1) Append(axis);
    }
    if (outer_.empty()) return;
    inner_ = outer_.back();
    outer_.pop_back();
  }

  bool is_empty() const { return is_empty_; }
  bool is_one_row() const { return !is_empty_ && outer_.empty(); }

  // Returns the innermost axis, which is the axis of a row.
  const Axis& inner() const { return inner_; }

  // Calls row(offsets) for every row, in an order in which the slowest axis
  // changes last. For each tensor, `offsets` contains the position of the first
  // element of the row plus the offset of that tensor in `at`.
  template <typename Row>
  void ForEachRow(Offsets at, Row row) const {
    if (is_empty_) return;
    absl::InlinedVector<int64_t, 8> index(outer_.size(), 0);
    do {
      row(static_cast<const Offsets&>(at));
    } while (Advance(index, at));
  }

 private:
  using Index = absl::InlinedVector<int64_t, 8>;

  void Append(const Axis& axis) {
    if (!outer_.empty() && IsOneWalk(outer_.back(), axis)) {
      outer_.back() = {outer_.back().extent * axis.extent, axis.strides};
    } else {
      outer_.push_back(axis);
    }
  }

  static bool IsOneWalk(const Axis& slow, const Axis& fast) {
    for (size_t i = 0; i < N; ++i) {
      if (slow.strides[i] != fast.strides[i] * fast.extent) return false;
    }
    return true;
  }

  bool Advance(Index& index, Offsets& at) const {
    for (size_t axis = outer_.size(); axis-- > 0;) {
      const Axis& a = outer_[axis];
      const bool is_last = ++index[axis] == a.extent;
      const int64_t steps = is_last ? 1 - a.extent : 1;
      for (size_t i = 0; i < N; ++i) at[i] += steps * a.strides[i];
      if (!is_last) return true;
      index[axis] = 0;
    }
    return false;
  }

  bool is_empty_ = true;
  Axis inner_;
  std::vector<Axis> outer_;
};

// Returns a loop over an output of shape `to` and inputs that are broadcast to
// it. Stream 0 is the output, and the inputs are streams 1 and up.
template <size_t N>
StridedLoop<N + 1> BroadcastLoop(const Shape& to,
                                 const std::array<const Shape*, N>& from) {
  using Axis = typename StridedLoop<N + 1>::Axis;
  std::vector<Axis> axes(to.size());
  for (size_t d = 0; d < to.size(); ++d) axes[d].extent = to[d];
  for (size_t i = 0; i <= N; ++i) {
    const std::vector<int64_t> strides =
        i == 0 ? Strides(to) : BroadcastStrides(*from[i - 1], to.size());
    for (size_t d = 0; d < to.size(); ++d) axes[d].strides[i] = strides[d];
  }
  return StridedLoop<N + 1>(axes);
}

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_STRIDED_LOOP_H_
