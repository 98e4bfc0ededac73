#include "src/harness/kernels/window.h"

#include <algorithm>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/tflite/model_generated.h"

namespace stowage::harness {

absl::StatusOr<Window> MakeWindow(const char* what, tflite::Padding padding,
                                  int32_t in, int32_t taps, int32_t stride,
                                  int32_t dilation) {
  if (taps < 1 || stride < 1 || dilation < 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "in its ", what, " the filter has ", taps, " elements, stride ", stride,
        " and dilation ", dilation, ": expected 1 or more of each"));
  }
  Window window{in, 0, taps, stride, dilation, 0};
  const int64_t extent = (window.taps - 1) * dilation + 1;
  switch (padding) {
    case tflite::Padding::SAME:
      window.out = (window.in + stride - 1) / stride;
      window.before = std::max<int64_t>(
          0, ((window.out - 1) * stride + extent - window.in) / 2);
      return window;
    case tflite::Padding::VALID:
      if (extent > window.in) {
        return absl::InvalidArgumentError(absl::StrCat(
            "its filter is ", extent, " in ", what, ", its input ", in,
            ": expected the filter to fit, as its padding is VALID"));
      }
      window.out = (window.in - extent) / stride + 1;
      return window;
  }
  return absl::InvalidArgumentError(absl::StrCat("its padding is number ",
                                                 static_cast<int>(padding),
                                                 ": expected SAME or VALID"));
}

}  // namespace stowage::harness
