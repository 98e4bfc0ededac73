// SPDX-License-Identifier: Apache-2.0
// The yard: how long one fixed piece of planner-like work takes on this machine
// right now. Times divided by it can be compared between machines and between
// a quiet and a busy moment; a time in milliseconds cannot.
#ifndef STOWAGE_BENCH_YARD_H_
#define STOWAGE_BENCH_YARD_H_

#include <functional>

namespace stowage::bench {

// Milliseconds that one yard takes now: first fit, by plain quadratic scans,
// of 4,000 records of random size, each live for up to 40 tasks. About 11 ms
// on an idle core of 2023.
double MeasureYard();

// How long `work` takes, in yards: the least of `repetitions` runs over the
// least of as many yards, each measured right beside its run.
struct Yards {
  double work_ms = 0;
  double yard_ms = 0;
  double yards() const { return work_ms / yard_ms; }
};
Yards MeasureInYards(int repetitions, const std::function<void()>& work);

}  // namespace stowage::bench

#endif  // STOWAGE_BENCH_YARD_H_
