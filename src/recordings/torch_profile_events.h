// SPDX-License-Identifier: Apache-2.0
// Reads the memory events of a profile that PyTorch has written as JSON, and
// checks each event. torch_profile.cc converts the events to problems.
//
// The file is a Chrome trace: an object with a list "traceEvents" that contains
// an object for each event. Memory events are instants with the name "[memory]"
// and these args, in any order (source: profiler_kineto.cpp of PyTorch):
//
//   Device Type, Device Id   the device of the memory, with the numbers of c10
//   Addr                     the address of the block
//   Bytes                    its size, negative if the block is freed
//   Total Allocated          all bytes of the device after the event; missing
//                            or -1 if an allocator does not count them
#ifndef STOWAGE_SRC_RECORDINGS_TORCH_PROFILE_EVENTS_H_
#define STOWAGE_SRC_RECORDINGS_TORCH_PROFILE_EVENTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/recordings/json_events.h"
#include "src/recordings/recording_input.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {

// A decimal number without rounding. Needed because times have more digits than
// a double can represent.
struct TorchDecimal {
  int64_t whole = 0;
  // The digits after the point, in units of 10^-18, with the sign of `whole`.
  int64_t fraction = 0;
};

inline bool operator<(const TorchDecimal& a, const TorchDecimal& b) {
  return a.whole != b.whole ? a.whole < b.whole : a.fraction < b.fraction;
}

// Returns the number that a text such as "1428625746340.715" or "1.5e3"
// represents. Returns nothing for other texts, and for numbers with more than
// 18 digits before or after the point.
optional<TorchDecimal> ParseTorchDecimal(string_view text);

// Returns the number in decimal digits.
std::string FormatTorchDecimal(const TorchDecimal& number);

struct TorchMemoryEvent {
  TorchDecimal time;  // "ts", in microseconds
  uint64_t address = 0;
  // The size in bytes of the block that is allocated or freed.
  uint64_t size = 0;
  bool is_free = false;
  bool has_total = false;
  uint64_t total = 0;
  size_t index = 0;  // the index in "traceEvents"
};

// The Device Type and the Device Id.
using ProfileDevice = std::pair<int64_t, int64_t>;

struct TorchDeviceEvents {
  std::vector<TorchMemoryEvent> events;  // in the order of the file
  // `process` is the first process that has an event, and `other_process` is
  // another process that has events. Each is empty if there is no such process.
  std::string process;
  std::string other_process;
};

using TorchEvents = std::map<ProfileDevice, TorchDeviceEvents>;

// Returns the events of each device, at least one event in total. Errors:
// InvalidArgument for a text that is not JSON, that has no list of events or no
// memory event, or in which a memory event lacks one of its values.
StatusOr<TorchEvents> ReadTorchEvents(const RecordingInput& input);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_TORCH_PROFILE_EVENTS_H_
