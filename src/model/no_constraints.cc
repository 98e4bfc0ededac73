// SPDX-License-Identifier: Apache-2.0
// Defines LinkedConstraints for programs that have no code for constraints.
// This file is a translation unit of its own, so that the linker takes it only
// if stowage::constraints, which defines the same function, is not linked.
#include "src/model/constraint_support.h"

namespace stowage {

const ConstraintSupport* LinkedConstraints() { return nullptr; }

}  // namespace stowage
