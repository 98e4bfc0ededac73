// PADV2: a tensor with copies of one element, input 2, around it.
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/pad_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::padv2 {
namespace {

class PadV2 : public PadKernel {
  absl::Status Check(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 3, 3, 1));
    STOWAGE_RETURN_IF_ERROR(CheckMovable(context, 0));
    STOWAGE_RETURN_IF_ERROR(
        CheckInputType(context, 2, {context.input(0).type}));
    if (context.input(2).bytes == ElementBytes(context.input(2).type)) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError(absl::StrCat(
        InputPlace(context, 2), ": its shape is ",
        ShapeText(context.input(2).shape), ": expected one element"));
  }

  Element PaddingOf(OperatorContext& context) const override {
    Element element = {};
    std::memcpy(element.data(), context.input(2).data, context.input(2).bytes);
    return element;
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      OperatorRegistration("PADV2")
          .Computes("a tensor with copies of one element, input 2, around it")
          .OfVersions(1, 4)
          .Creates<PadV2>()};
}

}  // namespace stowage::harness::padv2
