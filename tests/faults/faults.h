// SPDX-License-Identifier: Apache-2.0
// Makes calls of the system fail, to see what a program does then.
//
// What links to this has its calls of the system counted, by kind, while a
// fault is armed, and the n-th of that kind fails as it would without memory or
// disk. Calls from the libraries it uses count too.
#ifndef STOWAGE_TESTS_FAULTS_FAULTS_H_
#define STOWAGE_TESTS_FAULTS_FAULTS_H_

#include <atomic>
#include <cstdint>

namespace stowage::faults {

enum class Call {
  kNone,
  kMemory,      // malloc and its like, operator new
  kThread,      // pthread_create
  kMap,         // mmap of a file: abseil aborts without other maps
  kOpen,        // open, fopen, opendir, mkdir, mkdtemp
  kStat,        // stat, lstat, fstat
  kRead,        // read
  kWrite,       // write, but to standard error: the disk is full
  kShortWrite,  // the same: half of it is written
  kSync,        // fsync
  kClose,       // close
  kRename,      // rename
  kRemove,      // unlink, remove
  kProcess,     // pipe2, posix_spawnp
};

struct Fault {
  Call call = Call::kNone;
  uint64_t first = 0;    // of this kind, from 1; 0 for none, to count them
  bool lasting = false;  // whether all that follow fail too
};

// In memory that processes may share, so that nothing is lost with one of them.
struct Counters {
  std::atomic<uint64_t> calls{0};
  std::atomic<uint64_t> failed{0};
  std::atomic<int64_t> leaked_blocks{0};
  std::atomic<int64_t> leaked_descriptors{0};
};

// `counters` must outlive the fault. fsync does nothing meanwhile, or tests
// would wait for the disk.
void Arm(const Fault& fault, Counters* counters);
void Disarm();

// Blocks of memory taken and not given back, but for those of threads, which
// the system keeps for the next ones.
int64_t LiveBlocks();

// For what stands in the place of a call: whether this one fails.
bool Fails(Call call);

}  // namespace stowage::faults

#endif  // STOWAGE_TESTS_FAULTS_FAULTS_H_
