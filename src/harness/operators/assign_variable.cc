// ASSIGN_VARIABLE: a tensor becomes the value of a resource variable.
#include <vector>

#include "absl/status/status.h"
#include "src/harness/kernels/support.h"
#include "stowage/harness/operator.h"
#include "stowage/harness/resources.h"
#include "stowage/harness/tensor.h"

namespace stowage::harness::assign_variable {
namespace {

class AssignVariable : public Kernel {
 public:
  absl::Status Prepare(OperatorContext& context) override {
    STOWAGE_RETURN_IF_ERROR(CheckCounts(context, 2, 2, 0));
    return CheckInputType(context, 0, {ElementType::kResource});
  }

  absl::Status Invoke(OperatorContext& context) override {
    return context.resources().Assign(context.input(0).resource,
                                      context.input(1));
  }
};

}  // namespace

std::vector<OperatorRegistration> Registrations() {
  return {OperatorRegistration("ASSIGN_VARIABLE")
              .Computes("a tensor becomes the value of a resource variable")
              .Creates<AssignVariable>()};
}

}  // namespace stowage::harness::assign_variable
