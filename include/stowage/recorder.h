// SPDX-License-Identifier: Apache-2.0
// Records the buffers of a C99 or C++ runtime. Call these functions where the
// runtime allocates, uses and frees buffers. The command `stowage plan` can
// plan the file that the recorder writes. To record a program that cannot be
// changed, use `stowage record`.
//
//   stowage_recorder* recorder = stowage_recorder_open("net.stowlog");
//   stowage_recorder_on_alloc(recorder, (uintptr_t)p, 4096, 64, 0);
//   stowage_recorder_on_use(recorder, (uintptr_t)p, STOWAGE_RECORDER_WRITE);
//   stowage_recorder_step(recorder);  // the first operator is done
//   stowage_recorder_on_free(recorder, (uintptr_t)p);
//   stowage_recorder_close(recorder);
//
// Any number of threads may use a recorder at the same time. The calls never
// wait for other threads, but may wait for the system when the file has to
// grow. They allocate no memory and preserve errno, so signal handlers and
// allocators may call them. If the program is killed, the file has all events
// except those that were being written at that moment. A recorder need not be
// closed, but closing it makes the file a little smaller.
//
// Call on_alloc after the memory has been allocated, and on_free before the
// memory is freed. In any other order, another thread could allocate the same
// memory and record its allocation before this thread records the free.
//
// All calls accept a null recorder, which records nothing; this makes it easy
// to turn recording off. After a fork, a recorder of the parent process records
// nothing in the child process. A file has 2 to 5 bytes for each event on
// average, and up to 35 if its numbers are large.
// stowage/recordings/log_format.h defines its format.
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

// Creates a file and returns a recorder that writes to it. The file must not
// exist, so a recording never replaces another file. On failure, returns null
// and sets errno.
stowage_recorder* stowage_recorder_open(const char* path);

// Records that a buffer of `size` bytes was allocated. `id` is any number that
// no other live buffer has, such as the address of the buffer. `alignment` is a
// power of two, or 0 if it is unknown. A plan has one arena for each value of
// `pool`; pass 0 if there is only one arena.
void stowage_recorder_on_alloc(stowage_recorder* recorder, uint64_t id,
                               uint64_t size, uint64_t alignment,
                               uint32_t pool);

// Records that a live buffer is read or written.
void stowage_recorder_on_use(stowage_recorder* recorder, uint64_t id,
                             stowage_recorder_use use);

// Records that a live buffer is about to be freed. After this call, a new
// buffer may have the same id.
void stowage_recorder_on_free(stowage_recorder* recorder, uint64_t id);

// Records that a task of the program ends and the next task begins. A buffer is
// live at all tasks from the task in which it is allocated to the task in which
// it is freed, inclusive. If this function is never called, every event is a
// task of its own.
void stowage_recorder_step(stowage_recorder* recorder);

// Completes the file and frees the recorder. Requires that no other call with
// this recorder is running. Returns 0 if all events are in the file; otherwise
// returns an errno value, such as ENOSPC if the disk is full.
int stowage_recorder_close(stowage_recorder* recorder);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*, readability-identifier-naming)

#endif  // STOWAGE_RECORDER_H_
