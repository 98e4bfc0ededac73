// VAR_HANDLE: the number of a resource variable, by container and name.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/resources.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::var_handle {
namespace {

std::string TextOf(const flatbuffers::String* text) {
  return text == nullptr ? "" : text->str();
}

class VarHandle : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 0, 0, 1));
    STOWAGE_RETURN_IF_ERROR(
        CheckOutputType(context, 0, {ElementType::kResource}));
    const absl::StatusOr<const tflite::VarHandleOptions*> options =
        OptionsOf<tflite::VarHandleOptions>(context.spec());
    if (!options.ok()) return options.status();
    number_ = context.resources().Find(TextOf((*options)->container()),
                                       TextOf((*options)->shared_name()));
    context.output(0).resource = number_;
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    context.output(0).resource = number_;
    return absl::OkStatus();
  }

 private:
  int32_t number_ = -1;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {
      OperatorRegistration("VAR_HANDLE")
          .Computes("the number of a resource variable, by container and name")
          .Creates<VarHandle>()};
}

}  // namespace stowage::harness::var_handle
