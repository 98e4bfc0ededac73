// SPDX-License-Identifier: Apache-2.0
// Tests that speedscope, an independent program, can import event traces. The
// environment variable STOWAGE_SPEEDSCOPE names the folder of its release,
// which is dist/release in the npm package speedscope (tested with 1.25.0). If
// the variable is not set, these tests are skipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/profile.h"
#include "stowage/views/trace_events.h"
#include "tests/web/page_test_base.h"

namespace stowage::web {
namespace {

// This script presses the Export button of speedscope, and returns the content
// of the file that speedscope then saves.
constexpr char kExport[] = R"js(
new Promise((done, fail) => {
  const make = URL.createObjectURL;
  URL.createObjectURL = (blob) => {
    blob.text().then(done);
    return make.call(URL, blob);
  };
  HTMLAnchorElement.prototype.click = () => {};
  const start = performance.now();
  const wait = () => {
    const buttons = [...document.querySelectorAll('*')].filter(
        (e) => e.children.length < 3 && /Export$/.test(e.textContent));
    if (buttons.length > 0) return buttons.pop().dispatchEvent(
        new MouseEvent('click', {bubbles: true}));
    if (performance.now() - start > 30000) fail(new Error('no Export'));
    setTimeout(wait, 20);
  };
  wait();
  setTimeout(() => fail(new Error('nothing exported')), 40000);
}))js";

class SpeedscopeTest : public PageTest {
 protected:
  void SetUp() override {
    if (std::getenv("STOWAGE_SPEEDSCOPE") == nullptr) {
      GTEST_SKIP() << "STOWAGE_SPEEDSCOPE does not name a folder of "
                      "speedscope's release";
    }
    PageTest::SetUp();
  }

  // Imports a trace of the plans into speedscope, and returns the file that
  // speedscope exports.
  Json Import(const std::vector<views::PlanView>& plans,
              const views::TraceEventOptions& options = {}) {
    const absl::StatusOr<std::string> events = views::FormatTraceEvents(
        plans, views::TraceEventFormat::kJson, options);
    EXPECT_TRUE(events.ok()) << events.status();
    if (!events.ok()) return {};
    const std::string script = Write(
        "plan.js", absl::StrCat("speedscope.loadFileFromBase64('plan.json', '",
                                absl::Base64Escape(*events), "')"));
    // Opens another page first, because the browser does not reload a page if
    // only the fragment of its URL differs.
    EXPECT_TRUE(browser().Open("about:blank").ok());
    const absl::Status opened = browser().Open(
        absl::StrCat("file://", std::getenv("STOWAGE_SPEEDSCOPE"),
                     "/index.html#localProfilePath=", script.substr(1)));
    EXPECT_TRUE(opened.ok()) << opened;
    const Json text = Get(kExport);
    return text.is_string() ? Json::parse(text.get<std::string>()) : Json();
  }
};

// Maps the name of each slice of a track to the start and the end of the slice.
using SliceTimes = std::multimap<std::string, std::pair<double, double>>;
std::map<std::string, SliceTimes> ImportedSlices(const Json& file) {
  std::map<std::string, SliceTimes> tracks;
  for (const Json& profile : file.at("profiles")) {
    SliceTimes& slices = tracks[profile.at("name").get<std::string>()];
    size_t depth = 0;
    double begin = 0;
    for (const Json& event : profile.at("events")) {
      if (event.at("type") == "O") {
        EXPECT_EQ(++depth, 1u) << "two slices overlap";
        begin = event.at("at");
        continue;
      }
      --depth;
      const size_t frame = event.at("frame");
      const std::string name =
          file.at("shared").at("frames").at(frame).at("name");
      // speedscope appends the arguments to the name of a frame.
      slices.emplace(name.substr(0, name.find(" {")),
                     std::make_pair(begin, event.at("at").get<double>()));
    }
    EXPECT_EQ(depth, 0u);
  }
  return tracks;
}

TEST_F(SpeedscopeTest, ImportsEveryLaneAndTensor) {
  const absl::StatusOr<ProblemFile> trace =
      ReadProblemFile(STOWAGE_SOURCE_DIR "/data/traces/unet_plus_plus.csv");
  ASSERT_TRUE(trace.ok()) << trace.status();
  const views::PlanView plan = ViewOf(*trace, "greedy_by_size", "plan.csv");
  const Json file = Import({plan});
  ASSERT_TRUE(file.is_object());
  const auto tracks = ImportedSlices(file);
  // speedscope measures the times on each track relative to the first slice of
  // the track.
  SliceTimes all;
  for (const auto& [name, slices] : tracks) {
    size_t first = std::numeric_limits<size_t>::max();
    for (size_t i = 0; i < trace->problem.names.size(); ++i) {
      if (slices.count(trace->problem.names[i]) == 0) continue;
      first = std::min(first, trace->problem.records[i].first_task);
    }
    const double start = static_cast<double>(first);
    for (const auto& [id, times] : slices) {
      all.emplace(id,
                  std::make_pair(times.first + start, times.second + start));
    }
  }
  // The number of lanes is the maximum number of tensors that are live at once.
  size_t lanes = 0;
  for (const auto& record : trace->problem.records) {
    lanes = std::max(
        lanes, TaskProfile(trace->problem.records, record.first_task).size());
  }
  EXPECT_EQ(tracks.size(), lanes);
  ASSERT_EQ(all.size(), trace->problem.records.size());
  for (size_t i = 0; i < trace->problem.records.size(); ++i) {
    const auto found = all.find(trace->problem.names[i]);
    ASSERT_NE(found, all.end()) << trace->problem.names[i];
    const auto& record = trace->problem.records[i];
    EXPECT_EQ(found->second.first, static_cast<double>(record.first_task));
    EXPECT_EQ(found->second.second, static_cast<double>(record.last_task + 1));
  }
}

TEST_F(SpeedscopeTest, ImportsTimesThatAreNoWholeMicroseconds) {
  ProblemFile trace;
  std::vector<uint64_t> times;
  for (size_t i = 0; i < 200; ++i) {
    trace.problem.names.push_back(absl::StrCat("t", i));
    trace.problem.records.push_back({size_t{64}, i, i});
    trace.problem.labels.operators.push_back("ADD");
    times.push_back(i * 7919 % 100003);
  }
  const Json file = Import({ViewOf(trace, "greedy_by_size", "p")}, {64, times});
  ASSERT_TRUE(file.is_object());
  // There are two tracks: one for operators, and one lane for tensors, which do
  // not overlap.
  const auto tracks = ImportedSlices(file);
  ASSERT_EQ(tracks.size(), 2u);
  for (const auto& [name, slices] : tracks) {
    EXPECT_EQ(slices.size(), 200u) << name;
  }
}

}  // namespace
}  // namespace stowage::web
