// SPDX-License-Identifier: Apache-2.0
// Reads the log of a search line by line (docs/certificates.md). Whether the
// steps prove anything is for SearchReplay (search_replay.h) and ObjectsReplay
// (objects_replay.h) to say.
#ifndef STOWAGE_SRC_CERTIFICATE_LOG_READER_H_
#define STOWAGE_SRC_CERTIFICATE_LOG_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/certificate.h"

namespace stowage::certificate {

// The letters that the lines of a log may begin with, by how many numbers
// follow. None is 'e', which begins the last line.
struct LogLetters {
  absl::string_view without_number;
  absl::string_view with_number;
  absl::string_view with_two;
};

// A line of the log: a letter and its numbers.
struct LogStep {
  static constexpr char kEnd = 'e';

  char letter = kEnd;
  size_t number = 0;
  size_t second = 0;
};

class LogReader {
 public:
  // What follows the line "log": the text, then what `read` has, unless it is
  // null. Both must outlive the object.
  LogReader(const LogLetters& letters, absl::string_view text,
            const ReadText& read)
      : letters_(letters), rest_(text), read_(read) {}

  // The next line; kEnd for the last. Errors: InvalidArgument for a line that
  // is not a step, for a checksum that differs, for a text that ends early or
  // goes on behind the end; those of reading.
  absl::StatusOr<LogStep> Next();

  // InvalidArgument: "log line N: MESSAGE", of the line that was read last.
  absl::Status ErrorHere(absl::string_view message) const;

 private:
  // Reads on until what is there has a whole line or all that is left.
  absl::Status Fill();
  absl::Status CheckEnd(absl::string_view line);

  const LogLetters letters_;
  absl::string_view rest_;  // not yet parsed, in buffer_ once it was read
  const ReadText& read_;
  std::string buffer_;
  bool is_at_end_ = false;  // of what is read
  size_t line_ = 0;
  uint64_t checksum_ = 0xCBF29CE484222325;  // FNV-1a of the lines so far
};

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_CERTIFICATE_LOG_READER_H_
