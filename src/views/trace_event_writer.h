// SPDX-License-Identifier: Apache-2.0
// Writers of events in one format each. What the events are is in
// trace_events.cc.
#ifndef STOWAGE_SRC_VIEWS_TRACE_EVENT_WRITER_H_
#define STOWAGE_SRC_VIEWS_TRACE_EVENT_WRITER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/types/optional.h"

namespace stowage::views {

// A number, or a text, which is UTF-8.
struct EventArg {
  std::string key;
  absl::optional<uint64_t> number;
  std::string text = {};
};

// Nanoseconds, half-open.
struct EventSlice {
  std::string name;
  uint64_t begin = 0;
  uint64_t end = 0;
  std::vector<EventArg> args = {};
};

// Appends to `out`, which a caller may empty between calls. Tracks of a process
// are shown in the order in which they are added. All texts are UTF-8.
class TraceEventWriter {
 public:
  using Track = uint64_t;

  virtual ~TraceEventWriter() = default;
  virtual void Begin(std::string* out) = 0;
  // The next process; what follows belongs to it.
  virtual void AddProcess(const std::string& name, std::string* out) = 0;
  // The tracks that follow belong to this part of the process.
  virtual void AddGroup(const std::string& name, std::string* out) = 0;
  virtual Track AddTrack(const std::string& name, std::string* out) = 0;
  // Of a track, in the order of time.
  virtual void AddSlice(Track track, const EventSlice& slice,
                        std::string* out) = 0;
  // Counters that change together, called "arena live": the name and a key.
  virtual Track AddCounters(const std::string& name,
                            const std::vector<std::string>& keys,
                            std::string* out) = 0;
  // One value in bytes for each key.
  virtual void AddBytes(Track counters, uint64_t time,
                        const std::vector<uint64_t>& bytes,
                        std::string* out) = 0;
  virtual void End(std::string* out) = 0;
};

std::unique_ptr<TraceEventWriter> JsonEventWriter();
std::unique_ptr<TraceEventWriter> PerfettoEventWriter();

}  // namespace stowage::views

#endif  // STOWAGE_SRC_VIEWS_TRACE_EVENT_WRITER_H_
