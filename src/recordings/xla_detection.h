// SPDX-License-Identifier: Apache-2.0
// Recognizes XLA files by the first fields of their messages, because these
// files have no magic number. For formats that are rejected, see
// io/other_format.h.
#ifndef STOWAGE_SRC_RECORDINGS_XLA_DETECTION_H_
#define STOWAGE_SRC_RECORDINGS_XLA_DETECTION_H_

#include <string>

#include "stowage/base/string_view.h"

namespace stowage::recordings {

// Return whether a file that begins with `start` is an XSpace or HloProto
// message. The first message in the file must have the fields that writers put
// first. If the names in these fields are not typical of XLA, the extension of
// the path is decisive.
bool IsXlaXplane(string_view start, const std::string& path);
bool IsXlaHlo(string_view start, const std::string& path);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_XLA_DETECTION_H_
