// SPDX-License-Identifier: Apache-2.0
// Reads the log of a search line by line (docs/certificates.md). To check that
// the steps prove something, use SearchReplay (search_replay.h) or
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

// The letters that the lines of a log may begin with, grouped by how many
// numbers follow. No letter may be 'e', since 'e' begins the last line.
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
  // Reads the text after the line "log": first `text`, then, unless `read` is
  // null, the text that `read` returns. Both arguments must outlive the object.
  LogReader(const LogLetters& letters, string_view text, const ReadText& read)
      : letters_(letters), rest_(text), read_(read) {}

  // Returns the next step; the step of the last line has the letter kEnd.
  // Errors: InvalidArgument for a line that is not a step, for a wrong
  // checksum, and for a text that ends early or continues after its last line;
  // any error of `read`.
  StatusOr<LogStep> Next();

  // Returns InvalidArgument "log line N: MESSAGE" for the line that was read
  // last.
  Status ErrorHere(string_view message) const;

 private:
  // Reads more text until a whole line, or all of the remaining text, is
  // available.
  Status Fill();
  Status CheckEnd(string_view line);

  const LogLetters letters_;
  // The text that is not parsed yet. If `read` returned this text, it lies in
  // buffer_.
  string_view rest_;
  const ReadText& read_;
  std::string buffer_;
  // Says whether `read` has returned all of its text.
  bool is_at_end_ = false;
  size_t line_ = 0;
  // The FNV-1a hash of the lines so far.
  uint64_t checksum_ = 0xCBF29CE484222325;
};

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_LOG_READER_H_
