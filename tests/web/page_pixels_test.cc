// SPDX-License-Identifier: Apache-2.0
// Tests that the picture of a page is exact. If only small tensors touch a
// pixel, its color shows the exact share of the pixel that the tensors occupy.
// The edges of larger tensors are exact to half a pixel. The pointer can find
// every tensor, no matter how small it is.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/base/random.h"
#include "stowage/explain/plan_view.h"
#include "stowage/io/problem_file.h"
#include "stowage/profile.h"
#include "tests/web/page_test_base.h"

namespace stowage::web {
namespace {

using views::PlanView;

struct Window {
  double x0 = 0;  // tasks
  double x1 = 0;
  double y0 = 0;  // bytes
  double y1 = 0;
};

// Returns many tensors of all sizes and lifetimes, most of them small.
ProblemFile MixedTrace(Random* random, size_t count) {
  ProblemFile trace;
  for (size_t i = 0; i < count; ++i) {
    const TaskId first = random->Below(400);
    const bool is_long = random->Below(20) == 0;
    const TaskId last = first + random->Below(is_long ? 200 : 4);
    const size_t size = 1 + random->Below(random->Below(8) == 0 ? 4096 : 64);
    trace.problem.records.push_back({size, first, last});
    trace.problem.names.push_back(absl::StrCat("t", i));
  }
  return trace;
}

// The expected picture, pixel by pixel from the top left. `share` is the share
// of a pixel that records occupy. `is_solid` is true if the pixel or one of its
// neighbors is touched by a record that is at least one pixel wide and high.
struct Expected {
  std::vector<double> share;
  std::vector<bool> is_solid;
};

Expected Paint(const PlanView& view, const Window& window, size_t width,
               size_t height) {
  Expected expected;
  expected.share.resize(width * height);
  expected.is_solid.resize(width * height);
  const auto w = static_cast<double>(width);
  const auto h = static_cast<double>(height);
  for (size_t i = 0; i < view.offsets.size(); ++i) {
    const ByteRecord& record = view.problem.records[i];
    const auto x_of = [&](TaskId task) {
      return (static_cast<double>(task) - window.x0) / (window.x1 - window.x0) *
             w;
    };
    const auto y_of = [&](size_t byte) {
      return (window.y1 - static_cast<double>(byte)) / (window.y1 - window.y0) *
             h;
    };
    const double left = x_of(record.first_task);
    const double right = x_of(record.last_task + 1);
    const double top = y_of(view.offsets[i] + record.tensor_size);
    const double bottom = y_of(view.offsets[i]);
    const bool is_solid = right - left >= 0.999 && bottom - top >= 0.999;
    const double margin = is_solid ? 1 : 0;
    const auto begin = [](double at) {
      return static_cast<size_t>(std::max(0.0, std::floor(at)));
    };
    const auto end = [](double at, double max) {
      return static_cast<size_t>(std::max(0.0, std::min(max, std::ceil(at))));
    };
    for (size_t y = begin(top - margin); y < end(bottom + margin, h); ++y) {
      for (size_t x = begin(left - margin); x < end(right + margin, w); ++x) {
        const auto px = static_cast<double>(x);
        const auto py = static_cast<double>(y);
        const double area =
            std::max(0.0, std::min(right, px + 1) - std::max(left, px)) *
            std::max(0.0, std::min(bottom, py + 1) - std::max(top, py));
        expected.share[y * width + x] += area;
        if (is_solid) expected.is_solid[y * width + x] = true;
      }
    }
  }
  return expected;
}

class PagePixels : public PageTest {
 protected:
  void SetWindow(const Window& window) {
    Get(absl::StrCat("stowage.setWindow({x0:", window.x0, ",x1:", window.x1,
                     ",y0:", window.y0, ",y1:", window.y1, "})"));
  }

  Window CurrentWindow() {
    const Json now = Get("stowage.state().window");
    return {now.at("x0"), now.at("x1"), now.at("y0"), now.at("y1")};
  }

  // Expects the exact share in every pixel that only small tensors touch. The
  // colors of the plot and of tensors are 255 steps apart, and a difference of
  // 2 steps is tolerated.
  void ExpectShares(const PlanView& view) {
    const Window window = CurrentWindow();
    const Json shown = Get(
        "(() => { const p = stowage.pixels(); const t = stowage.theme();"
        " const channel = [0, 1, 2].reduce((a, b) =>"
        "   Math.abs(t.plain[b] - t.plot[b]) > Math.abs(t.plain[a] - t.plot[a])"
        "   ? b : a);"
        " const range = t.plain[channel] - t.plot[channel];"
        " return {width: p.width, height: p.height, shares: "
        "Array.from(p.pixels,"
        "   (v) => Math.round(1000 * ((v >>> (8 * channel) & 255) -"
        "   t.plot[channel]) / range))}; })()");
    const size_t width = shown.at("width");
    const size_t height = shown.at("height");
    const std::vector<int> shares = shown.at("shares");
    const Expected expected = Paint(view, window, width, height);
    size_t compared = 0;
    size_t partial = 0;
    for (size_t i = 0; i < shares.size(); ++i) {
      if (expected.is_solid[i]) continue;
      const double share = std::min(1.0, expected.share[i]);
      ++compared;
      if (share > 0.01 && share < 0.99) ++partial;
      ASSERT_NEAR(shares[i] / 1000.0, share, 2.0 / 255 + 0.004)
          << "pixel " << i % width << ", " << i / width;
    }
    EXPECT_GT(compared, shares.size() / 10);
    EXPECT_GT(partial, 0U);
  }
};

TEST_F(PagePixels, AreTheExactShareThatSmallTensorsOccupy) {
  Random random(7);
  for (int plan = 0; plan < 5; ++plan) {
    const PlanView view =
        ViewOf(MixedTrace(&random, 3000), "greedy_by_size", "mixed");
    OpenPage({view});
    if (HasFatalFailure()) return;
    Get("stowage.setColour('plain')");
    ExpectShares(view);
    for (int k = 0; k < 3 && !HasFatalFailure(); ++k) {
      const auto tasks = static_cast<double>(view.task_count);
      const auto bytes = static_cast<double>(view.total_size);
      const auto part = [&] {
        return static_cast<double>(random.Below(1000)) / 1000;
      };
      const double width = tasks * (0.3 + 0.6 * part());
      const double height = bytes * (0.3 + 0.6 * part());
      const double x0 = (tasks - width) * part();
      const double y0 = (bytes - height) * part();
      SetWindow({x0, x0 + width, y0, y0 + height});
      ExpectShares(view);
    }
  }
}

TEST_F(PagePixels, HaveEdgesWithinHalfAPixel) {
  ProblemFile trace;
  trace.problem.records = {{1000, 10, 19}, {1, 0, 39}};
  trace.problem.names = {"one", "ceiling"};
  trace.plan.offsets = {500, 1999};
  const auto view = views::ViewPlan(trace, {"one", ""});
  ASSERT_TRUE(view.ok()) << view.status();
  OpenPage({*view});
  SetWindow({0, 40, 0, 1990});
  Get("stowage.setColour('plain')");
  // Returns the first pixel that is not free and one past the last such pixel,
  // both in the middle row and in a column through the tensor.
  const Json edges = Get(
      "(() => { const {width, height, pixels} = stowage.pixels();"
      " const free = pixels[width * (height >> 1)]; const list = (n, at) => {"
      "   const on = [...Array(n).keys()].filter((k) => pixels[at(k)] !== "
      "free);"
      "   return [on[0], on[on.length - 1] + 1]; };"
      " const row = Math.floor(height / 2); const column = "
      "Math.floor(width * 3 / 8);"
      " return {width, height, x: list(width, (k) => row * width + k),"
      "   y: list(height, (k) => k * width + column)}; })()");
  const double width = edges.at("width");
  const double height = edges.at("height");
  EXPECT_NEAR(edges.at("x")[0].get<double>(), width * 10 / 40, 0.5001);
  EXPECT_NEAR(edges.at("x")[1].get<double>(), width * 20 / 40, 0.5001);
  EXPECT_NEAR(edges.at("y")[0].get<double>(), height * 490 / 1990, 0.5001);
  EXPECT_NEAR(edges.at("y")[1].get<double>(), height * 1490 / 1990, 0.5001);
}

// The whole plan is shown. The page returns a place for every tensor, and finds
// the tensor at the middle of this place, both with a call and with the real
// mouse.
TEST_F(PagePixels, NameEveryTensorThatThePointerIsOn) {
  Random random(3);
  ProblemFile trace = MixedTrace(&random, 4000);
  for (size_t k = 0; k < 40; ++k) {
    trace.problem.records.push_back({1, 10 * k, 10 * k});
    trace.problem.names.push_back(absl::StrCat("byte", k));
  }
  const PlanView view = ViewOf(trace, "greedy_by_size", "mixed");
  OpenPage({view});
  const std::vector<int64_t> missed =
      Get("(() => { const missed = []; for (let i = 0; i < 4040; ++i) {"
          " const {left, right, top, bottom} = stowage.place(i);"
          " if (stowage.hover((left + right) / 2, (top + bottom) / 2) !== i)"
          "   missed.push(i); } return missed; })()");
  EXPECT_THAT(missed, ::testing::IsEmpty());
}

TEST_F(PagePixels, NameNothingWhereBytesAreFree) {
  Random random(5);
  const PlanView view =
      ViewOf(MixedTrace(&random, 2000), "greedy_by_size", "mixed");
  OpenPage({view});
  const Json plot = Get("stowage.plot()");
  const auto tasks = static_cast<double>(view.task_count);
  const Window window = CurrentWindow();
  size_t free = 0;
  for (int k = 0; k < 300; ++k) {
    const double x = static_cast<double>(random.Below(10000)) / 10000;
    const double y = static_cast<double>(random.Below(10000)) / 10000;
    const double task = window.x0 + x * (window.x1 - window.x0);
    const double byte = window.y1 - y * (window.y1 - window.y0);
    int64_t holder = -1;
    for (size_t i = 0; i < view.offsets.size(); ++i) {
      const ByteRecord& record = view.problem.records[i];
      const auto offset = static_cast<double>(view.offsets[i]);
      if (static_cast<double>(record.first_task) <= task &&
          task < static_cast<double>(record.last_task + 1) && offset <= byte &&
          byte < offset + static_cast<double>(record.tensor_size)) {
        holder = static_cast<int64_t>(i);
      }
    }
    if (task >= tasks) holder = -1;
    if (holder < 0) ++free;
    const int64_t named =
        Get(absl::StrCat("stowage.hover(", x * plot.at("width").get<double>(),
                         ",", y * plot.at("height").get<double>(), ")"));
    EXPECT_EQ(named, holder) << "task " << task << ", byte " << byte;
  }
  EXPECT_GT(free, 0U);
}

}  // namespace
}  // namespace stowage::web
