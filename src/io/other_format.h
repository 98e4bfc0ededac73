// SPDX-License-Identifier: Apache-2.0
// Looks at the first bytes of a file and recognizes formats that stowage does
// not read. An error can then name the format of the file instead of its first
// unexpected byte.
#ifndef STOWAGE_SRC_IO_OTHER_FORMAT_H_
#define STOWAGE_SRC_IO_OTHER_FORMAT_H_

#include <cstddef>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace stowage {

// This number of bytes at the start of a file suffices to name its format.
constexpr size_t kFormatStartBytes = 512;

// Returns the format of a file that begins with `start`, with its article: "an
// ONNX model". Returns an empty string for text that may be a trace or a
// problem, for a TensorFlow Lite model and for an unknown format.
absl::string_view OtherFormat(absl::string_view start);

// Returns InvalidArgument if OtherFormat knows the format of the file. `name`
// stands for the file in the message.
absl::Status CheckFormat(absl::string_view start, absl::string_view name);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_OTHER_FORMAT_H_
