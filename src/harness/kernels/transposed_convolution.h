// What TRANSPOSE_CONV and its custom relative have in common: a convolution
// backwards, in which each input pixel is scattered over a patch of the output.
//
// An output row is summed at a time: for each row of taps that reaches it from
// an input row, the pixels of that are multiplied with all of its weights.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_TRANSPOSED_CONVOLUTION_H_
#define STOWAGE_SRC_HARNESS_KERNELS_TRANSPOSED_CONVOLUTION_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "src/harness/kernels/linear.h"
#include "src/harness/kernels/tile_memory.h"
#include "src/harness/kernels/window.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/operator.h"

namespace stowage::harness {

// Input [batch, height, width, channels], weights [output channels, filter
// height, filter width, channels], bias [output channels].
struct TransposedRoles {
  size_t input = 0;
  size_t weights = 1;
  size_t bias = 2;
  tflite::Padding padding = tflite::Padding::SAME;
  int32_t stride_h = 0;
  int32_t stride_w = 0;
  tflite::ActivationFunctionType activation =
      tflite::ActivationFunctionType::NONE;
};

class TransposedConvolution {
 public:
  // Checks all but the output's shape. Errors: InvalidArgument; those of
  // NewPersistent.
  absl::Status Prepare(OperatorContext& context, const TransposedRoles& roles);

  // Sets the output's shape, in Prepare or in Invoke. Errors: InvalidArgument
  // if there is no such convolution; those of ResizeOutput and NewPersistent.
  absl::Status ResizeInPrepare(OperatorContext& context, int32_t height,
                               int32_t width);
  absl::Status ResizeInInvoke(OperatorContext& context, int32_t height,
                              int32_t width);

  void Invoke(OperatorContext& context);

 private:
  absl::Status Resize(OperatorContext& context, int32_t height, int32_t width);
  template <typename Run, typename Cell>
  void ConvolveAll(const Run& run, Cell* tile);
  template <typename Run, typename T, typename Cell, typename Sum>
  void SumRow(const Run& run, const T* image, int32_t zero, int64_t out_y,
              Cell* tile, Sum* sums);

  TransposedRoles roles_;
  // Of the convolution that this is backwards: `in` is the output's size.
  Window y_;
  Window x_;
  int64_t batches_ = 0;
  int64_t height_ = 0;  // of the input
  int64_t width_ = 0;
  int64_t channels_ = 0;
  int64_t filters_ = 0;  // output channels
  Linear linear_;
  TileMemory tile_;
  void* sums_ = nullptr;  // 8 bytes for each element of an output row
  std::vector<int64_t> sums_of_invoke_;  // if its length is known only then
};

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_TRANSPOSED_CONVOLUTION_H_
