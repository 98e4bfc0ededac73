// SPDX-License-Identifier: Apache-2.0
// Names files of formats that stowage does not read, by their first bytes: a
// message that says what a file is helps more than the first byte that is not
// a trace.
#ifndef STOWAGE_SRC_IO_OTHER_FORMAT_H_
#define STOWAGE_SRC_IO_OTHER_FORMAT_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stowage {

// The number of bytes at the start of a file that suffice to name its format.
constexpr size_t kFormatStartBytes = 64;

// Returns the format of a file with this start, with its article: "an ONNX
// model". Empty for text that may be a trace or a problem, for a TensorFlow
// Lite model and for a format that is not known.
absl::string_view OtherFormat(absl::string_view start);

// Error: InvalidArgument for a file that OtherFormat names; `name` stands for
// the file.
absl::Status CheckFormat(absl::string_view start, absl::string_view name);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_OTHER_FORMAT_H_
