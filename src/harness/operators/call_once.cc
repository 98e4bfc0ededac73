// CALL_ONCE: runs another subgraph the first time that it is invoked, to give
// resources their first values.
#include <cstddef>
#include <vector>

#include "src/harness/kernels/support.h"

namespace stowage::harness::call_once {
namespace {

class CallOnce : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 0, 0, 0));
    STOWAGE_ASSIGN_OR_RETURN(
        const auto* const options,
        OptionsOf<tflite::CallOnceOptions>(context.spec()));
    if (options->init_subgraph_index() < 0) {
      return RefuseModel("it calls subgraph ", options->init_subgraph_index(),
                         ": expected 0 or more");
    }
    subgraph_ = static_cast<size_t>(options->init_subgraph_index());
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
