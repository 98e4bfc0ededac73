// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/recording_input.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/byte_source.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {
namespace {

constexpr string_view kGzipMark = "\x1F\x8B";
constexpr string_view kZstdMark = "\x28\xB5\x2F\xFD";

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

// Returns whether the bytes begin with a zstd frame or with a skippable frame
// (RFC 8878, section 3.1.2). The files of pzstd begin with a skippable frame.
bool IsZstd(string_view bytes) {
  const bool is_skippable = bytes.size() >= 4 && (bytes[0] & 0xF0) == 0x50 &&
                            bytes.substr(1, 3) == "\x2A\x4D\x18";
  return is_skippable || absl::StartsWith(bytes, kZstdMark);
}

// The base-2 logarithm of the maximum window size of a zstd frame. `zstd`
// itself has the same limit.
constexpr int kMaxWindowLog = 27;

absl::Status Damaged(const std::string& name, string_view packer) {
  return absl::InvalidArgumentError(
      absl::StrCat(name,
                   ": cannot be unpacked; expected the whole of a file "
                   "compressed by ",
                   packer));
}

// Unpacks the members of a gzip file, one after another.
class GzipSource final : public ByteSource {
 public:
  GzipSource(string_view bytes, std::string name)
      : rest_(bytes), name_(std::move(name)) {
    // MAX_WBITS selects the largest window. Adding 16 accepts only gzip files.
    is_open_ = inflateInit2(&stream_, MAX_WBITS + 16) == Z_OK;
  }
  ~GzipSource() override {
    if (is_open_) inflateEnd(&stream_);
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;

  StatusOr<size_t> Read(Span<char> buffer) override {
    constexpr size_t kMost = std::numeric_limits<uInt>::max();
    if (!is_open_) return absl::ResourceExhaustedError("no memory for zlib");
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(std::min(buffer.size(), kMost));
    const size_t asked = stream_.avail_out;
    while (stream_.avail_out == asked) {
      if (is_member_over_) {
        // Tools that write in blocks pad the last block with zeros.
        if (rest_.find_first_not_of('\0') == string_view::npos) return 0;
        if (!absl::StartsWith(rest_, kGzipMark)) return Damaged(name_, "gzip");
        inflateReset(&stream_);
        is_member_over_ = false;
      }
      const size_t count = std::min(rest_.size(), kMost);
      // zlib does not write to its input.
      stream_.next_in =
          reinterpret_cast<Bytef*>(const_cast<char*>(rest_.data()));
      stream_.avail_in = static_cast<uInt>(count);
      const int result = inflate(&stream_, Z_NO_FLUSH);
      rest_.remove_prefix(count - stream_.avail_in);
      is_member_over_ = result == Z_STREAM_END;
      // The bytes before a corruption are returned, because they may be
      // sufficient to recognize the file. The next call returns the error.
      if (result != Z_OK && result != Z_STREAM_END &&
          stream_.avail_out == asked) {
        return Damaged(name_, "gzip");
      }
    }
    return asked - stream_.avail_out;
  }

 private:
  z_stream stream_ = {};
  bool is_open_ = false;
  bool is_member_over_ = false;
  string_view rest_;
  std::string name_;
};

class ZstdSource final : public ByteSource {
 public:
  ZstdSource(string_view bytes, std::string name)
      : input_{bytes.data(), bytes.size(), 0},
        name_(std::move(name)),
        stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) return;
    ZSTD_DCtx_setParameter(stream_, ZSTD_d_windowLogMax, kMaxWindowLog);
  }
  ~ZstdSource() override { ZSTD_freeDStream(stream_); }
  ZstdSource(const ZstdSource&) = delete;
  ZstdSource& operator=(const ZstdSource&) = delete;

  StatusOr<size_t> Read(Span<char> buffer) override {
    if (stream_ == nullptr) {
      return absl::ResourceExhaustedError("no memory for zstd");
    }
    ZSTD_outBuffer output = {buffer.data(), buffer.size(), 0};
    while (output.pos == 0) {
      const size_t before = input_.pos;
      if (before == input_.size && is_frame_over_) return 0;
      const size_t result = ZSTD_decompressStream(stream_, &output, &input_);
      const bool stands_still = input_.pos == before && output.pos == 0;
      is_frame_over_ = result == 0;
      if (ZSTD_isError(result) != 0U || (stands_still && !is_frame_over_)) {
        return Damaged(name_, "zstd");
      }
    }
    return output.pos;
  }

 private:
  ZSTD_inBuffer input_;
  std::string name_;
  ZSTD_DStream* stream_;
  bool is_frame_over_ = true;
};

std::unique_ptr<ByteSource> SourceOf(string_view bytes,
                                     const std::string& name) {
  if (absl::StartsWith(bytes, kGzipMark)) {
    return std::make_unique<GzipSource>(bytes, name);
  }
  if (IsZstd(bytes)) {
    return std::make_unique<ZstdSource>(bytes, name);
  }
  return std::make_unique<StringSource>(bytes);
}

// Returns the maximum unpacked size of a file with the given packed size.
// Recordings shrink to about a thirtieth of their size. A small file that
// unpacks to much more was made to exhaust memory.
size_t MostUnpackedBytes(size_t packed_bytes) {
  constexpr size_t kMaxRatio = 100;
  constexpr size_t kAlwaysAllowed = size_t{1} << 25;
  if (packed_bytes > kNoLimit / kMaxRatio) return kNoLimit;
  return std::max(packed_bytes * kMaxRatio, kAlwaysAllowed);
}

// Forwards the bytes of a source, and fails if there are more than `most`.
class LimitedSource final : public ByteSource {
 public:
  LimitedSource(std::unique_ptr<ByteSource> source, size_t most,
                std::string name)
      : source_(std::move(source)), most_(most), name_(std::move(name)) {}

  StatusOr<size_t> Read(Span<char> buffer) override {
    StatusOr<size_t> count = source_->Read(buffer);
    if (!count.ok()) return count;
    if (*count > most_ - read_) {
      return absl::ResourceExhaustedError(
          absl::StrCat(name_, ": unpacks to more than ", most_,
                       " bytes; expected at most this, or the unpacked file"));
    }
    read_ += *count;
    return count;
  }

 private:
  std::unique_ptr<ByteSource> source_;
  size_t most_;
  size_t read_ = 0;
  std::string name_;
};

// Appends up to `count` bytes of the source to a string.
absl::Status Append(ByteSource* source, size_t count, std::string* bytes) {
  char buffer[1 << 14];
  while (count > 0) {
    const StatusOr<size_t> read =
        source->Read({buffer, std::min(count, sizeof(buffer))});
    if (!read.ok()) return read.status();
    if (*read == 0) break;
    bytes->append(buffer, *read);
    count -= *read;
  }
  return absl::OkStatus();
}

}  // namespace

string_view PackerOf(string_view start) {
  if (absl::StartsWith(start, kGzipMark)) return "gzip";
  if (IsZstd(start)) return "zstd";
  return "";
}

string_view UnpackStart(string_view start, size_t count,
                        std::string* unpacked) {
  if (PackerOf(start).empty()) return start.substr(0, count);
  // `start` usually ends within the compressed data, so an error at its end is
  // expected.
  Append(SourceOf(start, "").get(), count, unpacked).IgnoreError();
  return *unpacked;
}

std::unique_ptr<ByteSource> RecordingInput::Open() const {
  return OpenUpTo(kNoLimit);
}

std::unique_ptr<ByteSource> RecordingInput::OpenUpTo(size_t most) const {
  std::unique_ptr<ByteSource> source = SourceOf(bytes_, name_);
  if (PackerOf(bytes_).empty()) return source;
  return std::make_unique<LimitedSource>(
      std::move(source), std::min(most, MostUnpackedBytes(bytes_.size())),
      name_);
}

StatusOr<string_view> RecordingInput::Contents() {
  if (PackerOf(bytes_).empty()) return bytes_;
  if (unpacked_.empty()) {
    std::string unpacked;
    const absl::Status status =
        Append(OpenUpTo(kMaxUnpackedBytes).get(), kNoLimit, &unpacked);
    if (!status.ok()) return status;
    unpacked_ = std::move(unpacked);
  }
  return string_view(unpacked_);
}

}  // namespace stowage::recordings
