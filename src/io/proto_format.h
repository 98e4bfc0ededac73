// SPDX-License-Identifier: Apache-2.0
// Recognizes models that are protocol buffer messages. These messages have no
// identifier and may contain their fields in any order, so they are recognized
// by the numbers and types of their fields. For formats with an identifier use
// other_format.h.
#ifndef STOWAGE_SRC_IO_PROTO_FORMAT_H_
#define STOWAGE_SRC_IO_PROTO_FORMAT_H_

#include "stowage/base/string_view.h"

namespace stowage {

// Returns the format of a file that begins with `start`, including its article:
// "an ONNX model". Returns an empty string for an unknown format and for text.
string_view ProtoFormat(string_view start);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_PROTO_FORMAT_H_
