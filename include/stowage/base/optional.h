// SPDX-License-Identifier: Apache-2.0
// An optional holds a value that may be missing. The type is absl::optional in
// a build with abseil (config.h), and std::optional otherwise. If the value is
// missing because of an error, use StatusOr (statusor.h), which holds this
// error.
//
//   optional<size_t> offset = nullopt;
//   if (offset) Place(*offset);
#ifndef STOWAGE_BASE_OPTIONAL_H_
#define STOWAGE_BASE_OPTIONAL_H_

#include "stowage/base/config.h"

#if STOWAGE_WITH_ABSEIL
#include "absl/types/optional.h"
#else
#include <optional>
#endif

namespace stowage {

#if STOWAGE_WITH_ABSEIL
using absl::make_optional;
using absl::nullopt;
using absl::optional;
#else
using std::make_optional;
using std::nullopt;
using std::optional;
#endif

}  // namespace stowage

#endif  // STOWAGE_BASE_OPTIONAL_H_
