/* SPDX-License-Identifier: Apache-2.0 */
/* What `stowage replay` and the library that it puts before a program tell each
 * other: a file that both map. It begins with a header of
 * STOWAGE_REPLAY_HEADER_BYTES; the blocks follow, in ascending order of their
 * numbers. The command fills the file in before the program starts, and reads
 * what the library has written once the program has ended. */
#ifndef STOWAGE_SRC_RECORDINGS_PRELOAD_REPLAY_FILE_H_
#define STOWAGE_SRC_RECORDINGS_PRELOAD_REPLAY_FILE_H_

/* NOLINTBEGIN(modernize-*, readability-identifier-naming): this is C. */
#include <stdint.h>

/* A multiple of the size of a page on every system, so that the blocks can be
 * mapped on their own, for reading alone. */
#define STOWAGE_REPLAY_HEADER_BYTES UINT64_C(65536)

/* The environment variable with the path of the file, which is that of all
 * libraries that the command preloads (stowage/recordings/log_format.h). */
#define STOWAGE_REPLAY_VARIABLE "STOWAGE_PRELOADED"

/* Names the layout of this file. */
#define STOWAGE_REPLAY_MAGIC UINT64_C(0x31796C7065527753)

/* malloc aligns every block to this number of bytes, so that every offset is a
 * multiple of it. */
#define STOWAGE_REPLAY_GRANULE UINT64_C(16)

typedef struct stowage_replay_block {
  uint64_t number; /* of the allocation, from 0 */
  uint64_t size;   /* in bytes, at least 1 */
  uint64_t offset; /* in bytes, a multiple of the granule */
} stowage_replay_block;

/* How far a program has come. Values only rise. */
enum {
  STOWAGE_REPLAY_NOT_LOADED = 0,
  STOWAGE_REPLAY_LOADED = 1,  /* the library has found this file */
  STOWAGE_REPLAY_CLAIMED = 2, /* an image has allocated: the plan is its own */
};

/* Why a program was stopped. */
enum {
  STOWAGE_REPLAY_GOING = 0,
  STOWAGE_REPLAY_OTHER_SIZE = 1,      /* the plan has another size */
  STOWAGE_REPLAY_NOT_PLANNED = 2,     /* the plan does not have the number */
  STOWAGE_REPLAY_OTHER_ALIGNMENT = 3, /* the offset is misaligned */
  STOWAGE_REPLAY_OVERLAP = 4,         /* a live block has some of the bytes */
  STOWAGE_REPLAY_THREAD = 5,          /* a second thread allocates */
  STOWAGE_REPLAY_BAD_FREE = 6,        /* a free of a block that is not live */
  STOWAGE_REPLAY_NO_MEMORY = 7,       /* the arena cannot be mapped */
  STOWAGE_REPLAY_EXECUTES = 8,        /* another image replaces this one */
};

typedef struct stowage_replay_header {
  /* Written by the command. */
  uint64_t magic;
  uint64_t block_count;
  uint64_t arena_bytes;
  uint64_t arena_alignment; /* a power of two */
  uint64_t poisons;         /* whether freed bytes are overwritten */

  /* Written by the library. */
  uint32_t state;
  uint32_t stop;
  uint64_t process;       /* of the image that has the plan */
  uint64_t allocations;   /* that were served, those of no bytes included */
  uint64_t blocks_served; /* those with bytes */
  uint64_t bytes_asked;
  /* About the allocation, or the address, at which the program was stopped. */
  uint64_t size;
  uint64_t alignment;
  uint64_t planned_size;
  uint64_t planned_offset;
  uint64_t other_number; /* of the live block */
  char program[1024];    /* the path of the image; may be cut */
} stowage_replay_header;

/* NOLINTEND(modernize-*, readability-identifier-naming) */

#endif /* STOWAGE_SRC_RECORDINGS_PRELOAD_REPLAY_FILE_H_ */
