// SPDX-License-Identifier: Apache-2.0
// Measures the reference work: a fixed piece of planner-like work that shows
// how fast this machine is at the moment. Times relative to the reference work
// can be compared between machines, and between a quiet and a busy moment.
// Times in milliseconds cannot.
#ifndef STOWAGE_BENCH_REFERENCE_WORK_H_
#define STOWAGE_BENCH_REFERENCE_WORK_H_

#include <functional>

namespace stowage::bench {

// Returns the current time of the reference work in milliseconds. The reference
// work places 4,000 records of random sizes, each live for up to 40 tasks, by
// first fit with plain quadratic scans. It takes about 11 ms on an idle core of
// a machine of 2023.
double MeasureReference();

// Holds the time of some work and the time of the reference work.
struct RelativeTime {
  double work_ms = 0;
  double reference_ms = 0;
  double relative() const { return work_ms / reference_ms; }
};

// Runs the reference work and `work` in turn, `repetitions` times, and returns
// the shortest time of each.
RelativeTime MeasureRelative(int repetitions,
                             const std::function<void()>& work);

}  // namespace stowage::bench

#endif  // STOWAGE_BENCH_REFERENCE_WORK_H_
