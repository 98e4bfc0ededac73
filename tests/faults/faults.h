// SPDX-License-Identifier: Apache-2.0
// Makes system calls fail, to test how a program handles the failures.
//
// A program that links this library can arm a fault for one kind of system
// call. While the fault is armed, calls of this kind are counted, and the n-th
// call fails as if there were no memory or disk space. Calls from the libraries
// of the program count as well.
#ifndef STOWAGE_TESTS_FAULTS_FAULTS_H_
#define STOWAGE_TESTS_FAULTS_FAULTS_H_

#include <atomic>
#include <cstdint>

namespace stowage::faults {

enum class Call {
  kNone,
  kMemory,      // malloc and its like, operator new
  kThread,      // pthread_create
  kMap,         // mmap of a file; abseil aborts if other maps fail
  kOpen,        // open, fopen, opendir, mkdir, mkdtemp
  kStat,        // stat, lstat, fstat
  kRead,        // read
  kWrite,       // write, except to standard error: the disk is full
  kShortWrite,  // as kWrite, but half of the data is written
  kSync,        // fsync
  kClose,       // close
  kRename,      // rename
  kRemove,      // unlink, remove
  kProcess,     // pipe2, posix_spawnp
};

struct Fault {
  Call call = Call::kNone;
  // The number of the first call that fails. If 0, calls are only counted.
  uint64_t first = 0;
  bool lasting = false;  // true if all following calls fail, too
};

// The counters may be in memory that several processes share, so that the
// counts of a process are still available after its end.
struct Counters {
  std::atomic<uint64_t> calls{0};
  std::atomic<uint64_t> failed{0};
  std::atomic<int64_t> leaked_blocks{0};
  std::atomic<int64_t> leaked_descriptors{0};
};

// Arms a fault. `counters` must outlive the fault. While a fault is armed,
// fsync does nothing, because waiting for the disk would make tests slow.
void Arm(const Fault& fault, Counters* counters);
void Disarm();

// Returns the number of memory blocks that have been allocated but not freed.
// Ignores the blocks of threads, because the system keeps them for later
// threads.
int64_t LiveBlocks();

// Returns whether the current call must fail. Each replacement of a function
// must call this function exactly once for each call.
bool Fails(Call call);

}  // namespace stowage::faults

#endif  // STOWAGE_TESTS_FAULTS_FAULTS_H_
