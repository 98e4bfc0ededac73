#include "src/harness/kernels/transposed_convolution.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/linear.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/tile.h"
#include "src/harness/kernels/tile_memory.h"
#include "src/harness/kernels/window.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

absl::Status TransposedConvolution::Prepare(OperatorContext& context,
                                            const TransposedRoles& roles) {
  roles_ = roles;
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, roles.input, 4, 4));
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, roles.weights, 4, 4));
  const Tensor& input = context.input(roles.input);
  const Tensor& weights = context.input(roles.weights);
  if (input.dim(3) != weights.dim(3) || input.dim(3) < 1 ||
      weights.dim(0) < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        InputPlace(context, roles.weights), ": its shape is ",
        ShapeText(weights.shape), ": expected filters of the input's ",
        input.dim(3), " channels"));
  }
  batches_ = input.dim(0);
  height_ = input.dim(1);
  width_ = input.dim(2);
  channels_ = input.dim(3);
  filters_ = weights.dim(0);
  LinearRoles linear;
  linear.input = roles.input;
  linear.weights = roles.weights;
  linear.bias = roles.bias;
  linear.channels = filters_;
  linear.batches = batches_;
  linear.is_wide_without_bias = true;
  STOWAGE_RETURN_IF_ERROR(linear_.Prepare(context, linear, roles.activation));
  return tile_.Prepare(context, channels_, linear_.is_float());
}

absl::Status TransposedConvolution::Resize(OperatorContext& context,
                                           int32_t height, int32_t width) {
  const Tensor& weights = context.input(roles_.weights);
  const absl::StatusOr<Window> y = MakeWindow(
      "height", roles_.padding, height, weights.dim(1), roles_.stride_h, 1);
  if (!y.ok()) return y.status();
  const absl::StatusOr<Window> x = MakeWindow(
      "width", roles_.padding, width, weights.dim(2), roles_.stride_w, 1);
  if (!x.ok()) return x.status();
  y_ = *y;
  x_ = *x;
  return context.ResizeOutput(0, {static_cast<int32_t>(batches_), height, width,
                                  static_cast<int32_t>(filters_)});
}

absl::Status TransposedConvolution::ResizeInPrepare(OperatorContext& context,
                                                    int32_t height,
                                                    int32_t width) {
  STOWAGE_RETURN_IF_ERROR(Resize(context, height, width));
  const int64_t elements = width * filters_;
  if (elements > int64_t{1} << 48) {
    return absl::ResourceExhaustedError(
        absl::StrCat("a row of its output has ", elements,
                     " elements: expected no more than memory holds"));
  }
  const absl::StatusOr<void*> sums = context.NewPersistentBytes(
      static_cast<size_t>(elements) * sizeof(int64_t));
  if (!sums.ok()) return sums.status();
  sums_ = *sums;
  return absl::OkStatus();
}

absl::Status TransposedConvolution::ResizeInInvoke(OperatorContext& context,
                                                   int32_t height,
                                                   int32_t width) {
  STOWAGE_RETURN_IF_ERROR(Resize(context, height, width));
  // The output, which is there by now, has at least an eighth of it.
  const bool is_empty = context.output(0).bytes == 0;
  sums_of_invoke_.resize(is_empty ? 0 : static_cast<size_t>(width * filters_));
  sums_ = sums_of_invoke_.data();
  return absl::OkStatus();
}

template <typename Run, typename T, typename Cell, typename Sum>
void TransposedConvolution::SumRow(const Run& run, const T* image, int32_t zero,
                                   int64_t out_y, Cell* tile, Sum* sums) {
  using Layout = TileLayout<T>;
  std::fill(sums, sums + x_.in * filters_, Sum{0});
  // From the last tap to the first, which is from the first input row on.
  for (int64_t tap = y_.taps - 1; tap >= 0; --tap) {
    const int64_t distance = out_y + y_.before - tap;
    if (distance < 0 || distance % y_.stride != 0) continue;
    const int64_t y = distance / y_.stride;
    if (y >= height_) continue;
    for (int64_t begin = 0; begin < width_; begin += Layout::kRows) {
      const int64_t count = std::min(Layout::kRows, width_ - begin);
      for (int64_t i = 0; i < count; ++i) {
        CopyToTile(image + (y * width_ + begin + i) * channels_, channels_,
                   zero, tile + i * Layout::RowStep(channels_));
      }
      for (int64_t filter = 0; filter < filters_; ++filter) {
        const auto* const weights =
            run.weights + (filter * y_.taps + tap) * x_.taps * channels_;
        MultiplyTile<T>(tile, count, channels_, weights, run.weights_zero,
                        x_.taps, [&](int64_t i, int64_t tap_x, Sum sum) {
                          const int64_t x = x_.Origin(begin + i) + tap_x;
                          if (x < 0 || x >= x_.in) return;
                          sums[x * filters_ + filter] += sum;
                        });
      }
    }
  }
}

template <typename Run, typename Cell>
void TransposedConvolution::ConvolveAll(const Run& run, Cell* tile) {
  using Sum = typename decltype(run.stage)::Sum;
  auto* const sums = static_cast<Sum*>(sums_);
  auto* to = run.output;
  for (int64_t batch = 0; batch < batches_; ++batch) {
    const auto* const image = run.input + batch * height_ * width_ * channels_;
    const int32_t zero = run.stage.input_zero(batch);
    for (int64_t y = 0; y < y_.in; ++y) {
      SumRow(run, image, zero, y, tile, sums);
      for (int64_t x = 0; x < x_.in; ++x) {
        for (int64_t filter = 0; filter < filters_; ++filter) {
          *to++ = run.stage(batch, filter, sums[x * filters_ + filter]);
        }
      }
    }
  }
}

void TransposedConvolution::Invoke(OperatorContext& context) {
  if (context.output(0).bytes == 0) return;
  linear_.Invoke(context, [&](const auto& run) {
    using Input = std::decay_t<decltype(*run.input)>;
    ConvolveAll(run, tile_.For<Input>());
  });
}

}  // namespace stowage::harness
