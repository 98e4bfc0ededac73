// SPDX-License-Identifier: Apache-2.0
// Says that a program has no code for constraints. It is a translation unit of
// its own, so that the linker takes it only if stowage::constraints, which
// defines the same function, is not linked.
#include "src/model/constraint_support.h"

namespace stowage {

const ConstraintSupport* LinkedConstraints() { return nullptr; }

}  // namespace stowage
