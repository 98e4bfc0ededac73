// SPDX-License-Identifier: Apache-2.0
// Makes system calls fail, to test what a program does then.
//
// If a program links to this, its system calls are counted by kind while a
// fault is armed, and the n-th call of that kind fails as it would without
// memory or disk space. Calls from the libraries of the program count, too.
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
  uint64_t first = 0;    // number of the first failing call; 0 to only count
  bool lasting = false;  // true if all following calls fail, too
};

// The counters are in memory that processes may share, so that nothing is lost
// if one of them ends.
struct Counters {
  std::atomic<uint64_t> calls{0};
  std::atomic<uint64_t> failed{0};
  std::atomic<int64_t> leaked_blocks{0};
  std::atomic<int64_t> leaked_descriptors{0};
};

// Arms a fault. `counters` must outlive it. While a fault is armed, fsync does
// nothing, since tests would wait for the disk.
void Arm(const Fault& fault, Counters* counters);
void Disarm();

// Returns the number of memory blocks that were taken and not given back,
// except for those of threads, which the system keeps for later threads.
int64_t LiveBlocks();

// Returns whether this call fails, for the function that replaces it.
bool Fails(Call call);

}  // namespace stowage::faults

#endif  // STOWAGE_TESTS_FAULTS_FAULTS_H_
