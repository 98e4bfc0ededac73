// SPDX-License-Identifier: Apache-2.0
// Work on several threads.
#ifndef STOWAGE_CORE_RUN_ON_THREADS_H_
#define STOWAGE_CORE_RUN_ON_THREADS_H_

#include <cstddef>
#include <functional>

namespace stowage {

// Calls `work` on so many threads at one time, the caller's among them, or on
// fewer where the system has no more to give, and returns when all calls have.
// What one of them has thrown, out of memory for instance, is thrown again
// then.
void RunOnThreads(size_t threads, const std::function<void()>& work);

// The same for pieces of work: calls it with each number below `count` once,
// the lowest first, as threads get free.
void RunEachOnThreads(size_t threads, size_t count,
                      const std::function<void(size_t)>& work);

}  // namespace stowage

#endif  // STOWAGE_CORE_RUN_ON_THREADS_H_
