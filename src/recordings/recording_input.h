// SPDX-License-Identifier: Apache-2.0
// Provides the bytes of a recording, and unpacks a file that is compressed by
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

// Returns the compression of a file with these first bytes, "gzip" or "zstd".
// Returns an empty string if the file is not compressed.
string_view PackerOf(string_view start);

// Returns the first `count` unpacked bytes of a file, or fewer if its first
// bytes `start` do not contain that many. If the file is compressed, the result
// is stored in `unpacked`; otherwise nothing is copied.
string_view UnpackStart(string_view start, size_t count, std::string* unpacked);

class RecordingInput {
 public:
  // `bytes` is the file as it is, and `name` stands for it in messages. Both
  // must outlive the input.
  RecordingInput(string_view bytes, const std::string& name)
      : bytes_(bytes), name_(name) {}

  const std::string& name() const { return name_; }

  // Returns the unpacked content as a stream, which takes little memory. Each
  // call begins anew. Errors of the stream: InvalidArgument for bytes that
  // cannot be unpacked, or that end early; ResourceExhausted for a file that
  // unpacks to more than any recording of its size (see kMaxUnpackedBytes).
  std::unique_ptr<ByteSource> Open() const;

  // Returns the unpacked content in one piece. Errors: those of the stream;
  // ResourceExhausted for more than kMaxUnpackedBytes.
  StatusOr<string_view> Contents();

 private:
  // Does the same as Open. The stream also fails if a compressed file unpacks
  // to more than `most` bytes.
  std::unique_ptr<ByteSource> OpenUpTo(size_t most) const;

  string_view bytes_;
  const std::string& name_;
  std::string unpacked_;
};

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_RECORDING_INPUT_H_
