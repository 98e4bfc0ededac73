// CALL_ONCE: runs another subgraph the first time that it is invoked, to give
// resources their first values.
#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::call_once {
namespace {

class CallOnce : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 0, 0, 0));
    const absl::StatusOr<const tflite::CallOnceOptions*> options =
        OptionsOf<tflite::CallOnceOptions>(context.spec());
    if (!options.ok()) return options.status();
    if ((*options)->init_subgraph_index() < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("it calls subgraph ", (*options)->init_subgraph_index(),
                       ": expected 0 or more"));
    }
    subgraph_ = static_cast<size_t>((*options)->init_subgraph_index());
    return absl::OkStatus();
  }

  absl::Status Invoke(OperatorContext& context) override {
    return context.InvokeOnce(subgraph_);
  }

 private:
  size_t subgraph_ = 0;
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("CALL_ONCE")
              .Computes("runs another subgraph the first time that it is "
                        "invoked, to give resources their first values")
              .Creates<CallOnce>()};
}

}  // namespace stowage::harness::call_once
