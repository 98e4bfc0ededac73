// SPDX-License-Identifier: Apache-2.0
#include "optimal/limits.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <thread>  // NOLINT(build/c++11): abseil has no count of cores

#include "absl/time/time.h"

namespace stowage::optimal {

size_t ThreadsOf(const SolveOptions& options) {
  if (options.threads > 0) return options.threads;
  return std::max<size_t>(std::thread::hardware_concurrency(), 1);
}

StopSignal SignalOf(const SolveOptions& options) {
  StopSignal stop;
  stop.cancelled = options.cancelled;
  if (options.node_budget || options.time_limit == absl::InfiniteDuration()) {
    return stop;
  }
  // The clock counts no further than a few hundred years, so that the time
  // limit is reduced to one year.
  const absl::Duration time_limit =
      std::min(options.time_limit, absl::Hours(24 * 365));
  stop.deadline =
      std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(time_limit);
  return stop;
}

}  // namespace stowage::optimal
