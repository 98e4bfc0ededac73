// EXP: e to the power of x, elementwise.
#include <cmath>
#include <memory>

#include "src/harness/kernels/unary_kernel.h"
#include "stowage/harness/operator.h"

namespace stowage::harness::exp {
namespace {

struct Exp {
  float operator()(float x) const { return std::exp(x); }
};

}  // namespace

OperatorRegistration Registration() {
  return {"EXP", false, 1, 2, InPlace::kInput0, false, [] {
            return std::make_unique<FloatKernel<Exp>>();
          }};
}

}  // namespace stowage::harness::exp
