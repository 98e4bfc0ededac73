// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/window.h"

#include <algorithm>

#include "stowage/harness/kernel_tools.h"

namespace stowage::harness {
namespace {

// Returns the window that slides over `in` elements. `what` is "height" or
// "width", for messages.
absl::StatusOr<Window> MakeWindow(const char* what, Padding padding, int32_t in,
                                  int32_t taps, int32_t stride,
                                  int32_t dilation) {
  if (taps < 1 || stride < 1 || dilation < 1) {
    return RefuseModel("in its ", what, " the filter has ", taps,
                       " elements, stride ", stride, " and dilation ", dilation,
                       "; expected 1 or more of each");
  }
  Window window{in, 0, taps, stride, dilation, 0};
  const int64_t extent = (window.taps - 1) * dilation + 1;
  switch (padding) {
    case Padding::kSame:
      window.out = (window.in + stride - 1) / stride;
      window.before = std::max<int64_t>(
          0, ((window.out - 1) * stride + extent - window.in) / 2);
      return window;
    case Padding::kValid:
      if (extent > window.in) {
        return RefuseModel(
            "its filter is ", extent, " in ", what, ", its input ", in,
            "; expected the filter to fit, as its padding is VALID");
      }
      window.out = (window.in - extent) / stride + 1;
      return window;
  }
  return RefuseModel("its padding is number ", static_cast<int>(padding),
                     "; expected SAME or VALID");
}

}  // namespace

absl::StatusOr<ImageWindow> MakeImageWindow(const Shape& image, Padding padding,
                                            HeightAndWidth taps,
                                            HeightAndWidth stride,
                                            HeightAndWidth dilation) {
  STOWAGE_ASSIGN_OR_RETURN(const Window y,
                           MakeWindow("height", padding, image[1], taps.height,
                                      stride.height, dilation.height));
  STOWAGE_ASSIGN_OR_RETURN(const Window x,
                           MakeWindow("width", padding, image[2], taps.width,
                                      stride.width, dilation.width));
  return ImageWindow{y, x, image[0], image[3]};
}

absl::StatusOr<ImageWindow> MakeFilterWindow(
    const Shape& image, const Shape& filters,
    const ConvolutionOptions& options) {
  return MakeImageWindow(image, options.padding, {filters[1], filters[2]},
                         options.stride, options.dilation);
}

Shape ImageWindow::OutputShape(int64_t output_channels) const {
  return {static_cast<int32_t>(batches), static_cast<int32_t>(y.out),
          static_cast<int32_t>(x.out), static_cast<int32_t>(output_channels)};
}

}  // namespace stowage::harness
