// SPDX-License-Identifier: Apache-2.0
// A copy of a box of elements from one tensor into another, which both walk in
// strides of their own: what TRANSPOSE, SLICE, PAD, TILE and others come to.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_BOX_COPY_H_
#define STOWAGE_SRC_HARNESS_KERNELS_BOX_COPY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/harness/kernels/strided_loop.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

class BoxCopy {
 public:
  // One axis of the box: how many elements, and how far apart they are in what
  // is read and in what is written.
  struct Axis {
    int64_t extent;
    int64_t from;
    int64_t to;
  };

  // Copies nothing.
  BoxCopy() = default;

  // The axes, slowest first, and the places of the first element.
  explicit BoxCopy(const std::vector<Axis>& axes, int64_t from_start = 0,
                   int64_t to_start = 0);

  // Elements have 1, 2, 4, 8 or 16 bytes. What is read is not written.
  void Run(const void* from, void* to, size_t element_bytes) const;

 private:
  template <size_t kBytes>
  void RunWith(const void* from, void* to) const;

  StridedLoop<2> loop_;
  int64_t from_start_ = 0;
  int64_t to_start_ = 0;
};

// The axes of a box of that shape, each with its strides.
std::vector<BoxCopy::Axis> ZipAxes(const Shape& shape,
                                   const std::vector<int64_t>& from,
                                   const std::vector<int64_t>& to);

// Copies between a tensor of `outer` rows and slices of it, whose rows have so
// many elements: from the slices if it joins them, and to them otherwise.
std::vector<BoxCopy> CopiesOfSlices(int64_t outer,
                                    const std::vector<int64_t>& runs,
                                    bool joins);

// Fills a tensor with one element, which has as many bytes as its elements.
void FillElements(Tensor& tensor, const void* element);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_BOX_COPY_H_
