// SPDX-License-Identifier: Apache-2.0
// The delegate `reference`: the interpreter's own kernels behind the interface
// of delegates. Results are those of no delegate, bit for bit, so that it tests
// everything but arithmetic. To run faster use another.
#ifndef STOWAGE_SRC_DELEGATES_REFERENCE_REFERENCE_DELEGATE_H_
#define STOWAGE_SRC_DELEGATES_REFERENCE_REFERENCE_DELEGATE_H_

#include "stowage/harness/delegates.h"

namespace stowage::harness {

DelegateRegistration ReferenceDelegate();

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_DELEGATES_REFERENCE_REFERENCE_DELEGATE_H_
