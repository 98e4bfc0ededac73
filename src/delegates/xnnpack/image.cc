// SPDX-License-Identifier: Apache-2.0
// Describes operators on images that have no weights: pooling, resizing and
// rearranging.
#include "src/delegates/xnnpack/image.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "src/delegates/xnnpack/operation.h"

namespace stowage::harness::xnnpack {

namespace {

uint32_t PaddingAfter(const Window& w) {
  const int64_t reached =
      (w.out - 1) * w.stride + (w.taps - 1) * w.dilation + 1 - w.before;
  return Number(std::max<int64_t>(reached - w.in, 0));
}

}  // namespace

WindowSizes::WindowSizes(const ImageWindow& window)
    : top(Number(window.y.before)),
      right(PaddingAfter(window.x)),
      bottom(PaddingAfter(window.y)),
      left(Number(window.x.before)),
      tap_rows(Number(window.y.taps)),
      tap_columns(Number(window.x.taps)),
      row_stride(Number(window.y.stride)),
      column_stride(Number(window.x.stride)),
      row_dilation(Number(window.y.dilation)),
      column_dilation(Number(window.x.dilation)) {}

absl::Status CheckImages(const Node& node,
                         std::initializer_list<size_t> inputs) {
  for (const size_t i : inputs) {
    if (node.input(i).rank() == 4) continue;
    return Refuse("input ", i, " has ", node.input(i).rank(),
                  " dimensions; expected 4");
  }
  if (node.output().rank() == 4) return absl::OkStatus();
  return Refuse("its output has ", node.output().rank(),
                " dimensions; expected 4");
}

absl::Status CheckOutputShape(const Node& node, const Shape& shape) {
  if (node.output().shape == shape) return absl::OkStatus();
  return Refuse("the shape of its output is ", ShapeText(node.output().shape),
                "; expected ", ShapeText(shape));
}

namespace {

struct Image {
  explicit Image(const Tensor& tensor)
      : batches(Size(tensor.dim(0))),
        height(Size(tensor.dim(1))),
        width(Size(tensor.dim(2))),
        channels(Size(tensor.dim(3))) {}
  size_t batches;
  size_t height;
  size_t width;
  size_t channels;
};

Operation ImageOperation(const Node& node, Operation::Create create,
                         Operation::Setup setup) {
  Operation operation;
  operation.inputs = {node.spec().inputs[0]};
  operation.create = std::move(create);
  operation.setup = std::move(setup);
  return operation;
}

// Describes the mean over whole images. Requires the same scale and zero point
// for input and output, because this library's own kernels do not rescale such
// a mean.
absl::StatusOr<Operation> GlobalAverage(const Node& node,
                                        const OutputRange& out) {
  const Tensor& input = node.input(0);
  STOWAGE_RETURN_IF_ERROR(CheckSameScale(input, node.output()));
  const Image image(input);
  const auto create = [=, type = input.type,
                       channels = image.channels](xnn_operator_t* op) {
    const auto quantized = [&](auto function, auto zero) {
      using T = decltype(zero);
      const auto zero_point = static_cast<T>(out.scale.zero_point);
      return function(channels, channels, channels, zero_point, out.scale.scale,
                      zero_point, out.scale.scale,
                      static_cast<T>(out.quantized.min),
                      static_cast<T>(out.quantized.max), 0, op);
    };
    switch (type) {
      case ElementType::kInt8:
        return quantized(xnn_create_global_average_pooling_nwc_qs8, int8_t{});
      case ElementType::kUint8:
        return quantized(xnn_create_global_average_pooling_nwc_qu8, uint8_t{});
      default:
        return xnn_create_global_average_pooling_nwc_f32(
            channels, channels, channels, out.real.min, out.real.max, 0, op);
    }
  };
  return ImageOperation(
      node, create,
      SetupUnaryOf(input.type, xnn_setup_global_average_pooling_nwc_f32,
                   xnn_setup_global_average_pooling_nwc_qs8,
                   xnn_setup_global_average_pooling_nwc_qu8, image.batches,
                   image.height * image.width));
}

struct Pooling {
  ImageWindow window;
  OutputRange out;
};
absl::StatusOr<Pooling> PoolingOf(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckOneDataType({0}));
  STOWAGE_RETURN_IF_ERROR(CheckImages(node, {0}));
  STOWAGE_ASSIGN_OR_RETURN(const PoolOptions options,
                           PoolOptionsOf(node.spec()));
  Pooling pooling;
  STOWAGE_ASSIGN_OR_RETURN(pooling.window,
                           MakeImageWindow(node.input(0).shape, options.padding,
                                           options.filter, options.stride));
  STOWAGE_RETURN_IF_ERROR(CheckOutputShape(
      node, pooling.window.OutputShape(pooling.window.channels)));
  STOWAGE_ASSIGN_OR_RETURN(pooling.out,
                           OutputRangeOf(node.output(), options.activation));
  return pooling;
}

absl::StatusOr<Operation> DescribeAveragePool(const Node& node) {
  STOWAGE_ASSIGN_OR_RETURN(const Pooling pooling, PoolingOf(node));
  const auto& [window, out] = pooling;
  const WindowSizes w(window);
  if (window.y.taps == window.y.in && window.x.taps == window.x.in &&
      window.y.out == 1 && window.x.out == 1 && !w.has_padding()) {
    return GlobalAverage(node, out);
  }
  const Image image(node.input(0));
  if (node.input(0).type != ElementType::kFloat32) {
    return Refuse("it averages parts of images of ",
                  ElementTypeName(node.input(0).type),
                  "; expected FLOAT32, or whole images");
  }
  const auto create = [=, range = out.real,
                       channels = image.channels](xnn_operator_t* op) {
    return xnn_create_average_pooling2d_nhwc_f32(
        w.top, w.right, w.bottom, w.left, w.tap_rows, w.tap_columns,
        w.row_stride, w.column_stride, channels, channels, channels, range.min,
        range.max, 0, op);
  };
  return ImageOperation(
      node, create,
      SetupUnary<float, float>(xnn_setup_average_pooling2d_nhwc_f32,
                               image.batches, image.height, image.width));
}

absl::StatusOr<Operation> DescribeMaxPool(const Node& node) {
  STOWAGE_ASSIGN_OR_RETURN(const Pooling pooling, PoolingOf(node));
  const Image image(node.input(0));
  const auto create = [=, type = node.input(0).type, out = pooling.out,
                       w = WindowSizes(pooling.window),
                       channels = image.channels](xnn_operator_t* op) {
    const auto with = [&](auto function, auto min, auto max) {
      return function(w.top, w.right, w.bottom, w.left, w.tap_rows,
                      w.tap_columns, w.row_stride, w.column_stride,
                      w.row_dilation, w.column_dilation, channels, channels,
                      channels, min, max, 0, op);
    };
    switch (type) {
      case ElementType::kInt8:
        return with(xnn_create_max_pooling2d_nhwc_s8,
                    static_cast<int8_t>(out.quantized.min),
                    static_cast<int8_t>(out.quantized.max));
      case ElementType::kUint8:
        return with(xnn_create_max_pooling2d_nhwc_u8,
                    static_cast<uint8_t>(out.quantized.min),
                    static_cast<uint8_t>(out.quantized.max));
      default:
        return with(xnn_create_max_pooling2d_nhwc_f32, out.real.min,
                    out.real.max);
    }
  };
  return ImageOperation(
      node, create,
      SetupUnaryOf(node.input(0).type, xnn_setup_max_pooling2d_nhwc_f32,
                   xnn_setup_max_pooling2d_nhwc_s8,
                   xnn_setup_max_pooling2d_nhwc_u8, image.batches, image.height,
                   image.width));
}

// Describes the mean along height and width.
absl::StatusOr<Operation> DescribeMean(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckOneDataType({0}));
  const Tensor& input = node.input(0);
  const Tensor* const axes = node.constant(1);
  if (input.rank() != 4 || axes == nullptr ||
      axes->type != ElementType::kInt32) {
    return Refuse("it is not a mean of images along constant axes");
  }
  std::vector<int32_t> found;
  for (const int32_t axis : axes->span<int32_t>()) {
    found.push_back(axis < 0 ? axis + 4 : axis);
  }
  absl::c_sort(found);
  if (found != std::vector<int32_t>{1, 2}) {
    return Refuse("its axes are ", ShapeText(found), "; expected [1, 2]");
  }
  STOWAGE_ASSIGN_OR_RETURN(const OutputRange out, OutputRangeOf(node.output()));
  return GlobalAverage(node, out);
}

// Returns whether the input position of every output element is exact in 10
// fractional bits. This library's kernels resize INT8 with this precision, so
// the results then agree with those of XNNPACK.
bool HasExactPlaces(int64_t in, int64_t out, const ResizeOptions& options) {
  constexpr int64_t kOne = 1 << 10;
  if (options.aligns_corners && out > 1) {
    return kOne * (in - 1) % (out - 1) == 0;
  }
  const int64_t unit = options.has_half_pixel_centers ? 2 * out : out;
  return kOne * in % unit == 0;
}

absl::StatusOr<Operation> DescribeResizeBilinear(const Node& node) {
  STOWAGE_RETURN_IF_ERROR(node.CheckOneDataType({0}));
  STOWAGE_RETURN_IF_ERROR(CheckImages(node, {0}));
  STOWAGE_ASSIGN_OR_RETURN(const ResizeOptions options,
                           ResizeOptionsOf(node.spec()));
  const ElementType type = node.input(0).type;
  const Image from(node.input(0));
  const Image to(node.output());
  constexpr size_t kMax = size_t{1} << 24;
  if (std::max({from.height, from.width, to.height, to.width}) >= kMax) {
    return Refuse("an image has 2^24 or more rows or columns; expected fewer");
  }
  if (type == ElementType::kInt8 &&
      !(HasExactPlaces(node.input(0).dim(1), node.output().dim(1), options) &&
        HasExactPlaces(node.input(0).dim(2), node.output().dim(2), options))) {
    return Refuse(
        "its sampling positions would be rounded; expected at most 10 "
        "fractional bits");
  }
  uint32_t flags = 0;
  if (options.aligns_corners) {
    flags = XNN_FLAG_ALIGN_CORNERS;
  } else if (!options.has_half_pixel_centers) {
    flags = XNN_FLAG_TENSORFLOW_LEGACY_MODE;
  }
  const auto create = [=, channels = from.channels](xnn_operator_t* op) {
    auto* const function =
        type == ElementType::kInt8    ? xnn_create_resize_bilinear2d_nhwc_s8
        : type == ElementType::kUint8 ? xnn_create_resize_bilinear2d_nhwc_u8
                                      : xnn_create_resize_bilinear2d_nhwc_f32;
    return function(channels, channels, channels, flags, op);
  };
  return ImageOperation(
      node, create,
      SetupUnaryOf(type, xnn_setup_resize_bilinear2d_nhwc_f32,
                   xnn_setup_resize_bilinear2d_nhwc_s8,
                   xnn_setup_resize_bilinear2d_nhwc_u8, from.batches,
                   from.height, from.width, to.height, to.width));
}

}  // namespace

absl::Span<const DescribeRow> ImageRows() {
  static constexpr DescribeRow kRows[] = {
      {"AVERAGE_POOL_2D", DescribeAveragePool},
      {"MAX_POOL_2D", DescribeMaxPool},
      {"MEAN", DescribeMean},
      {"RESIZE_BILINEAR", DescribeResizeBilinear},
  };
  return kRows;
}

}  // namespace stowage::harness::xnnpack
