// SPDX-License-Identifier: Apache-2.0
// Describes how a filter slides over an image: which elements of the input
// determine each element of the output. A Window describes one dimension; an
// ImageWindow describes the height and the width of a convolution or a pooling.
// An element of the filter is called a tap.
//
//   input     . . 0 1 2 3 4 5 . .      before = 1, stride = 2, dilation = 1
//   output 0    [ 0 1 ]                taps = 3: tap 0 is in the padding
//   output 1        [ 1 2 3 ]
//
//   absl::StatusOr<ImageWindow> window = MakeImageWindow(
//       input.shape, options.padding, options.filter, options.stride);
//
// Source: the definition of padding SAME and VALID in TensorFlow's guide to
// convolutions (tf.nn, "Notes on padding").
#ifndef STOWAGE_HARNESS_WINDOW_H_
#define STOWAGE_HARNESS_WINDOW_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "stowage/harness/operator_options.h"
#include "stowage/tflite/element_type.h"

namespace stowage::harness {

struct Window {
  int64_t in = 0;        // elements of the input
  int64_t out = 0;       // elements of the output
  int64_t taps = 1;      // elements of the filter
  int64_t stride = 1;    // input elements from one output to the next
  int64_t dilation = 1;  // input elements from one tap to the next
  int64_t before = 0;    // elements of padding before the input

  // Returns the position of tap 0 in the input for this element of the output.
  // The position is negative if the tap is in the padding before the input.
  int64_t Origin(int64_t output) const { return output * stride - before; }

  // Return the range [FirstTap, EndTap) of the taps that are within the input
  // for this element of the output.
  int64_t FirstTap(int64_t output) const {
    const int64_t origin = Origin(output);
    if (origin >= 0) return 0;
    const int64_t first = (-origin + dilation - 1) / dilation;
    return first < taps ? first : taps;
  }
  int64_t EndTap(int64_t output) const {
    const int64_t left = in - Origin(output);
    const int64_t first = FirstTap(output);
    if (left <= 0) return first;
    const int64_t end = (left + dilation - 1) / dilation;
    if (end < first) return first;
    return end < taps ? end : taps;
  }
};

// The windows along the height (y) and the width (x) of an image. The shape of
// the image is [batch, height, width, channels].
struct ImageWindow {
  Window y;
  Window x;
  int64_t batches = 0;
  int64_t channels = 0;

  // Returns the shape of the output if it has `output_channels` channels.
  Shape OutputShape(int64_t output_channels) const;
};

// Returns the windows over an image. Requires that the shape of the image has 4
// dimensions. The padding determines the size of the output. Error:
// InvalidArgument if taps, strides or dilations are below 1, if the padding is
// unknown, or if the output would be empty with padding VALID.
absl::StatusOr<ImageWindow> MakeImageWindow(const Shape& image, Padding padding,
                                            HeightAndWidth taps,
                                            HeightAndWidth stride,
                                            HeightAndWidth dilation = {});

// Returns the windows of a convolution over an image. Requires that the shapes
// of the image and of the filters have 4 dimensions, with the height and the
// width at positions 1 and 2. Errors: those of MakeImageWindow.
absl::StatusOr<ImageWindow> MakeFilterWindow(const Shape& image,
                                             const Shape& filters,
                                             const ConvolutionOptions& options);

}  // namespace stowage::harness

#endif  // STOWAGE_HARNESS_WINDOW_H_
