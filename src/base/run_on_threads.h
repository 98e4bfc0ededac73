// SPDX-License-Identifier: Apache-2.0
// Runs work on several threads.
#ifndef STOWAGE_SRC_BASE_RUN_ON_THREADS_H_
#define STOWAGE_SRC_BASE_RUN_ON_THREADS_H_

#include <cstddef>
#include <functional>

#include "src/base/work_limit.h"

namespace stowage {

// Calls `work` on `threads` threads at the same time, or on fewer if the system
// cannot create as many. One of them is the thread of the caller. Returns when
// all calls have returned. If a call has thrown an exception, for example
// because memory ran out, this function then throws it again. In a build
// without exceptions, a lack of memory or of threads ends the program instead.
//
// `stop` may be null. While the thread of the caller waits for the others, it
// checks the signal every few milliseconds, since some signals ask an observer,
// and only this thread may call an observer. The work itself must end once the
// signal is set.
void RunOnThreads(size_t threads, const StopSignal* stop,
                  const std::function<void()>& work);

// Calls `work` once with each number below `count`, in rising order: the next
// thread that is free takes the next number. Exceptions are thrown again as by
// RunOnThreads.
void RunEachOnThreads(size_t threads, size_t count, const StopSignal* stop,
                      const std::function<void(size_t)>& work);

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_RUN_ON_THREADS_H_
