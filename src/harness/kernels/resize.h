// RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR: what they have in common.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_RESIZE_H_
#define STOWAGE_SRC_HARNESS_KERNELS_RESIZE_H_

#include <cstdint>

#include "absl/status/status.h"
#include "stowage/harness/operator.h"

namespace stowage::harness {

// Where the elements of an output lie in the input.
struct ResizeMapping {
  bool align_corners = false;       // the last on the last
  bool half_pixel_centers = false;  // in the middle of what they cover
};

// An image [batch, height, width, channels] and a new height and width.
class ResizeKernel : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) final;
  absl::Status Invoke(OperatorContext& context) final;

 protected:
  virtual absl::StatusOr<ResizeMapping> Mapping(
      const OperatorContext& context) const = 0;

  // Both images have elements, and are of one type: FLOAT32, INT8, UINT8 or
  // INT16.
  virtual void Resize(const Tensor& input, Tensor& output,
                      const ResizeMapping& mapping) const = 0;

 private:
  ResizeMapping mapping_;
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_RESIZE_H_
