// SPDX-License-Identifier: Apache-2.0
// Tests how PyTorch profiles are read, which profiles are refused, and which
// files are recognized as profiles.
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/recordings/recording.h"
#include "stowage/usage_record.h"
#include "tests/recordings/expected_rows.h"
#include "tests/support/real_data.h"

namespace stowage {
namespace {

using testing::AllOf;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::Not;

// The values of a memory event, as spelled in the file.
struct TorchEventText {
  std::string ts;
  std::string bytes;
  std::string address;
  std::string total = {};  // left out of the file if empty
  std::string type = "1";
  std::string id = "0";
  std::string pid = "7";
};

std::string TorchEvent(const TorchEventText& event) {
  return absl::StrCat(
      R"({"ph": "i", "s": "t", "name": "[memory]", "pid": )", event.pid,
      R"(, "tid": 8, "ts": )", event.ts, R"(, "args": {"Bytes": )", event.bytes,
      R"(, "Device Type": )", event.type, R"(, "Device Id": )", event.id,
      event.total.empty()
          ? ""
          : absl::StrCat(R"(, "Total Allocated": )", event.total),
      R"(, "Addr": )", event.address, "}}");
}

// Returns a file with the texts `events` in its list of events.
std::string TorchFile(const std::vector<std::string>& events) {
  return absl::StrCat("{\n\"schemaVersion\": 1,\n\"deviceProperties\": [],\n",
                      "\"traceEvents\": [\n", absl::StrJoin(events, ",\n"),
                      "\n]}\n");
}

std::string TorchFileOf(const std::vector<TorchEventText>& events) {
  std::vector<std::string> texts;
  for (const TorchEventText& event : events) {
    texts.push_back(TorchEvent(event));
  }
  return TorchFile(texts);
}

// Returns "part:lower,upper,size" for each record.
std::vector<std::string> TorchRows(const Recording& recording) {
  std::vector<std::string> rows;
  for (const RecordingPart& part : recording.parts) {
    for (const auto& record : part.file.problem.records) {
      rows.push_back(absl::StrCat(part.name, ":", record.first_task, ",",
                                  record.last_task + 1, ",",
                                  record.tensor_size));
    }
  }
  return rows;
}

struct TorchRowsCase {
  const char* name;
  std::string file;
  std::vector<std::string> rows;  // part:lower,upper,size
  std::string note = {};          // part of the note of the first part
};

class TorchRowsTest : public testing::TestWithParam<TorchRowsCase> {};

TEST_P(TorchRowsTest, BecomesRecords) {
  const auto recording = ParseRecording(GetParam().file, "p.json");
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_EQ(recording->format, "torch-profile");
  EXPECT_THAT(TorchRows(*recording), ElementsAreArray(GetParam().rows));
  EXPECT_THAT(recording->parts[0].file.note, HasSubstr(GetParam().note));
}

// This block of 512 bytes is allocated after 1024 other bytes and then freed.
const TorchEventText kTorchAlloc = {"10.5", "512", "4096", "1536"};
const TorchEventText kTorchFree = {"11.5", "-512", "4096", "1024"};

std::string TorchFileOfManyDevices() {
  std::vector<TorchEventText> events;
  for (int i = 0; i <= 8192; ++i) {
    events.push_back({"1", "512", "1", "", "1", absl::StrCat(i)});
  }
  return TorchFileOf(events);
}

std::vector<TorchRowsCase> TorchOrderCases() {
  return {
      {"AllocAndFree",
       TorchFileOf({kTorchAlloc, kTorchFree}),
       {"cuda:0:0,1,512"},
       "1024 bytes allocated before the profile: Total Allocated agrees with "
       "the sizes of all 2 events"},
      {"OneTotalIsMissing",
       TorchFileOf({kTorchAlloc, {"11", "8", "1"}, {"12", "8", "2", "1552"}}),
       {"cuda:0:0,3,512", "cuda:0:1,3,8", "cuda:0:2,3,8"},
       "agrees with the sizes of 2 of 3 events"},
      {"TheOrderIsThatOfTime",
       TorchFileOf({kTorchFree, kTorchAlloc}),
       {"cuda:0:0,1,512"}},
      // The three times would be equal if they were floating-point numbers.
      {"TimesAreExact",
       TorchFileOf({{"12345678901234567.003", "-8", "1"},
                    {"12345678901234567.002", "8", "1"},
                    {"12345678901234567.0011", "16", "2"}}),
       {"cuda:0:0,3,16", "cuda:0:1,2,8"}},
      {"TimesMayBeWholeNegativeOrText",
       TorchFileOf({{"\"3\"", "-8", "1"},
                    {"-1", "16", "2"},
                    {"-0.5", "-16", "2"},
                    {"2.5e0", "8", "1"}}),
       {"cuda:0:0,1,16", "cuda:0:2,3,8"}},
      {"EqualTimesKeepTheOrderOfTheFile",
       TorchFileOf({{"5", "8", "1"}, {"5", "-8", "1"}, {"5", "16", "1"}}),
       {"cuda:0:0,1,8", "cuda:0:2,3,16"},
       "no Total Allocated"},
  };
}

std::vector<TorchRowsCase> TorchBlockCases() {
  return {
      {"LiveAtTheEnd",
       TorchFileOf({kTorchAlloc, {"12", "64", "1", "1600"}}),
       {"cuda:0:0,2,512", "cuda:0:1,2,64"},
       "2 blocks live at its end"},
      {"LiveBefore",
       TorchFileOf({kTorchAlloc, {"12", "-1024", "1", "512"}}),
       {"cuda:0:0,2,512", "cuda:0:0,1,1024"},
       "1 block (1024 bytes) live before the recording"},
      {"DevicesAreParts",
       TorchFileOf({{"1", "1", "1", "", "6", "2"},
                    {"2", "2", "1", "", "1", "10"},
                    {"3", "3", "1", "", "1", "0"},
                    {"4", "4", "1", "", "20", "0"},
                    {"5", "5", "1", "", "0", "-1"}}),
       {"cpu:0,1,5", "cuda:0:0,1,3", "cuda:10:0,1,2", "hip:2:0,1,1",
        "type20:0:0,1,4"}},
      {"NumbersMayBeTextOrDecimals",
       TorchFileOf({{"1", "\"64\"", "\"0xff00\"", "64.0", "\"1\"", "\"0\""},
                    {"2", "-64.0", "6.528e4", "\"0\""}}),
       {"cuda:0:0,1,64"}},
      {"HighAddressesMayBeNegative",
       TorchFileOf({{"1", "64", "-16"}, {"2", "-64", "18446744073709551600"}}),
       {"cuda:0:0,1,64"}},
      {"NoBytesAreAnEventOnly",
       TorchFileOf({{"1", "0", "1"}, {"2", "64", "1"}}),
       {"cuda:0:1,2,64"}},
      {"TotalsOfMinusOneAreUnknown",
       TorchFileOf(
           {{"1", "64", "1", "-1"}, {"2", "-64", "1", "18446744073709551615"}}),
       {"cuda:0:0,1,64"},
       "no Total Allocated"},
      // A report of mapped memory has a total of 0.
      {"TotalsOfTheCpuMayDisagree",
       TorchFileOf({{"1", "64", "1", "64", "0", "-1"},
                    {"2", "32", "2", "0", "0", "-1"}}),
       {"cpu:0,2,64", "cpu:1,2,32"},
       "disagree from event 1 on"},
      {"AHiddenAllocationFollowsTheFreeBefore",
       TorchFileOf({{"1", "8", "16", "8", "0", "-1"},
                    {"2", "-8", "16", "0", "0", "-1"},
                    {"3", "-8", "16", "", "0", "-1"}}),
       {"cpu:0,1,8", "cpu:1,2,8"},
       "sizes of 2 of 3 events; 1 of the blocks"},
      {"OneAllocatorWhateverThePidSays",
       TorchFileOf(
           {kTorchAlloc, {"11.5", "-512", "4096", "1024", "1", "0", "9"}}),
       {"cuda:0:0,1,512"}},
  };
}

std::vector<TorchRowsCase> TorchTextCases() {
  const std::string other =
      R"({"ph": "X", "name": "aten::mul", "ts": 1, "args": {"Bytes": 9}})";
  const std::string span = R"({"name": "[memory]", "ph": "X", "ts": "none"})";
  return {
      {"OtherEventsAreSkipped",
       TorchFile({"null", "[[1, {\"name\": \"[memory]\"}]]", other, span,
                  TorchEvent(kTorchAlloc)}),
       {"cuda:0:0,1,512"}},
      {"KeysInAnyOrder",
       TorchFile({R"({"args": {"Addr": 1, "Device Id": 0, "Bytes": 64,)"
                  R"( "new": {"Addr": 2}, "Device Type": 1},)"
                  R"( "ts": 1, "ph": "i", "name": "[\u006demory]"})"}),
       {"cuda:0:0,1,64"}},
      {"ANamesakeElsewhere",
       absl::StrCat(R"({"schemaVersion": 1, "with_stack": 1, "a": {)"
                    R"("traceEvents": [{"name": "[memory]"}]},)",
                    TorchFileOf({kTorchAlloc}).substr(1)),
       {"cuda:0:0,1,512"}},
      {"AfterAByteOrderMark",
       absl::StrCat("\xEF\xBB\xBF", TorchFileOf({kTorchAlloc})),
       {"cuda:0:0,1,512"}},
  };
}

std::string TorchRowsName(const testing::TestParamInfo<TorchRowsCase>& each) {
  return each.param.name;
}
INSTANTIATE_TEST_SUITE_P(Order, TorchRowsTest,
                         testing::ValuesIn(TorchOrderCases()), TorchRowsName);
INSTANTIATE_TEST_SUITE_P(Blocks, TorchRowsTest,
                         testing::ValuesIn(TorchBlockCases()), TorchRowsName);
INSTANTIATE_TEST_SUITE_P(Text, TorchRowsTest,
                         testing::ValuesIn(TorchTextCases()), TorchRowsName);

TEST(TorchProfileTest, OptionsAreHeeded) {
  const std::string file = TorchFileOf({{"1", "-100", "1"},
                                        {"2", "200", "2"},
                                        {"3", "300", "3"},
                                        {"4", "-300", "3"}});
  RecordingOptions options;
  options.tensor_alignment = 512;
  options.events.alive_before = AliveRule::kLeave;
  options.events.alive_after = AliveRule::kLeave;
  const auto recording = ParseRecording(file, "p.json", options);
  ASSERT_TRUE(recording.ok()) << recording.status();
  EXPECT_THAT(TorchRows(*recording), testing::ElementsAre("cuda:0:2,3,512"));
}

struct BadTorchCase {
  const char* name;
  std::string file;
  std::string error;
};

class BadTorchTest : public testing::TestWithParam<BadTorchCase> {};

TEST_P(BadTorchTest, IsRefused) {
  const auto recording = ParseRecording(GetParam().file, "p.json");
  EXPECT_EQ(recording.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(recording.status().message(),
              AllOf(HasSubstr("p.json"), HasSubstr("expected"),
                    HasSubstr(GetParam().error)));
}

std::vector<BadTorchCase> BadTorchEventCases() {
  const auto with = [](TorchEventText event) {
    return TorchFileOf({{"1", "64", "2"}, std::move(event)});
  };
  return {
      {"NoAddress",
       TorchFile({R"({"ph": "i", "name": "[memory]", "ts": 162, "args": )"
                  R"({"Device Type": 0, "Device Id": -1, "Bytes": 4}})"}),
       "traceEvents[0], ts 162: a [memory] event without Addr"},
      {"NoBytes",
       TorchFile({R"({"ph": "i", "name": "[memory]", "ts": 1, "args": {}})"}),
       "traceEvents[0], ts 1: a [memory] event without Bytes"},
      {"NoArgs", TorchFile({R"({"ph": "i", "name": "[memory]", "ts": 1})"}),
       "without Bytes"},
      {"NoTime", TorchFile({R"({"name": "[memory]", "ph": "i"})"}),
       "without ts"},
      {"NoEvents", TorchFile({R"({"ph": "X", "name": "aten::mul"})"}),
       "profile_memory=True"},
      {"NoListOfEvents", R"({"schemaVersion": 1, "profile_memory": 1})",
       "has no traceEvents"},
      {"EventsAreAnObject", R"({"schemaVersion": 1, "traceEvents": {}})",
       "traceEvents: is an object"},
      {"EventsAreAText", R"({"schemaVersion": 1, "traceEvents": "x"})",
       "traceEvents: is \"x\""},
      {"TwoListsOfEvents",
       R"({"schemaVersion": 1, "traceEvents": [], "traceEvents": []})",
       "has traceEvents twice"},
      {"TimeIsNoNumber", with({"\"soon\"", "64", "1"}), "ts is \"soon\""},
      {"TimeIsTooLong", with({"1e30", "64", "1"}), "ts is \"1e30\""},
      {"TimeIsTooFine", with({"1e-19", "64", "1"}), "ts is \"1e-19\""},
      {"SizeIsAFraction", with({"2", "64.5", "1"}), "Bytes is \"64.5\""},
      {"SizeIsTooLarge", with({"2", "9223372036854775808", "1"}),
       "traceEvents[1]: Bytes is 9223372036854775808"},
      {"SizeIsHuge", with({"2", "1e80", "1"}), "Bytes is \"1e80\""},
      {"SizeIsAList", with({"2", "[64]", "1"}), "Bytes is an object or a list"},
      {"AddressIsNull", with({"2", "64", "null"}), "Addr is null"},
      {"KeyTwice", with({"2", "64, \"Bytes\": 64", "1"}), "has Bytes twice"},
  };
}

std::vector<BadTorchCase> BadTorchSequenceCases() {
  const TorchEventText other_alloc = {"2", "32", "1", "", "0", "-1", "9"};
  return {
      // The times of the two allocations are swapped.
      {"SwappedTimes",
       TorchFileOf({{"1", "512", "1", "512"},
                    {"3", "64", "2", "576"},
                    {"2", "32", "3", "608"}}),
       "event 1 of cuda:0, ts 2 (traceEvents[2]): Total Allocated is 608; "
       "expected 544"},
      {"SwappedTimesOfTheFirst",
       TorchFileOf({{"2", "512", "1", "512"}, {"1", "64", "2", "576"}}),
       "event 1 of cuda:0, ts 2 (traceEvents[0]): Total Allocated is 512; "
       "expected 1088"},
      {"MissingEvent", TorchFileOf({kTorchAlloc, {"12", "64", "1", "1088"}}),
       "Total Allocated is 1088; expected 1600"},
      {"TotalIsTooSmall", TorchFileOf({{"1", "64", "1", "32"}}),
       "event 0 of cuda:0, ts 1 (traceEvents[0]): Total Allocated is 32; "
       "expected at least the bytes"},
      {"FreeOfAnotherSize",
       TorchFileOf({{"1", "512", "1"}, {"2", "-256", "1"}}),
       "event 1 of cuda:0, ts 2 (traceEvents[1]): frees 256 bytes at the "
       "address 1; expected 512"},
      {"FreeOfMoreThanThereWas",
       TorchFileOf({{"1", "512", "1", "612"}, {"2", "-512", "2", "100"}}),
       "expected at most 100 bytes"},
      {"AllocationOfALiveBlock",
       TorchFileOf({{"1", "512", "1", "512"}, {"2", "64", "1", "576"}}),
       "where one is live"},
      {"FreeOfAnEndedBlock",
       TorchFileOf({{"1", "512", "1", "512"},
                    {"2", "-512", "1", "0"},
                    {"3", "-512", "1", ""}}),
       "event 2 of cuda:0, ts 3 (traceEvents[2]): frees a block at the "
       "address 1, where none is live"},
      {"ManyDevices", TorchFileOfManyDevices(),
       "traceEvents[8192], ts 1: a [memory] event of one device too many; "
       "expected at most 8192"},
      {"TwoProcesses",
       TorchFileOf({{"1", "64", "1", "", "0", "-1"}, other_alloc}),
       "cpu: has events of the processes 7 and 9"},
  };
}

std::vector<BadTorchCase> BadTorchTextCases() {
  const std::string good = TorchFileOf({kTorchAlloc});
  const std::string begin = "{\"schemaVersion\": 1, \"traceEvents\": [],\n";
  return {
      {"EndsEarly", good.substr(0, good.size() - 3), "ends too early"},
      {"EndsInAString", begin + "\"a", "p.json:2: ends too early"},
      {"GoesOn", good + "{}", "is not JSON"},
      {"NulAfterIt", good + std::string(1, '\0'), "a NUL after"},
      {"NulInIt", begin + std::string(1, '\0') + "\"a\": 1}", "is not JSON"},
      {"NotANumber", begin + "\"a\": NaN}", "is not JSON"},
      {"Infinity", begin + "\"a\": Infinity}", "is not JSON"},
      {"HugeNumber", begin + "\"a\": 1e999}", "the number \"1e999\""},
      {"NotUtf8", begin + "\"a\": \"\xC3(\"}",
       "p.json:2: the string up to byte 48 is not UTF-8"},
      {"TrailingComma", begin + "\"a\": [1,]}", "is not JSON"},
      {"DeepLists", begin + "\"a\": " + std::string(100000, '['),
       "nests deeper than 1000"},
      {"DeepObjects",
       [&] {
         std::string text = begin;
         for (int i = 0; i < 100000; ++i) text += "\"a\": {";
         return text;
       }(),
       "nests deeper than 1000"},
      {"LongString",
       begin + "\"a\": \"" + std::string(size_t{9} << 20, 'a') + "\"}",
       "a value of more than"},
      {"LongNumber", begin + "\"a\": " + std::string(size_t{9} << 20, '1'),
       "a value of more than"},
      {"LongSpace", begin + std::string(size_t{9} << 20, ' ') + "\"a\": 1}",
       "a value of more than"},
  };
}

std::string BadTorchName(const testing::TestParamInfo<BadTorchCase>& each) {
  return each.param.name;
}
INSTANTIATE_TEST_SUITE_P(Events, BadTorchTest,
                         testing::ValuesIn(BadTorchEventCases()), BadTorchName);
INSTANTIATE_TEST_SUITE_P(Sequences, BadTorchTest,
                         testing::ValuesIn(BadTorchSequenceCases()),
                         BadTorchName);
INSTANTIATE_TEST_SUITE_P(Texts, BadTorchTest,
                         testing::ValuesIn(BadTorchTextCases()), BadTorchName);

struct TorchDetectionCase {
  const char* name;
  std::string file;
  bool is_profile;
};

class TorchDetectionTest : public testing::TestWithParam<TorchDetectionCase> {};

TEST_P(TorchDetectionTest, TellsProfilesFromOtherFiles) {
  const auto recording = ParseRecording(GetParam().file, "p.json");
  ASSERT_EQ(recording.status().code(), absl::StatusCode::kInvalidArgument);
  const auto is_other = HasSubstr("not in a known format of recordings");
  if (GetParam().is_profile) {
    EXPECT_THAT(recording.status().message(), Not(is_other));
  } else {
    EXPECT_THAT(recording.status().message(), is_other);
  }
}

// Returns 100,000 bytes of metadata, as some programs write them before the
// profile.
std::string TorchMetadata() {
  return absl::StrCat(R"({"metadata": {"packages": ")",
                      std::string(100000, 'a'), "\"}, ");
}

INSTANTIATE_TEST_SUITE_P(
    Cases, TorchDetectionTest,
    testing::Values(
        TorchDetectionCase{
            "Profile", R"({"schemaVersion": 1, "deviceProperties": [)", true},
        TorchDetectionCase{"ProfileOfTheCpu",
                           R"({"schemaVersion": 1, "with_flops": 0)", true},
        TorchDetectionCase{
            "OwnKeysFirst",
            R"({"schemaVersion": 1, "mine": [1], "record_shapes": 1,)", true},
        TorchDetectionCase{
            "WrittenAnew",
            TorchMetadata() + R"("traceEvents": [{"args": {"Ev Idx": 0)", true},
        TorchDetectionCase{
            "WrittenAnewWithMemoryFirst",
            TorchMetadata() + R"("traceEvents": [{"name": "[memory]")", true},
        TorchDetectionCase{
            "AnotherChromeTrace",
            R"({"displayTimeUnit": "ns", "traceEvents": [{"ph": "M", )"
            R"("name": "process_name", "args": {"name": "[memory]"}}]})",
            false},
        TorchDetectionCase{"AnotherFileWithAVersion",
                           R"({"schemaVersion": 1, "events": []})", false},
        TorchDetectionCase{"KeysBelowTheTop",
                           R"({"a": {"schemaVersion": 1, "traceEvents": []}})",
                           false},
        TorchDetectionCase{
            "AProblem",
            R"({"records": [{"id": "\"traceEvents\"", "lower": 0, )"
            R"("upper": 1, "size": 4, "name": "schemaVersion"}]})",
            false},
        TorchDetectionCase{"AList", R"([{"traceEvents": "schemaVersion"}])",
                           false}),
    [](const auto& each) { return std::string(each.param.name); });

// Returns "part:lower,upper,size" for each of the expected rows.
std::vector<std::string> ExpectedTorchRows(
    const std::vector<recordings::ExpectedRow>& rows) {
  const std::map<std::string, std::string> types = {{"1", "cuda"},
                                                    {"6", "hip"}};
  std::vector<std::string> texts;
  for (const recordings::ExpectedRow& row : rows) {
    const std::string& type = row.Text("device_type");
    const std::string part =
        type == "0" ? "cpu"
                    : absl::StrCat(types.at(type), ":", row.Text("device_id"));
    const bool is_live = row.Text("class") == "live_at_end";
    const uint64_t upper = row.Number("last_event") + (is_live ? 1 : 0);
    texts.push_back(absl::StrCat(part, ":", row.Number("first_event"), ",",
                                 upper, ",", row.Number("size")));
  }
  return texts;
}

TEST(TorchProfileTest, RealProfilesBecomeTheExpectedRows) {
  const auto folder = support::RealDataFolder("STOWAGE_RECORDINGS");
  if (!folder) GTEST_SKIP() << "STOWAGE_RECORDINGS is not set";
  size_t compared = 0;
  for (const std::string& path :
       support::FilesIn(*folder + "/torch_profiler", ".json.gz")) {
    SCOPED_TRACE(path);
    const std::string file = path.substr(path.rfind('/') + 1);
    const std::string name = file.substr(0, file.find('.'));
    const auto expected =
        recordings::ReadExpected(*folder, "torchprof__" + name + ".csv");
    const auto recording = ReadRecording(path);
    if (!expected) {
      EXPECT_THAT(recording.status().message(), HasSubstr("without Addr"));
      continue;
    }
    ASSERT_TRUE(recording.ok()) << recording.status();
    EXPECT_EQ(recording->format, "torch-profile");
    EXPECT_EQ(TorchRows(*recording), ExpectedTorchRows(*expected));
    for (const RecordingPart& part : recording->parts) {
      EXPECT_THAT(part.file.note, HasSubstr("Total Allocated agrees"));
    }
    ++compared;
  }
  EXPECT_GT(compared, 0U);
}

}  // namespace
}  // namespace stowage
