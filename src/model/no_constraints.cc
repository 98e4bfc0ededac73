// SPDX-License-Identifier: Apache-2.0
// Defines LinkedConstraints for programs that have no code for constraints. The
// definition has a translation unit of its own, so the linker uses it only if
// stowage::constraints, which defines the same function, is not linked.
#include "src/model/constraint_support.h"

namespace stowage {

const ConstraintSupport* LinkedConstraints() { return nullptr; }

}  // namespace stowage
