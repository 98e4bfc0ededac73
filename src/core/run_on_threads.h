// SPDX-License-Identifier: Apache-2.0
// Runs work on several threads.
#ifndef STOWAGE_CORE_RUN_ON_THREADS_H_
#define STOWAGE_CORE_RUN_ON_THREADS_H_

#include <cstddef>
#include <functional>

namespace stowage {

// Calls `work` on so many threads at a time, one of which is the calling
// thread, or on fewer if the system cannot start more. Returns when all calls
// have returned. An exception in one of them, such as out of memory, is
// rethrown then.
void RunOnThreads(size_t threads, const std::function<void()>& work);

// Calls `work` once with each number below `count`, the lowest first, on the
// next thread that is free. Exceptions are rethrown as above.
void RunEachOnThreads(size_t threads, size_t count,
                      const std::function<void(size_t)>& work);

}  // namespace stowage

#endif  // STOWAGE_CORE_RUN_ON_THREADS_H_
