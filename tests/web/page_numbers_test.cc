// SPDX-License-Identifier: Apache-2.0
// Tests that the numbers on a page equal those of the library exactly, to the
// byte.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/base/random.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/profile.h"
#include "tests/support/real_data.h"
#include "tests/web/page_test_base.h"

namespace stowage::web {
namespace {

using views::PlanView;

// The numbers of live and of free bytes of the arena at a task. `gaps` counts
// the free bytes below the highest end of a live tensor, and `top` counts the
// free bytes above that end.
struct Use {
  size_t live = 0;
  size_t gaps = 0;
  size_t top = 0;
};

Use UseAt(const PlanView& view, TaskId task) {
  Use use;
  size_t end = 0;
  for (size_t i = 0; i < view.offsets.size(); ++i) {
    const ByteRecord& record = view.problem.records[i];
    if (task < record.first_task || record.last_task < task) continue;
    if (record.tensor_size == 0) continue;
    use.live += record.tensor_size;
    end = std::max(end, view.offsets[i] + record.tensor_size);
  }
  use.gaps = end - use.live;
  use.top = view.total_size - end;
  return use;
}

std::vector<std::string> Decimals(const std::vector<size_t>& numbers) {
  std::vector<std::string> decimals;
  decimals.reserve(numbers.size());
  for (const size_t n : numbers) decimals.push_back(absl::StrCat(n));
  return decimals;
}

class PageNumbers : public PageTest {
 protected:
  void ExpectColumns(const PlanView& view) {
    const Json columns = Get("stowage.columns()");
    ASSERT_TRUE(columns.is_object());
    std::vector<size_t> first;
    std::vector<size_t> last;
    std::vector<size_t> size;
    for (const ByteRecord& record : view.problem.records) {
      first.push_back(record.first_task);
      last.push_back(record.last_task);
      size.push_back(record.tensor_size);
    }
    EXPECT_EQ(columns.at("id"), Json(view.problem.names));
    EXPECT_EQ(columns.at("first"), Json(Decimals(first)));
    EXPECT_EQ(columns.at("last"), Json(Decimals(last)));
    EXPECT_EQ(columns.at("size"), Json(Decimals(size)));
    EXPECT_EQ(columns.at("offset"), Json(Decimals(view.offsets)));
    std::vector<size_t> value;
    for (const views::RecordValue& v :
         views::ExplainBreadth(view.problem.records).values) {
      value.push_back(v.marginal);
    }
    EXPECT_EQ(columns.at("value"), Json(Decimals(value)));
  }

  void ExpectHead(const PlanView& view) {
    const Json plan = Get("stowage.header.plans[0]");
    EXPECT_EQ(plan.at("total"), absl::StrCat(view.total_size));
    EXPECT_EQ(plan.at("bound"), absl::StrCat(view.lower_bound));
    std::vector<TaskId> peaks = Get("stowage.peaks()");
    EXPECT_EQ(peaks, view.peak_tasks);
  }

  void ExpectUse(const PlanView& view, TaskId task) {
    const Json shown = Get(absl::StrCat("stowage.useAt(", task, ")"));
    const Use use = UseAt(view, task);
    EXPECT_EQ(shown.at("live"), absl::StrCat(use.live)) << task;
    EXPECT_EQ(shown.at("gaps"), absl::StrCat(use.gaps)) << task;
    EXPECT_EQ(shown.at("top"), absl::StrCat(use.top)) << task;
  }

  // Expects that the table lists the tensors that are live at the peak.
  void ExpectTable(const PlanView& view) {
    if (view.peak_tasks.empty()) return;
    std::vector<size_t> rows = Get("stowage.tableRows()");
    std::sort(rows.begin(), rows.end());
    std::vector<size_t> live;
    const TaskId peak = view.peak_tasks.front();
    for (size_t i = 0; i < view.problem.records.size(); ++i) {
      const ByteRecord& record = view.problem.records[i];
      if (record.first_task <= peak && peak <= record.last_task) {
        live.push_back(i);
      }
    }
    EXPECT_EQ(rows, live);
  }

  void ExpectSame(const PlanView& view) {
    OpenPage({view});
    if (HasFatalFailure()) return;
    ExpectColumns(view);
    ExpectHead(view);
    ExpectTable(view);
    Random random(1);
    for (int k = 0; k < 5 && view.task_count > 0; ++k) {
      ExpectUse(view, random.Below(view.task_count));
    }
    EXPECT_THAT(browser().events().errors, ::testing::IsEmpty());
  }
};

TEST_F(PageNumbers, AreExactBeyondWhatADoubleHolds) {
  ProblemFile trace;
  trace.problem.names = {"a"};
  trace.problem.records = {{10, 18446744073709551613U, 18446744073709551614U}};
  OpenPage({ViewOf(trace, "naive", "late")});
  EXPECT_THAT(
      Get("document.getElementById('summary').textContent").get<std::string>(),
      ::testing::HasSubstr("18,446,744,073,709,551,615 tasks"));
}

// The details and the table compare tasks exactly, too.
TEST_F(PageNumbers, OfLateTasksFindTheTensorsThatAreLive) {
  ProblemFile trace;
  const TaskId late = 18446744073709551600U;
  trace.problem.records = {{10, late, late + 9}, {5, 0, late + 9}, {3, 0, 9}};
  trace.problem.names = {"a", "b", "c"};
  const PlanView view = ViewOf(trace, "greedy_by_size", "late");
  OpenPage({view});
  ExpectTable(view);
  EXPECT_EQ(Get("document.getElementById('table-title').textContent"),
            "Live at the peak, task 18,446,744,073,709,551,600");
  EXPECT_EQ(Get("stowage.find('@18446744073709551600')"), 2);
}

// The chart stacks the memories on top of each other. Texts nevertheless count
// the bytes of a tensor from the start of its own memory.
TEST_F(PageNumbers, CountFromTheStartOfEachMemory) {
  const absl::StatusOr<ProblemFile> file = ParseProblemJson(
      R"({"pools":[{"name":"sram","capacity":100},{"name":"dram"}],"records":[
        {"id":"a","size":60,"lower":0,"upper":2,"pools":[{"name":"sram"}]},
        {"id":"b","size":70,"lower":1,"upper":3,"pools":[{"name":"dram"}]},
        {"id":"c","size":0,"lower":0,"upper":3,"fixed":60,
         "pools":[{"name":"sram"}]}]})",
      "two memories");
  ASSERT_TRUE(file.ok()) << file.status();
  OpenPage({ViewOf(*file, "skyline", "two memories")});
  const std::string table =
      Get("document.getElementById('peak-table').innerText");
  EXPECT_THAT(table, ::testing::HasSubstr("\t0\tdram"));
  EXPECT_THAT(table, ::testing::HasSubstr("\t60\tsram"))
      << "of a tensor without bytes at the end of its memory";
  EXPECT_EQ(Get("stowage.find('b')"), 1);
  Get("document.querySelector('#result-list button').click()");
  const std::string details =
      Get("document.getElementById('details-body').innerText");
  EXPECT_THAT(details, ::testing::HasSubstr("[0, 70)"));
  EXPECT_THAT(details, ::testing::HasSubstr("dram"));
  EXPECT_THAT(details, ::testing::Not(::testing::HasSubstr("touches")));
}

TEST_F(PageNumbers, AreThoseOfShippedTraces) {
  for (const std::string& path : support::FilesIn(
           absl::StrCat(STOWAGE_SOURCE_DIR, "/data/traces"), ".csv")) {
    SCOPED_TRACE(path);
    const absl::StatusOr<ProblemFile> trace = ReadProblemFile(path);
    ASSERT_TRUE(trace.ok()) << trace.status();
    ExpectSame(ViewOf(*trace, "greedy_by_size", path));
  }
}

TEST_F(PageNumbers, AreThoseOfRealModels) {
  const auto folder = support::RealDataFolder("STOWAGE_TRACES");
  if (!folder) GTEST_SKIP() << "STOWAGE_TRACES is not set";
  for (const std::string& path :
       support::FilesIn(*folder + "/models", ".csv")) {
    SCOPED_TRACE(path);
    const absl::StatusOr<ProblemFile> trace = ReadProblemFile(path);
    ASSERT_TRUE(trace.ok()) << trace.status();
    ExpectSame(ViewOf(*trace, "skyline", path));
  }
}

// The numbers exceed 2^53, above which JavaScript numbers are not exact.
TEST_F(PageNumbers, AreExactInHugeArenasAndLongTraces) {
  ProblemFile trace;
  const size_t huge = size_t{1} << 61;
  const TaskId late = TaskId{1} << 40;
  trace.problem.records = {
      {huge + 1, 0, late}, {huge - 3, 5, 9}, {7, late, late + 2}};
  trace.problem.names = {"a", "b", "c"};
  ExpectSame(ViewOf(trace, "greedy_by_size", "huge"));
}

TEST_F(PageNumbers, OfNothingAreShownToo) {
  ProblemFile trace;
  trace.plan.offsets = {};
  const auto view = views::ViewPlan(trace, {"nothing", ""});
  ASSERT_TRUE(view.ok()) << view.status();
  OpenPage({*view});
  EXPECT_EQ(Get("stowage.tableRows().length"), 0);
  EXPECT_THAT(browser().events().errors, ::testing::IsEmpty());
}

// The top of the page shows the violation found by the verifier.
TEST_F(PageNumbers, OfAnUnsafePlanAreMarked) {
  ProblemFile trace;
  trace.problem.records = {{64, 0, 3}, {32, 2, 5}};
  trace.problem.names = {"conv", "add"};
  trace.plan.offsets = {0, 16};
  const auto view = views::ViewPlan(trace, {"unsafe.csv", ""});
  ASSERT_TRUE(view.ok()) << view.status();
  ASSERT_TRUE(view->violation.has_value());
  OpenPage({*view});
  const std::string verdict =
      Get("document.getElementById('verdict').innerText");
  EXPECT_THAT(verdict, ::testing::HasSubstr("UNSAFE"));
  EXPECT_THAT(verdict, ::testing::HasSubstr(view->violation_text));
  EXPECT_EQ(Get("document.getElementById('verdict').hidden"), false);
}

}  // namespace
}  // namespace stowage::web
