// SPDX-License-Identifier: Apache-2.0
// Tests the reader of the recorder's logs. The tests build files byte by byte,
// so they can also build invalid files. tests/recorder/ tests the logs that the
// recorder writes.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "stowage/recordings/log_format.h"
#include "stowage/recordings/log_info.h"
#include "stowage/recordings/recording.h"

namespace stowage {
namespace {

using log_format::ChunkHeader;
using log_format::Event;
using log_format::EventKind;
using log_format::FileHeader;
using testing::ElementsAre;
using testing::HasSubstr;

// Builds a log whose ids are not rotated.
class LogBuilder {
 public:
  explicit LogBuilder(uint32_t flags = log_format::kIsProcess) {
    FileHeader header = {};
    memcpy(header.magic, log_format::kMagic, sizeof(header.magic));
    header.version = log_format::kVersion;
    header.header_bytes = log_format::kChunkAlignment;
    header.flags = flags;
    header.alignment_log2 = 4;
    header.process = 12;
    header.parent = 11;
    constexpr char kText[] = "/bin/program\0program\0-v";
    header.text_bytes = sizeof(kText);
    bytes_.append(reinterpret_cast<const char*>(&header), sizeof(header));
    bytes_.append(kText, sizeof(kText));
    bytes_.resize(log_format::kChunkAlignment);
  }

  // Appends a chunk of one page.
  LogBuilder& Chunk(uint32_t lane, const std::vector<Event>& events,
                    uint32_t number = 0, log_format::Position before = {}) {
    std::string chunk(log_format::kChunkAlignment, '\0');
    ChunkHeader header = {};
    header.magic = log_format::kChunkMagic;
    header.bytes = log_format::kChunkAlignment;
    header.lane = lane;
    header.number = number;
    header.sequence = before.sequence;
    header.id = before.id;
    memcpy(&chunk[0], &header, sizeof(header));
    auto* at = reinterpret_cast<uint8_t*>(&chunk[sizeof(header)]);
    for (const Event& event : events) {
      const log_format::EncodedEvent encoded =
          log_format::EncodeEvent(event, 0, &before, at);
      *at = encoded.first;
      at += encoded.bytes;
    }
    used_ = bytes_.size() +
            static_cast<size_t>(at - reinterpret_cast<uint8_t*>(&chunk[0]));
    bytes_ += chunk;
    return *this;
  }

  LogBuilder& EmptyPage() {
    bytes_.resize(bytes_.size() + log_format::kChunkAlignment);
    return *this;
  }

  // Overwrites the 4 bytes of the file that begin at `at` with a number.
  LogBuilder& Set(size_t at, uint32_t number) {
    memcpy(&bytes_[at], &number, sizeof(number));
    return *this;
  }

  // Truncates the file `count` bytes after the last event, or inside that event
  // if `count` is negative.
  LogBuilder& CutBehindEvents(int count) {
    bytes_.resize(used_ + static_cast<size_t>(count));
    return *this;
  }

  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  size_t used_ = 0;
};

Event AllocEvent(uint64_t sequence, uint64_t id, uint64_t size) {
  Event event;
  event.kind = EventKind::kAlloc;
  event.sequence = sequence;
  event.id = id;
  event.size = size;
  return event;
}

Event FreeEvent(uint64_t sequence, uint64_t id) {
  Event event;
  event.kind = EventKind::kFree;
  event.sequence = sequence;
  event.id = id;
  return event;
}

ProblemFile ReadLog(const LogBuilder& log) {
  const auto recording = ParseRecording(log.bytes(), "a.stowlog");
  EXPECT_TRUE(recording.ok()) << recording.status();
  if (!recording.ok()) return {};
  EXPECT_EQ(recording->format, "stowage-log");
  return recording->parts[0].file;
}

// Returns "SIZE:FIRST-LAST" for each record.
std::vector<std::string> Lives(const ProblemFile& file) {
  std::vector<std::string> lives;
  for (const auto& record : file.problem.records) {
    lives.push_back(absl::StrCat(record.tensor_size, ":", record.first_task,
                                 "-", record.last_task));
  }
  return lives;
}

TEST(StowageLogTest, LanesAreMergedBySequenceNumbers) {
  LogBuilder log;
  log.Chunk(5, {AllocEvent(1, 0x10, 100), FreeEvent(4, 0x20)})
      .Chunk(0, {AllocEvent(2, 0x20, 50), FreeEvent(3, 0x10)});
  const ProblemFile file = ReadLog(log);
  EXPECT_THAT(Lives(file), ElementsAre("100:0-1", "50:1-2"));
  EXPECT_THAT(file.problem.alignments, ElementsAre(16, 16));
  EXPECT_EQ(file.note, "recorded from /bin/program, process 12 of 11");
}

TEST(StowageLogTest, ChunksContinueTheirLane) {
  LogBuilder log;
  log.Chunk(1, {AllocEvent(1, 0x10, 100)})
      .EmptyPage()
      .Chunk(1, {FreeEvent(2, 0x10)}, 1, {1, 0x10});
  EXPECT_THAT(Lives(ReadLog(log)), ElementsAre("100:0-0"));
}

TEST(StowageLogTest, CancelledFreesDidNotHappen) {
  Event cancel;
  cancel.kind = EventKind::kCancel;
  cancel.sequence = 3;
  cancel.id = 0x10;
  cancel.cancelled = 2;
  LogBuilder log;
  log.Chunk(0, {AllocEvent(1, 0x10, 100), FreeEvent(2, 0x10), cancel,
                AllocEvent(4, 0x20, 50), FreeEvent(5, 0x10)});
  EXPECT_THAT(Lives(ReadLog(log)), ElementsAre("100:0-1", "50:1-2"));
}

TEST(StowageLogTest, BlocksOfTheParentAreNoErrors) {
  LogBuilder log(log_format::kIsProcess | log_format::kForked);
  log.Chunk(0, {FreeEvent(1, 0x50), AllocEvent(2, 0x10, 100)});
  EXPECT_THAT(ReadLog(log).note,
              HasSubstr("1 blocks of its parent were freed"));
  LogBuilder other;
  other.Chunk(0, {FreeEvent(1, 0x50), AllocEvent(2, 0x10, 100)});
  EXPECT_THAT(ReadLog(other).note,
              HasSubstr("1 free of a block that it does not contain"));
}

TEST(StowageLogTest, AFileThatIsCutHasItsWholeEvents) {
  const std::vector<Event> events = {AllocEvent(1, 0x10, 100),
                                     AllocEvent(2, 0x20, 50'000)};
  for (const int count : {0, -1, -2, -3}) {
    LogBuilder log;
    log.Chunk(0, events).CutBehindEvents(count);
    const ProblemFile file = ReadLog(log);
    EXPECT_EQ(file.problem.records.size(), count == 0 ? 2U : 1U) << count;
    EXPECT_THAT(file.note, HasSubstr("the file ends early"));
  }
}

TEST(StowageLogTest, MissingNumbersAreCounted) {
  LogBuilder log;
  log.Chunk(0, {AllocEvent(1, 0x10, 100), AllocEvent(4, 0x20, 50)});
  EXPECT_THAT(ReadLog(log).note, HasSubstr("2 events were not written"));
  EXPECT_EQ(ReadLog(log).lost_events, 2U);
  const auto info = ParseLogInfo(log.bytes(), "a");
  ASSERT_TRUE(info.ok()) << info.status();
  EXPECT_EQ(info->lost_events, 2U);
  EXPECT_EQ(info->allocations, 2U);
  EXPECT_EQ(info->peak_bytes, 150U);
  EXPECT_EQ(info->live_blocks, 2U);
  EXPECT_EQ(info->program, "/bin/program");
  EXPECT_THAT(info->arguments, ElementsAre("program", "-v"));
  EXPECT_EQ(info->process, 12U);
  EXPECT_EQ(info->parent, 11U);
}

struct BadLogCase {
  const char* name;
  std::function<void(LogBuilder*)> spoil;
  const char* error;
};

class BadLogTest : public testing::TestWithParam<BadLogCase> {};

// Each log has one allocation in its first chunk, which begins at byte 4096.
TEST_P(BadLogTest, IsRefused) {
  LogBuilder log;
  log.Chunk(0, {AllocEvent(1, 0x10, 100)});
  GetParam().spoil(&log);
  const auto recording = ParseRecording(log.bytes(), "a.stowlog");
  EXPECT_EQ(recording.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(recording.status().message(), HasSubstr(GetParam().error));
  EXPECT_FALSE(ParseLogInfo(log.bytes(), "a.stowlog").ok());
}

INSTANTIATE_TEST_SUITE_P(
    Cases, BadLogTest,
    testing::Values(
        BadLogCase{"Version", [](LogBuilder* log) { log->Set(8, 2); },
                   "a.stowlog: byte 8: the version is 2; expected 1"},
        BadLogCase{"HeaderBytes", [](LogBuilder* log) { log->Set(12, 100); },
                   "the header has a number that no recorder writes"},
        BadLogCase{"TextBytes", [](LogBuilder* log) { log->Set(60, 5000); },
                   "the header has a number that no recorder writes"},
        BadLogCase{"Rotation", [](LogBuilder* log) { log->Set(20, 64); },
                   "the header has a number that no recorder writes"},
        BadLogCase{"ChunkMagic", [](LogBuilder* log) { log->Set(4096, 1); },
                   "byte 4096: there is no chunk"},
        BadLogCase{"ChunkBytes", [](LogBuilder* log) { log->Set(4100, 8); },
                   "the chunk has 8 bytes"},
        BadLogCase{"ChunkWithinPage",
                   [](LogBuilder* log) { log->Set(4100, 100); },
                   "the chunk has 100 bytes and is not the last one"},
        BadLogCase{"Lane", [](LogBuilder* log) { log->Set(4104, 64); },
                   "the lane is 64; expected less than 64"},
        BadLogCase{"Number", [](LogBuilder* log) { log->Set(4108, 1); },
                   "the chunk has the number 1; expected 0"},
        BadLogCase{"KindOfEvent", [](LogBuilder* log) { log->Set(4128, 0xF8); },
                   "byte 4128: the bytes are not an event"},
        BadLogCase{
            "SecondOfOneNumber",
            [](LogBuilder* log) { log->Chunk(3, {AllocEvent(1, 0x20, 1)}); },
            "a second event has the number 1"},
        BadLogCase{"OtherLane",
                   [](LogBuilder* log) {
                     log->Chunk(0, {AllocEvent(5, 0x20, 1)}, 1, {4, 0});
                   },
                   "the chunk does not continue its lane"}),
    [](const auto& each) { return std::string(each.param.name); });

RC_GTEST_PROP(StowageLogFormat, EventsAreDecodedAsTheyWere, ()) {
  Event event;
  event.kind = static_cast<EventKind>(*rc::gen::inRange(1, 8));
  const auto before = *rc::gen::pair(rc::gen::arbitrary<uint32_t>(),
                                     rc::gen::arbitrary<uint64_t>());
  event.sequence = before.first + 1 + *rc::gen::arbitrary<uint32_t>() % 300;
  event.id =
      event.kind == EventKind::kStep ? 0 : *rc::gen::arbitrary<uint64_t>();
  const bool is_plain = event.kind == EventKind::kAlloc;
  if (is_plain || event.kind == EventKind::kAllocWith) {
    event.size = *rc::gen::arbitrary<uint64_t>();
  }
  if (event.kind == EventKind::kAllocWith) {
    event.alignment_log2 = *rc::gen::inRange<uint8_t>(0, 64);
    event.pool = *rc::gen::arbitrary<uint32_t>();
  }
  if (event.kind == EventKind::kCancel) {
    event.cancelled = *rc::gen::inRange<uint64_t>(0, event.sequence);
  }
  const auto rotation = *rc::gen::inRange<uint32_t>(0, 64);
  uint8_t bytes[log_format::kMaxEventBytes] = {};
  log_format::Position written = {before.first, before.second};
  log_format::Position read = written;
  const auto encoded =
      log_format::EncodeEvent(event, rotation, &written, bytes);
  RC_ASSERT(bytes[0] == 0);
  bytes[0] = encoded.first;
  Event decoded;
  const uint8_t* const end = bytes + encoded.bytes;
  RC_ASSERT(log_format::DecodeEvent(bytes, end, rotation, &read, &decoded) ==
            end);
  RC_ASSERT(decoded.kind == event.kind);
  RC_ASSERT(decoded.sequence == event.sequence);
  RC_ASSERT(event.kind == EventKind::kStep || decoded.id == event.id);
  RC_ASSERT(decoded.size == event.size);
  RC_ASSERT(decoded.alignment_log2 == event.alignment_log2);
  RC_ASSERT(decoded.pool == event.pool);
  RC_ASSERT(decoded.cancelled == event.cancelled);
  RC_ASSERT(read.sequence == written.sequence && read.id == written.id);
  // An event is not decoded if its last byte is missing.
  log_format::Position cut = {before.first, before.second};
  RC_ASSERT(log_format::DecodeEvent(bytes, end - 1, rotation, &cut, &decoded) ==
            nullptr);
}

}  // namespace
}  // namespace stowage
