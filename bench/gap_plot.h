// SPDX-License-Identifier: Apache-2.0
// Plots gaps over time as SVG, for pages and READMEs. Each problem is a step
// curve, and both axes are logarithmic. search_table.cc prints the same numbers
// as a table.
#ifndef STOWAGE_BENCH_GAP_PLOT_H_
#define STOWAGE_BENCH_GAP_PLOT_H_

#include <string>
#include <vector>

namespace stowage::bench {

struct GapPoint {
  double ms = 0;   // since the start of the search
  double gap = 0;  // total / lower bound - 1 from this time on
};

struct GapLine {
  std::string name;
  std::vector<GapPoint> points;  // by rising time, at least one
  double end_ms = 0;             // end of the search
  bool is_closed = false;        // proved to be optimal
};

struct GapPlot {
  std::string title;
  double reference_ms = 11;  // for the upper axis (reference_work.h)
  std::vector<GapLine> lines;
};

// Returns a complete SVG document, which follows the light or dark color scheme
// of the reader. Gaps below 0.001 % are drawn on the base line. Requires at
// least one line.
std::string FormatSvg(const GapPlot& plot);

}  // namespace stowage::bench

#endif  // STOWAGE_BENCH_GAP_PLOT_H_
