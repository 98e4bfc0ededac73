// LOG: the natural logarithm, elementwise.
#include <cmath>
#include <memory>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::log {
namespace {

struct Log {
  float operator()(float x) const { return std::log(x); }
};

}  // namespace

OperatorRegistration Registration() {
  return {"LOG", false, 1, 2, InPlace::kInput0, false, [] {
            return std::make_unique<FloatKernel<Log>>();
          }};
}

}  // namespace stowage::harness::log
