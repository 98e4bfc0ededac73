// SPDX-License-Identifier: Apache-2.0
// The field numbers and the meaning of events are defined in
// xla/service/hlo.proto of github.com/openxla/xla.
#include "src/recordings/xla_trace.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/recordings/xla_assignment.h"
#include "src/recordings/xla_message.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {
namespace {

constexpr XlaSchema kXlaTrace = {"HeapSimulatorTrace", XlaFields({2, 3}),
                                 XlaFields({1})};
constexpr XlaSchema kXlaEvent = {"HeapSimulatorTrace.Event",
                                 XlaFields({1, 2, 5}), XlaFields({3, 4})};

struct XlaEvent {
  uint64_t kind = 0;
  uint64_t buffer = 0;
  uint64_t shared = 0;  // the buffer whose memory is shared
  string_view instruction;
};
constexpr uint64_t kXlaAlloc = 0;
constexpr uint64_t kXlaFree = 1;
constexpr uint64_t kXlaShareWith = 2;

StatusOr<XlaEvent> ReadXlaEvent(string_view message) {
  XlaEvent event;
  XlaMessage fields(message, kXlaEvent);
  while (fields.Next()) {
    if (fields.field() == 1) event.kind = fields.value();
    if (fields.field() == 2) event.buffer = fields.value();
    if (fields.field() == 4) event.instruction = fields.bytes();
    if (fields.field() == 5) event.shared = fields.value();
  }
  if (!fields.status().ok()) return fields.status();
  return event;
}

// Returns the message of the next event, or nothing if there are no more
// events.
optional<string_view> NextXlaEvent(XlaMessage* trace) {
  while (trace->Next()) {
    if (trace->field() == 1) return trace->bytes();
  }
  return nullopt;
}

bool HaveSameXlaEvents(string_view a, string_view b) {
  XlaMessage events_of_a(a, kXlaTrace);
  XlaMessage events_of_b(b, kXlaTrace);
  while (true) {
    const optional<string_view> event_of_a = NextXlaEvent(&events_of_a);
    const optional<string_view> event_of_b = NextXlaEvent(&events_of_b);
    if (event_of_a != event_of_b) return false;
    if (!event_of_a) return true;
  }
}

class XlaTraceReader {
 public:
  XlaTraceReader(size_t number, XlaAssignment* assignment)
      : number_(number), assignment_(assignment) {}

  StatusOr<XlaTrace> Read();

 private:
  // Returns whether the trace is a copy of an earlier trace.
  bool IsCopy() const;
  Status Apply(const XlaEvent& event);
  Status Start(const XlaEvent& event, XlaBuffer* buffer);
  Status Free(const XlaEvent& event, const XlaBuffer& buffer);
  void SetEnds();
  Status Bad(uint64_t buffer, string_view why) const;

  size_t number_;
  XlaAssignment* assignment_;
  XlaTrace trace_;
};

Status XlaTraceReader::Bad(uint64_t buffer, string_view why) const {
  return absl::InvalidArgumentError(
      absl::StrCat("heap trace ", number_, ", event ",
                   trace_.instructions.size(), ": buffer ", buffer, " ", why));
}

bool XlaTraceReader::IsCopy() const {
  const string_view message = assignment_->traces[number_ - 1];
  XlaMessage events(message, kXlaTrace);
  const optional<string_view> first = NextXlaEvent(&events);
  if (!first) return false;
  const StatusOr<XlaEvent> event = ReadXlaEvent(*first);
  if (!event.ok()) return false;
  const XlaBuffer* const buffer = FindXlaBuffer(event->buffer, assignment_);
  return buffer != nullptr && buffer->trace != 0 &&
         HaveSameXlaEvents(message, assignment_->traces[buffer->trace - 1]);
}

Status XlaTraceReader::Start(const XlaEvent& event, XlaBuffer* buffer) {
  if (buffer->trace != 0) {
    return Bad(event.buffer, "is allocated twice; expected it once");
  }
  XlaLife life;
  life.buffer = static_cast<size_t>(buffer - assignment_->buffers.data());
  life.begin = trace_.instructions.size();
  life.owner = trace_.lives.size();
  life.instruction = event.instruction;
  if (event.kind == kXlaShareWith) {
    const XlaBuffer* const shared = FindXlaBuffer(event.shared, assignment_);
    if (shared == nullptr || shared->trace != number_ ||
        shared->allocation != buffer->allocation) {
      return Bad(event.buffer,
                 absl::StrCat("shares the memory of buffer ", event.shared,
                              "; expected one that was allocated before, in "
                              "the same allocation"));
    }
    life.owner = trace_.lives[shared->life].owner;
  }
  buffer->trace = number_;
  buffer->life = trace_.lives.size();
  trace_.lives.push_back(life);
  return absl::OkStatus();
}

Status XlaTraceReader::Free(const XlaEvent& event, const XlaBuffer& buffer) {
  if (buffer.trace != number_) {
    return Bad(event.buffer, "is released; expected its allocation before");
  }
  XlaLife& life = trace_.lives[buffer.life];
  if (life.is_freed) {
    return Bad(event.buffer, "is released twice; expected it once");
  }
  life.is_freed = true;
  life.end = trace_.instructions.size();
  return absl::OkStatus();
}

Status XlaTraceReader::Apply(const XlaEvent& event) {
  XlaBuffer* const buffer = FindXlaBuffer(event.buffer, assignment_);
  if (buffer == nullptr) {
    return Bad(event.buffer, "is in no allocation; expected it in one");
  }
  switch (event.kind) {
    case kXlaAlloc:
    case kXlaShareWith:
      return Start(event, buffer);
    case kXlaFree:
      return Free(event, *buffer);
    default:
      return Bad(event.buffer,
                 absl::StrCat("has an event of the kind ", event.kind,
                              "; expected ALLOC (0), FREE (1) or SHARE_WITH "
                              "(2)"));
  }
}

// Sets the ends of the lifetimes of buffers that have no FREE. Older versions
// of XLA write one FREE for all buffers that share memory, when the last of
// these buffers ends.
void XlaTraceReader::SetEnds() {
  std::vector<XlaLife>& lives = trace_.lives;
  std::vector<uint64_t> last_frees(lives.size(), 0);
  for (const XlaLife& life : lives) {
    if (!life.is_freed) continue;
    last_frees[life.owner] = std::max(last_frees[life.owner], life.end);
  }
  for (XlaLife& life : lives) {
    if (life.is_freed) continue;
    const uint64_t last_free = last_frees[life.owner];
    life.end = last_free > life.begin ? last_free : trace_.instructions.size();
  }
}

StatusOr<XlaTrace> XlaTraceReader::Read() {
  if (IsCopy()) return XlaTrace();
  XlaMessage events(assignment_->traces[number_ - 1], kXlaTrace);
  while (const optional<string_view> message = NextXlaEvent(&events)) {
    const StatusOr<XlaEvent> event = ReadXlaEvent(*message);
    if (!event.ok()) return event.status();
    Status status = Apply(*event);
    if (!status.ok()) return status;
    trace_.instructions.push_back(event->instruction);
    status = CheckXlaCount(trace_.instructions.size(), "events");
    if (!status.ok()) return status;
  }
  if (!events.status().ok()) return events.status();
  SetEnds();
  return std::move(trace_);
}

}  // namespace

StatusOr<XlaTrace> ReadXlaTrace(size_t number, XlaAssignment* assignment) {
  return XlaTraceReader(number, assignment).Read();
}

}  // namespace stowage::recordings
