// SPDX-License-Identifier: Apache-2.0
#include "src/construct/linear_program.h"

#include <atomic>
#include <memory>

namespace stowage {
namespace {

// Initialized at compile time, so that the constructors of static objects of
// libraries can set it.
std::atomic<LinearProgramFactory> linked_factory{nullptr};

}  // namespace

LinkedLinearProgram::LinkedLinearProgram(LinearProgramFactory factory) {
  linked_factory.store(factory);
}

std::unique_ptr<LinearProgram> CreateLinearProgram() {
  const LinearProgramFactory factory = linked_factory.load();
  return factory == nullptr ? nullptr : factory();
}

}  // namespace stowage
