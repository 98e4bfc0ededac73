// SPDX-License-Identifier: Apache-2.0
// Registers TRANSPOSE_CONV and Convolution2DTransposeBias, a custom operator of
// MediaPipe's models. Both compute a reversed convolution, which scatters each
// input pixel over a patch of the output. Input [batch, height, width,
// channels], weights [output channels, filter height, filter width, channels],
// bias [output channels].
//
// One output row is summed at a time. Each row of taps of the filters maps at
// most one input row to this output row. The pixels of this input row are
// multiplied by all weights of the row of taps.
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/linear.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/tile.h"
#include "stowage/harness/window.h"

namespace stowage::harness::transpose_conv {
namespace {

// Implements the common part of both operators.
class TransposedConvolution {
 public:
  // Checks everything except the shape of the output. `roles` identifies the
  // input, the weights and the bias among the inputs. Errors: InvalidArgument;
  // those of NewPersistent.
  absl::Status Prepare(OperatorContext& context, LinearRoles roles,
                       const ConvolutionOptions& options) {
    STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, roles.input, 4, 4));
    STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, roles.weights, 4, 4));
    const Tensor& input = context.input(roles.input);
    const Tensor& weights = context.input(roles.weights);
    height_ = input.dim(1);
    width_ = input.dim(2);
    channels_ = input.dim(3);
    if (channels_ != weights.dim(3) || channels_ < 1 || weights.dim(0) < 1) {
      return RefuseModel(InputPlace(context, roles.weights), ": its shape is ",
                         ShapeText(weights.shape),
                         "; expected filters of the input's ", channels_,
                         " channels");
    }
    roles.channels = weights.dim(0);
    roles.batches = input.dim(0);
    roles.tile_depth = channels_;
    roles.is_wide_without_bias = true;
    roles_ = roles;
    options_ = options;
    return linear_.Prepare(context, roles, options.activation);
  }

  // Sets the shape of the output. `is_dynamic` must be true if this is called
  // in Invoke. Errors: InvalidArgument if no convolution has such an output;
  // those of ResizeOutput and NewPersistent.
  absl::Status Resize(OperatorContext& context, int32_t height, int32_t width,
                      bool is_dynamic) {
    const Tensor& weights = context.input(roles_.weights);
    const Shape shape = {static_cast<int32_t>(roles_.batches), height, width,
                         static_cast<int32_t>(roles_.channels)};
    STOWAGE_ASSIGN_OR_RETURN(
        window_,
        MakeImageWindow(shape, options_.padding,
                        {weights.dim(1), weights.dim(2)}, options_.stride));
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
    const int64_t elements = width * window_.channels;
    if (is_dynamic) {
      // The number of sums needs no check, because the output has already been
      // allocated and has at least an eighth of the bytes of the sums.
      const bool is_empty = context.output(0).bytes == 0;
      sums_of_invoke_.resize(is_empty ? 0 : static_cast<size_t>(elements));
      sums_ = sums_of_invoke_.data();
      return absl::OkStatus();
    }
    if (elements > int64_t{1} << 48) {
      return absl::ResourceExhaustedError(
          absl::StrCat("a row of its output has ", elements,
                       " elements; expected no more than memory holds"));
    }
    STOWAGE_ASSIGN_OR_RETURN(
        sums_, context.NewPersistentBytes(static_cast<size_t>(elements) *
                                          sizeof(int64_t)));
    return absl::OkStatus();
  }

  void Invoke(OperatorContext& context) {
    if (context.output(0).bytes == 0) return;
    linear_.Invoke(context, [&](const auto& run) { ConvolveAll(run); });
  }

 private:
  template <typename Run>
  void ConvolveAll(const Run& run) const {
    auto* const sums = static_cast<typename decltype(run.stage)::Sum*>(sums_);
    auto* to = run.output;
    for (int64_t batch = 0; batch < window_.batches; ++batch) {
      for (int64_t y = 0; y < window_.y.in; ++y) {
        SumRow(run, batch, y, sums);
        const auto* sum = sums;
        for (int64_t x = 0; x < window_.x.in; ++x) {
          for (int64_t filter = 0; filter < window_.channels; ++filter) {
            *to++ = run.stage(batch, filter, *sum++);
          }
        }
      }
    }
  }

  template <typename Run, typename Sum>
  void SumRow(const Run& run, int64_t batch, int64_t out_y, Sum* sums) const {
    using Layout = TileLayout<typename Run::Input>;
    auto* const tile = static_cast<typename Layout::Cell*>(run.tile);
    const Window& y = window_.y;
    const Window& x = window_.x;
    const int64_t filters = window_.channels;
    const int32_t zero = run.stage.input_zero(batch);
    std::fill(sums, sums + x.in * filters, Sum{0});
    // Visits the taps from the last to the first. Larger taps correspond to
    // earlier input rows, so the input rows are visited in rising order.
    for (int64_t tap = y.taps - 1; tap >= 0; --tap) {
      const int64_t distance = out_y + y.before - tap;
      if (distance < 0 || distance % y.stride != 0) continue;
      const int64_t in_y = distance / y.stride;
      if (in_y >= height_) continue;
      const auto* const row =
          run.input + (batch * height_ + in_y) * width_ * channels_;
      for (int64_t begin = 0; begin < width_; begin += Layout::kRows) {
        const int64_t count = std::min(Layout::kRows, width_ - begin);
        for (int64_t i = 0; i < count; ++i) {
          CopyToTile(row + (begin + i) * channels_, channels_, zero,
                     tile + i * Layout::RowStep(channels_));
        }
        for (int64_t filter = 0; filter < filters; ++filter) {
          const int64_t taps = (filter * y.taps + tap) * x.taps;
          MultiplyTile<typename Run::Input>(
              tile, count, run.WeightsAt(taps * channels_, x.taps, channels_),
              [&](int64_t i, int64_t tap_x, Sum sum) {
                const int64_t out_x = x.Origin(begin + i) + tap_x;
                if (out_x < 0 || out_x >= x.in) return;
                sums[out_x * filters + filter] += sum;
              });
        }
      }
    }
  }

  LinearRoles roles_;
  ConvolutionOptions options_;
  // The window of the convolution that this operator reverses. The input of
  // that convolution is the output of this operator, so `in` and the channels
  // of the window describe the output of this operator.
  ImageWindow window_;
  int64_t height_ = 0;  // the height of the input
  int64_t width_ = 0;
  int64_t channels_ = 0;
  Linear linear_;
  void* sums_ = nullptr;  // has 8 bytes for each element of an output row
  // The sums, if their number is known only in Invoke.
  std::vector<int64_t> sums_of_invoke_;
};

// Inputs: the shape of the output, the weights, the input, and optionally a
// bias, in this order.
class TransposeConv : public DataShapedKernel {
 public:
  TransposeConv() : DataShapedKernel({kOutputShape}) {}

 protected:
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 3, 4, 1));
    STOWAGE_ASSIGN_OR_RETURN(const ConvolutionOptions options,
                             ConvolutionOptionsOf(context.spec()));
    LinearRoles roles;
    roles.input = kInput;
    roles.weights = kWeights;
    roles.bias = 3;
    STOWAGE_RETURN_IF_ERROR(convolution_.Prepare(context, roles, options));
    STOWAGE_RETURN_IF_ERROR(
        CheckInputType(context, kOutputShape, {ElementType::kInt32}));
    const int64_t dimensions = context.input(kOutputShape).elements();
    if (dimensions == 4) return absl::OkStatus();
    return RefuseModel(InputPlace(context, kOutputShape), ": it has ",
                       dimensions, " elements; expected 4 dimensions");
  }

  // Sets the height and width of the output. Its other dimensions follow from
  // the weights and the input.
  absl::Status Resize(OperatorContext& context) override {
    const auto* const dims = context.input(kOutputShape).as<int32_t>();
    const int32_t batches = context.input(kInput).dim(0);
    const int32_t filters = context.input(kWeights).dim(0);
    if (dims[0] != batches || dims[1] < 0 || dims[2] < 0 ||
        dims[3] != filters) {
      return RefuseModel(InputPlace(context, kOutputShape), ": it is ",
                         ShapeText({dims, dims + 4}), "; expected [", batches,
                         ", height, width, ", filters,
                         "], as input and weights say");
    }
    return convolution_.Resize(context, dims[1], dims[2],
                               !context.input(kOutputShape).is_known());
  }

  absl::Status Run(OperatorContext& context) override {
    convolution_.Invoke(context);
    return absl::OkStatus();
  }

 private:
  static constexpr size_t kOutputShape = 0;
  static constexpr size_t kWeights = 1;
  static constexpr size_t kInput = 2;

  TransposedConvolution convolution_;
};

absl::StatusOr<ConvolutionOptions> ReadOptions(const OperatorContext& context) {
  // The memory layout of the options of the custom operator.
  struct {
    int32_t padding;  // 1 stands for SAME, 2 for VALID
    int32_t stride_w;
    int32_t stride_h;
  } fields = {};
  const auto bytes = context.spec().custom_options;
  if (bytes.size() < sizeof(fields)) {
    return RefuseModel(
        "it has ", bytes.size(),
        " bytes of options; expected 12, padding and the two strides");
  }
  std::memcpy(&fields, bytes.data(), sizeof(fields));
  if (fields.padding != 1 && fields.padding != 2) {
    return RefuseModel("its padding is number ", fields.padding,
                       "; expected 1 for SAME or 2 for VALID");
  }
  if (fields.stride_w < 1 || fields.stride_h < 1) {
    return RefuseModel("its strides are ", fields.stride_w, " and ",
                       fields.stride_h, "; expected 1 or more");
  }
  ConvolutionOptions options;
  options.padding = fields.padding == 1 ? Padding::kSame : Padding::kValid;
  options.stride = {fields.stride_h, fields.stride_w};
  return options;
}

// Returns the length of the output in one dimension. For SAME, it is the length
// of the input times the stride; for VALID, it is the extent of all positions
// that the filters reach.
absl::StatusOr<int32_t> OutputSize(Padding padding, int32_t in, int32_t taps,
                                   int32_t stride) {
  const int64_t out = padding == Padding::kSame
                          ? int64_t{in} * stride
                          : (int64_t{in} - 1) * stride + taps;
  if (in < 1 || taps < 1 || out > std::numeric_limits<int32_t>::max()) {
    return RefuseModel("its input is ", in, " long, its filter ", taps,
                       ", its stride ", stride,
                       "; expected 1 or more, and fewer than 2^31 of outputs");
  }
  return static_cast<int32_t>(out);
}

// Inputs: the input, the weights and the bias, in this order. All are FLOAT32.
class Convolution2DTransposeBias : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 3, 3, 1));
    STOWAGE_ASSIGN_OR_RETURN(const auto options, ReadOptions(context));
    STOWAGE_RETURN_IF_ERROR(
        CheckInputType(context, 0, {ElementType::kFloat32}));
    STOWAGE_RETURN_IF_ERROR(
        convolution_.Prepare(context, LinearRoles(), options));
    const Tensor& input = context.input(0);
    const Tensor& weights = context.input(1);
    STOWAGE_ASSIGN_OR_RETURN(const int32_t height,
                             OutputSize(options.padding, input.dim(1),
                                        weights.dim(1), options.stride.height));
    STOWAGE_ASSIGN_OR_RETURN(const int32_t width,
                             OutputSize(options.padding, input.dim(2),
                                        weights.dim(2), options.stride.width));
    return convolution_.Resize(context, height, width, /*is_dynamic=*/false);
  }

  absl::Status Invoke(OperatorContext& context) override {
    convolution_.Invoke(context);
    return absl::OkStatus();
  }

 private:
  TransposedConvolution convolution_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<TransposeConv>("TRANSPOSE_CONV", "a transposed convolution")
              .OfVersions(1, 5),
          Operator<Convolution2DTransposeBias>(
              "Convolution2DTransposeBias",
              "a transposed convolution with a bias, FLOAT32")
              .IsCustom()};
}

}  // namespace stowage::harness::transpose_conv
