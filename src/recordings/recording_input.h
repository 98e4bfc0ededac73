// SPDX-License-Identifier: Apache-2.0
// The bytes of a recording, unpacked if the file is compressed by gzip or zstd.
#ifndef STOWAGE_SRC_RECORDINGS_RECORDING_INPUT_H_
#define STOWAGE_SRC_RECORDINGS_RECORDING_INPUT_H_

#include <cstddef>
#include <memory>
#include <string>

#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/byte_source.h"

namespace stowage::recordings {

// Returns the name of what compressed the file with these first bytes, or an
// empty string if it is not compressed.
string_view PackerOf(string_view start);

// Returns the first `count` unpacked bytes of a file, or as many as its first
// bytes give. They are kept in `unpacked` if the file is compressed; otherwise
// nothing is copied.
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
  // unpacks to more than a recording of its size does (kMaxUnpackedBytes).
  std::unique_ptr<ByteSource> Open() const;

  // Returns the unpacked content in one piece. Errors: those of the stream;
  // ResourceExhausted for more than kMaxUnpackedBytes.
  StatusOr<string_view> Contents();

 private:
  // Returns the stream, which gives at most this number of unpacked bytes.
  std::unique_ptr<ByteSource> OpenUpTo(size_t most) const;

  string_view bytes_;
  const std::string& name_;
  std::string unpacked_;
};

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_RECORDING_INPUT_H_
