// SPDX-License-Identifier: Apache-2.0
// Copies a box of elements from one tensor into another; the two tensors may
// have different strides. TRANSPOSE, SLICE, PAD, TILE and other operators
// reduce to such copies. For operators that consist of a single copy use
// BoxKernel.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_BOX_COPY_H_
#define STOWAGE_SRC_HARNESS_KERNELS_BOX_COPY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/strided_loop.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

class BoxCopy {
 public:
  // One axis of the box: its number of elements, and the distance between two
  // neighboring elements in the source (`from`) and in the target (`to`), in
  // elements.
  struct Axis {
    int64_t extent;
    int64_t from;
    int64_t to;
  };

  // Creates a copy of an empty box.
  BoxCopy() = default;

  // Creates a copy with these axes, from the slowest to the fastest.
  // `from_start` and `to_start` are the positions of the first element in the
  // source and in the target.
  explicit BoxCopy(const std::vector<Axis>& axes, int64_t from_start = 0,
                   int64_t to_start = 0);

  // Copies the box. Requires that elements have 1, 2, 4, 8 or 16 bytes, and
  // that the source and the target do not overlap.
  void Run(const void* from, void* to, size_t element_bytes) const;
  // Does nothing if the source and the target of the first element are the same
  // address, because then all other elements are already at their targets, too
  // (PlacesOfSlices, RunStart). Otherwise does the same as Run.
  void RunUnlessInPlace(const void* from, void* to, size_t element_bytes) const;

  // If the box is a contiguous run of the source that is copied to the
  // beginning of the target, returns the position in the source at which the
  // run begins. Returns nullopt for all other boxes and for empty boxes.
  absl::optional<int64_t> RunStart() const;

 private:
  template <size_t kBytes>
  void RunWith(const void* from, void* to) const;

  StridedLoop<2> loop_;
  int64_t from_start_ = 0;
  int64_t to_start_ = 0;
};

// Returns the axes of a box of shape `shape`. `from` and `to` are the strides
// of the source and of the target.
std::vector<BoxCopy::Axis> ZipAxes(const Shape& shape,
                                   const std::vector<int64_t>& from,
                                   const std::vector<int64_t>& to);

// Returns the copies between a tensor of shape `shape` and its slices along
// `axis`, one copy for each slice. `sizes` contains the number of elements of
// each slice along `axis`. If `joins` is true, the slices are copied into the
// tensor; otherwise the tensor is copied into the slices.
std::vector<BoxCopy> CopiesOfSlices(const Shape& shape, int axis,
                                    const std::vector<int64_t>& sizes,
                                    bool joins);

// Returns the byte of the whole tensor at which each slice begins. Returns an
// empty list if the slices are not contiguous in the tensor. They are
// contiguous if all dimensions before `axis` are 1.
std::vector<size_t> PlacesOfSlices(const Shape& shape, int axis,
                                   const std::vector<int64_t>& sizes,
                                   size_t element_bytes);

// Fills a tensor with copies of the element at `element`.
void FillElements(Tensor& tensor, const void* element);

// A function that sets the shape of the output, and returns the copy that fills
// the output from input 0.
using PlaceBox = absl::StatusOr<BoxCopy> (*)(OperatorContext& context);

class BoxKernel : public DataShapedKernel {
 public:
  // Creates a kernel with `inputs` inputs. All inputs except the first
  // determine the shape of the output.
  BoxKernel(size_t inputs, PlaceBox place)
      : DataShapedKernel(AllButFirst(inputs)), inputs_(inputs), place_(place) {}

 private:
  static std::vector<size_t> AllButFirst(size_t inputs) {
    std::vector<size_t> result;
    for (size_t i = 1; i < inputs; ++i) result.push_back(i);
    return result;
  }

  absl::Status Check(OperatorContext& context) final {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, inputs_, inputs_, 1));
    return CheckMovable(context, 0);
  }

  absl::Status Resize(OperatorContext& context) final {
    STOWAGE_ASSIGN_OR_RETURN(copy_, place_(context));
    const absl::optional<int64_t> start = copy_.RunStart();
    is_part_ = start.has_value();
    if (is_part_) {
      context.DeclareOutputPart(
          0, 0,
          static_cast<size_t>(*start) * ElementBytes(context.input(0).type));
    }
    return absl::OkStatus();
  }

  absl::Status Run(OperatorContext& context) final {
    const Tensor& input = context.input(0);
    void* const output = context.output(0).data;
    const size_t element_bytes = ElementBytes(input.type);
    if (is_part_) {
      copy_.RunUnlessInPlace(input.data, output, element_bytes);
    } else {
      copy_.Run(input.data, output, element_bytes);
    }
    return absl::OkStatus();
  }

  size_t inputs_;
  PlaceBox place_;
  BoxCopy copy_;
  // True if the output is a contiguous part of the input.
  bool is_part_ = false;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_BOX_COPY_H_
