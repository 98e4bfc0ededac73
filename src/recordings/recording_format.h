// SPDX-License-Identifier: Apache-2.0
// A row of the table of formats of recordings. Each format is a source of its
// own that defines its row, and a line in the table (recording.cc).
#ifndef STOWAGE_SRC_RECORDINGS_RECORDING_FORMAT_H_
#define STOWAGE_SRC_RECORDINGS_RECORDING_FORMAT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "src/recordings/recording_input.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {

struct RecordingFormat {
  RecordingFormatInfo info;
  // Returns whether a file has this format. `start` are the first unpacked
  // bytes, as many as a detection may need (kDetectionBytes) or all of them.
  // Detections of different formats must not overlap.
  bool (*detect)(string_view start, const std::string& path);
  // Reads all parts. The names of the parts differ. Null for a format that
  // cannot be planned (RecordingFormatInfo::instead).
  StatusOr<std::vector<RecordingPart>> (*read)(RecordingInput* input,
                                               const RecordingOptions& options);
};

// At most this number of unpacked bytes is passed to a detection.
constexpr size_t kDetectionBytes = 4096;

// The rows, each in the source of its name.
extern const RecordingFormat kIdealloc;
extern const RecordingFormat kStowageLog;

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_RECORDING_FORMAT_H_
