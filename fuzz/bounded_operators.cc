// SPDX-License-Identifier: Apache-2.0
#include "fuzz/bounded_operators.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "absl/status/status.h"

namespace stowage::harness {
namespace {

// The largest permitted product of the bytes that an operator reads and the
// bytes that it writes. With this limit, a matrix product can read and write
// several thousand bytes.
constexpr size_t kMaxWork = size_t{1} << 25;

class BoundedKernel : public Kernel {
 public:
  explicit BoundedKernel(std::unique_ptr<Kernel> kernel)
      : kernel_(std::move(kernel)) {}

  absl::Status Prepare(OperatorContext& context) override {
    return kernel_->Prepare(context);
  }

  absl::Status Invoke(OperatorContext& context) override {
    size_t read = 1;
    size_t written = 1;
    for (size_t i = 0; i < context.input_count(); ++i) {
      if (context.has_input(i)) read += context.input(i).bytes;
    }
    for (size_t i = 0; i < context.output_count(); ++i) {
      if (context.has_output(i)) written += context.output(i).bytes;
    }
    if (read > kMaxWork / written) return absl::AbortedError("too much work");
    return kernel_->Invoke(context);
  }

 private:
  std::unique_ptr<Kernel> kernel_;
};

OperatorResolver MakeBoundedOperators() {
  OperatorResolver bounded;
  const OperatorResolver all = BuiltinOperators();
  for (const auto& [key, registration] : all.all()) {
    OperatorRegistration copy = registration;
    copy.create = [create = registration.create] {
      return std::make_unique<BoundedKernel>(create());
    };
    bounded.Add(std::move(copy));
  }
  return bounded;
}

}  // namespace

const OperatorResolver& BoundedOperators() {
  static const auto* const operators =
      new OperatorResolver(MakeBoundedOperators());
  return *operators;
}

}  // namespace stowage::harness
