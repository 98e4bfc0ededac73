// SPDX-License-Identifier: Apache-2.0
// Tests the reader of XLA profiles and modules: which records and which plan a
// heap trace gives, and which files are refused.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/base/optional.h"
#include "stowage/constraints.h"
#include "stowage/io/problem_file.h"
#include "stowage/problem.h"
#include "stowage/recordings/recording.h"
#include "stowage/verify.h"
#include "tests/recordings/xla_writer.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using support::IsOk;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(XlaTest, HeapEventsBecomeRecordsWithThePlanOfXla) {
  const auto recording = ParseRecording(xla::SmallHlo(), "module");
  ASSERT_THAT(recording, IsOk());
  EXPECT_EQ(recording->format, "hlo");
  ASSERT_EQ(recording->parts.size(), 1U);
  const RecordingPart& part = recording->parts[0];
  EXPECT_EQ(part.name, "jit_f.12/allocation 2");
  EXPECT_THAT(xla::RowsOf(part),
              ElementsAre("3: 0-2 512 @0", "4: 1-4 256 @512", "5: 3-5 300 @0"));
  EXPECT_EQ(part.file.plan.arena_size, 1024U);
  EXPECT_EQ(xla::ViolationIn(part), nullopt);
  EXPECT_EQ(part.file.problem.labels.tensors[1].name, "make.4");
  EXPECT_THAT(part.file.problem.labels.operators,
              ElementsAre("make.3", "make.4", "make.3", "make.5", "make.4"));
  EXPECT_EQ(part.file.note,
            "XLA's allocation has 1024 bytes in memory space 0; 1 buffer in it "
            "has no events (16 bytes); further allocations have 24 bytes of "
            "parameters, 8 bytes of outputs");
}

TEST(XlaTest, AProfileHasThePartsOfAllItsModules) {
  xla::Assignment idle;
  idle.allocations = {xla::Allocation{0, 72, {{1, 0, 72}}}.Output()};
  const std::string profile = xla::Space(
      {xla::Plane("/device:GPU:0"),
       xla::MetadataPlane(
           {xla::SmallHlo(), xla::Hlo(xla::Module("jit_idle", 3), idle),
            xla::Hlo(xla::Module("jit_f", 5), xla::SmallAssignment()),
            xla::Hlo(xla::Module("jit_f", 5), xla::SmallAssignment())}),
       xla::Plane("/host:CPU")});
  const auto recording = ParseRecording(profile, "profile");
  ASSERT_THAT(recording, IsOk());
  EXPECT_EQ(recording->format, "xplane");
  std::vector<std::string> names;
  for (const RecordingPart& part : recording->parts) {
    names.push_back(part.name);
    EXPECT_EQ(xla::RowsOf(part).size(), 3U);
    EXPECT_THAT(part.file.note, HasSubstr("1 module has no heap events: "
                                          "jit_idle.3 (72 bytes of outputs)"));
  }
  EXPECT_THAT(names,
              ElementsAre("jit_f.12/allocation 2", "jit_f.5/allocation 2",
                          "jit_f.5/allocation 2 (2)"));
}

// When XLA merges allocations, it does not update the allocation number in a
// trace. In this test, the trace has the number of an unrelated, thread-local
// allocation of 4 bytes.
TEST(XlaTest, TheNumberOfTheAllocationInATraceIsNotUsed) {
  xla::Assignment assignment;
  assignment.allocations = {
      xla::Allocation{18, 4, {{1, 0, 4}}}.ThreadLocal(),
      xla::Allocation{37, 96, {{7, 0, 64}, {8, 64, 32}}},
  };
  assignment.traces = {
      {18, {xla::Alloc(7), xla::Alloc(8), xla::Free(7), xla::Free(8)}}};
  const auto recording =
      ParseRecording(xla::Hlo(xla::Module("jit_loss", 0), assignment), "loss");
  ASSERT_THAT(recording, IsOk());
  ASSERT_EQ(recording->parts.size(), 1U);
  EXPECT_EQ(recording->parts[0].name, "jit_loss/allocation 37");
  EXPECT_THAT(xla::RowsOf(recording->parts[0]),
              ElementsAre("7: 0-2 64 @0", "8: 1-3 32 @64"));
  EXPECT_EQ(recording->parts[0].file.plan.arena_size, 96U);
}

struct XlaTraceCase {
  const char* name;
  std::vector<xla::Allocation> allocations;
  std::vector<xla::HeapTrace> traces;
  std::vector<std::string> rows;  // each begins with the name of its part
};

class XlaTraceTest : public testing::TestWithParam<XlaTraceCase> {};

TEST_P(XlaTraceTest, GivesSafePlans) {
  xla::Assignment assignment;
  assignment.allocations = GetParam().allocations;
  assignment.traces = GetParam().traces;
  const auto recording =
      ParseRecording(xla::Hlo(xla::Module("m", 0), assignment), "a.hlo.pb");
  ASSERT_THAT(recording, IsOk());
  std::vector<std::string> rows;
  for (const RecordingPart& part : recording->parts) {
    EXPECT_EQ(xla::ViolationIn(part), nullopt);
    for (const std::string& row : xla::RowsOf(part)) {
      rows.push_back(absl::StrCat(part.name.substr(2), ": ", row));
    }
  }
  EXPECT_EQ(rows, GetParam().rows);
}

std::vector<XlaTraceCase> XlaTraceCases() {
  const xla::Allocation two = {0, 96, {{1, 0, 64}, {2, 64, 32}}};
  const xla::Allocation shared = {0, 64, {{1, 0, 64}, {2, 0, 48}, {3, 16, 16}}};
  return {
      {"BufferZeroHasNoNumberInTheFile",
       {{0, 64, {{0, 0, 64}}}},
       {{0, {xla::Alloc(0), xla::Free(0)}}},
       {"allocation 0: 0: 0-1 64 @0"}},
      {"NeverReleased",
       {two},
       {{0, {xla::Alloc(1), xla::Alloc(2), xla::Free(2)}}},
       {"allocation 0: 1: 0-3 64 @0", "allocation 0: 2: 1-2 32 @64"}},
      {"NoBytes",
       {{0, 64, {{1, 0, 64}, {2, 0, 0}}}},
       {{0, {xla::Alloc(1), xla::Alloc(2), xla::Free(2), xla::Free(1)}}},
       {"allocation 0: 1: 0-3 64 @0"}},
      {"TracesWithoutEvents",
       {two},
       {{0, {}}, {0, {xla::Alloc(1), xla::Free(1)}}},
       {"allocation 0: 1: 0-1 64 @0"}},
      {"MemorySpaces",
       {xla::Allocation{0, 64, {{1, 0, 64}}}.Color(2),
        xla::Allocation{1, 32, {{2, 0, 32}}}},
       {{0, {xla::Alloc(1), xla::Free(1)}}, {0, {xla::Alloc(2), xla::Free(2)}}},
       {"allocation 0: 1: 0-1 64 @0", "allocation 1: 2: 0-1 32 @0"}},
      // If XLA splits a large heap, each allocation contains a copy of the
      // trace.
      {"OneTraceForTwoAllocations",
       {{0, 64, {{1, 0, 64}}}, {1, 32, {{2, 0, 32}}}},
       {{0, {xla::Alloc(1), xla::Alloc(2), xla::Free(1), xla::Free(2)}},
        {1, {xla::Alloc(1), xla::Alloc(2), xla::Free(1), xla::Free(2)}}},
       {"allocation 0: 1: 0-2 64 @0", "allocation 1: 2: 1-3 32 @0"}},
      {"TwoTracesInOneAllocation",
       {two},
       {{0, {xla::Alloc(1), xla::Free(1)}}, {0, {xla::Alloc(2), xla::Free(2)}}},
       {"allocation 0: 1: 0-1 64 @0", "allocation 0 (2): 2: 0-1 32 @64"}},
      {"SharesWhatIsReleasedBefore",
       {shared},
       {{0, {xla::Alloc(1), xla::Free(1), xla::Share(2, 1), xla::Free(2)}}},
       {"allocation 0: 1: 0-1 64 @0", "allocation 0: 2: 2-3 48 @0"}},
      // Buffer 3 is in the place of buffers 1 and 2 while neither of them is
      // live.
      {"AnotherBufferBetweenSharedLives",
       {shared},
       {{0,
         {xla::Alloc(1), xla::Free(1), xla::Alloc(3), xla::Free(3),
          xla::Share(2, 1), xla::Free(2)}}},
       {"allocation 0: 1: 0-1 64 @0", "allocation 0: 3: 2-3 16 @16",
        "allocation 0: 2: 4-5 48 @0"}},
      {"OneReleaseForAllThatShare",
       {shared},
       {{0, {xla::Alloc(1), xla::Share(2, 1), xla::Share(3, 2), xla::Free(1)}}},
       {"allocation 0: 1: 0-3 64 @0", "allocation 0: 2: 1-3 48 @0",
        "allocation 0: 3: 2-3 16 @16"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Cases, XlaTraceTest,
                         testing::ValuesIn(XlaTraceCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

TEST(XlaTest, BuffersThatShareMemoryStayAtTheirDistances) {
  xla::Assignment assignment;
  assignment.allocations = {{0, 96, {{1, 0, 64}, {2, 16, 32}, {3, 64, 32}}}};
  assignment.traces = {{0,
                        {xla::Alloc(1), xla::Alloc(3), xla::Share(2, 1),
                         xla::Free(1), xla::Free(2), xla::Free(3)}}};
  const auto recording =
      ParseRecording(xla::Hlo(xla::Module("m", 0), assignment), "a.hlo.pb");
  ASSERT_THAT(recording, IsOk());
  RecordingPart part = recording->parts[0];
  EXPECT_EQ(xla::ViolationIn(part), nullopt);
  EXPECT_EQ(part.file.problem.constraints.places[1].group, kNoGroup);
  ASSERT_EQ(part.file.problem.names[2], "2");
  part.file.plan.offsets[2] = 0;
  const optional<Violation> violation = xla::ViolationIn(part);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->kind, Violation::Kind::kGroupBroken);
}

TEST(XlaTest, AnotherOffsetInTheFileIsFound) {
  xla::Assignment overlap = xla::SmallAssignment();
  overlap.allocations[2].buffers[1].offset = 511;
  auto recording =
      ParseRecording(xla::Hlo(xla::Module("m", 0), overlap), "a.hlo.pb");
  ASSERT_THAT(recording, IsOk());
  optional<Violation> violation = xla::ViolationIn(recording->parts[0]);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->kind, Violation::Kind::kOverlappingBytes);

  xla::Assignment beyond = xla::SmallAssignment();
  beyond.allocations[2].buffers[1].offset = 769;
  recording = ParseRecording(xla::Hlo(xla::Module("m", 0), beyond), "a.hlo.pb");
  ASSERT_THAT(recording, IsOk());
  violation = xla::ViolationIn(recording->parts[0]);
  ASSERT_TRUE(violation);
  EXPECT_EQ(violation->kind, Violation::Kind::kBeyondArena);
}

TEST(XlaTest, APlanForOtherSizesIsLeftOut) {
  RecordingOptions options;
  options.tensor_alignment = 256;
  const auto rounded = ParseRecording(xla::SmallHlo(), "a.hlo.pb", options);
  ASSERT_THAT(rounded, IsOk());
  const ProblemFile& file = rounded->parts[0].file;
  EXPECT_EQ(file.problem.records[2].tensor_size, 512U);
  EXPECT_THAT(file.plan.offsets, IsEmpty());
  EXPECT_THAT(file.note, HasSubstr("its plan is left out"));
  options.tensor_alignment = 4;
  const auto same = ParseRecording(xla::SmallHlo(), "a.hlo.pb", options);
  ASSERT_THAT(same, IsOk());
  EXPECT_EQ(same->parts[0].file.plan.offsets.size(), 3U);
}

TEST(XlaTest, ANameOfAModuleCannotCommandATerminal) {
  const std::string hlo =
      xla::Hlo(xla::Module("a\x1B[2J\xFF", 0), xla::SmallAssignment());
  // A module with such a name is recognized only by the name of the file. A
  // profile that contains the module is recognized by its planes.
  EXPECT_FALSE(ParseRecording(hlo, "a").ok());
  const auto module = ParseRecording(hlo, "a.hlo.pb");
  ASSERT_THAT(module, IsOk());
  EXPECT_EQ(module->parts[0].name, "a\\x1b[2J\\xff/allocation 2");
  const auto profile =
      ParseRecording(xla::Space({xla::MetadataPlane({hlo})}), "profile");
  ASSERT_THAT(profile, IsOk());
  EXPECT_EQ(profile->parts[0].name, "a\\x1b[2J\\xff/allocation 2");
}

struct BadXlaCase {
  const char* name;
  std::string bytes;
  std::vector<const char*> errors;  // the message contains each of them
};

class BadXlaTest : public testing::TestWithParam<BadXlaCase> {};

TEST_P(BadXlaTest, IsRefused) {
  const auto recording = ParseRecording(GetParam().bytes, "bad.hlo.pb");
  for (const char* const error : GetParam().errors) {
    EXPECT_THAT(recording,
                FailsWith(absl::StatusCode::kInvalidArgument,
                          AllOf(HasSubstr("bad.hlo.pb: "), HasSubstr(error),
                                HasSubstr("; expected "))));
  }
}

std::string XlaWithEvents(const std::vector<xla::Event>& events) {
  xla::Assignment assignment = xla::SmallAssignment();
  assignment.traces[0].events = events;
  return xla::Hlo(xla::Module("m", 0), assignment);
}

std::string XlaWithAllocation(const xla::Allocation& allocation) {
  xla::Assignment assignment = xla::SmallAssignment();
  assignment.allocations.push_back(allocation);
  return xla::Hlo(xla::Module("m", 0), assignment);
}

std::vector<BadXlaCase> BadXlaCases() {
  xla::Assignment idle = xla::SmallAssignment();
  idle.traces.clear();
  const uint64_t negative = ~uint64_t{0};
  return {
      {"NoAssignment",
       xla::Bytes(1, xla::Module("m", 0)),
       {"has no buffer assignment", "after all optimizations"}},
      {"NoEvents",
       xla::Hlo(xla::Module("m", 4), idle),
       {"1 module has no heap events: m.4 (24 bytes of parameters, 8 bytes of "
        "outputs, 1024 bytes of temporary memory without events)"}},
      {"NoModules",
       xla::Space({xla::MetadataPlane({}), xla::Plane("/host:CPU")}),
       {"has no module in a plane /host:metadata"}},
      {"AllocatedTwice",
       XlaWithEvents({xla::Alloc(3), xla::Free(3), xla::Alloc(3)}),
       {"module 'm': heap trace 1, event 2: buffer 3 is allocated twice"}},
      {"ReleasedTwice",
       XlaWithEvents({xla::Alloc(3), xla::Free(3), xla::Free(3)}),
       {"event 2: buffer 3 is released twice"}},
      {"ReleasedBefore",
       XlaWithEvents({xla::Free(3), xla::Alloc(3)}),
       {"event 0: buffer 3 is released"}},
      {"NoPlace",
       XlaWithEvents({xla::Alloc(99)}),
       {"event 0: buffer 99 is in no allocation"}},
      {"UnknownKind",
       XlaWithEvents({xla::Event{7, 3, 0}}),
       {"buffer 3 has an event of the kind 7"}},
      {"SharesNothing",
       XlaWithEvents({xla::Share(4, 3)}),
       {"buffer 4 shares the memory of buffer 3"}},
      {"SharesAnotherAllocation",
       XlaWithEvents({xla::Alloc(3), xla::Share(1, 3)}),
       {"buffer 1 shares the memory of buffer 3"}},
      {"TwoPlaces",
       XlaWithAllocation({3, 64, {{3, 0, 64}}}),
       {"buffer 3 has two places"}},
      {"NegativeSize",
       XlaWithAllocation({3, negative, {}}),
       {"allocation 3 has a negative number of bytes"}},
      {"NegativeOffset",
       XlaWithAllocation({3, 64, {{8, negative, 8}}}),
       {"buffer 8 has a negative number of bytes"}},
      {"OtherType",
       xla::SmallHlo() + xla::Number(3, 1),
       {"HloProto is damaged at its field 3"}},
      {"EndsEarly",
       xla::SmallHlo().substr(0, xla::SmallHlo().size() - 1),
       {"HloProto is damaged"}},
      {"EndsEarlyInside",
       xla::Hlo(xla::Module("m", 0), "\x1A\x02\x10"),
       {"BufferAssignmentProto is damaged, from its byte 0 on"}},
      {"TwoFilesJoined",
       xla::SmallHlo() + xla::SmallHlo(),
       {"HloProto has a second field 1, as joined files have"}},
      {"LikeText", xla::LikeText(xla::SmallHlo()), {"replaced by EF BF BD"}},
      // A program that reads the file as text preserves multibyte characters,
      // so the resulting text may contain them.
      {"LikeTextWithLetters",
       xla::LikeText(xla::SmallHlo()) + xla::Bytes(9, "\xC3\xA9"),
       {"replaced by EF BF BD"}},
      {"ProfileLikeText",
       xla::LikeText(xla::Space({xla::Plane("/device:TPU:0"),
                                 xla::MetadataPlane({xla::SmallHlo()})})),
       {"replaced by EF BF BD"}},
  };
}

INSTANTIATE_TEST_SUITE_P(Cases, BadXlaTest, testing::ValuesIn(BadXlaCases()),
                         [](const auto& each) {
                           return std::string(each.param.name);
                         });

TEST(XlaTest, TheNumberOfItemsIsLimited) {
  std::string assignment;
  for (size_t i = 0; i <= size_t{1} << 20; ++i) {
    assignment += std::string("\x1A\0", 2);
  }
  EXPECT_THAT(ParseRecording(xla::Hlo(xla::Module("m", 0), assignment), "a"),
              FailsWith(absl::StatusCode::kResourceExhausted,
                        HasSubstr("has more than 1048576 allocations")));
}

TEST(XlaTest, NoPartOfAFileIsAcceptedForTheWhole) {
  const std::string hlo = xla::SmallHlo();
  for (size_t size = 0; size < hlo.size(); ++size) {
    EXPECT_THAT(ParseRecording(hlo.substr(0, size), "a.hlo.pb"), Not(IsOk()))
        << size << " of " << hlo.size() << " bytes";
  }
}

// A damaged file may still be a module. Reading it may therefore fail or
// succeed, but must not crash.
TEST(XlaTest, DamagedBytesDoNoHarm) {
  const std::string profile = xla::Space(
      {xla::Plane("/device:TPU:0"), xla::MetadataPlane({xla::SmallHlo()})});
  size_t refused = 0;
  for (size_t at = 0; at < profile.size(); ++at) {
    for (const int change : {0x01, 0x08, 0x80, 0xFF}) {
      std::string damaged = profile;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      const auto recording = ParseRecording(damaged, "a.xplane.pb");
      if (!recording.ok()) {
        ++refused;
        continue;
      }
      for (const RecordingPart& part : recording->parts) {
        Problem::Create(part.file.problem).status().IgnoreError();
      }
    }
  }
  EXPECT_GT(refused, profile.size());
}

}  // namespace
}  // namespace stowage
