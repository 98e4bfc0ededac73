// SPDX-License-Identifier: Apache-2.0
// The text of a log as it is written (docs/certificates.md): kept up to a size,
// then passed on, with the hash of all lines at its end. What the lines say is
// for search_log.h and class_log.h.
#ifndef STOWAGE_STRATEGIES_OPTIMAL_LOG_BUFFER_H_
#define STOWAGE_STRATEGIES_OPTIMAL_LOG_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "stowage/solution.h"

namespace stowage::optimal {

class LogBuffer {
 public:
  // `write` must outlive the object.
  explicit LogBuffer(const SearchProof::Write& write) : write_(write) {}

  template <typename... Parts>
  void AddLine(const Parts&... parts) {
    absl::StrAppend(&text_, parts..., "\n");
  }

  // Bytes, with those that were passed on.
  size_t size() const { return passed_ + text_.size(); }

  // Takes back what was added since the log had this size. Returns false, and
  // changes nothing, if some of that was passed on.
  bool TruncateTo(size_t size) {
    if (size < passed_) return false;
    text_.resize(size - passed_);
    return true;
  }

  // Passes on what is too much to keep, or nothing. Error: that of writing.
  absl::Status Relieve() {
    return text_.size() < kMostBytes ? write_("") : Flush();
  }

  // Passes on what is left, and the last line. Error: that of writing.
  absl::Status Finish() {
    if (absl::Status s = Flush(); !s.ok()) return s;
    return write_(
        absl::StrCat("end ", absl::Hex(checksum_, absl::kZeroPad16), "\n"));
  }

 private:
  static constexpr size_t kMostBytes = size_t{1} << 22;

  absl::Status Flush() {
    for (const char c : text_) {  // FNV-1a
      checksum_ = (checksum_ ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    }
    absl::Status written = write_(text_);
    passed_ += text_.size();
    text_.clear();
    return written;
  }

  const SearchProof::Write& write_;
  std::string text_;
  size_t passed_ = 0;  // bytes
  uint64_t checksum_ = 0xCBF29CE484222325;
};

}  // namespace stowage::optimal

#endif  // STOWAGE_STRATEGIES_OPTIMAL_LOG_BUFFER_H_
