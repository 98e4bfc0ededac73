// SPDX-License-Identifier: Apache-2.0
// Registers CONV_2D. Each output pixel is the product of a patch of the input
// with all filters. Input [batch, height, width, channels]; weights [output
// channels, filter height, filter width, channels / groups]; bias [output
// channels].
//
// The patches of a few pixels are gathered into a tile, with zeros for the
// padding, and the tile is multiplied by the weights in their original layout
// (tile.h).

#include "src/harness/kernels/linear.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/tile.h"
#include "stowage/harness/window.h"

namespace stowage::harness::conv_2d {
namespace {

struct Geometry : ImageWindow {
  int64_t groups = 1;          // parts of the channels that are independent
  int64_t group_channels = 0;  // input channels of a group
  int64_t group_filters = 0;   // output channels of a group
  int64_t depth = 0;           // elements of a filter

  int64_t filters() const { return groups * group_filters; }
};

// Copies one row of taps into the tile. Neighboring taps are `step` elements
// apart in the image.
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

// Gathers the patch of the input from which one output pixel is computed.
// `image` points to the first channel of the group.
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

// Computes all outputs of one image and group.
template <typename Run>
void ConvolveGroup(const Geometry& g, const Run& run, int64_t batch,
                   int64_t group) {
  using Input = typename Run::Input;
  const int64_t pixels = g.y.out * g.x.out;
  const int64_t first = group * g.group_filters;
  const int32_t zero = run.stage.input_zero(batch);
  const Input* const image = run.input + batch * g.y.in * g.x.in * g.channels +
                             group * g.group_channels;
  auto* const to = run.output + batch * pixels * g.filters() + first;
  MultiplyRows<Input>(
      pixels, run.WeightsAt(first * g.depth, g.group_filters, g.depth),
      run.tile,
      [&](int64_t pixel, auto* cells) {
        GatherPatch(g, image, zero, pixel / g.x.out, pixel % g.x.out, cells);
      },
      [&g, to, batch, first, stage = run.stage](int64_t pixel, int64_t filter,
                                                auto sum) {
        to[pixel * g.filters() + filter] = stage(batch, first + filter, sum);
      });
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
  g.group_channels = weights.dim(3);
  const int64_t filters = weights.dim(0);
  if (g.group_channels < 1 || g.channels < 1 ||
      g.channels % g.group_channels != 0) {
    return RefuseModel(InputPlace(context, 1), ": its filters have ",
                       g.group_channels, " channels, the input ", g.channels,
                       "; expected a multiple");
  }
  g.groups = g.channels / g.group_channels;
  if (filters < 1 || filters % g.groups != 0) {
    return RefuseModel(InputPlace(context, 1), ": it has ", filters,
                       " filters; expected a multiple of its ", g.groups,
                       " groups");
  }
  g.group_filters = filters / g.groups;
  g.depth = FlatSize(weights.shape, 1, 4);
  return g;
}

class Conv2D : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 3, 1));
    STOWAGE_ASSIGN_OR_RETURN(const ConvolutionOptions options,
                             ConvolutionOptionsOf(context.spec()));
    STOWAGE_ASSIGN_OR_RETURN(geometry_, MakeGeometry(context, options));
    LinearRoles roles;
    roles.channels = geometry_.filters();
    roles.batches = geometry_.batches;
    roles.tile_depth = geometry_.depth;
    roles.is_asymmetric_per_channel = true;
    STOWAGE_RETURN_IF_ERROR(
        linear_.Prepare(context, roles, options.activation));
    return context.ResizeOutput(0, geometry_.OutputShape(roles.channels));
  }

  absl::Status Invoke(OperatorContext& context) override {
    linear_.Invoke(context, [&](const auto& run) {
      for (int64_t batch = 0; batch < geometry_.batches; ++batch) {
        for (int64_t group = 0; group < geometry_.groups; ++group) {
          ConvolveGroup(geometry_, run, batch, group);
        }
      }
    });
    return absl::OkStatus();
  }

 private:
  Geometry geometry_;
  Linear linear_;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {Operator<Conv2D>("CONV_2D",
                           "each output pixel is the product of a patch of the "
                           "input with all filters")
              .OfVersions(1, 8)};
}

}  // namespace stowage::harness::conv_2d
