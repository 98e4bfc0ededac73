// SPDX-License-Identifier: Apache-2.0
// Reads the log of a search line by line (docs/certificates.md). To check what
// the steps of the log prove, use SearchReplay (search_replay.h) or
// ObjectsReplay (objects_replay.h).
#ifndef STOWAGE_SRC_PROOF_LOG_READER_H_
#define STOWAGE_SRC_PROOF_LOG_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/certificate.h"

namespace stowage::certificate {

// The letters with which the lines of a log may begin, grouped by the number of
// numbers that follow the letter. No letter may be 'e', because the last line
// begins with 'e'.
struct LogLetters {
  string_view without_number;
  string_view with_number;
  string_view with_two;
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
  // Reads the text after the line "log": first `text` and then, unless `read`
  // is null, the text that `read` returns. Both arguments must outlive the
  // object.
  LogReader(const LogLetters& letters, string_view text, const ReadText& read)
      : letters_(letters), rest_(text), read_(read) {}

  // Returns the next step; the step of the last line has the letter kEnd.
  // Errors: InvalidArgument for a line that is not a step, for a wrong
  // checksum, and for a text that has no last line or continues after it; any
  // error of `read`.
  StatusOr<LogStep> Next();

  // Returns the InvalidArgument error "log line N: MESSAGE", where N is the
  // line that was read last.
  Status ErrorHere(string_view message) const;

 private:
  // Reads more text until a whole line, or the entire remaining text, is
  // available.
  Status Fill();
  Status CheckEnd(string_view line);

  const LogLetters letters_;
  // The text that has not been parsed. Points into buffer_ if the text was
  // returned by `read`.
  string_view rest_;
  const ReadText& read_;
  std::string buffer_;
  // True if `read` has returned all of its text.
  bool is_at_end_ = false;
  size_t line_ = 0;
  // The FNV-1a hash of the lines so far.
  uint64_t checksum_ = 0xCBF29CE484222325;
};

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_LOG_READER_H_
