// SPDX-License-Identifier: Apache-2.0
// Buffers the text of a log while it is written (docs/certificates.md): passes
// it on when it exceeds a size, and ends it with the hash of all lines. The
// meaning of the lines is defined by search_log.h and class_log.h.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_LOG_BUFFER_H_
#define STOWAGE_STRATEGIES_OPTIMAL_LOG_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "stowage/strategy.h"

namespace stowage::optimal {

class LogBuffer {
 public:
  // `write` must outlive the object.
  explicit LogBuffer(const WriteText& write) : write_(write) {}

  template <typename... Parts>
  void AddLine(const Parts&... parts) {
    absl::StrAppend(&text_, parts..., "\n");
  }

  // Returns the size in bytes, including the text that was passed on.
  size_t size() const { return passed_ + text_.size(); }

  // Removes whatever was added since the log had this size. Returns false, and
  // changes nothing, if a part of that was already passed on.
  bool TruncateTo(size_t size) {
    if (size < passed_) return false;
    text_.resize(size - passed_);
    return true;
  }

  // Passes the text on if it is too large to keep; otherwise calls `write` with
  // an empty string, which may report an error as well. Errors: those of
  // `write`.
  absl::Status Relieve() {
    return text_.size() < kMaxBytes ? write_("") : Flush();
  }

  // Passes on the remaining text and the last line. Errors: those of `write`.
  absl::Status Finish() {
    if (absl::Status s = Flush(); !s.ok()) return s;
    return write_(
        absl::StrCat("end ", absl::Hex(checksum_, absl::kZeroPad16), "\n"));
  }

 private:
  static constexpr size_t kMaxBytes = size_t{1} << 22;

  absl::Status Flush() {
    for (const char c : text_) {  // FNV-1a
      checksum_ = (checksum_ ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    }
    absl::Status written = write_(text_);
    passed_ += text_.size();
    text_.clear();
    return written;
  }

  const WriteText& write_;
  std::string text_;
  size_t passed_ = 0;  // bytes
  uint64_t checksum_ = 0xCBF29CE484222325;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_LOG_BUFFER_H_
