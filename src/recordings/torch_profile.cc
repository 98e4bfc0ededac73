// SPDX-License-Identifier: Apache-2.0
// Converts the memory events in PyTorch profiles to problems, one for each
// device. The events of a device must be sorted by time first, because in the
// file they are grouped by thread.
//
// The events of a profile can be checked for consistency. PyTorch's caching
// allocators count the bytes of a device and report an event while holding the
// same lock. The total in an event, minus all sizes up to that event, is
// therefore always the number of bytes that were allocated before the profile
// (source: CUDACachingAllocator.cpp and XPUCachingAllocator.cpp of PyTorch).
// This is not true for CPU memory: CPUAllocator.cpp reports after it has
// released the lock, and MapAllocator.cpp reports a total of 0.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "src/recordings/json_events.h"
#include "src/recordings/recording_format.h"
#include "src/recordings/recording_input.h"
#include "src/recordings/torch_profile_events.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/io/byte_source.h"
#include "stowage/recordings/event_log.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {
namespace {

// The numbers of device types in c10/core/DeviceType.h of PyTorch.
constexpr int64_t kTorchCpu = 0;
constexpr int64_t kTorchCuda = 1;
constexpr int64_t kTorchHip = 6;
constexpr int64_t kTorchXpu = 12;

// Returns whether the totals of a device must be consistent with the sizes.
bool MustAgree(const ProfileDevice& device) {
  return device.first == kTorchCuda || device.first == kTorchHip ||
         device.first == kTorchXpu;
}

std::string NameOf(const ProfileDevice& device) {
  const auto [type, id] = device;
  if (type == kTorchCpu && id == -1) return "cpu";
  const std::string name = type == kTorchCpu    ? "cpu"
                           : type == kTorchCuda ? "cuda"
                           : type == kTorchHip  ? "hip"
                                                : absl::StrCat("type", type);
  return absl::StrCat(name, ":", id);
}

// Adds up the bytes of a device over its events, and checks the totals.
class TorchTotals {
 public:
  // Adds an event. Returns whether it is consistent with the previous events.
  bool Add(const TorchMemoryEvent& event) {
    sum_ += event.is_free ? uint64_t{0} - event.size : event.size;
    if (!event.has_total) return true;
    ++count_;
    if (!has_before_) {
      has_before_ = true;
      before_ = event.total - sum_;
      // The number of bytes before the first event cannot be negative.
      return before_ <= INT64_MAX;
    }
    return event.total == Expected();
  }

  // Returns the expected total of the last event.
  uint64_t Expected() const { return before_ + sum_; }
  // Returns whether the number of bytes that were allocated before the first
  // event is known.
  bool has_before() const { return has_before_; }
  uint64_t before() const { return before_; }
  // Returns the number of events with totals.
  size_t count() const { return count_; }

 private:
  // Both numbers are modulo 2^64, so totals can be compared even if one of the
  // sums has wrapped around.
  uint64_t sum_ = 0;
  uint64_t before_ = 0;
  bool has_before_ = false;
  size_t count_ = 0;
};

// Reads the sorted events of one device.
class TorchDeviceReader {
 public:
  TorchDeviceReader(const ProfileDevice& device, const std::string& file)
      : device_(device), file_(file), name_(NameOf(device)) {}

  StatusOr<RecordingPart> Read(TorchDeviceEvents device,
                               const RecordingOptions& options);

 private:
  absl::Status AddEvent(const TorchMemoryEvent& event, size_t index);
  absl::Status AddAlloc(const TorchMemoryEvent& event, size_t index);
  absl::Status AddFree(const TorchMemoryEvent& event, size_t index);
  absl::Status CheckProcesses(const TorchDeviceEvents& device) const;
  absl::Status Error(const TorchMemoryEvent& event, size_t index,
                     string_view message) const {
    return absl::InvalidArgumentError(
        absl::StrCat(file_, ": event ", index, " of ", name_, ", ts ",
                     FormatTorchDecimal(event.time), " (traceEvents[",
                     event.index, "]): ", message));
  }
  // Returns whether there is at least one total and all totals so far are
  // consistent.
  bool IsProven() const { return agrees_ && totals_.has_before(); }
  std::string Note(size_t events) const;

  const ProfileDevice device_;
  const std::string& file_;
  const std::string name_;
  EventLog log_;
  TorchTotals totals_;
  bool agrees_ = true;
  size_t first_disagreement_ = 0;
  std::unordered_map<uint64_t, uint64_t> live_;  // the size at each address
  // The index of the last free at each address.
  std::unordered_map<uint64_t, size_t> ended_;
  size_t hidden_allocs_ = 0;
};

absl::Status TorchDeviceReader::AddAlloc(const TorchMemoryEvent& event,
                                         size_t index) {
  const bool is_new = live_.emplace(event.address, event.size).second;
  if (!is_new && MustAgree(device_) && IsProven()) {
    return Error(
        event, index,
        absl::StrCat("allocates a block at the address ", event.address,
                     ", where one is live; expected its free before"));
  }
  live_[event.address] = event.size;
  log_.Alloc(index, event.address, {static_cast<size_t>(event.size)});
  return absl::OkStatus();
}

absl::Status TorchDeviceReader::AddFree(const TorchMemoryEvent& event,
                                        size_t index) {
  const auto live = live_.find(event.address);
  if (live != live_.end() && live->second != event.size) {
    return Error(event, index,
                 absl::StrCat("frees ", event.size, " bytes at the address ",
                              event.address, "; expected ", live->second,
                              ", the size of the block there"));
  }
  const auto [ended, is_first] = ended_.emplace(event.address, index);
  const bool has_hidden_alloc = live == live_.end() && !is_first;
  if (has_hidden_alloc && MustAgree(device_) && IsProven()) {
    return Error(event, index,
                 absl::StrCat("frees a block at the address ", event.address,
                              ", where none is live; expected its allocation "
                              "before"));
  }
  const BlockFacts facts = {static_cast<size_t>(event.size)};
  if (has_hidden_alloc) {
    // The block cannot have been live before the last free at its address.
    log_.AddLiveSince(ended->second, event.address, facts);
    ++hidden_allocs_;
  }
  ended->second = index;
  log_.Free(index, event.address, facts);
  if (live != live_.end()) {
    live_.erase(live);
    return absl::OkStatus();
  }
  if (has_hidden_alloc) return absl::OkStatus();
  if (!MustAgree(device_) || !IsProven() ||
      log_.bytes_before() <= totals_.before()) {
    return absl::OkStatus();
  }
  return Error(
      event, index,
      absl::StrCat("frees a block at the address ", event.address,
                   " that is not live; expected at most ", totals_.before(),
                   " bytes, which Total Allocated says, of blocks "
                   "from before the profile"));
}

absl::Status TorchDeviceReader::AddEvent(const TorchMemoryEvent& event,
                                         size_t index) {
  if (agrees_ && !totals_.Add(event)) {
    agrees_ = false;
    first_disagreement_ = index;
    if (MustAgree(device_)) {
      const bool is_first = index == 0 || totals_.before() > INT64_MAX;
      return Error(
          event, index,
          absl::StrCat(
              "Total Allocated is ", event.total, "; expected ",
              is_first ? "at least the bytes that the events up to here "
                         "allocate"
                       : absl::StrCat(totals_.Expected(),
                                      ", as the events before it and its own "
                                      "bytes add up to"),
              ", in a complete profile of one process with the profiler on in "
              "every thread"));
    }
  }
  if (event.size == 0) return absl::OkStatus();
  return event.is_free ? AddFree(event, index) : AddAlloc(event, index);
}

// Rejects events of several processes, because their addresses are unrelated.
// If the totals are consistent, all events are from one allocator and are
// accepted regardless of "pid", because some profilers write the number of a
// thread there.
absl::Status TorchDeviceReader::CheckProcesses(
    const TorchDeviceEvents& device) const {
  if (device.other_process.empty() || IsProven()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      file_, ": ", name_, ": has events of the processes ", device.process,
      " and ", device.other_process, "; expected the profile of one process"));
}

std::string TorchDeviceReader::Note(size_t events) const {
  if (!totals_.has_before()) {
    return "no Total Allocated, by which the events could be checked";
  }
  if (!agrees_) {
    return absl::StrCat("Total Allocated and the sizes disagree from event ",
                        first_disagreement_,
                        " on, as they may for this device");
  }
  return absl::StrCat(totals_.before(),
                      " bytes allocated before the profile: Total Allocated "
                      "agrees with the sizes of ",
                      totals_.count() == events
                          ? "all "
                          : absl::StrCat(totals_.count(), " of "),
                      events, " events");
}

StatusOr<RecordingPart> TorchDeviceReader::Read(
    TorchDeviceEvents device, const RecordingOptions& options) {
  std::vector<TorchMemoryEvent>& events = device.events;
  std::stable_sort(events.begin(), events.end(),
                   [](const TorchMemoryEvent& a, const TorchMemoryEvent& b) {
                     return a.time < b.time;
                   });
  for (size_t i = 0; i < events.size(); ++i) {
    const absl::Status status = AddEvent(events[i], i);
    if (!status.ok()) return status;
  }
  const absl::Status processes = CheckProcesses(device);
  if (!processes.ok()) return processes;
  log_.SetEnd(events.size());
  RecordingPart part;
  part.name = name_;
  part.file = log_.ToProblem(options.events, options.tensor_alignment);
  std::string& note = part.file.note;
  absl::StrAppend(&note, note.empty() ? "" : "; ", Note(events.size()));
  if (hidden_allocs_ > 0) {
    absl::StrAppend(&note, "; ", hidden_allocs_,
                    " of the blocks without an allocation in the profile "
                    "assumed to begin at the last free at their address");
  }
  return part;
}

StatusOr<std::vector<RecordingPart>> ReadTorchProfile(
    RecordingInput* input, const RecordingOptions& options) {
  StatusOr<TorchEvents> devices = ReadTorchEvents(*input);
  if (!devices.ok()) return devices.status();
  std::vector<RecordingPart> parts;
  for (auto& [device, events] : *devices) {
    StatusOr<RecordingPart> part = TorchDeviceReader(device, input->name())
                                       .Read(std::move(events), options);
    if (!part.ok()) return part.status();
    parts.push_back(*std::move(part));
  }
  return parts;
}

// Searches for keys and names that occur only in PyTorch profiles. Chrome
// traces of other programs also have a list "traceEvents".
class TorchMarks final : public JsonHandler {
 public:
  bool IsFound() const {
    return has_event_mark_ || (has_version_ && has_profiler_key_);
  }

  bool Open(bool is_object) override { return depth_++ > 0 || is_object; }
  bool Close() override {
    --depth_;
    return true;
  }
  bool Key(string_view key) override {
    if (depth_ == 1) {
      in_events_ = key == "traceEvents";
      has_version_ |= key == "schemaVersion";
      has_profiler_key_ |= IsProfilerKey(key);
    }
    is_name_ = in_events_ && depth_ == kInEvent && key == "name";
    // PyTorch writes these args in almost all of its events.
    has_event_mark_ |= in_events_ && depth_ == kInEvent + 1 &&
                       (key == "Ev Idx" || key == "External id");
    return !IsFound();
  }
  bool Scalar(const JsonScalar& value) override {
    has_event_mark_ |= is_name_ && value.text == "[memory]";
    return depth_ > 0 && !IsFound();
  }

 private:
  static constexpr size_t kInEvent = 3;

  // Returns whether PyTorch writes this key in addition to "schemaVersion".
  // Which of these keys are in a file depends on the version of PyTorch and on
  // what is profiled.
  static bool IsProfilerKey(string_view key) {
    constexpr string_view kKeys[] = {
        "traceEvents",   "deviceProperties", "distributedInfo",
        "record_shapes", "profile_memory",   "with_stack",
        "with_flops",    "with_modules",     "baseTimeNanoseconds",
    };
    return std::find(std::begin(kKeys), std::end(kKeys), key) !=
           std::end(kKeys);
  }

  size_t depth_ = 0;
  bool in_events_ = false;
  bool is_name_ = false;
  bool has_version_ = false;
  bool has_profiler_key_ = false;
  bool has_event_mark_ = false;
};

bool IsTorchProfile(string_view start, const std::string& path) {
  // Most files are rejected here, without parsing.
  if (!absl::StrContains(start, "\"schemaVersion\"") &&
      !absl::StrContains(start, "\"traceEvents\"")) {
    return false;
  }
  StringSource source(start);
  TorchMarks marks;
  // `start` usually ends within the text, so an error is expected.
  ReadJsonEvents(&source, path, &marks).IgnoreError();
  return marks.IsFound();
}

}  // namespace

const RecordingFormat kTorchProfile = {
    {"torch-profile",
     "a profile of PyTorch with its memory (.pt.trace.json, .json)", "",
     /*has_events=*/true},
    IsTorchProfile,
    ReadTorchProfile,
};

}  // namespace stowage::recordings
