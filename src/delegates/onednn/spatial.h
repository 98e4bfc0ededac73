// SPDX-License-Identifier: Apache-2.0
// Converts windows over images (stowage/harness/window.h) to the form that
// oneDNN expects.
#ifndef STOWAGE_SRC_DELEGATES_ONEDNN_SPATIAL_H_
#define STOWAGE_SRC_DELEGATES_ONEDNN_SPATIAL_H_

#include <algorithm>
#include <oneapi/dnnl/dnnl.hpp>

#include "stowage/harness/window.h"

namespace stowage::harness::onednn {

// An image window in the form of oneDNN. Each member has a number for rows
// (height), followed by one for columns (width).
struct Spatial {
  explicit Spatial(const ImageWindow& window)
      : strides{window.y.stride, window.x.stride},
        taps{window.y.taps, window.x.taps},
        // In oneDNN, a dilation of 0 means that taps are adjacent.
        dilations{window.y.dilation - 1, window.x.dilation - 1},
        before{window.y.before, window.x.before},
        after{After(window.y), After(window.x)} {}

  dnnl::memory::dims strides;
  dnnl::memory::dims taps;
  dnnl::memory::dims dilations;
  dnnl::memory::dims before;
  dnnl::memory::dims after;

 private:
  // Returns the number of elements by which the windows extend beyond the end
  // of the input.
  static int64_t After(const Window& w) {
    const int64_t end = (w.out - 1) * w.stride + (w.taps - 1) * w.dilation + 1;
    return std::max<int64_t>(0, end - w.before - w.in);
  }
};

}  // namespace stowage::harness::onednn

#endif  // STOWAGE_SRC_DELEGATES_ONEDNN_SPATIAL_H_
