// SPDX-License-Identifier: Apache-2.0
// The delegate "xnnpack" runs nodes with operators of the XNNPACK library. Its
// partitions are transparent: each operator is a step, and the interpreter
// plans the memory of all tensors. README.md beside this file lists the
// supported nodes.
#ifndef STOWAGE_SRC_DELEGATES_XNNPACK_XNNPACK_DELEGATE_H_
#define STOWAGE_SRC_DELEGATES_XNNPACK_XNNPACK_DELEGATE_H_

#include "stowage/harness/delegates.h"

namespace stowage::harness {

DelegateRegistration XnnpackDelegate();

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_DELEGATES_XNNPACK_XNNPACK_DELEGATE_H_
