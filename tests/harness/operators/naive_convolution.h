// SPDX-License-Identifier: Apache-2.0
// Computes convolutions by their definition, as references for tests. All
// numbers are integers, so the sums do not depend on the order of summation.
#ifndef STOWAGE_TESTS_HARNESS_OPERATORS_NAIVE_CONVOLUTION_H_
#define STOWAGE_TESTS_HARNESS_OPERATORS_NAIVE_CONVOLUTION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "model_schema/model_generated.h"
#include "rapidcheck.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness {

using Numbers = std::vector<int>;

// Describes one dimension of a convolution.
struct Slide {
  int in = 1;
  int taps = 1;
  int stride = 1;
  int dilation = 1;
  tflite::Padding padding = tflite::Padding::SAME;

  int Extent() const { return (taps - 1) * dilation + 1; }
  int Out() const {
    return padding == tflite::Padding::SAME ? (in + stride - 1) / stride
                                            : (in - Extent()) / stride + 1;
  }
  // Returns the input position that tap `tap` of output `out` reads. The
  // position may be outside the input.
  int At(int out, int tap) const {
    const int all = std::max((Out() - 1) * stride + Extent() - in, 0);
    const int before = padding == tflite::Padding::SAME ? all / 2 : 0;
    return out * stride - before + tap * dilation;
  }
};

struct Convolution {
  Slide y;
  Slide x;
  int batches = 1;
  int channels = 1;  // of the input
  int groups = 1;
  int filters = 1;  // output channels

  int GroupChannels() const { return channels / groups; }
  Shape Input() const { return {batches, y.in, x.in, channels}; }
  Shape Output() const { return {batches, y.Out(), x.Out(), filters}; }
  // Returns the shape of the weights: [filters, height, width, channels per
  // group].
  Shape Weights() const { return {filters, y.taps, x.taps, GroupChannels()}; }
};

inline size_t Count(const Shape& shape) {
  size_t count = 1;
  for (const int d : shape) count *= static_cast<size_t>(d);
  return count;
}

inline size_t Index(const Shape& shape, int a, int b, int c, int d) {
  return static_cast<size_t>(((a * shape[1] + b) * shape[2] + c) * shape[3] +
                             d);
}

// Convolves inputs and weights whose zero points have been subtracted. `bias`
// may be empty.
inline Numbers Convolve(const Convolution& c, const Numbers& input,
                        const Numbers& weights, const Numbers& bias) {
  Numbers output;
  const int group_filters = c.filters / c.groups;
  for (int b = 0; b < c.batches; ++b) {
    for (int oy = 0; oy < c.y.Out(); ++oy) {
      for (int ox = 0; ox < c.x.Out(); ++ox) {
        for (int f = 0; f < c.filters; ++f) {
          int sum = bias.empty() ? 0 : bias[static_cast<size_t>(f)];
          for (int ty = 0; ty < c.y.taps; ++ty) {
            for (int tx = 0; tx < c.x.taps; ++tx) {
              const int y = c.y.At(oy, ty);
              const int x = c.x.At(ox, tx);
              if (y < 0 || y >= c.y.in || x < 0 || x >= c.x.in) continue;
              for (int i = 0; i < c.GroupChannels(); ++i) {
                const int channel = f / group_filters * c.GroupChannels() + i;
                sum += input[Index(c.Input(), b, y, x, channel)] *
                       weights[Index(c.Weights(), f, ty, tx, i)];
              }
            }
          }
          output.push_back(sum);
        }
      }
    }
  }
  return output;
}

inline Slide AnySlide(tflite::Padding padding) {
  Slide slide;
  slide.taps = *rc::gen::inRange(1, 4);
  slide.stride = *rc::gen::inRange(1, 4);
  slide.dilation = *rc::gen::inRange(1, 3);
  slide.padding = padding;
  const int least = padding == tflite::Padding::SAME ? 1 : slide.Extent();
  slide.in = *rc::gen::inRange(least, least + 8);
  return slide;
}

inline tflite::Padding AnyPadding() {
  return *rc::gen::element(tflite::Padding::SAME, tflite::Padding::VALID);
}

// Returns `count` random numbers from `min` to `max`, both inclusive.
inline Numbers AnyNumbers(size_t count, int min, int max) {
  return *rc::gen::container<Numbers>(count, rc::gen::inRange(min, max + 1));
}

// Returns the numbers, with a zero point added, as elements of a tensor.
template <typename T>
std::vector<T> Elements(const Numbers& numbers, int zero_point = 0) {
  std::vector<T> elements;
  for (const int number : numbers) {
    elements.push_back(static_cast<T>(number + zero_point));
  }
  return elements;
}

// Returns the numbers like Elements, but clamped to the range of the type, as
// operators clamp their outputs.
template <typename T>
std::vector<T> Saturated(const Numbers& numbers, int zero_point) {
  std::vector<T> elements;
  for (const int number : numbers) {
    elements.push_back(static_cast<T>(
        std::clamp<int>(number + zero_point, std::numeric_limits<T>::min(),
                        std::numeric_limits<T>::max())));
  }
  return elements;
}

}  // namespace stowage::harness

#endif  // STOWAGE_TESTS_HARNESS_OPERATORS_NAIVE_CONVOLUTION_H_
