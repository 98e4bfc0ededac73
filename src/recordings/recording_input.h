// SPDX-License-Identifier: Apache-2.0
// Provides the bytes of a recording, and unpacks files that are compressed with
// gzip or zstd.
#ifndef STOWAGE_SRC_RECORDINGS_RECORDING_INPUT_H_
#define STOWAGE_SRC_RECORDINGS_RECORDING_INPUT_H_

#include <cstddef>
#include <memory>
#include <string>

#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/byte_source.h"

namespace stowage::recordings {

// Returns the compression of a file that begins with `start`, "gzip" or "zstd".
// Returns an empty string if the file is not compressed.
string_view PackerOf(string_view start);

// Returns the first `count` unpacked bytes of a file that begins with `start`,
// or fewer bytes if `start` does not contain that many. If the file is
// compressed, stores the result in `unpacked`; otherwise copies nothing.
string_view UnpackStart(string_view start, size_t count, std::string* unpacked);

class RecordingInput {
 public:
  // `bytes` is the file before unpacking, and `name` is its name in messages.
  // Both must outlive the input.
  RecordingInput(string_view bytes, const std::string& name)
      : bytes_(bytes), name_(name) {}

  const std::string& name() const { return name_; }

  // Returns the unpacked contents as a stream, which needs little memory. Each
  // call returns a new stream that starts at the beginning. Errors of the
  // stream: InvalidArgument for bytes that cannot be unpacked or are truncated;
  // ResourceExhausted for a file that unpacks to more bytes than any recording
  // of its size (see kMaxUnpackedBytes).
  std::unique_ptr<ByteSource> Open() const;

  // Returns all unpacked contents at once. Errors: those of the stream;
  // ResourceExhausted for more than kMaxUnpackedBytes.
  StatusOr<string_view> Contents();

 private:
  // Like Open, but the stream also fails if a compressed file unpacks to more
  // than `most` bytes.
  std::unique_ptr<ByteSource> OpenUpTo(size_t most) const;

  string_view bytes_;
  const std::string& name_;
  std::string unpacked_;
};

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_RECORDING_INPUT_H_
