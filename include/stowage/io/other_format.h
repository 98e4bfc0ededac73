// SPDX-License-Identifier: Apache-2.0
// Looks at the first bytes of a file and recognizes formats that stowage does
// not read, such as ONNX, archives and pictures. An error can then name the
// format of the file instead of its first unexpected byte. A reader of a
// further format (FileFormat) can use this header to describe a file that it
// refuses. To read a file of a supported format, use ReadProblemFile
// (problem_file.h).
#ifndef STOWAGE_IO_OTHER_FORMAT_H_
#define STOWAGE_IO_OTHER_FORMAT_H_

#include <cstddef>

#include "stowage/base/status.h"
#include "stowage/base/string_view.h"

namespace stowage {

// This number of bytes at the start of a file suffices to name its format.
constexpr size_t kFormatStartBytes = 512;

// Returns the format of a file that begins with `start`, with its article: "an
// ONNX model". Returns an empty string for text that may be a trace or a
// problem, for a TensorFlow Lite model and for an unknown format.
string_view OtherFormat(string_view start);

// Returns InvalidArgument if OtherFormat knows the format of the file. `name`
// stands for the file in the message. O(1).
Status CheckFormat(string_view start, string_view name);

}  // namespace stowage

#endif  // STOWAGE_IO_OTHER_FORMAT_H_
