// SPDX-License-Identifier: Apache-2.0
// Registers SPACE_TO_BATCH_ND and its inverse, BATCH_TO_SPACE_ND.
// SPACE_TO_BATCH_ND pads its input and divides the dimensions after the first
// one, the batch, into blocks. The elements at the same place in all blocks
// form a tensor, and these tensors become the batches of the output.
// BATCH_TO_SPACE_ND does the reverse, and crops its result at the end.
#include <algorithm>
#include <array>
#include <cstring>

#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"

namespace stowage::harness::batch_blocks {
namespace {

// A dimension that is divided into blocks of `size` elements. Elements that are
// padded or cropped belong to blocks, too.
struct BlockDimension {
  int64_t size = 1;
  int64_t before = 0;  // elements that are padded or cropped at the beginning
  int64_t after = 0;   // elements that are padded or cropped at the end
};

// Reads the sizes of blocks from input 1, and the paddings or crops from input
// 2, which has the shape [dimensions, 2].
absl::StatusOr<std::vector<BlockDimension>> BlocksOf(
    const OperatorContext& context) {
  STOWAGE_ASSIGN_OR_RETURN(const auto sizes, IntegersOf(context, 1));
  STOWAGE_ASSIGN_OR_RETURN(const auto margins, IntegersOf(context, 2));
  const int rank = context.input(0).rank();
  if (sizes.size() >= static_cast<size_t>(rank)) {
    return RefuseModel(InputPlace(context, 1), ": it has ", sizes.size(),
                       " block sizes; expected fewer than the ", rank,
                       " dimensions of input 0");
  }
  const Shape expected = {static_cast<int32_t>(sizes.size()), 2};
  if (context.input(2).shape != expected) {
    return RefuseModel(InputPlace(context, 2), ": its shape is ",
                       ShapeText(context.input(2).shape), "; expected ",
                       ShapeText(expected));
  }
  std::vector<BlockDimension> blocks;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const BlockDimension block = {sizes[d], margins[2 * d], margins[2 * d + 1]};
    if (block.size < 1 || block.size > INT32_MAX) {
      return RefuseModel(InputPlace(context, 1), ": it has a block size of ",
                         block.size, "; expected 1 to 2^31 - 1");
    }
    if (std::min(block.before, block.after) < 0 ||
        std::max(block.before, block.after) > INT32_MAX) {
      return RefuseModel(InputPlace(context, 2), ": it has ", block.before,
                         " and ", block.after, " for dimension ", d + 1,
                         "; expected 0 to 2^31 - 1");
    }
    blocks.push_back(block);
  }
  return blocks;
}

// Returns the number of elements in a block, or some number above 2^31 - 1 if
// there are more than 2^31 - 1.
int64_t BlockElements(const std::vector<BlockDimension>& blocks) {
  int64_t elements = 1;
  for (const BlockDimension& block : blocks) {
    elements = std::min<int64_t>(elements * block.size, int64_t{1} << 31);
  }
  return elements;
}

// Returns the shape of the output of SPACE_TO_BATCH_ND for an input of shape
// `space`.
absl::StatusOr<Shape> BatchesOf(const Shape& space,
                                const std::vector<BlockDimension>& blocks) {
  Shape batches = space;
  const int64_t elements = BlockElements(blocks);
  if (elements * space[0] > INT32_MAX) {
    return RefuseModel("its blocks have ", elements, " elements, its input ",
                       space[0], " batches; expected a product below 2^31");
  }
  batches[0] = static_cast<int32_t>(elements * space[0]);
  for (size_t d = 1; d <= blocks.size(); ++d) {
    const BlockDimension& block = blocks[d - 1];
    const int64_t padded = block.before + space[d] + block.after;
    if (padded % block.size != 0 || padded / block.size > INT32_MAX) {
      return RefuseModel("dimension ", d, " has ", padded,
                         " elements with its padding; expected a multiple of "
                         "the block size ",
                         block.size);
    }
    batches[d] = static_cast<int32_t>(padded / block.size);
  }
  return batches;
}

// Returns the shape of the output of BATCH_TO_SPACE_ND for an input of shape
// `batches`.
absl::StatusOr<Shape> SpaceOf(const Shape& batches,
                              const std::vector<BlockDimension>& blocks) {
  Shape space = batches;
  const int64_t elements = BlockElements(blocks);
  if (batches[0] % elements != 0) {
    return RefuseModel("its blocks have ", elements, " elements, its input ",
                       batches[0], " batches; expected a multiple");
  }
  space[0] = static_cast<int32_t>(batches[0] / elements);
  for (size_t d = 1; d <= blocks.size(); ++d) {
    const BlockDimension& block = blocks[d - 1];
    const int64_t whole = batches[d] * block.size;
    const int64_t cropped = whole - block.before - block.after;
    if (cropped < 0 || cropped > INT32_MAX) {
      return RefuseModel("dimension ", d, " has ", whole,
                         " elements, of which ", block.before, " and ",
                         block.after,
                         " are cropped; expected 0 to 2^31 - 1 to "
                         "be left");
    }
    space[d] = static_cast<int32_t>(cropped);
  }
  return space;
}

// The copies between a tensor and its batches. Each copy moves the elements at
// one place in all blocks.
class BlockCopies {
 public:
  BlockCopies() = default;
  BlockCopies(std::vector<BlockDimension> blocks, Shape space, Shape batches)
      : blocks_(std::move(blocks)),
        space_(std::move(space)),
        batches_(std::move(batches)),
        space_strides_(Strides(space_)),
        batch_strides_(Strides(batches_)) {}

  // Copies `from` to `to`. If `to_batches` is true, `to` has the blocks of
  // `from` as batches; otherwise, `from` has the blocks of `to` as batches.
  // Requires that neither tensor is empty.
  void Run(const Tensor& from, Tensor& to, bool to_batches) const {
    std::vector<int64_t> place(blocks_.size(), 0);
    int64_t first_batch = 0;
    do {
      CopyOf(place, first_batch, to_batches)
          .Run(from.data, to.data, ElementBytes(from.type));
      first_batch += space_[0];
    } while (Advance(place));
  }

 private:
  // Advances `place` to the next place within a block. Returns false after the
  // last place.
  bool Advance(std::vector<int64_t>& place) const {
    for (size_t d = place.size(); d-- > 0;) {
      if (++place[d] < blocks_[d].size) return true;
      place[d] = 0;
    }
    return false;
  }

  // Returns the copy of the elements at `place` in all blocks. These elements
  // form the batches from `first_batch` on.
  BoxCopy CopyOf(const std::vector<int64_t>& place, int64_t first_batch,
                 bool to_batches) const {
    int64_t space_start = 0;
    int64_t batch_start = first_batch * batch_strides_[0];
    std::vector<BoxCopy::Axis> axes =
        ZipAxes(space_, space_strides_, batch_strides_);
    for (size_t d = 1; d <= blocks_.size(); ++d) {
      const BlockDimension& block = blocks_[d - 1];
      // The element of block n is at position n * size - margin of the tensor.
      // For the first and the last blocks, this position may be in the padding.
      const int64_t margin = block.before - place[d - 1];
      const int64_t first = std::max<int64_t>(CeilOf(margin, block.size), 0);
      const int64_t end = std::min<int64_t>(
          CeilOf(margin + space_[d], block.size), batches_[d]);
      if (end <= first) return {};
      axes[d] = {end - first, block.size * space_strides_[d],
                 batch_strides_[d]};
      space_start += (first * block.size - margin) * space_strides_[d];
      batch_start += first * batch_strides_[d];
    }
    if (to_batches) return BoxCopy(axes, space_start, batch_start);
    for (BoxCopy::Axis& axis : axes) std::swap(axis.from, axis.to);
    return BoxCopy(axes, batch_start, space_start);
  }

  // Returns x / divisor, rounded up, or 0 if x is negative.
  static int64_t CeilOf(int64_t x, int64_t divisor) {
    return x <= 0 ? 0 : (x - 1) / divisor + 1;
  }

  std::vector<BlockDimension> blocks_;
  Shape space_;
  Shape batches_;
  std::vector<int64_t> space_strides_;
  std::vector<int64_t> batch_strides_;
};

class BlockKernel : public DataShapedKernel {
 public:
  explicit BlockKernel(bool to_batches)
      : DataShapedKernel({1, 2}), to_batches_(to_batches) {}

 private:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 3, 3, 1));
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 1, 1, 1));
    return to_batches_ && context.output(0).quantization.is_quantized()
               ? CheckOutputQuantized(context, 0)
               : absl::OkStatus();
  }

  absl::Status Resize(OperatorContext& context) override {
    STOWAGE_ASSIGN_OR_RETURN(const auto blocks, BlocksOf(context));
    const Shape& from = context.input(0).shape;
    STOWAGE_ASSIGN_OR_RETURN(const Shape to, to_batches_
                                                 ? BatchesOf(from, blocks)
                                                 : SpaceOf(from, blocks));
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, to));
    copies_ = to_batches_ ? BlockCopies(blocks, from, to)
                          : BlockCopies(blocks, to, from);
    return absl::OkStatus();
  }

  absl::Status Run(OperatorContext& context) override {
    const Tensor& input = context.input(0);
    Tensor& output = context.output(0);
    if (to_batches_ && output.bytes > input.bytes) FillWithZeros(output);
    if (input.bytes == 0 || output.bytes == 0) return absl::OkStatus();
    copies_.Run(input, output, to_batches_);
    return absl::OkStatus();
  }

  // Fills the tensor with its zero point, or with zeros if it is not quantized.
  static void FillWithZeros(Tensor& tensor) {
    std::array<uint8_t, 16> element = {};
    if (QuantizedTypes::Has(tensor.type)) {
      // The low bytes of a little-endian number are its value in a narrower
      // type.
      const int32_t zero_point = tensor.quantization.zero_point();
      std::memcpy(element.data(), &zero_point, sizeof(zero_point));
    }
    FillElements(tensor, element.data());
  }

  bool to_batches_;
  BlockCopies copies_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      Operator<BlockKernel>(
          "BATCH_TO_SPACE_ND",
          "batches rearranged as blocks in the dimensions after the first; "
          "input 1 has the sizes of blocks, input 2 how much is cropped",
          false)
          .OfVersions(1, 4),
      Operator<BlockKernel>(
          "SPACE_TO_BATCH_ND",
          "blocks in the dimensions after the first rearranged as batches; "
          "input 1 has the sizes of blocks, input 2 the padding",
          true)
          .OfVersions(1, 4),
  };
}

}  // namespace stowage::harness::batch_blocks
