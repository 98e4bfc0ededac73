// SPDX-License-Identifier: Apache-2.0
#include "optimal/limits.h"

#include <algorithm>
#include <cstddef>
#include <thread>  // NOLINT(build/c++11): abseil has no count of cores

namespace stowage::optimal {

size_t ThreadsOf(const SolveOptions& options) {
  if (options.threads > 0) return options.threads;
  return std::max<size_t>(std::thread::hardware_concurrency(), 1);
}

}  // namespace stowage::optimal
