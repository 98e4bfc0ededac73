// SPDX-License-Identifier: Apache-2.0
// Writes events as packets of Perfetto, which are protobuf messages. Only a few
// kinds of messages are needed. The field numbers are those of
// protos/perfetto/trace in the sources of Perfetto.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/views/trace_event_writer.h"

namespace stowage::views {
namespace {

// Writes one protobuf message. Fields are written in the order in which they
// are added.
class ProtoMessage {
 public:
  ProtoMessage& Varint(uint32_t field, uint64_t value) {
    AppendVarint(uint64_t{field} << 3);
    AppendVarint(value);
    return *this;
  }
  ProtoMessage& Bytes(uint32_t field, absl::string_view bytes) {
    AppendVarint(uint64_t{field} << 3 | 2);
    AppendVarint(bytes.size());
    absl::StrAppend(&bytes_, bytes);
    return *this;
  }
  ProtoMessage& Message(uint32_t field, const ProtoMessage& message) {
    return Bytes(field, message.bytes_);
  }
  ProtoMessage& Double(uint32_t field, double value) {
    AppendVarint(uint64_t{field} << 3 | 1);
    uint64_t bits = 0;
    static_assert(sizeof(bits) == sizeof(value), "IEEE 754");
    std::memcpy(&bits, &value, sizeof(bits));
    for (int i = 0; i < 8; ++i) {
      bytes_.push_back(static_cast<char>(bits >> (8 * i) & 0xff));
    }
    return *this;
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void AppendVarint(uint64_t value) {
    for (; value >= 0x80; value >>= 7) {
      bytes_.push_back(static_cast<char>((value & 0x7f) | 0x80));
    }
    bytes_.push_back(static_cast<char>(value));
  }

  std::string bytes_;
};

// The field numbers of each message, in a namespace named after the message.
namespace trace_field {
constexpr uint32_t kPacket = 1;
}
namespace packet_field {
constexpr uint32_t kTimestamp = 8;
constexpr uint32_t kSequenceId = 10;
constexpr uint32_t kTrackEvent = 11;
constexpr uint32_t kSequenceFlags = 13;
constexpr uint32_t kTrackDescriptor = 60;
}  // namespace packet_field
namespace descriptor_field {
constexpr uint32_t kUuid = 1;
constexpr uint32_t kName = 2;
constexpr uint32_t kProcess = 3;
constexpr uint32_t kParentUuid = 5;
constexpr uint32_t kCounter = 8;
constexpr uint32_t kChildOrdering = 11;
constexpr uint32_t kSiblingOrderRank = 12;
}  // namespace descriptor_field
namespace process_field {
constexpr uint32_t kPid = 1;
constexpr uint32_t kName = 6;
}  // namespace process_field
namespace counter_field {
constexpr uint32_t kUnit = 3;
}
namespace event_field {
constexpr uint32_t kDebugAnnotations = 4;
constexpr uint32_t kType = 9;
constexpr uint32_t kTrackUuid = 11;
constexpr uint32_t kName = 23;
constexpr uint32_t kCounter = 30;
constexpr uint32_t kDoubleCounter = 44;
}  // namespace event_field
namespace annotation_field {
constexpr uint32_t kUint = 3;
constexpr uint32_t kString = 6;
constexpr uint32_t kName = 10;
}  // namespace annotation_field

constexpr uint64_t kOrderingExplicit = 3;
constexpr uint64_t kUnitSizeBytes = 3;
constexpr uint64_t kSliceBegin = 1;
constexpr uint64_t kSliceEnd = 2;
constexpr uint64_t kCounterEvent = 4;
constexpr uint64_t kStateCleared = 1;

class PerfettoEvents : public TraceEventWriter {
 public:
  void Begin(std::string* out) override {
    AddPacket(
        ProtoMessage().Varint(packet_field::kSequenceFlags, kStateCleared),
        out);
  }

  void AddProcess(const std::string& name, std::string* out) override {
    process_ = ++last_uuid_;
    parent_ = process_;
    process_rank_ = 0;
    AddDescriptor(
        ProtoMessage()
            .Varint(descriptor_field::kUuid, process_)
            .Message(descriptor_field::kProcess,
                     ProtoMessage()
                         .Varint(process_field::kPid, ++last_pid_)
                         .Bytes(process_field::kName, name))
            .Varint(descriptor_field::kChildOrdering, kOrderingExplicit),
        out);
  }

  void AddGroup(const std::string& name, std::string* out) override {
    ProtoMessage group = Child(process_, ++process_rank_, name);
    group.Varint(descriptor_field::kChildOrdering, kOrderingExplicit);
    AddDescriptor(group, out);
    parent_ = last_uuid_;
    group_rank_ = 0;
  }

  Track AddTrack(const std::string& name, std::string* out) override {
    AddDescriptor(
        Child(parent_, parent_ == process_ ? ++process_rank_ : ++group_rank_,
              name),
        out);
    return last_uuid_;
  }

  void AddSlice(Track track, const EventSlice& slice,
                std::string* out) override {
    ProtoMessage begin = Event(kSliceBegin, track);
    begin.Bytes(event_field::kName, slice.name);
    for (const EventArg& arg : slice.args) {
      ProtoMessage annotation;
      annotation.Bytes(annotation_field::kName, arg.key);
      if (arg.number) {
        annotation.Varint(annotation_field::kUint, *arg.number);
      } else {
        annotation.Bytes(annotation_field::kString, arg.text);
      }
      begin.Message(event_field::kDebugAnnotations, annotation);
    }
    AddEvent(slice.begin, begin, out);
    AddEvent(slice.end, Event(kSliceEnd, track), out);
  }

  // Adds one track for each key, with consecutive ids. Returns the first track.
  Track AddCounters(const std::string& name,
                    const std::vector<std::string>& keys,
                    std::string* out) override {
    const Track first = last_uuid_ + 1;
    for (const std::string& key : keys) {
      ProtoMessage counter =
          Child(process_, ++process_rank_, absl::StrCat(name, " ", key));
      counter.Message(
          descriptor_field::kCounter,
          ProtoMessage().Varint(counter_field::kUnit, kUnitSizeBytes));
      AddDescriptor(counter, out);
    }
    return first;
  }

  void AddBytes(Track counters, uint64_t time,
                const std::vector<uint64_t>& bytes, std::string* out) override {
    for (size_t k = 0; k < bytes.size(); ++k) {
      ProtoMessage event = Event(kCounterEvent, counters + k);
      // The counter field is a signed integer, so values above its maximum are
      // written as doubles.
      if (bytes[k] <= uint64_t{std::numeric_limits<int64_t>::max()}) {
        event.Varint(event_field::kCounter, bytes[k]);
      } else {
        event.Double(event_field::kDoubleCounter,
                     static_cast<double>(bytes[k]));
      }
      AddEvent(time, event, out);
    }
  }

  void End(std::string* /*out*/) override {}

 private:
  ProtoMessage Child(uint64_t parent, uint64_t rank, const std::string& name) {
    return ProtoMessage()
        .Varint(descriptor_field::kUuid, ++last_uuid_)
        .Bytes(descriptor_field::kName, name)
        .Varint(descriptor_field::kParentUuid, parent)
        .Varint(descriptor_field::kSiblingOrderRank, rank);
  }

  static ProtoMessage Event(uint64_t type, Track track) {
    return ProtoMessage()
        .Varint(event_field::kType, type)
        .Varint(event_field::kTrackUuid, track);
  }

  static void AddPacket(ProtoMessage packet, std::string* out) {
    packet.Varint(packet_field::kSequenceId, 1);
    absl::StrAppend(
        out, ProtoMessage().Message(trace_field::kPacket, packet).bytes());
  }

  static void AddDescriptor(const ProtoMessage& descriptor, std::string* out) {
    AddPacket(
        ProtoMessage().Message(packet_field::kTrackDescriptor, descriptor),
        out);
  }

  static void AddEvent(uint64_t time, const ProtoMessage& event,
                       std::string* out) {
    AddPacket(ProtoMessage()
                  .Varint(packet_field::kTimestamp, time)
                  .Message(packet_field::kTrackEvent, event),
              out);
  }

  uint64_t last_uuid_ = 0;
  uint64_t last_pid_ = 0;
  // The UUID of the current process.
  uint64_t process_ = 0;
  // The UUID of the parent of new tracks: the process or the current group.
  uint64_t parent_ = 0;
  // The rank of the last child added to the process.
  uint64_t process_rank_ = 0;
  uint64_t group_rank_ = 0;
};

}  // namespace

std::unique_ptr<TraceEventWriter> PerfettoEventWriter() {
  return std::make_unique<PerfettoEvents>();
}

}  // namespace stowage::views
