// SPDX-License-Identifier: Apache-2.0
#include "src/views/svg_text.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "src/views/svg_shapes.h"
#include "stowage/explain/plan_view.h"
#include "stowage/problem.h"
#include "stowage/views/plain_text.h"
#include "stowage/views/svg.h"

namespace stowage::views {
namespace {

// The maximum number of columns of a text from a file. Longer texts are cut.
constexpr size_t kMaxColumns = 200;

// The colours of one theme.
struct Palette {
  const char* background;
  const char* arena;
  const char* text;
  const char* line;  // frames and ticks have this colour
  // The colours of the outlines of tensors, each for two successive lifetime
  // classes. Each colour differs from the colours of its tensors and of the
  // arena.
  const char* outlines[3];
  const char* lifetimes[kLifetimeClasses];
  const char* small;
  const char* bound;
  const char* peak;
  const char* violation;
  // The colours of the ids on tensors, each for two successive lifetime
  // classes.
  const char* names[3];
};

// Lifetimes have blues of graded lightness. Bounds have the green, and peaks
// the vermilion, of the palette of Okabe and Ito.
constexpr Palette kLightColours = {
    "#fff",
    "#f6f7f9",
    "#1a1d23",
    "#c3c8d0",
    {"#fff", "#2b303a", "#2b303a"},
    {"#0b3c6f", "#1f5fa5", "#4a8cc7", "#85b6de", "#b9d6ec", "#dfeaf5"},
    "#56606f",
    "#00694d",
    "#b04a00",
    "#c4001a",
    {"#fff", "#000", "#000"}};
constexpr Palette kDarkColours = {
    "#14171c",
    "#1d2128",
    "#e6e9ee",
    "#4a515d",
    {"#0a0c0f", "#0a0c0f", "#c9d1dc"},
    {"#e3f0ff", "#b4d5f7", "#7fb3e6", "#4f8fcf", "#336aa6", "#24476f"},
    "#a3adbb",
    "#3fd0a4",
    "#ff9a4d",
    "#ff6b7a",
    {"#000", "#000", "#fff"}};

// The opacity of each shade, from one eighth to eight eighths. Written as
// literals, so no number has to be formatted.
constexpr const char* kOpacities[kShades] = {".125", ".25", ".375", ".5",
                                             ".625", ".75", ".875", "1"};

void AddFill(absl::string_view name, const char* colour, std::string* rules) {
  absl::StrAppend(rules, ".stowage .", name, "{fill:", colour, "}");
}

std::string Rules(const Palette& colours) {
  std::string rules;
  AddFill("bg", colours.background, &rules);
  AddFill("arena", colours.arena, &rules);
  AddFill("text", colours.text, &rules);
  AddFill("curve", colours.lifetimes[2], &rules);
  AddFill("peak", colours.peak, &rules);
  AddFill("unsafe", colours.violation, &rules);
  for (size_t k = 0; k < kLifetimeClasses; ++k) {
    absl::StrAppend(&rules, ".stowage .l", k, "{fill:", colours.lifetimes[k],
                    ";stroke:", colours.outlines[k / 2], "}");
  }
  AddFill("small", colours.small, &rules);
  for (size_t k = 0; k < 3; ++k) {
    AddFill(absl::StrCat("n", k), colours.names[k], &rules);
  }
  absl::StrAppend(&rules, ".stowage .rule{stroke:", colours.line, "}",
                  ".stowage .total{stroke:", colours.text, "}",
                  ".stowage .bound{stroke:", colours.bound, "}",
                  ".stowage .at{stroke:", colours.peak, "}",
                  ".stowage .witness{stroke:", colours.violation, "}");
  return rules;
}

// Returns the style rules that do not depend on the theme.
std::string CommonRules() {
  std::string rules =
      ".stowage text{font:88px system-ui,sans-serif}"
      ".stowage .head{font-size:104px}"
      ".stowage .rule,.stowage .total,.stowage .bound,.stowage .at,"
      ".stowage .witness{fill:none;stroke-width:8}"
      ".stowage .bound{stroke-dasharray:48 24}"
      ".stowage .at{stroke-dasharray:16 16}"
      ".stowage .witness{stroke-width:16}"
      ".stowage .unsafe{fill-opacity:.75}"
      ".stowage text.unsafe{fill-opacity:1}";
  for (size_t k = 0; k < kLifetimeClasses; ++k) {
    absl::StrAppend(&rules, ".stowage .l", k, "{stroke-width:4}");
  }
  return rules;
}

absl::Status CheckPixels(const char* name, size_t size, size_t least) {
  if (size >= least && size <= kSvgMost) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(name, " of the picture: ", size, " pixels; expected ", least,
                   " to ", kSvgMost));
}

}  // namespace

std::string EscapeXml(absl::string_view text) {
  return absl::StrReplaceAll(PlainText(text), {{"&", "&amp;"},
                                               {"<", "&lt;"},
                                               {">", "&gt;"},
                                               {"\"", "&quot;"},
                                               {"'", "&#39;"}});
}

std::string SvgLabel(int64_t x, int64_t y, absl::string_view attributes,
                     absl::string_view text) {
  return absl::StrCat("<text x=\"", x, "\" y=\"", y, "\"", attributes, ">",
                      EscapeXml(text), "</text>\n");
}

int64_t TextWidth(absl::string_view text) {
  return static_cast<int64_t>(DisplayWidth(text)) * 52;
}

std::string SvgStyle(SvgTheme theme) {
  std::string rules = CommonRules();
  for (size_t k = 0; k < kShades; ++k) {
    absl::StrAppend(&rules, ".stowage .s", k + 1,
                    "{fill-opacity:", kOpacities[k], "}");
  }
  absl::StrAppend(
      &rules, Rules(theme == SvgTheme::kDark ? kDarkColours : kLightColours));
  if (theme == SvgTheme::kAuto) {
    absl::StrAppend(&rules, "@media(prefers-color-scheme:dark){",
                    Rules(kDarkColours), "}");
  }
  return absl::StrCat("<style>", rules, "</style>\n");
}

absl::Status CheckSvgSize(const SvgOptions& options) {
  if (absl::Status s = CheckPixels("width", options.width, kSvgLeastWidth);
      !s.ok()) {
    return s;
  }
  return CheckPixels("height", options.height, kSvgLeastHeight);
}

std::string SvgHead(const SvgOptions& options, absl::string_view title,
                    absl::string_view description) {
  return absl::StrCat(
      R"(<svg xmlns="http://www.w3.org/2000/svg" class="stowage" width=")",
      options.width, "\" height=\"", options.height, "\" viewBox=\"0 0 ",
      options.width * kEighths, " ", options.height * kEighths,
      "\" role=\"img\" aria-labelledby=\"stowage-title stowage-desc\">\n"
      "<title id=\"stowage-title\">",
      EscapeXml(title), "</title>\n<desc id=\"stowage-desc\">",
      EscapeXml(description), "</desc>\n", SvgStyle(options.theme));
}

std::string SvgTitle(const PlanView& view) {
  const size_t count = view.offsets.size();
  const std::string name =
      CutMiddle(PlainText(view.caption.title), kMaxColumns, false);
  return absl::StrCat(name, name.empty() ? "" : ": ", count,
                      count == 1 ? " tensor, " : " tensors, ",
                      ShortSize(view.total_size));
}

std::string SvgDescription(const PlanView& view) {
  std::string text = absl::StrCat(
      view.kind == PlanKind::kObjects ? "Shared objects of " : "An arena of ",
      view.total_size, " bytes");
  if (!view.caption.strategy.empty()) {
    absl::StrAppend(
        &text, ", planned by ",
        CutMiddle(PlainText(view.caption.strategy), kMaxColumns, false));
  }
  absl::StrAppend(&text, "; no plan is smaller than ", view.lower_bound,
                  " bytes.");
  if (!view.peak_tasks.empty()) {
    absl::StrAppend(&text, " At most ", view.peak_breadth,
                    " bytes are live, at task ", view.peak_tasks[0], ".");
  }
  if (view.violation) {
    absl::StrAppend(
        &text, " The plan is unsafe: ",
        CutMiddle(PlainText(view.violation_text), kMaxColumns, false), ".");
  }
  absl::StrAppend(&text,
                  " Tasks run to the right, bytes upwards; the darker or, on a"
                  " dark background, lighter a tensor, the longer it is live."
                  " Below: the bytes live at each task.");
  return text;
}

std::string PeakLabel(const PlanView& view) {
  const size_t count = view.peak_tasks.size();
  if (count == 0) return "";
  if (count == 1) return absl::StrCat("peak, task ", view.peak_tasks[0]);
  return absl::StrCat(count, " peaks, the first at task ", view.peak_tasks[0]);
}

}  // namespace stowage::views
