// SPDX-License-Identifier: Apache-2.0
// Registers DEPTHWISE_CONV_2D, a convolution in which every channel has its own
// filters. Input [batch, height, width, channels]; weights [1, filter height,
// filter width, channels * multiplier], where output channel c filters input
// channel c / multiplier.
//
// All channels of a pixel are summed at once, because they are adjacent in the
// input, the weights and the output.
#include <algorithm>
#include <type_traits>

#include "src/harness/kernels/linear.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/window.h"

namespace stowage::harness::depthwise_conv_2d {
namespace {

struct Geometry : ImageWindow {
  int64_t multiplier = 1;  // output channels for each input channel

  int64_t filters() const { return channels * multiplier; }
};

// Multiplies an element and a weight. For integers, the zero points are
// subtracted first. The two factors then have 16 bits, which vector
// instructions can multiply.
struct FloatProduct {
  float operator()(float x, float weight) const { return x * weight; }
};
struct IntegerProduct {
  int16_t input_zero;
  int16_t weights_zero;
  template <typename T, typename W>
  int32_t operator()(T x, W weight) const {
    return int32_t{static_cast<int16_t>(x - input_zero)} *
           static_cast<int16_t>(weight - weights_zero);
  }
};

// Adds the products of one tap to the sums of all channels.
template <typename T, typename W, typename Product, typename Sum>
void AddTap(const Geometry& g, const T* x, const W* weights, Product product,
            Sum* sums) {
  if (g.multiplier == 1) {
    for (int64_t c = 0; c < g.channels; ++c) {
      sums[c] += static_cast<Sum>(product(x[c], weights[c]));
    }
    return;
  }
  for (int64_t c = 0; c < g.channels; ++c) {
    for (int64_t i = c * g.multiplier; i < (c + 1) * g.multiplier; ++i) {
      sums[i] += static_cast<Sum>(product(x[c], weights[i]));
    }
  }
}

// Computes the sums of all channels of one output pixel.
template <typename Run, typename Image, typename Product, typename Sum>
void SumPixel(const Geometry& g, const Run& run, const Image* image,
              int64_t out_y, int64_t out_x, Product product, Sum* sums) {
  std::fill(sums, sums + g.filters(), Sum{0});
  const int64_t first_x = g.x.FirstTap(out_x);
  const int64_t end_x = g.x.EndTap(out_x);
  for (int64_t ty = g.y.FirstTap(out_y); ty < g.y.EndTap(out_y); ++ty) {
    const int64_t y = g.y.Origin(out_y) + ty * g.y.dilation;
    for (int64_t tx = first_x; tx < end_x; ++tx) {
      const int64_t x = g.x.Origin(out_x) + tx * g.x.dilation;
      AddTap(g, image + (y * g.x.in + x) * g.channels,
             run.weights + (ty * g.x.taps + tx) * g.filters(), product, sums);
    }
  }
}

// Convert a sum to the type that a stage expects. Sums of 8-bit products have
// wrapped at 32 bits.
float ForStage(float sum) { return sum; }
int64_t ForStage(uint32_t sum) { return static_cast<int32_t>(sum); }
int64_t ForStage(int64_t sum) { return sum; }

template <typename Run, typename Product, typename Sum>
void ConvolveImage(const Geometry& g, const Run& run, int64_t batch,
                   Product product, Sum* sums) {
  const auto* const image = run.input + batch * g.y.in * g.x.in * g.channels;
  auto* to = run.output + batch * g.y.out * g.x.out * g.filters();
  // The stage is copied to a local variable to show the compiler that writing
  // an output does not change the stage.
  const auto stage = run.stage;
  for (int64_t y = 0; y < g.y.out; ++y) {
    for (int64_t x = 0; x < g.x.out; ++x) {
      SumPixel(g, run, image, y, x, product, sums);
      for (int64_t c = 0; c < g.filters(); ++c) {
        to[c] = stage(batch, c, ForStage(sums[c]));
      }
      to += g.filters();
    }
  }
}

// Computes all outputs. Requires that `sums` has room for 8 bytes for each
// output channel.
template <typename Run>
void Convolve(const Geometry& g, const Run& run, void* sums) {
  using Input = typename Run::Input;
  for (int64_t batch = 0; batch < g.batches; ++batch) {
    if constexpr (std::is_same_v<Input, float>) {
      ConvolveImage(g, run, batch, FloatProduct(), static_cast<float*>(sums));
    } else {
      using Sum =
          std::conditional_t<std::is_same_v<Input, int16_t>, int64_t, uint32_t>;
      const IntegerProduct product{
          static_cast<int16_t>(run.stage.input_zero(batch)),
          static_cast<int16_t>(run.weights_zero)};
      ConvolveImage(g, run, batch, product, static_cast<Sum*>(sums));
    }
  }
}

absl::StatusOr<Geometry> MakeGeometry(const OperatorContext& context,
                                      const ConvolutionOptions& options) {
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 0, 4, 4));
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 1, 4, 4));
  const Tensor& weights = context.input(1);
  STOWAGE_ASSIGN_OR_RETURN(
      const ImageWindow window,
      MakeFilterWindow(context.input(0).shape, weights.shape, options));
  Geometry g{window};
  // The multiplier is computed from the shapes. The multiplier in the options
  // is obsolete and is ignored.
  if (g.channels < 1 || weights.dim(0) != 1 || weights.dim(3) < 1 ||
      weights.dim(3) % g.channels != 0) {
    return RefuseModel(InputPlace(context, 1), ": its shape is ",
                       ShapeText(weights.shape),
                       "; expected [1, height, width, ",
                       "a multiple of the input's ", g.channels, " channels]");
  }
  g.multiplier = weights.dim(3) / g.channels;
  return g;
}

class DepthwiseConv2D : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 3, 1));
    STOWAGE_ASSIGN_OR_RETURN(const ConvolutionOptions options,
                             ConvolutionOptionsOf(context.spec()));
    STOWAGE_ASSIGN_OR_RETURN(geometry_, MakeGeometry(context, options));
    LinearRoles roles;
    roles.channel_dimension = 3;
    roles.channels = geometry_.filters();
    roles.batches = geometry_.batches;
    roles.is_asymmetric_per_channel = true;
    STOWAGE_RETURN_IF_ERROR(
        linear_.Prepare(context, roles, options.activation));
    STOWAGE_ASSIGN_OR_RETURN(
        sums_, context.NewPersistentBytes(static_cast<size_t>(roles.channels) *
                                          sizeof(int64_t)));
    return context.ResizeOutput(0, geometry_.OutputShape(roles.channels));
  }

  absl::Status Invoke(OperatorContext& context) override {
    linear_.Invoke(context,
                   [&](const auto& run) { Convolve(geometry_, run, sums_); });
    return absl::OkStatus();
  }

 private:
  Geometry geometry_;
  Linear linear_;
  void* sums_ = nullptr;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<DepthwiseConv2D>(
              "DEPTHWISE_CONV_2D",
              "a convolution in which every channel has its own filters")
              .OfVersions(1, 7)};
}

}  // namespace stowage::harness::depthwise_conv_2d
