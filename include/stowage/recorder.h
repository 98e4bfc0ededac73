// SPDX-License-Identifier: Apache-2.0
// Records the buffers of a runtime in C99 or C++. Call these functions where
// buffers are allocated, used and freed. The command `stowage plan` then plans
// the file that the recorder writes. To record a program that cannot be
// changed, use `stowage record`.
//
//   stowage_recorder* recorder = stowage_recorder_open("net.stowlog");
//   stowage_recorder_on_alloc(recorder, (uintptr_t)p, 4096, 64, 0);
//   stowage_recorder_on_use(recorder, (uintptr_t)p, STOWAGE_RECORDER_WRITE);
//   stowage_recorder_step(recorder);  // the first operator is done
//   stowage_recorder_on_free(recorder, (uintptr_t)p);
//   stowage_recorder_close(recorder);
//
// Any number of threads may use a recorder at the same time. The calls do not
// wait for other threads, except that a call may have to wait for the system
// when the file has to grow. The calls allocate nothing and keep errno, so they
// may also be made by signal handlers and allocators. If the program is killed,
// the file has all events except those that were being written at that moment.
// A recorder need not be closed, but closing it makes the file a little
// smaller.
//
// Call on_alloc after the memory was allocated, and on_free before the memory
// is freed. Otherwise another thread may be given the same memory and record
// its allocation first.
//
// A null recorder records nothing, so that recording can be optional. After a
// fork, a recorder of the parent process records nothing in the child process.
// A file needs 4 to 10 bytes for each event. The format of the file is that of
// stowage/recordings/log_format.h.
#ifndef STOWAGE_RECORDER_H_
#define STOWAGE_RECORDER_H_

// NOLINTBEGIN(modernize-*, readability-identifier-naming): this is C.
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

typedef struct stowage_recorder stowage_recorder;

typedef enum {
  STOWAGE_RECORDER_READ = 0,
  STOWAGE_RECORDER_WRITE = 1
} stowage_recorder_use;

// Creates the file and returns a recorder for it. The file must not exist, so
// that no recording replaces another one. On failure, returns null and sets
// errno.
stowage_recorder* stowage_recorder_open(const char* path);

// Records that a buffer of `size` bytes was allocated. `id` is any number that
// no other live buffer has, such as its address. `alignment` is a power of two,
// or 0 if it is not known. A plan has one arena for each value of `pool`; pass
// 0 if there is only one arena.
void stowage_recorder_on_alloc(stowage_recorder* recorder, uint64_t id,
                               uint64_t size, uint64_t alignment,
                               uint32_t pool);

// Records that a live buffer is read or written.
void stowage_recorder_on_use(stowage_recorder* recorder, uint64_t id,
                             stowage_recorder_use use);

// Records that a live buffer is about to be freed. Afterwards its id may be
// used for a new buffer.
void stowage_recorder_on_free(stowage_recorder* recorder, uint64_t id);

// Records that a task of the program ends and the next one begins. If this
// function is never called, every event is a task. Otherwise a buffer is live
// at all tasks from the one in which it was allocated to the one in which it
// was freed, inclusive.
void stowage_recorder_step(stowage_recorder* recorder);

// Completes the file and frees the recorder. No other call with this recorder
// may be running. Returns 0 if all events are in the file, and otherwise an
// error number as in errno, such as ENOSPC if the disk was full.
int stowage_recorder_close(stowage_recorder* recorder);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // STOWAGE_RECORDER_H_
