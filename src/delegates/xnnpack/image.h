// SPDX-License-Identifier: Apache-2.0
// Converts images of shape [batch, height, width, channels], and windows over
// them, to the form that XNNPACK expects. The windows themselves are computed
// by stowage/harness/window.h.
#ifndef STOWAGE_SRC_DELEGATES_XNNPACK_IMAGE_H_
#define STOWAGE_SRC_DELEGATES_XNNPACK_IMAGE_H_

#include <cstdint>
#include <initializer_list>

#include "src/delegates/xnnpack/node.h"
#include "stowage/harness/window.h"

namespace stowage::harness::xnnpack {

struct WindowSizes {
  explicit WindowSizes(const ImageWindow& window);
  bool has_padding() const { return (top | right | bottom | left) != 0; }

  uint32_t top;  // the number of elements of padding on each side
  uint32_t right;
  uint32_t bottom;
  uint32_t left;
  uint32_t tap_rows;
  uint32_t tap_columns;
  uint32_t row_stride;
  uint32_t column_stride;
  uint32_t row_dilation;
  uint32_t column_dilation;
};

// Checks that these inputs and the output have 4 dimensions.
absl::Status CheckImages(const Node& node,
                         std::initializer_list<size_t> inputs);

// Checks that the output has this shape.
absl::Status CheckOutputShape(const Node& node, const Shape& shape);

}  // namespace stowage::harness::xnnpack

#endif  // STOWAGE_SRC_DELEGATES_XNNPACK_IMAGE_H_
