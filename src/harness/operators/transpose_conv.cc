// TRANSPOSE_CONV: a convolution backwards. Inputs: the output's shape, weights,
// the input, and perhaps a bias.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/support.h"
#include "src/harness/kernels/transposed_convolution.h"
#include "src/tflite/model_generated.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::transpose_conv {
namespace {

constexpr size_t kOutputShape = 0;
constexpr size_t kWeights = 1;
constexpr size_t kInput = 2;
constexpr size_t kBias = 3;

class TransposeConv : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 3, 4, 1));
    const absl::StatusOr<const tflite::TransposeConvOptions*> options =
        OptionsOf<tflite::TransposeConvOptions>(context.spec());
    if (!options.ok()) return options.status();
    const TransposedRoles roles{kInput,
                                kWeights,
                                kBias,
                                (*options)->padding(),
                                (*options)->stride_h(),
                                (*options)->stride_w(),
                                (*options)->fused_activation_function()};
    STOWAGE_RETURN_IF_ERROR(convolution_.Prepare(context, roles));
    STOWAGE_RETURN_IF_ERROR(
        CheckInputType(context, kOutputShape, {ElementType::kInt32}));
    const Tensor& shape = context.input(kOutputShape);
    if (shape.elements() != 4) {
      return absl::InvalidArgumentError(
          absl::StrCat(InputPlace(context, kOutputShape), ": it has ",
                       shape.elements(), " elements: expected 4 dimensions"));
    }
    is_dynamic_ = !shape.is_constant();
    if (is_dynamic_) {
      context.MakeOutputDynamic(0);
      return absl::OkStatus();
    }
    STOWAGE_RETURN_IF_ERROR(CheckOutputShape(context));
    const auto* const dims = shape.as<int32_t>();
    return convolution_.ResizeInPrepare(context, dims[1], dims[2]);
  }

  absl::Status Invoke(OperatorContext& context) override {
    if (is_dynamic_) {
      STOWAGE_RETURN_IF_ERROR(CheckOutputShape(context));
      const auto* const dims = context.input(kOutputShape).as<int32_t>();
      STOWAGE_RETURN_IF_ERROR(
          convolution_.ResizeInInvoke(context, dims[1], dims[2]));
    }
    convolution_.Invoke(context);
    return absl::OkStatus();
  }

 private:
  // The dimensions that the other inputs say.
  static absl::Status CheckOutputShape(const OperatorContext& context) {
    const auto* const dims = context.input(kOutputShape).as<int32_t>();
    const int32_t batches = context.input(kInput).dim(0);
    const int32_t filters = context.input(kWeights).dim(0);
    if (dims[0] == batches && dims[1] >= 0 && dims[2] >= 0 &&
        dims[3] == filters) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        InputPlace(context, kOutputShape), ": it is ",
        ShapeText({dims, dims + 4}), ": expected [", batches,
        ", height, width, ", filters, "], as input and weights say"));
  }

  TransposedConvolution convolution_;
  bool is_dynamic_ = false;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("TRANSPOSE_CONV")
              .Computes("a convolution backwards")
              .OfVersions(1, 5)
              .Creates<TransposeConv>()};
}

}  // namespace stowage::harness::transpose_conv
