// SPDX-License-Identifier: Apache-2.0
// Tests the reader of snapshots of PyTorch's CUDA memory allocator.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/recordings/recording.h"
#include "stowage/usage_record.h"
#include "tests/recordings/pickle_writer.h"
#include "tests/support/status_matchers.h"

namespace stowage::recordings {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

struct TorchTestEvent {
  std::string action;
  uint64_t address = 0;
  uint64_t size = 0;
};

struct TorchTestBlock {
  uint64_t address = 0;
  uint64_t requested = 0;
  std::string state = "active_allocated";
};

std::string TorchEventPickle(const TorchTestEvent& event) {
  return PickleDict(
      {{"action", PickleText(event.action)},
       {"addr", PickleInt(event.address)},
       {"size", PickleInt(event.size)},
       {"stream", PickleInt(0)},
       {"frames",
        PickleList({PickleDict({{"filename", PickleText("net.py")}})})}});
}

std::string TorchTracePickle(const std::vector<TorchTestEvent>& events) {
  std::vector<std::string> items;
  for (const TorchTestEvent& event : events) {
    items.push_back(TorchEventPickle(event));
  }
  return PickleList(items);
}

// Returns a segment with blocks of 512 bytes.
std::string TorchSegmentPickle(uint64_t device,
                               const std::vector<TorchTestBlock>& blocks) {
  std::vector<std::string> items;
  for (const TorchTestBlock& block : blocks) {
    items.push_back(PickleDict({{"address", PickleInt(block.address)},
                                {"size", PickleInt(512)},
                                {"requested_size", PickleInt(block.requested)},
                                {"state", PickleText(block.state)}}));
  }
  return PickleDict(
      {{"device", PickleInt(device)},
       {"address", PickleInt(blocks.empty() ? 0 : blocks[0].address)},
       {"blocks", PickleList(items)}});
}

std::string TorchPickle(const std::vector<std::string>& traces,
                        const std::vector<std::string>& segments) {
  return PickleFile(PickleDict({{"segments", PickleList(segments)},
                                {"device_traces", PickleList(traces)},
                                {"allocator_settings", "}"}}));
}

std::vector<std::string> TorchRows(const RecordingPart& part) {
  std::vector<std::string> rows;
  for (const TensorUsageRecord<size_t>& record : part.file.problem.records) {
    rows.push_back(absl::StrCat(record.first_task, ",", record.last_task + 1,
                                ",", record.tensor_size));
  }
  return rows;
}

struct TorchEventsCase {
  const char* name;
  std::vector<TorchTestEvent> events;
  std::vector<TorchTestBlock> blocks;
  RecordingOptions options;
  std::vector<std::string> rows;  // lower,upper,size
  const char* note;               // a part of the note
};

class TorchEventsTest : public testing::TestWithParam<TorchEventsCase> {};

TEST_P(TorchEventsTest, GiveRecords) {
  const TorchEventsCase& each = GetParam();
  const auto recording =
      ParseRecording(TorchPickle({TorchTracePickle(each.events)},
                                 {TorchSegmentPickle(0, each.blocks)}),
                     "net.pickle", each.options);
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->format, "torch-snapshot");
  ASSERT_EQ(recording->parts.size(), 1U);
  EXPECT_EQ(recording->parts[0].name, "cuda:0");
  EXPECT_EQ(TorchRows(recording->parts[0]), each.rows);
  EXPECT_THAT(recording->parts[0].file.note, HasSubstr(each.note));
}

std::vector<TorchEventsCase> TorchEventsCases() {
  RecordingOptions requested;
  requested.events.frees = FreeRule::kRequested;
  RecordingOptions rounded;
  rounded.tensor_alignment = 512;
  RecordingOptions leave;
  leave.events.alive_before = AliveRule::kLeave;
  leave.events.alive_after = AliveRule::kLeave;
  const std::vector<TorchTestEvent> closed = {
      {"alloc", 0x1000, 500},
      {"free_requested", 0x1000, 500},
      {"segment_alloc", 0x8000, 4096},
      {"free_completed", 0x1000, 500},
  };
  const std::vector<TorchTestEvent> before_and_after = {
      {"free_requested", 0x1000, 100},
      {"alloc", 0x2000, 200},
      {"free_completed", 0x1000, 100},
      {"snapshot", 0, 0},
  };
  return {
      {"FreeCompleted", closed, {}, {}, {"0,3,500"}, ""},
      {"FreeRequested", closed, {}, requested, {"0,1,500"}, ""},
      {"RoundedSize", closed, {}, rounded, {"0,3,512"}, ""},
      {"BeforeAndAfter",
       before_and_after,
       {{0x2000, 200}},
       {},
       {"0,2,100", "1,4,200"},
       "1 block (100 bytes) live before the recording; 1 block live at its "
       "end"},
      {"BeforeAndAfterLeftOut",
       before_and_after,
       {{0x2000, 200}},
       leave,
       {},
       "left out"},
  };
}

std::vector<TorchEventsCase> TorchSegmentsCases() {
  RecordingOptions requested;
  requested.events.frees = FreeRule::kRequested;
  return {
      {"AwaitingFree",
       {{"alloc", 0x1000, 8}, {"free_requested", 0x1000, 8}},
       {{0x1000, 8, "active_awaiting_free"}},
       {},
       {"0,2,8"},
       ""},
      {"PendingFree",
       {{"alloc", 0x1000, 8}, {"free_requested", 0x1000, 8}},
       {{0x1000, 8, "active_pending_free"}},
       requested,
       {"0,1,8"},
       ""},
      {"HistoryWithoutCompletions",
       {{"alloc", 0x1000, 8}, {"free_requested", 0x1000, 8}},
       {{0x1000, 0, "inactive"}},
       requested,
       {"0,1,8"},
       ""},
      {"FreeInOneEvent",
       {{"alloc", 0x1000, 8}, {"oom", 0, 0}, {"free", 0x1000, 8}},
       {},
       {},
       {"0,2,8"},
       ""},
      {"BlocksWithoutEvents",
       {{"alloc", 0x1000, 500}, {"free_completed", 0x1000, 500}},
       {{0x3000, 500}, {0x3200, 0, "inactive"}, {0x3400, 1}},
       {},
       {"0,1,500"},
       "no event mentions 2 blocks (1024 bytes)"},
      {"SegmentThatIsNotListed",
       {{"alloc", 0x1000, 8}},
       {},
       {},
       {"0,1,8"},
       "1 block live at its end but in no segment of the file"},
      {"BlockWithoutRequestedSize",
       {{"alloc", 0x1000, 500}},
       {{0x1000, 0}},
       {},
       {"0,1,500"},
       ""},
  };
}

INSTANTIATE_TEST_SUITE_P(Cases, TorchEventsTest,
                         testing::ValuesIn(TorchEventsCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

INSTANTIATE_TEST_SUITE_P(Segments, TorchEventsTest,
                         testing::ValuesIn(TorchSegmentsCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

// This is a snapshot in Base64, as written by pickle.dumps of CPython 3.11. 500
// bytes are never freed, and 64 bytes are freed. The snapshots of protocols 3
// and 5 differ from those of protocols 2 and 4 only in the version.
constexpr char kTorchProtocol2[] =
    "gAJ9cQAoWAgAAABzZWdtZW50c3EBXXECfXEDKFgGAAAAZGV2aWNlcQRLAFgHAAAA"
    "YWRkcmVzc3EFigYAAAAAAH9YCgAAAHRvdGFsX3NpemVxBkoAACAAWA8AAABzZWdt"
    "ZW50X3Bvb2xfaWRxB0sASwCGcQhYDQAAAGlzX2V4cGFuZGFibGVxCYlYBgAAAGZy"
    "YW1lc3EKXXELWAYAAABibG9ja3NxDF1xDSh9cQ4oaAWKBgAAAAAAf1gEAAAAc2l6"
    "ZXEPTQACWA4AAAByZXF1ZXN0ZWRfc2l6ZXEQTfQBWAUAAABzdGF0ZXERWBAAAABh"
    "Y3RpdmVfYWxsb2NhdGVkcRJoCl1xE3V9cRQoaAWKBgACAAAAf2gPSgD+HwBoEEsA"
    "aBFYCAAAAGluYWN0aXZlcRVoCl1xFnVldWFYDQAAAGRldmljZV90cmFjZXNxF11x"
    "GF1xGSh9cRooWAYAAABhY3Rpb25xG1gFAAAAYWxsb2NxHFgEAAAAYWRkcnEdigYA"
    "AAAAAH9oD030AVgGAAAAc3RyZWFtcR5LAFgHAAAAdGltZV91c3EfSwFoCl1xIH1x"
    "IShYBAAAAG5hbWVxIlgBAAAAZnEjWAgAAABmaWxlbmFtZXEkWAQAAAB4LnB5cSVY"
    "BAAAAGxpbmVxJksDdWF1fXEnKGgbaBxoHYoGAAIAAAB/aA9LQGgeSwBoH0sBaApd"
    "cSh9cSkoaCJoI2gkaCVoJksDdWF1fXEqKGgbWA4AAABmcmVlX3JlcXVlc3RlZHEr"
    "aB2KBgACAAAAf2gPS0BoHksAaB9LAWgKXXEsfXEtKGgiaCNoJGglaCZLA3VhdX1x"
    "LihoG1gOAAAAZnJlZV9jb21wbGV0ZWRxL2gdigYAAgAAAH9oD0tAaB5LAGgfSwFo"
    "Cl1xMH1xMShoImgjaCRoJWgmSwN1YXVlYVgSAAAAYWxsb2NhdG9yX3NldHRpbmdz"
    "cTJ9cTNYHAAAAGdhcmJhZ2VfY29sbGVjdGlvbl90aHJlc2hvbGRxNEcAAAAAAAAA"
    "AHN1Lg==";
constexpr char kTorchProtocol4[] =
    "gASVeQIAAAAAAAB9lCiMCHNlZ21lbnRzlF2UfZQojAZkZXZpY2WUSwCMB2FkZHJl"
    "c3OUigYAAAAAAH+MCnRvdGFsX3NpemWUSgAAIACMD3NlZ21lbnRfcG9vbF9pZJRL"
    "AEsAhpSMDWlzX2V4cGFuZGFibGWUiYwGZnJhbWVzlF2UjAZibG9ja3OUXZQofZQo"
    "aAWKBgAAAAAAf4wEc2l6ZZRNAAKMDnJlcXVlc3RlZF9zaXpllE30AYwFc3RhdGWU"
    "jBBhY3RpdmVfYWxsb2NhdGVklGgKXZR1fZQoaAWKBgACAAAAf2gPSgD+HwBoEEsA"
    "aBGMCGluYWN0aXZllGgKXZR1ZXVhjA1kZXZpY2VfdHJhY2VzlF2UXZQofZQojAZh"
    "Y3Rpb26UjAVhbGxvY5SMBGFkZHKUigYAAAAAAH9oD030AYwGc3RyZWFtlEsAjAd0"
    "aW1lX3VzlEsBaApdlH2UKIwEbmFtZZSMAWaUjAhmaWxlbmFtZZSMBHgucHmUjARs"
    "aW5llEsDdWF1fZQoaBtoHGgdigYAAgAAAH9oD0tAaB5LAGgfSwFoCl2UfZQoaCJo"
    "I2gkaCVoJksDdWF1fZQoaBuMDmZyZWVfcmVxdWVzdGVklGgdigYAAgAAAH9oD0tA"
    "aB5LAGgfSwFoCl2UfZQoaCJoI2gkaCVoJksDdWF1fZQoaBuMDmZyZWVfY29tcGxl"
    "dGVklGgdigYAAgAAAH9oD0tAaB5LAGgfSwFoCl2UfZQoaCJoI2gkaCVoJksDdWF1"
    "ZWGMEmFsbG9jYXRvcl9zZXR0aW5nc5R9lIwcZ2FyYmFnZV9jb2xsZWN0aW9uX3Ro"
    "cmVzaG9sZJRHAAAAAAAAAABzdS4=";

struct TorchProtocolCase {
  const char* name;
  char version;  // the second byte of the pickle
  const char* base64;
};

class TorchProtocolTest : public testing::TestWithParam<TorchProtocolCase> {};

TEST_P(TorchProtocolTest, IsReadAsPythonWritesIt) {
  std::string bytes;
  ASSERT_TRUE(absl::Base64Unescape(GetParam().base64, &bytes));
  bytes[1] = GetParam().version;
  const auto recording = ParseRecording(bytes, "net.pickle");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(TorchRows(recording->parts[0]),
            (std::vector<std::string>{"0,4,500", "1,3,64"}));
  EXPECT_EQ(recording->parts[0].file.note, "1 block live at its end");
}

INSTANTIATE_TEST_SUITE_P(
    Cases, TorchProtocolTest,
    testing::Values(TorchProtocolCase{"Protocol2", 2, kTorchProtocol2},
                    TorchProtocolCase{"Protocol3", 3, kTorchProtocol2},
                    TorchProtocolCase{"Protocol4", 4, kTorchProtocol4},
                    TorchProtocolCase{"Protocol5", 5, kTorchProtocol4}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(TorchSnapshotTest, EachDeviceIsAPart) {
  const std::string alloc = TorchTracePickle({{"alloc", 0x1000, 8}});
  const std::string free = TorchTracePickle({{"free_completed", 0x1000, 8}});
  const auto recording =
      ParseRecording(TorchPickle({"]", alloc, free, alloc},
                                 {TorchSegmentPickle(3, {{0x1000, 8}})}),
                     "net.pickle");
  ASSERT_TRUE(recording.ok()) << recording.status();
  ASSERT_EQ(recording->parts.size(), 2U);
  EXPECT_EQ(recording->parts[0].name, "cuda:1");
  EXPECT_EQ(recording->parts[1].name, "cuda:3");
  // The segments of one device give no information about other devices.
  EXPECT_THAT(recording->parts[0].file.note, HasSubstr("nothing confirms"));
  EXPECT_THAT(recording->parts[1].file.note,
              AllOf(Not(HasSubstr("nothing confirms")),
                    HasSubstr("left out, without an allocation: cuda:2")));
}

// Older snapshots have neither addresses nor requested sizes of blocks.
TEST(TorchSnapshotTest, AddressesOfBlocksMayBeLeftOut) {
  const auto block = [](const std::string& state) {
    return PickleDict({{"size", PickleInt(512)}, {"state", PickleText(state)}});
  };
  const std::string segment = PickleDict(
      {{"device", PickleInt(0)},
       {"address", PickleInt(0x1000)},
       {"blocks", PickleList({block("inactive"), block("active_allocated")})}});
  const auto good = ParseRecording(
      TorchPickle({TorchTracePickle({{"alloc", 0x1200, 8}})}, {segment}),
      "net.pickle");
  EXPECT_TRUE(good.ok()) << good.status();
  const auto bad = ParseRecording(
      TorchPickle({TorchTracePickle({{"alloc", 0x1000, 8}})}, {segment}),
      "net.pickle");
  EXPECT_FALSE(bad.ok());
}

struct BadSnapshotCase {
  const char* name;
  std::string bytes;
  const char* error;
};

class BadSnapshotTest : public testing::TestWithParam<BadSnapshotCase> {};

TEST_P(BadSnapshotTest, IsRefused) {
  const auto recording = ParseRecording(GetParam().bytes, "net.pickle");
  EXPECT_EQ(recording.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(recording.status().message(),
              HasSubstr(absl::StrCat("net.pickle: ", GetParam().error)));
}

// Returns a snapshot with one trace and one segment.
std::string TorchContradiction(const std::vector<TorchTestEvent>& events,
                               const std::vector<TorchTestBlock>& blocks) {
  return TorchPickle({TorchTracePickle(events)},
                     {TorchSegmentPickle(0, blocks)});
}

// Returns a snapshot with one event, given as opcodes.
std::string TorchOneEvent(const std::string& event) {
  return TorchPickle({PickleList({event})}, {});
}

std::vector<BadSnapshotCase> ContradictoryTorchCases() {
  return {
      {"LivesButIsNotActive",
       TorchContradiction({{"alloc", 0x1000, 8}}, {{0x1000, 0, "inactive"}}),
       "device_traces[0][0]: is of a block that lives at the end but is not "
       "active"},
      {"LivesWithinABlock",
       TorchContradiction({{"alloc", 0x1008, 8}}, {{0x1000, 16}}),
       "device_traces[0][0]: is of a block that lives at the end"},
      {"LivesInAnotherSize",
       TorchContradiction({{"snapshot", 0, 0}, {"alloc", 0x1000, 8}},
                          {{0x1000, 9}}),
       "device_traces[0][1]: has 8 bytes, and 9 in the segments"},
      {"LivesInASmallerBlock",
       TorchContradiction({{"alloc", 0x1000, 513}}, {{0x1000, 0}}),
       "device_traces[0][0]: has 513 bytes, and 512 in the segments"},
      {"FreedButActive",
       TorchContradiction({{"alloc", 0x1000, 8}, {"free_completed", 0x1000, 8}},
                          {{0x1000, 8}}),
       "device_traces[0][1]: is the last event of a block that is active"},
      {"FreedTwice",
       TorchContradiction({{"alloc", 0x1000, 8},
                           {"free_completed", 0x1000, 8},
                           {"free_completed", 0x1000, 8}},
                          {}),
       "device_traces[0][2]: frees 8 bytes at the address 4096; expected a "
       "block that is live there"},
      {"FreedInAnotherSize",
       TorchContradiction({{"alloc", 0x1000, 8}, {"free_requested", 0x1000, 4}},
                          {}),
       "device_traces[0][1]: frees 4 bytes at the address 4096; expected 8, "
       "the size of the block there"},
      {"TheFirstOfSeveral",
       TorchContradiction({{"alloc", 0x1000, 8}, {"alloc", 0x1200, 8}},
                          {{0x1000, 9}, {0x1200, 9}}),
       "device_traces[0][0]: has 8 bytes, and 9 in the segments (and 1 more "
       "contradictions)"},
  };
}

std::vector<BadSnapshotCase> BadTorchCases() {
  const std::string alloc = TorchEventPickle({"alloc", 0x1000, 8});
  return {
      {"AnotherPickle", PickleFile(PickleText("hello")),
       "is a Python pickle, but not a snapshot of torch.cuda.memory; expected "
       "a dictionary with 'segments' and 'device_traces'"},
      {"ListOfSegments", PickleFile(PickleList({TorchSegmentPickle(0, {})})),
       "is a Python pickle, but not a snapshot of torch.cuda.memory"},
      {"Model",
       "\x80\x02"
       "ctorch._utils\n_rebuild_tensor_v2\nq\1.",
       "byte 2: is the opcode GLOBAL, by which a pickle runs code"},
      {"HistoryOff", TorchPickle({"]", "]"}, {TorchSegmentPickle(0, {})}),
       "device_traces: has 0 events on 2 devices, none of which is an "
       "allocation; expected a history, which PyTorch keeps after a call of "
       "torch.cuda.memory._record_memory_history()"},
      {"OneFreeAlone",
       TorchPickle({TorchTracePickle({{"free_completed", 0x1000, 8}})}, {}),
       "device_traces: has 1 event on 1 device, none of which"},
      {"TwoSnapshots", TorchOneEvent(alloc) + TorchOneEvent(alloc),
       "byte 197: is after the end of the pickle"},
  };
}

// Returns snapshots in which one value is wrong.
std::vector<BadSnapshotCase> DamagedTorchCases() {
  const std::string alloc = TorchEventPickle({"alloc", 0x1000, 8});
  const std::string shared = "](" + alloc + "q\1h\1e";
  return {
      {"NoAction", TorchOneEvent("}"),
       "device_traces[0][0]: has no 'action' that is a text"},
      {"NoAddress",
       TorchOneEvent(PickleDict({{"action", PickleText("alloc")}})),
       "device_traces[0][0]: has no 'addr' that is a number"},
      {"NegativeSize",
       TorchOneEvent(PickleDict({{"action", PickleText("alloc")},
                                 {"addr", PickleInt(1)},
                                 {"size", "J\xFF\xFF\xFF\xFF"}})),
       "device_traces[0][0]: has no 'size' that is a number"},
      {"EventOfNoDictionary", TorchOneEvent("N"),
       "device_traces[0][0]: is not a dictionary"},
      {"TraceOfNoList", TorchPickle({"N"}, {}),
       "device_traces[0]: is not a list"},
      {"SharedEvent", TorchPickle({shared}, {}),
       "device_traces[0][1]: is stored once, but used in several"},
      {"SharedTrace", TorchPickle({PickleList({alloc}) + "q\1", "h\1"}, {}),
       "device_traces[1]: is stored once"},
      {"TraceInItself", TorchPickle({"]q\1h\1a"}, {}),
       "device_traces[0][0]: is not a dictionary"},
      {"SegmentWithoutBlocks",
       TorchPickle(
           {PickleList({alloc})},
           {PickleDict({{"device", PickleInt(0)}, {"address", PickleInt(0)}})}),
       "segments[0].blocks: is not a list"},
      {"BlockWithoutAState",
       TorchPickle({PickleList({alloc})},
                   {PickleDict({{"device", PickleInt(0)},
                                {"address", PickleInt(0)},
                                {"blocks", PickleList({PickleDict(
                                               {{"size", PickleInt(1)}})})}})}),
       "segments[0].blocks[0]: has no 'state' that is a text"},
      {"ManyDevices", TorchPickle(std::vector<std::string>(1025, "]"), {}),
       "device_traces: has 1025 devices; expected at most 1024"},
  };
}

INSTANTIATE_TEST_SUITE_P(Cases, BadSnapshotTest,
                         testing::ValuesIn(BadTorchCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

INSTANTIATE_TEST_SUITE_P(Contradictory, BadSnapshotTest,
                         testing::ValuesIn(ContradictoryTorchCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

INSTANTIATE_TEST_SUITE_P(Damaged, BadSnapshotTest,
                         testing::ValuesIn(DamagedTorchCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

}  // namespace
}  // namespace stowage::recordings
