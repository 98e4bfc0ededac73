// SPDX-License-Identifier: Apache-2.0
// Runs work on several threads.
#ifndef STOWAGE_SRC_BASE_RUN_ON_THREADS_H_
#define STOWAGE_SRC_BASE_RUN_ON_THREADS_H_

#include <cstddef>
#include <functional>

#include "src/base/work_limit.h"

namespace stowage {

// Calls `work` on `threads` threads at the same time, one of which is the
// calling thread. Uses fewer threads if the system cannot create that many.
// Returns once all calls have returned. If a call threw an exception, for
// example because memory ran out, this function rethrows it. In a build without
// exceptions, running out of memory or threads terminates the program instead.
//
// `stop` may be null. While the calling thread waits for the others, it checks
// the signal every few milliseconds: some signals query an observer, and only
// the calling thread may call an observer. `work` itself must return once the
// signal is set.
void RunOnThreads(size_t threads, const StopSignal* stop,
                  const std::function<void()>& work);

// Calls `work` once with each number below `count`. The numbers are handed out
// in rising order: each thread that becomes free gets the next one. Rethrows
// exceptions in the same way as RunOnThreads.
void RunEachOnThreads(size_t threads, size_t count, const StopSignal* stop,
                      const std::function<void(size_t)>& work);

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_RUN_ON_THREADS_H_
