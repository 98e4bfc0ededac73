// SPDX-License-Identifier: Apache-2.0
// Runs work on several threads.
#ifndef STOWAGE_SRC_BASE_RUN_ON_THREADS_H_
#define STOWAGE_SRC_BASE_RUN_ON_THREADS_H_

#include <cstddef>
#include <functional>

namespace stowage {

// Calls `work` on so many threads at one time, the caller's among them, or on
// fewer where the system has no more to give, and returns when all calls have.
// What one of them has thrown, out of memory for instance, is thrown again
// then. Compiled without exceptions it cannot be told of either: a lack of
// memory or of threads ends the program.
void RunOnThreads(size_t threads, const std::function<void()>& work);

// Calls `work` once with each number below `count`, the lowest first, on the
// next thread that is free. Exceptions are rethrown as above.
void RunEachOnThreads(size_t threads, size_t count,
                      const std::function<void(size_t)>& work);

}  // namespace stowage

#endif  // STOWAGE_SRC_BASE_RUN_ON_THREADS_H_
