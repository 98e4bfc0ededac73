// TILE: the input repeated along each dimension, as often as input 1 says.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/box_copy.h"
#include "src/harness/kernels/box_kernel.h"
#include "src/harness/kernels/broadcast.h"
#include "src/harness/kernels/data_shaped_kernel.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::tile {
namespace {

class Tile : public BoxKernel {
 public:
  Tile() : BoxKernel(2) {}

 private:
  absl::Status Resize(OperatorContext& context) override {
    const auto times = IntegersOf(context, 1);
    if (!times.ok()) return times.status();
    const Shape& from = context.input(0).shape;
    if (times->size() != from.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(InputPlace(context, 1), ": it has ", times->size(),
                       " elements: expected ", from.size()));
    }
    Shape shape;
    for (size_t d = 0; d < from.size(); ++d) {
      const int64_t count = (*times)[d];
      if (count < 0 || count > INT32_MAX || count * from[d] > INT32_MAX) {
        return absl::InvalidArgumentError(
            absl::StrCat("dimension ", d, ", ", from[d], ", is repeated ",
                         count, " times: expected 0 to 2^31 - 1 in all"));
      }
      shape.push_back(static_cast<int32_t>(count * from[d]));
    }
    STOWAGE_RETURN_IF_ERROR(context.ResizeOutput(0, shape));
    const std::vector<int64_t> from_strides = Strides(from);
    const std::vector<int64_t> to_strides = Strides(shape);
    std::vector<BoxCopy::Axis> axes;
    for (size_t d = 0; d < from.size(); ++d) {
      axes.push_back({(*times)[d], 0, from[d] * to_strides[d]});
      axes.push_back({from[d], from_strides[d], to_strides[d]});
    }
    copy_ = BoxCopy(axes);
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("TILE")
              .Computes("the input repeated along each dimension, as often as "
                        "input 1 says")
              .OfVersions(1, 3)
              .Creates<Tile>()};
}

}  // namespace stowage::harness::tile
