// SPDX-License-Identifier: Apache-2.0
// The delegate `onednn`, which runs convolutions, matrix products, poolings and
// elementwise operators with oneDNN, a library of fast kernels for CPUs. Its
// scratch memory is in the arena. The delegate xnnpack supports more operators.
#ifndef STOWAGE_SRC_DELEGATES_ONEDNN_ONEDNN_DELEGATE_H_
#define STOWAGE_SRC_DELEGATES_ONEDNN_ONEDNN_DELEGATE_H_

#include "stowage/harness/delegates.h"

namespace stowage::harness {

DelegateRegistration OnednnDelegate();

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_DELEGATES_ONEDNN_ONEDNN_DELEGATE_H_
