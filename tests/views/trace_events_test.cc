// SPDX-License-Identifier: Apache-2.0
// Tests files with event traces. The tests read the events with a JSON parser
// and with protoc.
#include "stowage/views/trace_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "rapidcheck/gtest.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/profile.h"
#include "stowage/testing/generators.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"
#include "tests/views/event_reader.h"

namespace stowage::views {
namespace {

using support::FailsWith;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr char kThreeTensors[] =
    "id,lower,upper,size,offset\n"
    "a,0,2,6,0\n"
    "b,1,3,4,6\n"
    "c,2,5,5,0\n";

PlanView EventView(const std::string& csv,
                   const std::string& title = "plan.csv") {
  const absl::StatusOr<ProblemFile> trace = ParseProblemCsv(csv, "plan.csv");
  EXPECT_TRUE(trace.ok()) << trace.status();
  const absl::StatusOr<PlanView> view = ViewPlan(*trace, {title, ""});
  EXPECT_TRUE(view.ok()) << view.status();
  return *view;
}

ProblemFile PlannedTrace(const testing::ByteRecords& records, PlanKind kind) {
  ProblemFile trace;
  trace.problem.records = records;
  for (size_t i = 0; i < records.size(); ++i) {
    trace.problem.names.push_back(absl::StrCat("t", i));
  }
  trace.problem.kind = kind;
  const absl::StatusOr<Problem> problem = Problem::Create(trace.problem);
  RC_ASSERT(problem.ok());
  const absl::StatusOr<Solution> plan = Solve(*problem, "greedy_by_size");
  RC_ASSERT(plan.ok());
  trace.plan = FilePlanOf(*plan);
  return trace;
}

std::vector<ReadTrack> JsonTracks(const std::vector<PlanView>& plans,
                                  const TraceEventOptions& options = {}) {
  const absl::StatusOr<std::string> json =
      FormatTraceEvents(plans, TraceEventFormat::kJson, options);
  EXPECT_TRUE(json.ok()) << json.status();
  return json.ok() ? ReadJsonEvents(*json) : std::vector<ReadTrack>();
}

bool HasOverlap(const ReadTrack& track) {
  for (size_t k = 1; k < track.slices.size(); ++k) {
    if (track.slices[k].begin < track.slices[k - 1].end) return true;
  }
  return false;
}

// Returns a map from the ids of tensors to their slices.
std::multimap<std::string, ReadSlice> TensorSlices(
    const std::vector<ReadTrack>& tracks) {
  std::multimap<std::string, ReadSlice> slices;
  for (const ReadTrack& track : tracks) {
    for (const ReadSlice& slice : track.slices) {
      const auto id = slice.texts.find("id");
      if (id != slice.texts.end()) slices.emplace(id->second, slice);
    }
  }
  return slices;
}

// Expects that every tensor has exactly one slice, with the tasks of the tensor
// and its place in the plan. Each task takes 1 µs.
void ExpectEveryTensor(const std::vector<ReadTrack>& tracks,
                       const PlanView& plan) {
  const auto slices = TensorSlices(tracks);
  EXPECT_EQ(slices.size(), plan.problem.records.size());
  for (size_t i = 0; i < plan.problem.records.size(); ++i) {
    const std::string& id = plan.problem.names[i];
    ASSERT_EQ(slices.count(id), 1u) << id;
    const ReadSlice& slice = slices.find(id)->second;
    const ByteRecord& record = plan.problem.records[i];
    EXPECT_EQ(slice.begin, record.first_task * 1000);
    EXPECT_EQ(slice.end, (record.last_task + 1) * 1000);
    EXPECT_EQ(slice.numbers.at("bytes"), record.tensor_size);
    EXPECT_EQ(slice.numbers.at("first_task"), record.first_task);
    EXPECT_EQ(slice.numbers.at("last_task"), record.last_task);
    if (plan.kind == PlanKind::kOffsets) {
      EXPECT_EQ(slice.numbers.at("offset"), plan.plan.offsets[i]);
    } else {
      EXPECT_EQ(slice.numbers.at("object"), plan.plan.objects[i]);
    }
  }
  for (const ReadTrack& track : tracks) {
    EXPECT_FALSE(HasOverlap(track)) << track.name;
  }
}

std::vector<std::string> TrackNames(const std::vector<ReadTrack>& tracks) {
  std::vector<std::string> names;
  for (const ReadTrack& track : tracks) names.push_back(track.name);
  return names;
}

TEST(TraceEvents, HaveLanesAndCounters) {
  const std::vector<ReadTrack> tracks = JsonTracks({EventView(kThreeTensors)});
  EXPECT_THAT(TrackNames(tracks),
              ElementsAre("arena live", "arena unused", "lane 1", "lane 2"));
  EXPECT_THAT(tracks[0].values,
              ElementsAre(Pair(0, 6), Pair(1000, 10), Pair(2000, 9),
                          Pair(3000, 5), Pair(5000, 0)));
  EXPECT_THAT(tracks[1].values,
              ElementsAre(Pair(0, 4), Pair(1000, 0), Pair(2000, 1),
                          Pair(3000, 5), Pair(5000, 10)));
  ASSERT_THAT(tracks[2].slices, SizeIs(2));
  EXPECT_EQ(tracks[2].slices[0].name, "a");
  EXPECT_EQ(tracks[2].slices[1].name, "c");
  ASSERT_THAT(tracks[3].slices, SizeIs(1));
  EXPECT_EQ(tracks[3].slices[0].name, "b");
}

TEST(TraceEvents, HaveATrackForEachObject) {
  const PlanView plan = EventView(
      "id,lower,upper,size,object\na,0,2,6,7\nb,1,3,4,2\nc,2,5,5,7\n");
  const std::vector<ReadTrack> tracks = JsonTracks({plan});
  EXPECT_THAT(TrackNames(tracks), ElementsAre("arena live", "arena unused",
                                              "object 7", "object 2"));
  ExpectEveryTensor(tracks, plan);
}

TEST(TraceEvents, HaveAProcessForEachPlan) {
  const std::vector<ReadTrack> tracks = JsonTracks(
      {EventView(kThreeTensors, "one"), EventView(kThreeTensors, "two")});
  ASSERT_THAT(tracks, SizeIs(8));
  EXPECT_EQ(tracks[3].process, "one");
  EXPECT_EQ(tracks[4].process, "two");
}

TEST(TraceEvents, TakeTheTimesThatWereMeasured) {
  PlanView plan = EventView(kThreeTensors);
  plan.problem.labels.operators = {"CONV_2D", "RELU"};
  // The measured time of the second task is 0, and the last tasks were not
  // measured.
  const std::vector<ReadTrack> tracks =
      JsonTracks({plan}, {64, {1500, 0, 2000}});
  const std::vector<ReadSlice>& operators =
      TrackNamed(tracks, "operators").slices;
  ASSERT_THAT(operators, SizeIs(3));
  EXPECT_EQ(operators[0].name, "CONV_2D");
  EXPECT_EQ(operators[0].end, 1500u);
  EXPECT_EQ(operators[1].name, "RELU");
  EXPECT_EQ(operators[1].end, 1501u);
  EXPECT_EQ(operators[2].name, "task 2");
  EXPECT_EQ(operators[2].end, 3501u);
  const auto slices = TensorSlices(tracks);
  EXPECT_EQ(slices.find("b")->second.begin, 1500u);
  EXPECT_EQ(slices.find("b")->second.end, 3501u);
  EXPECT_EQ(slices.find("c")->second.end, 5501u);
}

// Viewers compute the end of a slice with a precision of 53 bits. Even with
// this precision, an operator must end where the next one begins.
RC_GTEST_PROP(TraceEvents, EndOperatorsWhereTheNextBegins, ()) {
  const std::vector<uint64_t> times =
      *rc::gen::container<std::vector<uint64_t>>(
          rc::gen::inRange<uint64_t>(0, 100000000));
  const PlanView plan = EventView(absl::StrCat(
      "id,lower,upper,size,offset\na,0,", times.size() + 1, ",6,0\n"));
  const absl::StatusOr<std::string> text =
      FormatTraceEvents({plan}, TraceEventFormat::kJson, {64, times});
  RC_ASSERT(text.ok());
  double last_end = 0;
  size_t task = 0;
  const nlohmann::json document = nlohmann::json::parse(*text);
  for (const nlohmann::json& event : document.at("traceEvents")) {
    if (event.at("ph") != "X" || !event.at("args").contains("task")) continue;
    const double begin = event.at("ts");
    RC_ASSERT(begin == last_end);
    last_end = begin + event.at("dur").get<double>();
    RC_ASSERT(last_end > begin);
    RC_ASSERT(std::abs((last_end - begin) * 1000 -
                       static_cast<double>(times[task])) <= 1);
    ++task;
  }
  RC_ASSERT(task == times.size());
}

TEST(TraceEvents, SayWhatIsNotShown) {
  const std::vector<ReadTrack> tracks =
      JsonTracks({EventView(kThreeTensors)}, {1, {}});
  const std::vector<ReadSlice>& notes = TrackNamed(tracks, "not shown").slices;
  ASSERT_THAT(notes, SizeIs(1));
  EXPECT_EQ(notes[0].name, "not shown: 1 tensors, 4 bytes");
  EXPECT_EQ(TensorSlices(tracks).count("b"), 0u);
  EXPECT_EQ(TensorSlices(tracks).size(), 2u);
}

// In a large plan, most events belong to the two counters. To keep files small,
// one event sets both counters, and there is no event if neither counter
// changes.
TEST(TraceEvents, HaveOneEventForEachChangeOfCounters) {
  const PlanView plan = EventView(
      "id,lower,upper,size,offset\na,0,4,6,0\nb,1,2,4,6\nc,2,3,4,6\n");
  const absl::StatusOr<std::string> events =
      FormatTraceEvents({plan}, TraceEventFormat::kJson);
  ASSERT_TRUE(events.ok());
  size_t count = 0;
  for (size_t at = events->find("\"C\""); at != std::string::npos;
       at = events->find("\"C\"", at + 1)) {
    ++count;
  }
  EXPECT_EQ(count, 4u);  // at tasks 0, 1, 3 and 4
}

TEST(TraceEvents, NameTensorsAsTheModelDoes) {
  PlanView plan = EventView("id,lower,upper,size,offset\n7,0,2,6,0\n");
  plan.problem.labels.tensors = {{"conv/Relu", "int8", "1x6", {}, {}}};
  const std::vector<ReadTrack> tracks = JsonTracks({plan});
  const ReadSlice slice = TrackNamed(tracks, "lane 1").slices.at(0);
  EXPECT_EQ(slice.name, "conv/Relu");
  EXPECT_EQ(slice.texts.at("id"), "7");
  EXPECT_EQ(slice.texts.at("type"), "int8");
  EXPECT_EQ(slice.texts.at("shape"), "1x6");
}

TEST(TraceEvents, ShowTheWitnessOfUnsafePlans) {
  const PlanView offsets =
      EventView("id,lower,upper,size,offset\na,0,2,6,0\nb,1,3,4,5\n");
  std::vector<ReadTrack> tracks = JsonTracks({offsets});
  EXPECT_EQ(TrackNamed(tracks, "unsafe").slices.at(0).name,
            offsets.violation_text);
  ExpectEveryTensor(tracks, offsets);
  // Two tensors of one object that are live at the same time are on two tracks.
  const PlanView objects =
      EventView("id,lower,upper,size,object\na,0,2,6,3\nb,1,3,4,3\n");
  tracks = JsonTracks({objects});
  EXPECT_THAT(TrackNames(tracks),
              ElementsAre("arena live", "arena unused", "unsafe", "object 3",
                          "object 3 (2)"));
  ExpectEveryTensor(tracks, objects);
}

PlanView ExtremeView() {
  PlanView plan = EventView(absl::StrCat(
      "id,lower,upper,size,offset\nhuge,0,1099511627776,9223372036854775808,0\n"
      "none,5,6,0,0\nlast,1099511627775,1099511627776,0,7\n"));
  plan.problem.names[1] = "\"\\</script>\n\t\x01\u202e\u00e9";
  return plan;
}

TEST(TraceEvents, HoldNumbersExactly) {
  const PlanView plan = ExtremeView();
  const std::vector<ReadTrack> tracks = JsonTracks({plan});
  ExpectEveryTensor(tracks, plan);
  EXPECT_EQ(TrackNamed(tracks, "arena live").values[0].second,
            uint64_t{1} << 63);
}

TEST(TraceEvents, AreUtf8WhateverTheNames) {
  PlanView plan = EventView(kThreeTensors, "title \xff");
  plan.problem.names = {"\xff", std::string("a\0b", 3),
                        std::string(100000, 'x')};
  plan.problem.labels.tensors.resize(3);
  plan.problem.labels.tensors[0].name = "\xed\xa0\x80";
  plan.problem.labels.operators = {"\xc0\xaf"};
  const std::vector<ReadTrack> tracks = JsonTracks({plan});
  EXPECT_EQ(tracks[0].process, "title \\xff");
  const auto slices = TensorSlices(tracks);
  EXPECT_EQ(slices.count("\\xff"), 1u);
  EXPECT_EQ(slices.count(plan.problem.names[1]), 1u);
  EXPECT_EQ(slices.count(plan.problem.names[2]), 1u);
}

TEST(TraceEvents, ShowAPlanWithoutTensors) {
  const std::vector<ReadTrack> tracks =
      JsonTracks({EventView("id,lower,upper,size,offset\n")});
  EXPECT_THAT(tracks, IsEmpty());
}

TEST(TraceEvents, RefuseWhatNoViewerHolds) {
  const TraceEventFormat json = TraceEventFormat::kJson;
  EXPECT_THAT(FormatTraceEvents({}, json),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("no plan; expected at least one")));
  EXPECT_THAT(FormatTraceEvents({EventView(kThreeTensors)}, json, {0, {}}),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("0 lanes; expected at least 1")));
  // Each task takes 1000 ns. The first trace has the largest number of tasks
  // that end before 2^63 ns, and the second trace has one task more.
  const std::string row = "id,lower,upper,size,offset\na,0,";
  EXPECT_TRUE(
      FormatTraceEvents(
          {EventView(absl::StrCat(row, "9223372036854775,1,0\n"))}, json)
          .ok());
  EXPECT_THAT(
      FormatTraceEvents(
          {EventView(absl::StrCat(row, "9223372036854776,1,0\n"))}, json),
      FailsWith(absl::StatusCode::kOutOfRange, HasSubstr("2^63 - 1 ns")));
  const uint64_t max = std::numeric_limits<uint64_t>::max();
  EXPECT_THAT(
      FormatTraceEvents({EventView(kThreeTensors)}, json, {64, {max, max}}),
      FailsWith(absl::StatusCode::kOutOfRange, HasSubstr("2^63")));
}

TEST(TraceEvents, StopWhereWritingFails) {
  const absl::Status full = absl::ResourceExhaustedError("the disk is full");
  for (size_t good = 0; good < 3; ++good) {
    size_t left = good;
    const absl::Status s = WriteTraceEvents(
        {EventView(kThreeTensors)}, TraceEventFormat::kPerfetto, {},
        [&](absl::string_view) {
          return left-- > 0 ? absl::OkStatus() : full;
        });
    EXPECT_EQ(s, full) << good;
  }
}

TEST(TraceEventFormatOf, IsThatOfTheName) {
  EXPECT_EQ(*TraceEventFormatOf("a.json"), TraceEventFormat::kJson);
  EXPECT_EQ(*TraceEventFormatOf("a.pftrace"), TraceEventFormat::kPerfetto);
  EXPECT_EQ(*TraceEventFormatOf("a.perfetto-trace"),
            TraceEventFormat::kPerfetto);
  EXPECT_THAT(TraceEventFormatOf("plan.csv"),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "'plan.csv'; expected a name that ends in .json, "
                        ".pftrace or .perfetto-trace"));
}

RC_GTEST_PROP(TraceEvents, HoldEveryTensorOnce, ()) {
  const testing::ByteRecords records = *testing::AnyRecords();
  const PlanKind kind =
      *rc::gen::element(PlanKind::kOffsets, PlanKind::kObjects);
  for (const ByteRecord& record : records) {
    RC_PRE(record.last_task < 9000000000000000);
  }
  const absl::StatusOr<PlanView> plan =
      ViewPlan(PlannedTrace(records, kind), {"plan", ""});
  RC_ASSERT(plan.ok());
  const std::vector<ReadTrack> tracks =
      JsonTracks({*plan}, {std::max<size_t>(records.size(), 1), {}});
  ExpectEveryTensor(tracks, *plan);
  // The number of lanes is the maximum number of tensors that are live at once.
  // The two counters are additional tracks.
  if (kind == PlanKind::kObjects) return;
  size_t max = 0;
  for (const ByteRecord& record : records) {
    max = std::max(max, TaskProfile(records, record.first_task).size());
  }
  RC_ASSERT(tracks.size() == (records.empty() ? 0 : 2 + max));
}

class PerfettoEventsTest : public TempFolderTest {
 protected:
  void SetUp() override {
    if (std::system("protoc --version > /dev/null 2>&1") != 0) {
      GTEST_SKIP() << "protoc is not installed: nothing decodes the protobuf "
                      "(Debian: protobuf-compiler)";
    }
  }

  // Returns the tracks in the output of protoc, an independent program that
  // decodes the file.
  std::vector<ReadTrack> Decode(const std::vector<PlanView>& plans,
                                const TraceEventOptions& options = {}) {
    const absl::StatusOr<std::string> events =
        FormatTraceEvents(plans, TraceEventFormat::kPerfetto, options);
    EXPECT_TRUE(events.ok()) << events.status();
    if (!events.ok()) return {};
    const std::string command = absl::StrCat(
        "protoc --proto_path=" STOWAGE_SOURCE_DIR
        "/tests/views --decode=stowage.test.Trace " STOWAGE_SOURCE_DIR
        "/tests/views/track_event.proto < ",
        Write("plan.pftrace", *events), " > ", Path("decoded.txt"), " 2> ",
        Path("errors.txt"));
    EXPECT_EQ(std::system(command.c_str()), 0) << Read("errors.txt");
    EXPECT_EQ(Read("errors.txt"), "");
    const std::string text = Read("decoded.txt");
    // If the schema lacks a field, protoc prints the number of the field
    // instead of its name. There must be no such field.
    for (size_t at = text.find('\n'); at != std::string::npos;
         at = text.find('\n', at + 1)) {
      const size_t first = text.find_first_not_of(' ', at + 1);
      if (first == std::string::npos) break;
      EXPECT_FALSE(text[first] >= '0' && text[first] <= '9')
          << text.substr(first, 80);
    }
    return ReadDecodedEvents(text);
  }
};

TEST_F(PerfettoEventsTest, AreThoseOfTheJson) {
  PlanView plan = EventView(kThreeTensors);
  plan.problem.labels.operators = {"CONV_2D", "RELU"};
  const TraceEventOptions options = {1, {1500, 0, 2000}};
  const std::vector<ReadTrack> decoded = Decode({plan, plan}, options);
  const std::vector<ReadTrack> json = JsonTracks({plan, plan}, options);
  ASSERT_EQ(TrackNames(decoded), TrackNames(json));
  for (size_t t = 0; t < json.size(); ++t) {
    EXPECT_EQ(decoded[t].process, json[t].process);
    EXPECT_EQ(decoded[t].values, json[t].values);
    ASSERT_EQ(decoded[t].slices.size(), json[t].slices.size());
    for (size_t k = 0; k < json[t].slices.size(); ++k) {
      const ReadSlice& a = decoded[t].slices[k];
      const ReadSlice& b = json[t].slices[k];
      EXPECT_EQ(a.name, b.name);
      EXPECT_EQ(std::make_pair(a.begin, a.end), std::make_pair(b.begin, b.end));
      EXPECT_EQ(a.numbers, b.numbers);
      EXPECT_EQ(a.texts, b.texts);
    }
  }
}

TEST_F(PerfettoEventsTest, HoldEveryTensorOfATrace) {
  absl::StatusOr<ProblemFile> trace =
      ReadProblemFile(STOWAGE_SOURCE_DIR "/data/traces/mobilenet_v1.csv");
  ASSERT_TRUE(trace.ok()) << trace.status();
  const absl::StatusOr<Problem> problem = Problem::Create(trace->problem);
  ASSERT_TRUE(problem.ok()) << problem.status();
  const absl::StatusOr<Solution> plan = Solve(*problem, "greedy_by_size");
  ASSERT_TRUE(plan.ok()) << plan.status();
  trace->plan.offsets = plan->offsets()->offsets;
  const absl::StatusOr<PlanView> view = ViewPlan(*trace, {"plan", ""});
  ASSERT_TRUE(view.ok()) << view.status();
  ExpectEveryTensor(Decode({*view}), *view);
}

TEST_F(PerfettoEventsTest, HoldExtremesExactly) {
  const PlanView plan = ExtremeView();
  const std::vector<ReadTrack> tracks = Decode({plan});
  ExpectEveryTensor(tracks, plan);
  EXPECT_EQ(TrackNamed(tracks, "arena live").values[0].second,
            uint64_t{1} << 63);
}

TEST_F(PerfettoEventsTest, OrderLanesByTheirRank) {
  std::string csv = "id,lower,upper,size,offset\n";
  for (int i = 0; i < 12; ++i) absl::StrAppend(&csv, i, ",0,1,1,", i, "\n");
  uint64_t last_rank = 0;
  size_t lanes = 0;
  for (const ReadTrack& track : Decode({EventView(csv)})) {
    if (track.group != "arena") continue;
    EXPECT_GT(track.rank, last_rank);
    last_rank = track.rank;
    EXPECT_EQ(track.name, absl::StrCat("lane ", ++lanes));
  }
  EXPECT_EQ(lanes, 12u);
}

}  // namespace
}  // namespace stowage::views
