// SPDX-License-Identifier: Apache-2.0
// Buffers the text of a log (docs/certificates.md). Passes the text on whenever
// it exceeds a certain size, and closes the log with a hash of all lines. For
// the meaning of the lines, see search_log.h and class_log.h.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_LOG_BUFFER_H_
#define STOWAGE_STRATEGIES_OPTIMAL_LOG_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "src/base/str_cat.h"
#include "stowage/base/status.h"
#include "stowage/strategy.h"

namespace stowage::optimal {

class LogBuffer {
 public:
  // `write` must outlive the object.
  explicit LogBuffer(const WriteText& write) : write_(write) {}

  template <typename... Parts>
  void AddLine(const Parts&... parts) {
    StrAppend(&text_, parts..., "\n");
  }

  // Returns the size in bytes, including text that has been passed on.
  size_t size() const { return passed_ + text_.size(); }

  // Removes the text that was added after the log had this size. If a part of
  // that text has already been passed on, changes nothing and returns false.
  bool TruncateTo(size_t size) {
    if (size < passed_) return false;
    text_.resize(size - passed_);
    return true;
  }

  // Passes the text on if it is too large to keep. Otherwise calls `write` with
  // an empty string, to give `write` an opportunity to report an error. Errors:
  // those of `write`.
  Status Relieve() { return text_.size() < kMaxBytes ? write_("") : Flush(); }

  // Passes on the remaining text and the last line. Errors: those of `write`.
  Status Finish() {
    if (Status s = Flush(); !s.ok()) return s;
    return write_(StrCat("end ", Hex(checksum_, kZeroPad16), "\n"));
  }

 private:
  static constexpr size_t kMaxBytes = size_t{1} << 22;

  Status Flush() {
    for (const char c : text_) {  // FNV-1a
      checksum_ = (checksum_ ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    }
    Status written = write_(text_);
    passed_ += text_.size();
    text_.clear();
    return written;
  }

  const WriteText& write_;
  std::string text_;
  size_t passed_ = 0;  // the number of bytes that were passed on
  uint64_t checksum_ = 0xCBF29CE484222325;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_LOG_BUFFER_H_
