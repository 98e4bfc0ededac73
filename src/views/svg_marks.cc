// SPDX-License-Identifier: Apache-2.0
#include "src/views/svg_marks.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/views/svg_shapes.h"
#include "src/views/svg_text.h"
#include "stowage/explain/plan_view.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"
#include "stowage/verify/violation_details.h"
#include "stowage/views/plain_text.h"

namespace stowage::views {
namespace {

constexpr int64_t kPixel = kEighths;
constexpr int64_t kLineHeight = 12 * kPixel;
constexpr char kEnd[] = R"( class="text" text-anchor="end")";
constexpr char kStart[] = R"( class="text")";

int64_t Right(const SvgBox& box) { return box.x + box.width; }
int64_t Bottom(const SvgBox& box) { return box.y + box.height; }

void AddStroke(absl::string_view name, absl::string_view data,
               std::string* svg) {
  if (data.empty()) return;
  absl::StrAppend(svg, "<path class=\"", name, "\" d=\"", data, "\"/>\n");
}

// Returns the box of the bytes that the violation concerns, or an empty box if
// the violation does not concern bytes.
SvgBox WitnessBox(const PlanView& view, const SvgScale& scale) {
  const Violation& violation = *view.violation;
  if (DetailsOf(violation).held_twice != HeldTwice::kBytes ||
      violation.begin >= violation.end) {
    return {};
  }
  const size_t base =
      violation.pool < view.bands.size() ? view.bands[violation.pool].begin : 0;
  SvgBox box;
  box.x = scale.X(violation.task);
  box.width = std::max(2 * kPixel, scale.X(violation.task + 1) - box.x);
  box.y = scale.Y(violation.end + base);
  box.height = std::max(2 * kPixel, scale.Y(violation.begin + base) - box.y);
  return box;
}

}  // namespace

uint64_t SvgTick(uint64_t range) {
  uint64_t tick = 1;
  while (range / tick >= 6) tick *= 2;
  return tick;
}

std::string FittingLabel(absl::string_view text, int64_t width) {
  const int64_t columns = std::max<int64_t>(1, width / 52);
  return CutMiddle(PlainText(text), static_cast<size_t>(columns), false);
}

void AddBands(const PlanView& view, const SvgLayout& layout, std::string* svg) {
  const SvgBox& frame = layout.arena.frame;
  std::string lines;
  std::string names;
  // The baseline of the last name that was written.
  int64_t above = Bottom(frame) + kLineHeight;
  int64_t last_line = Bottom(frame);
  for (const Band& band : view.bands) {
    const int64_t bottom = layout.arena.Y(band.begin);
    const int64_t top = layout.arena.Y(band.begin + band.size);
    // Skips lines that are less than two pixels apart, because they could not
    // be distinguished.
    if (last_line - top >= 2 * kPixel) {
      absl::StrAppend(&lines, "M", frame.x, " ", top, "H", Right(frame));
      last_line = top;
    }
    const int64_t middle = (top + bottom) / 2 + 4 * kPixel;
    if (!layout.is_wide || above - middle < kLineHeight) continue;
    absl::StrAppend(&names,
                    SvgLabel(frame.x - 4 * kPixel, middle, kEnd,
                             FittingLabel(band.name, frame.x - 6 * kPixel)));
    above = middle;
  }
  AddStroke("rule", lines, svg);
  absl::StrAppend(svg, names);
}

void AddAxes(const PlanView& view, const SvgLayout& layout, std::string* svg) {
  const SvgBox& frame = layout.arena.frame;
  const SvgBox& curve = layout.curve.frame;
  if (layout.is_wide && view.bands.empty()) {
    const uint64_t tick = SvgTick(layout.arena.bytes);
    std::string ticks;
    for (uint64_t byte = 0;;) {
      const int64_t y = layout.arena.Y(byte);
      absl::StrAppend(&ticks, "M", frame.x - 3 * kPixel, " ", y, "H", frame.x);
      absl::StrAppend(svg, SvgLabel(frame.x - 5 * kPixel, y + 3 * kPixel, kEnd,
                                    ShortSize(byte)));
      if (layout.arena.bytes - byte < tick) break;
      byte += tick;
    }
    AddStroke("rule", ticks, svg);
  }
  if (view.profile.empty()) return;
  const int64_t y = Bottom(curve) + kLineHeight;
  absl::StrAppend(svg,
                  SvgLabel(curve.x, y, kStart,
                           absl::StrCat("task ", layout.curve.first_task)),
                  SvgLabel(Right(curve), y, kEnd,
                           absl::StrCat(layout.is_wide ? "task " : "",
                                        view.task_count - 1)));
  if (!layout.is_wide) return;
  absl::StrAppend(
      svg, SvgLabel(curve.x - 5 * kPixel, curve.y + kLineHeight, kEnd, "live"));
}

void AddLevels(const PlanView& view, const SvgLayout& layout,
               std::string* svg) {
  const SvgBox& frame = layout.arena.frame;
  const auto line = [&](const char* name, size_t bytes) {
    std::string data;
    for (const SvgScale* scale : {&layout.arena, &layout.curve}) {
      absl::StrAppend(&data, "M", frame.x, " ", scale->Y(bytes), "H",
                      Right(frame));
    }
    AddStroke(name, data, svg);
  };
  line("total", view.total_size);
  line("bound", view.lower_bound);
  if (!layout.is_wide) return;
  const int64_t x = Right(frame) + 5 * kPixel;
  const int64_t total = layout.arena.Y(view.total_size) + 3 * kPixel;
  if (view.total_size == view.lower_bound) {
    absl::StrAppend(svg, SvgLabel(x, total, kStart,
                                  absl::StrCat("total = bound ",
                                               ShortSize(view.total_size))));
    return;
  }
  int64_t bound = layout.arena.Y(view.lower_bound) + 3 * kPixel;
  // Keeps the labels of the bound and of the total at a distance, so that they
  // do not overlap. The label of the bound is below that of the total if the
  // bound is smaller than the total, and above it otherwise.
  const bool is_below = view.lower_bound < view.total_size;
  if (is_below) bound = std::max(bound, total + kLineHeight);
  if (!is_below) bound = std::min(bound, total - kLineHeight);
  const std::string above = PercentAbove(view.total_size, view.lower_bound);
  absl::StrAppend(
      svg,
      SvgLabel(x, total, kStart,
               absl::StrCat("total ", ShortSize(view.total_size))),
      SvgLabel(x, bound, kStart,
               absl::StrCat("bound ", ShortSize(view.lower_bound))));
  if (above.empty() || !is_below) return;
  absl::StrAppend(svg, SvgLabel(x, bound + kLineHeight, kStart,
                                absl::StrCat("total ", above)));
}

void AddPeaks(const PlanView& view, const SvgLayout& layout, std::string* svg) {
  const SvgScale& scale = layout.arena;
  std::string lines;
  std::string marks;
  int64_t last = -kPixel;
  int64_t first = -1;
  for (const TaskId task : view.peak_tasks) {
    const int64_t x = (scale.X(task) + scale.X(task + 1)) / 2;
    if (x - last < kPixel) continue;
    last = x;
    if (first < 0) first = x;
    absl::StrAppend(&lines, "M", x, " ", layout.top, "V",
                    Bottom(layout.curve.frame));
    absl::StrAppend(&marks, "M", x - 32, " ", layout.top - 48, "h64l-32 48z");
  }
  AddStroke("at", lines, svg);
  AddStroke("peak", marks, svg);
  if (first < 0) return;
  const std::string label = PeakLabel(view);
  const bool is_left = first + TextWidth(label) > layout.width - 16 * kPixel;
  const bool has_room = !is_left || TextWidth(label) < first;
  if (!has_room) return;
  absl::StrAppend(svg,
                  SvgLabel(is_left ? first - 6 * kPixel : first + 6 * kPixel,
                           layout.top - 8, is_left ? kEnd : kStart, label));
}

void AddViolation(const PlanView& view, const SvgLayout& layout,
                  std::string* svg) {
  if (!view.violation) return;
  SvgPath outlines;
  for (const size_t i : DetailsOf(*view.violation).tensors) {
    if (i >= view.offsets.size()) continue;
    outlines.Add(layout.arena.BoxOf(view.problem.records[i], view.offsets[i]));
  }
  AddStroke("witness", outlines.data(), svg);
  const SvgBox box = WitnessBox(view, layout.arena);
  if (box.width > 0) {
    SvgPath witness;
    witness.Add(box);
    AddStroke("unsafe", witness.data(), svg);
  }
  absl::StrAppend(
      svg, SvgLabel(8 * kPixel, 28 * kPixel, " class=\"unsafe\"",
                    FittingLabel(absl::StrCat("unsafe: ", view.violation_text),
                                 layout.width - 16 * kPixel)));
}

void AddHeadline(const PlanView& view, const SvgLayout& layout,
                 std::string* svg) {
  std::string text = SvgTitle(view);
  if (!view.caption.strategy.empty()) {
    absl::StrAppend(&text, ", ", view.caption.strategy);
  }
  // The headline has larger letters than other text, so fewer letters fit.
  absl::StrAppend(svg, SvgLabel(8 * kPixel, 15 * kPixel, " class=\"text head\"",
                                FittingLabel(text, layout.width * 5 / 6)));
}

void AddLegend(const SvgLayout& layout, std::string* svg) {
  static constexpr const char* kShares[] = {"1/2",  "1/4",  "1/8",
                                            "1/16", "1/32", "less"};
  static_assert(std::size(kShares) == kLifetimeClasses);
  if (!layout.is_wide) return;
  const int64_t y = layout.height - 5 * kPixel;
  int64_t x = layout.arena.frame.x;
  const std::string start = "live at this share of all tasks:";
  absl::StrAppend(svg, SvgLabel(x, y, kStart, start));
  x += TextWidth(start) + 8 * kPixel;
  const auto add = [&](const std::string& name, absl::string_view text) {
    SvgPath path;
    path.Add({x, y - 72, 80, 80});
    AddStroke(name, path.data(), svg);
    absl::StrAppend(svg, SvgLabel(x + 104, y, kStart, text));
    x += 104 + TextWidth(text) + 6 * kPixel;
  };
  for (size_t k = 0; k < kLifetimeClasses; ++k) {
    // If not all entries fit, leaves out the last ones.
    if (x + 40 * kPixel > layout.width) return;
    add(absl::StrCat("l", k), kShares[k]);
  }
  const absl::string_view small = "tensors below a pixel";
  if (x + 104 + TextWidth(small) < layout.width) add("small s4", small);
}

}  // namespace stowage::views
