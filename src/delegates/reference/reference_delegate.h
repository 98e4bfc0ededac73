// SPDX-License-Identifier: Apache-2.0
// The delegate `reference` runs the interpreter's kernels behind the interface
// of delegates. Its results equal those without a delegate bit for bit, so it
// tests everything in delegates except arithmetic. To run models faster, use a
// different delegate.
#ifndef STOWAGE_SRC_DELEGATES_REFERENCE_REFERENCE_DELEGATE_H_
#define STOWAGE_SRC_DELEGATES_REFERENCE_REFERENCE_DELEGATE_H_

#include "stowage/harness/delegates.h"

namespace stowage::harness {

DelegateRegistration ReferenceDelegate();

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_DELEGATES_REFERENCE_REFERENCE_DELEGATE_H_
