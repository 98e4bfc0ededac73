// SPDX-License-Identifier: Apache-2.0
// The options of a builtin operator as bytes that do not depend on where the
// file has them. Kernels read single options by OptionsOf (kernels/support.h).
#ifndef STOWAGE_SRC_HARNESS_SHADOW_OPTIONS_H_
#define STOWAGE_SRC_HARNESS_SHADOW_OPTIONS_H_

#include <string>

#include "stowage/tflite/model.h"

namespace stowage::harness {

// Equal for equal options, as far as src/tflite/model.fbs has their fields;
// empty where the model has none or the format's union is not known to have
// that member. O(bytes of the options).
std::string PackedOptionsOf(const OperatorSpec& spec);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_SHADOW_OPTIONS_H_
