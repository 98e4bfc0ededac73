// SPDX-License-Identifier: Apache-2.0
// Recognizes, by the first bytes of a file, formats that stowage does not read,
// such as ONNX, archives and images. An error message can then name the format
// of the file instead of the first unexpected byte. The author of a FileFormat
// can use this header to describe a file that the format's parser refuses. To
// read a file of a supported format, use ReadProblemFile (problem_file.h).
#ifndef STOWAGE_IO_OTHER_FORMAT_H_
#define STOWAGE_IO_OTHER_FORMAT_H_

#include <cstddef>

#include "stowage/base/status.h"
#include "stowage/base/string_view.h"

namespace stowage {

// The number of bytes at the start of a file that OtherFormat needs.
constexpr size_t kFormatStartBytes = 512;

// Returns the name of the format of a file that begins with `start`, with its
// article: "an ONNX model". Returns an empty string if the format is unknown,
// if the file is a TensorFlow Lite model, or if the file is text that may be a
// trace or a problem.
string_view OtherFormat(string_view start);

// Returns InvalidArgument if OtherFormat recognizes the format of the file. The
// message refers to the file as `name`. O(1).
Status CheckFormat(string_view start, string_view name);

}  // namespace stowage

#endif  // STOWAGE_IO_OTHER_FORMAT_H_
