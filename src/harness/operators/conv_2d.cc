// CONV_2D: each output pixel is the product of a patch of the input with all
// filters. Input [batch, height, width, channels]; weights [output channels,
// filter height, filter width, channels / groups]; bias [output channels].
//
// Patches of a few pixels are gathered into a tile, zeros for the padding, and
// multiplied with the weights as they are (tile.h).
#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/linear.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/tile.h"
#include "src/harness/kernels/tile_memory.h"
#include "src/harness/kernels/window.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::conv_2d {
namespace {

struct Geometry {
  Window y;
  Window x;
  int64_t batches = 0;
  int64_t channels = 0;        // of the input
  int64_t groups = 1;          // parts of the channels that do not meet
  int64_t group_channels = 0;  // of the input, in a group
  int64_t group_filters = 0;   // output channels of a group
  int64_t depth = 0;           // elements of a filter

  int64_t filters() const { return groups * group_filters; }
};

// Copies one row of taps, which start `step` elements apart.
template <typename T, typename Cell>
void GatherTaps(const T* from, int64_t taps, int64_t step, int64_t channels,
                int32_t zero, Cell* to) {
  if (step == channels) {
    CopyToTile(from, taps * channels, zero, to);
    return;
  }
  for (int64_t i = 0; i < taps; ++i) {
    CopyToTile(from + i * step, channels, zero,
               to + i * channels * TileLayout<T>::kCellStep);
  }
}

template <typename T, typename Cell>
void ClearCells(int64_t count, Cell* to) {
  for (int64_t i = 0; i < count; ++i) {
    to[i * TileLayout<T>::kCellStep] = Cell{0};
  }
}

// The patch of one output pixel, from the channels of an image that start at
// `image`.
template <typename T, typename Cell>
void GatherPatch(const Geometry& g, const T* image, int32_t zero, int64_t out_y,
                 int64_t out_x, Cell* to) {
  constexpr int64_t kStep = TileLayout<T>::kCellStep;
  const int64_t row_cells = g.x.taps * g.group_channels;
  const int64_t first_y = g.y.FirstTap(out_y);
  const int64_t end_y = g.y.EndTap(out_y);
  const int64_t first_x = g.x.FirstTap(out_x);
  const int64_t end_x = g.x.EndTap(out_x);
  const int64_t left = first_x * g.group_channels;
  const int64_t right = (g.x.taps - end_x) * g.group_channels;
  for (int64_t tap = 0; tap < g.y.taps; ++tap) {
    Cell* const row = to + tap * row_cells * kStep;
    if (tap < first_y || tap >= end_y || first_x >= end_x) {
      ClearCells<T>(row_cells, row);
      continue;
    }
    const int64_t y = g.y.Origin(out_y) + tap * g.y.dilation;
    const int64_t x = g.x.Origin(out_x) + first_x * g.x.dilation;
    ClearCells<T>(left, row);
    GatherTaps(image + (y * g.x.in + x) * g.channels, end_x - first_x,
               g.x.dilation * g.channels, g.group_channels, zero,
               row + left * kStep);
    ClearCells<T>(right, row + (row_cells - right) * kStep);
  }
}

// All outputs of one image and group, whose channels start at `image`.
template <typename Run, typename T, typename Cell>
void ConvolveGroup(const Geometry& g, const Run& run, const T* image,
                   int64_t batch, int64_t group, Cell* tile) {
  using Layout = TileLayout<T>;
  const int64_t pixels = g.y.out * g.x.out;
  const int64_t first_filter = group * g.group_filters;
  const int32_t zero = run.stage.input_zero(batch);
  for (int64_t begin = 0; begin < pixels; begin += Layout::kRows) {
    const int64_t count = std::min(Layout::kRows, pixels - begin);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t pixel = begin + i;
      GatherPatch(g, image, zero, pixel / g.x.out, pixel % g.x.out,
                  tile + i * Layout::RowStep(g.depth));
    }
    auto* const to =
        run.output + (batch * pixels + begin) * g.filters() + first_filter;
    MultiplyTile<T>(tile, count, g.depth, run.weights + first_filter * g.depth,
                    run.weights_zero, g.group_filters,
                    [&](int64_t row, int64_t filter, auto sum) {
                      to[row * g.filters() + filter] =
                          run.stage(batch, first_filter + filter, sum);
                    });
  }
}

template <typename Run, typename Cell>
void Convolve(const Geometry& g, const Run& run, Cell* tile) {
  for (int64_t batch = 0; batch < g.batches; ++batch) {
    const auto* const image = run.input + batch * g.y.in * g.x.in * g.channels;
    for (int64_t group = 0; group < g.groups; ++group) {
      ConvolveGroup(g, run, image + group * g.group_channels, batch, group,
                    tile);
    }
  }
}

absl::StatusOr<Geometry> MakeGeometry(const OperatorContext& context,
                                      const tflite::Conv2DOptions& options) {
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 0, 4, 4));
  STOWAGE_RETURN_IF_ERROR(CheckInputRank(context, 1, 4, 4));
  const Tensor& input = context.input(0);
  const Tensor& weights = context.input(1);
  const absl::StatusOr<Window> y =
      MakeWindow("height", options.padding(), input.dim(1), weights.dim(1),
                 options.stride_h(), options.dilation_h_factor());
  if (!y.ok()) return y.status();
  const absl::StatusOr<Window> x =
      MakeWindow("width", options.padding(), input.dim(2), weights.dim(2),
                 options.stride_w(), options.dilation_w_factor());
  if (!x.ok()) return x.status();
  Geometry g{*y, *x, input.dim(0), input.dim(3)};
  g.group_channels = weights.dim(3);
  const int64_t filters = weights.dim(0);
  if (g.group_channels < 1 || g.channels < 1 ||
      g.channels % g.group_channels != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        InputPlace(context, 1), ": its filters have ", g.group_channels,
        " channels, the input ", g.channels, ": expected a multiple"));
  }
  g.groups = g.channels / g.group_channels;
  if (filters < 1 || filters % g.groups != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        InputPlace(context, 1), ": it has ", filters,
        " filters: expected a multiple of its ", g.groups, " groups"));
  }
  g.group_filters = filters / g.groups;
  g.depth = FlatSize(weights.shape, 1, 4);
  return g;
}

class Conv2D : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 3, 1));
    const absl::StatusOr<const tflite::Conv2DOptions*> options =
        OptionsOf<tflite::Conv2DOptions>(context.spec());
    if (!options.ok()) return options.status();
    const absl::StatusOr<Geometry> geometry = MakeGeometry(context, **options);
    if (!geometry.ok()) return geometry.status();
    geometry_ = *geometry;
    LinearRoles roles;
    roles.channels = geometry_.filters();
    roles.batches = geometry_.batches;
    roles.is_asymmetric_per_channel = true;
    STOWAGE_RETURN_IF_ERROR(linear_.Prepare(
        context, roles, (*options)->fused_activation_function()));
    STOWAGE_RETURN_IF_ERROR(
        tile_.Prepare(context, geometry_.depth, linear_.is_float()));
    return context.ResizeOutput(0, {static_cast<int32_t>(geometry_.batches),
                                    static_cast<int32_t>(geometry_.y.out),
                                    static_cast<int32_t>(geometry_.x.out),
                                    static_cast<int32_t>(roles.channels)});
  }

  absl::Status Invoke(OperatorContext& context) override {
    linear_.Invoke(context, [&](const auto& run) {
      using Input = std::decay_t<decltype(*run.input)>;
      Convolve(geometry_, run, tile_.For<Input>());
    });
    return absl::OkStatus();
  }

 private:
  Geometry geometry_;
  Linear linear_;
  TileMemory tile_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("CONV_2D")
              .Computes("each output pixel is the product of a patch of the "
                        "input with all filters")
              .OfVersions(1, 8)
              .Creates<Conv2D>()};
}

}  // namespace stowage::harness::conv_2d
