// SPDX-License-Identifier: Apache-2.0
// The delegate `reference` runs the interpreter's kernels through the interface
// of delegates. Its results equal the results without a delegate bit for bit,
// so it tests everything about delegates except their arithmetic. To run models
// faster, use a different delegate.
#ifndef STOWAGE_SRC_DELEGATES_REFERENCE_REFERENCE_DELEGATE_H_
#define STOWAGE_SRC_DELEGATES_REFERENCE_REFERENCE_DELEGATE_H_

#include "stowage/harness/delegates.h"

namespace stowage::harness {

DelegateRegistration ReferenceDelegate();

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_DELEGATES_REFERENCE_REFERENCE_DELEGATE_H_
