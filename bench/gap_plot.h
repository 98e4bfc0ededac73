// SPDX-License-Identifier: Apache-2.0
// A plot of gaps over time as SVG: a line of steps for each instance, both axes
// logarithmic, for pages and READMEs. The same numbers as a table are printed
// by search_table.cc.
#ifndef STOWAGE_BENCH_GAP_PLOT_H_
#define STOWAGE_BENCH_GAP_PLOT_H_

#include <string>
#include <vector>

namespace stowage::bench {

struct GapPoint {
  double ms = 0;   // since the search began
  double gap = 0;  // total / lower bound - 1, from here on
};

struct GapLine {
  std::string name;
  std::vector<GapPoint> points;  // by rising time, at least one
  double end_ms = 0;             // of the search
  bool is_closed = false;        // proved optimal
};

struct GapPlot {
  std::string title;
  double reference_ms = 11;  // for the upper axis (reference_work.h)
  std::vector<GapLine> lines;
};

// A document of its own, which follows the colour scheme of the reader. Gaps
// below 0.001 % are drawn as none. Requires at least one line.
std::string FormatSvg(const GapPlot& plot);

}  // namespace stowage::bench

#endif  // STOWAGE_BENCH_GAP_PLOT_H_
