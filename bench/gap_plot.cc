// SPDX-License-Identifier: Apache-2.0
#include "bench/gap_plot.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace stowage::bench {
namespace {

constexpr double kLeft = 62;
constexpr double kTop = 66;
constexpr double kWidth = 860;
constexpr double kHeight = 360;
constexpr double kMargin = 28;  // to the right of the plot and below the legend

// The axis of gaps ranges from kLeastGap to kMaxGap. Gaps below kLeastGap are
// drawn on the base line.
constexpr double kLeastGap = 1e-5;
constexpr double kMaxGap = 1;

constexpr size_t kLegendColumns = 4;
constexpr double kLegendRow = 16;

// These colours have a medium lightness and contrast with both white and black.
constexpr const char* kColours[] = {"#2f80d0", "#d9661f", "#17966b", "#b8860b",
                                    "#cf4c84", "#7a6fd8", "#5b9a1f", "#d24545"};
// The ninth and later lines repeat the colors and differ by their dashes.
constexpr const char* kDashes[] = {"",     "6 3",         "2 3", "9 3 2 3",
                                   "12 3", "5 2 2 2 2 2", "1 5", "14 3 5 3"};

constexpr char kStyle[] = R"(<style>
svg{color:#1f2328;font:12px system-ui,sans-serif}
.b{fill:#fff}
text{fill:currentColor}
.t{font-size:15px;font-weight:600}
.g{stroke:currentColor;stroke-opacity:.16}
.a{stroke:currentColor}
.l{fill:none;stroke-width:1.7}
.o{stroke-width:1.7;fill:none}
@media(prefers-color-scheme:dark){svg{color:#e6edf3}.b{fill:#0d1117}}
)";

std::string Escaped(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

// Formats a time: "0.1 ms" or "10 s".
std::string TimeLabel(double ms) {
  return ms < 1000 ? absl::StrCat(ms, " ms") : absl::StrCat(ms / 1000, " s");
}

// Returns the powers of ten in [least, most].
std::vector<double> PowersOfTen(double least, double max) {
  constexpr double kError = 1e-9;
  std::vector<double> powers;
  const auto end = static_cast<int>(std::floor(std::log10(max) + kError));
  for (auto exponent = static_cast<int>(std::ceil(std::log10(least) - kError));
       exponent <= end; ++exponent) {
    powers.push_back(std::pow(10, exponent));
  }
  return powers;
}

class Drawing {
 public:
  explicit Drawing(const GapPlot& plot) : plot_(plot) {
    double first = plot.lines[0].end_ms;
    double last = first;
    for (const GapLine& line : plot.lines) {
      last = std::max(last, line.end_ms);
      first = std::min(first, line.end_ms);
      for (const GapPoint& point : line.points) {
        if (point.gap <= kMaxGap) first = std::min(first, point.ms);
      }
    }
    least_ms_ = std::pow(10, std::floor(std::log10(std::max(first, 0.1))));
    max_ms_ = std::max(last, 10 * least_ms_);
  }

  std::string Draw() {
    const size_t rows =
        (plot_.lines.size() + kLegendColumns - 1) / kLegendColumns;
    const double height = LegendTop() + static_cast<double>(rows) * kLegendRow;
    const int width = static_cast<int>(kLeft + kWidth + kMargin);
    absl::StrAppendFormat(
        &svg_,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
        "width=\"%d\" height=\"%d\" role=\"img\">\n<title>%s</title>\n",
        width, static_cast<int>(height), width, static_cast<int>(height),
        Escaped(plot_.title));
    absl::StrAppend(&svg_, kStyle);
    for (size_t k = 0; k < std::size(kColours); ++k) {
      absl::StrAppend(&svg_, ".c", k, "{stroke:", kColours[k], "}.f", k,
                      "{fill:", kColours[k], ";stroke:", kColours[k], "}\n");
    }
    absl::StrAppend(&svg_, R"(</style>
<rect class="b" width="100%" height="100%"/>
)");
    Text(kLeft, 22, "t", plot_.title);
    DrawTimes();
    DrawGaps();
    for (size_t k = 0; k < plot_.lines.size(); ++k) DrawLine(k);
    for (size_t k = 0; k < plot_.lines.size(); ++k) DrawLegend(k);
    absl::StrAppend(&svg_, "</svg>\n");
    return std::move(svg_);
  }

 private:
  static double LegendTop() { return kTop + kHeight + 58; }

  double X(double ms) const {
    const double part = std::log(std::max(ms, least_ms_) / least_ms_) /
                        std::log(max_ms_ / least_ms_);
    return kLeft + kWidth * std::min(part, 1.0);
  }

  // Returns the vertical position of a gap. A gap below kLeastGap is drawn on
  // the base line, half a decade below the end of the axis.
  static double Y(double gap) {
    const double decades = std::log10(kMaxGap / kLeastGap) + 0.5;
    if (gap < kLeastGap) return kTop + kHeight;
    return kTop +
           kHeight * std::log10(kMaxGap / std::min(gap, kMaxGap)) / decades;
  }

  void Text(double x, double y, absl::string_view style, absl::string_view text,
            absl::string_view anchor = "start") {
    absl::StrAppendFormat(
        &svg_, R"(<text class="%s" x="%.0f" y="%.0f" text-anchor="%s">)", style,
        x, y, anchor);
    absl::StrAppend(&svg_, Escaped(text), "</text>\n");
  }

  void Stroke(absl::string_view style, double x1, double y1, double x2,
              double y2) {
    absl::StrAppendFormat(&svg_,
                          "<path class=\"%s\" d=\"M%.0f %.0fL%.0f %.0f\"/>\n",
                          style, x1, y1, x2, y2);
  }

  void DrawTimes() {
    const double base = kTop + kHeight;
    for (const double ms : PowersOfTen(least_ms_, max_ms_)) {
      Stroke("g", X(ms), kTop, X(ms), base);
      Text(X(ms), base + 18, "", TimeLabel(ms), "middle");
    }
    Text(kLeft, base + 36, "",
         "\u25cf proved optimal  \u25cb ended by the limit");
    Text(kLeft + kWidth, base + 36, "", "time since the search began", "end");
    for (const double relative : PowersOfTen(least_ms_ / plot_.reference_ms,
                                             max_ms_ / plot_.reference_ms)) {
      const double x = X(relative * plot_.reference_ms);
      Stroke("a", x, kTop - 5, x, kTop);
      Text(x, kTop - 10, "", absl::StrCat(relative, " x"), "middle");
    }
    Stroke("a", kLeft, kTop, kLeft + kWidth, kTop);
    Stroke("a", kLeft, base, kLeft + kWidth, base);
  }

  void DrawGaps() {
    for (const double gap : PowersOfTen(kLeastGap, kMaxGap)) {
      Stroke("g", kLeft, Y(gap), kLeft + kWidth, Y(gap));
      Text(kLeft - 6, Y(gap) + 4, "", absl::StrFormat("%g %%", gap * 100),
           "end");
    }
    Text(kLeft - 6, Y(0) + 4, "", "0", "end");
    Text(8, kTop - 10, "", "gap");
  }

  static std::string StyleOf(size_t k, absl::string_view base) {
    return absl::StrCat(base, " c", k % std::size(kColours));
  }

  static std::string DashOf(size_t k) {
    const char* dash = kDashes[k / std::size(kColours) % std::size(kDashes)];
    return *dash == '\0' ? ""
                         : absl::StrCat(" stroke-dasharray=\"", dash, "\"");
  }

  // Draws a dot if the result is proved, and a ring otherwise.
  void DrawEnd(size_t k, double x, double y) {
    absl::StrAppendFormat(
        &svg_, "<circle class=\"%s%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"3\"/>\n",
        plot_.lines[k].is_closed ? "f" : "o c", k % std::size(kColours), x, y);
  }

  void DrawLine(size_t k) {
    const GapLine& line = plot_.lines[k];
    const double end = X(line.end_ms);
    double y = Y(line.points[0].gap);
    std::string path = absl::StrFormat("M%.1f %.1f", X(line.points[0].ms), y);
    for (const GapPoint& point : line.points) {
      const double to = Y(point.gap);
      if (to == y) continue;
      absl::StrAppendFormat(&path, "H%.1fV%.1f", X(point.ms), to);
      y = to;
    }
    absl::StrAppendFormat(&path, "H%.1f", end);
    absl::StrAppend(&svg_, "<g><title>", Escaped(line.name),
                    "</title><path class=\"", StyleOf(k, "l"), "\"", DashOf(k),
                    " d=\"", path, "\"/>\n");
    DrawEnd(k, end, y);
    absl::StrAppend(&svg_, "</g>\n");
  }

  void DrawLegend(size_t k) {
    const GapLine& line = plot_.lines[k];
    const size_t rows =
        (plot_.lines.size() + kLegendColumns - 1) / kLegendColumns;
    const size_t column = k / rows;
    const double x =
        kLeft + kWidth / kLegendColumns * static_cast<double>(column);
    const double y = LegendTop() + static_cast<double>(k % rows) * kLegendRow -
                     kLegendRow / 2;
    absl::StrAppendFormat(&svg_, "<path class=\"%s\"%s d=\"M%.0f %.0fh24\"/>\n",
                          StyleOf(k, "l"), DashOf(k), x, y);
    DrawEnd(k, x + 28, y);
    const double gap = line.points.back().gap;
    Text(x + 36, y + 4, "",
         gap > 0 ? absl::StrFormat("%s %.3g %%", line.name, gap * 100)
                 : line.name);
  }

  const GapPlot& plot_;
  double least_ms_;
  double max_ms_;
  std::string svg_;
};

}  // namespace

std::string FormatSvg(const GapPlot& plot) { return Drawing(plot).Draw(); }

}  // namespace stowage::bench
