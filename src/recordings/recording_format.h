// SPDX-License-Identifier: Apache-2.0
// Defines a row of the table of recording formats. Each format has its own
// source file that defines its row, and an entry in the table (recording.cc).
#ifndef STOWAGE_SRC_RECORDINGS_RECORDING_FORMAT_H_
#define STOWAGE_SRC_RECORDINGS_RECORDING_FORMAT_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "src/recordings/recording_input.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {

struct RecordingFormat {
  RecordingFormatInfo info;
  // Returns whether a file has this format. `start` contains the first
  // kDetectionBytes unpacked bytes, or all bytes of a smaller file. Every file
  // must be accepted by at most one format.
  bool (*detect)(string_view start, const std::string& path);
  // Reads all parts, which must have different names. Null if files of this
  // format cannot be planned (RecordingFormatInfo::instead).
  StatusOr<std::vector<RecordingPart>> (*read)(RecordingInput* input,
                                               const RecordingOptions& options);
};

// Returns a list of one part. An initializer list would have to copy the part.
inline std::vector<RecordingPart> OnePart(RecordingPart part) {
  std::vector<RecordingPart> parts;
  parts.push_back(std::move(part));
  return parts;
}

// The maximum number of unpacked bytes that are passed to `detect`. Programs
// that rewrite a profile may insert many kilobytes of their own before it.
constexpr size_t kDetectionBytes = size_t{1} << 17;

// The number of bytes of a compressed file that is sufficient to unpack
// kDetectionBytes. A zstd block, which can only be unpacked as a whole, has up
// to 128 KiB.
constexpr size_t kPackedStartBytes = size_t{1} << 18;

// The rows, which are defined in the source files of the formats.
extern const RecordingFormat kExecutorch;
extern const RecordingFormat kIdealloc;
extern const RecordingFormat kTvmGraph;
extern const RecordingFormat kXlaHlo;
extern const RecordingFormat kXlaXplane;
extern const RecordingFormat kOnnx;
extern const RecordingFormat kStowageLog;
extern const RecordingFormat kTorchSnapshot;
extern const RecordingFormat kTorchProfile;
extern const RecordingFormat kMtrace;
extern const RecordingFormat kValgrind;
extern const RecordingFormat kHeaptrack;

// The rows of formats that cannot be planned (unplannable.cc).
extern const RecordingFormat kDhat;
extern const RecordingFormat kHeaptrackInterpreted;
extern const RecordingFormat kMassif;
extern const RecordingFormat kJemalloc;
extern const RecordingFormat kGperftools;
extern const RecordingFormat kHeapprofd;
extern const RecordingFormat kLtrace;
extern const RecordingFormat kMtraceReport;

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_RECORDING_FORMAT_H_
