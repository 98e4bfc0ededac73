// SPDX-License-Identifier: Apache-2.0
// Reads the events of a log (stowage/recordings/log_format.h) in the order of
// their sequence numbers. The file itself has several lanes of events, which
// are merged here.
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
  // Finds the chunks of a file and checks all events. `name` is the name of the
  // file in messages. `bytes` and `name` must outlive the reader. If the file
  // is truncated, reads the events up to the last complete one. Errors:
  // InvalidArgument if the file differs in any other way from the files that a
  // recorder writes.
  static StatusOr<LogReader> Open(string_view bytes, const std::string& name);
  // Like the function above, but also calls `visit` with each event in the
  // order of sequence numbers. The visited events include cancelled events and
  // the events that cancel them.
  static StatusOr<LogReader> Open(
      string_view bytes, const std::string& name,
      absl::FunctionRef<void(const log_format::Event&)> visit);

  const log_format::FileHeader& header() const { return header_; }
  // Return the path of the program, and those of its arguments that the file
  // contains.
  const std::string& program() const { return program_; }
  const std::vector<std::string>& arguments() const { return arguments_; }

  // Returns whether the file was truncated.
  bool is_truncated() const { return is_truncated_; }
  // Returns the number of events in the file.
  uint64_t events() const { return events_; }
  // Returns the number of sequence numbers for which there is no event.
  uint64_t missing() const { return last_sequence_ - events_; }
  bool has_cancelled() const { return !cancelled_.empty(); }
  bool has_steps() const { return has_steps_; }
  bool has_pools() const { return has_pools_; }

  // Calls `visit` with each event in the order of sequence numbers, except
  // cancelled events and the events that cancel them. O(n log l) for n events
  // in l lanes.
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
  // Merges the lanes, and calls `visit` with every event. A template, so that
  // the many calls of `visit` are fast.
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
