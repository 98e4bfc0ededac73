// SPDX-License-Identifier: Apache-2.0
#include "src/core/run_on_threads.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>  // NOLINT(build/c++11): held for an assignment
#include <new>
#include <system_error>
#include <thread>  // NOLINT(build/c++11): abseil has no threads
#include <vector>

namespace stowage {

void RunOnThreads(size_t threads, const std::function<void()>& work) {
  std::mutex mutex;
  std::exception_ptr thrown;  // guarded by mutex
  const auto guarded = [&] {
    try {
      work();
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      thrown = std::current_exception();
    }
  };
  std::vector<std::thread> helpers;
  try {
    while (helpers.size() + 1 < threads) helpers.emplace_back(guarded);
  } catch (const std::system_error&) {
    // The threads that exist do all the work.
  } catch (const std::bad_alloc&) {
    // The existing threads do all the work in this case, too.
  }
  guarded();
  for (std::thread& helper : helpers) helper.join();
  if (thrown) std::rethrow_exception(thrown);
}

void RunEachOnThreads(size_t threads, size_t count,
                      const std::function<void(size_t)>& work) {
  std::atomic<size_t> next{0};
  RunOnThreads(std::min(threads, count), [&] {
    for (size_t k = next++; k < count; k = next++) work(k);
  });
}

}  // namespace stowage
