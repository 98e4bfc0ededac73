// SPDX-License-Identifier: Apache-2.0
// The delegate `opencl` runs operators of image classifiers on an OpenCL
// device, in FLOAT32, INT8 and UINT8.
#ifndef STOWAGE_SRC_DELEGATES_OPENCL_OPENCL_DELEGATE_H_
#define STOWAGE_SRC_DELEGATES_OPENCL_OPENCL_DELEGATE_H_

#include "stowage/harness/delegates.h"

namespace stowage::harness {

DelegateRegistration OpenclDelegate();

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_DELEGATES_OPENCL_OPENCL_DELEGATE_H_
