// SPDX-License-Identifier: Apache-2.0
// Declares writers of events, one for each format. trace_events.cc decides
// which events are written.
#ifndef STOWAGE_SRC_VIEWS_TRACE_EVENT_WRITER_H_
#define STOWAGE_SRC_VIEWS_TRACE_EVENT_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/optional.h"

namespace stowage::views {

// An argument of an event: a number, or a text in UTF-8.
struct EventArg {
  std::string key;
  absl::optional<uint64_t> number;
  std::string text = {};
};

// A slice of a track: the half-open interval [begin, end), in nanoseconds.
struct EventSlice {
  std::string name;
  uint64_t begin = 0;
  uint64_t end = 0;
  std::vector<EventArg> args = {};
};

// Writes events in one format. All functions append to `out`, which the caller
// may empty between calls. Viewers show the tracks of a process in the order in
// which they were added. All texts are UTF-8.
class TraceEventWriter {
 public:
  using Track = uint64_t;

  virtual ~TraceEventWriter() = default;
  virtual void Begin(std::string* out) = 0;
  // Begins the next process. Everything added after this call belongs to this
  // process.
  virtual void AddProcess(const std::string& name, std::string* out) = 0;
  // Begins a group of tracks in the process. Tracks added after this call
  // belong to this group.
  virtual void AddGroup(const std::string& name, std::string* out) = 0;
  virtual Track AddTrack(const std::string& name, std::string* out) = 0;
  // Adds a slice. The slices of a track must be added in chronological order.
  virtual void AddSlice(Track track, const EventSlice& slice,
                        std::string* out) = 0;
  // Adds counters that always change together. The name of each counter
  // consists of `name` and one of `keys`, for example "arena live".
  virtual Track AddCounters(const std::string& name,
                            const std::vector<std::string>& keys,
                            std::string* out) = 0;
  // Sets the counters to the values `bytes` from `time` on. `bytes` has one
  // value for each key.
  virtual void AddBytes(Track counters, uint64_t time,
                        const std::vector<uint64_t>& bytes,
                        std::string* out) = 0;
  virtual void End(std::string* out) = 0;
};

std::unique_ptr<TraceEventWriter> JsonEventWriter();
std::unique_ptr<TraceEventWriter> PerfettoEventWriter();

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_TRACE_EVENT_WRITER_H_
