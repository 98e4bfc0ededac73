// SPDX-License-Identifier: Apache-2.0
// Reads the events of a log (stowage/recordings/log_format.h) in the order of
// their sequence numbers. The file itself has several lanes of events, which
// this class merges.
#ifndef STOWAGE_SRC_RECORDINGS_LOG_READER_H_
#define STOWAGE_SRC_RECORDINGS_LOG_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "absl/functional/function_ref.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/recordings/log_format.h"

namespace stowage::recordings {

class LogReader {
 public:
  // Finds the chunks of a file and checks all events. `name` stands for the
  // file in messages. `bytes` and `name` must outlive the reader. A file that
  // ends early provides the events up to its last complete one. Error:
  // InvalidArgument if the file differs in any other way from what a recorder
  // writes.
  static StatusOr<LogReader> Open(string_view bytes, const std::string& name);
  // Does the same, and calls `visit` with each event in the order of sequence
  // numbers. The visited events include cancelled events, and the events that
  // cancel them.
  static StatusOr<LogReader> Open(
      string_view bytes, const std::string& name,
      absl::FunctionRef<void(const log_format::Event&)> visit);

  const log_format::FileHeader& header() const { return header_; }
  // Return the path of the program, and its arguments as far as the file
  // contains them.
  const std::string& program() const { return program_; }
  const std::vector<std::string>& arguments() const { return arguments_; }

  // Returns whether the file was cut off.
  bool is_truncated() const { return is_truncated_; }
  // Returns the number of events in the file.
  uint64_t events() const { return events_; }
  // Returns the number of events whose sequence numbers are missing.
  uint64_t missing() const { return last_sequence_ - events_; }
  bool has_cancelled() const { return !cancelled_.empty(); }
  bool has_steps() const { return has_steps_; }
  bool has_pools() const { return has_pools_; }

  // Calls `visit` with each event in the order of sequence numbers, except
  // events that are cancelled and events that cancel others. O(n log l) for n
  // events in l lanes.
  void ForEach(absl::FunctionRef<void(const log_format::Event&)> visit) const;

 private:
  struct Chunk {
    size_t begin = 0;  // the position of the first event
    size_t end = 0;
    log_format::Position before;
  };
  class LaneCursor;

  LogReader(string_view bytes, const std::string& name)
      : bytes_(bytes), name_(&name) {}

  Status ReadHeader();
  Status FindChunks();
  Status AddChunk(size_t at, const log_format::ChunkHeader& header);
  Status CheckEvents(absl::FunctionRef<void(const log_format::Event&)> visit);
  // Merges the lanes, and calls `visit` with every event. This function is a
  // template so that the many calls are fast.
  template <typename Visit>
  Status Merge(const Visit& visit) const;
  Status Error(size_t at, string_view what) const;

  string_view bytes_;
  const std::string* name_;
  log_format::FileHeader header_ = {};
  std::string program_;
  std::vector<std::string> arguments_;
  std::vector<std::vector<Chunk>> lanes_;
  std::unordered_set<uint64_t> cancelled_;  // sequence numbers
  bool is_truncated_ = false;
  bool has_steps_ = false;
  bool has_pools_ = false;
  uint64_t events_ = 0;
  uint64_t last_sequence_ = 0;
};

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_LOG_READER_H_
