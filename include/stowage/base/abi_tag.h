// SPDX-License-Identifier: Apache-2.0
// Defines the ABI tag of Span, Status and StatusOr. The tag is used only in
// builds without abseil (config.h), in which this library defines these types
// itself. The tag is a macro because clang-format damages the closing comment
// of a namespace that has an attribute.
#ifndef STOWAGE_BASE_ABI_TAG_H_
#define STOWAGE_BASE_ABI_TAG_H_

#define STOWAGE_STD_ABI [[gnu::abi_tag("v1_std")]]

#endif  // STOWAGE_BASE_ABI_TAG_H_
