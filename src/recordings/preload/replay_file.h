/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the file by which `stowage replay` and the library that it preloads
 * into a program communicate. Both map the file. It begins with a header of
 * STOWAGE_REPLAY_HEADER_BYTES; the blocks follow, in ascending order of their
 * numbers. The command fills in the file before the program starts. After the
 * program has ended, the command reads what the library has written. */
#ifndef STOWAGE_SRC_RECORDINGS_PRELOAD_REPLAY_FILE_H_
#define STOWAGE_SRC_RECORDINGS_PRELOAD_REPLAY_FILE_H_

/* NOLINTBEGIN(modernize-*, readability-identifier-naming): this is C. */
#include <stdint.h>

/* The size of the header is a multiple of the size of a page on every system,
 * so that the blocks can be mapped separately and read-only. */
#define STOWAGE_REPLAY_HEADER_BYTES UINT64_C(65536)

/* The environment variable with the path of the file. All libraries that the
 * command preloads use this variable (stowage/recordings/log_format.h). */
#define STOWAGE_REPLAY_VARIABLE "STOWAGE_PRELOADED"

/* Names the layout of this file. */
#define STOWAGE_REPLAY_MAGIC UINT64_C(0x31796C7065527753)

/* malloc aligns every block to this number of bytes, so every offset is a
 * multiple of this number. */
#define STOWAGE_REPLAY_GRANULE UINT64_C(16)

typedef struct stowage_replay_block {
  uint64_t number; /* of the allocation, from 0 */
  uint64_t size;   /* in bytes, at least 1 */
  uint64_t offset; /* in bytes, a multiple of the granule */
} stowage_replay_block;

/* The progress of a program. The value only rises. */
enum {
  STOWAGE_REPLAY_NOT_LOADED = 0,
  STOWAGE_REPLAY_LOADED = 1,  /* the library has found this file */
  STOWAGE_REPLAY_CLAIMED = 2, /* an image has allocated and owns the plan */
};

/* The reason why a program was stopped. */
enum {
  STOWAGE_REPLAY_GOING = 0,
  STOWAGE_REPLAY_OTHER_SIZE = 1,      /* the plan has another size */
  STOWAGE_REPLAY_NOT_PLANNED = 2,     /* the plan does not have the number */
  STOWAGE_REPLAY_OTHER_ALIGNMENT = 3, /* the offset is misaligned */
  STOWAGE_REPLAY_OVERLAP = 4,         /* a live block has some of these bytes */
  STOWAGE_REPLAY_THREAD = 5,          /* a second thread allocates */
  STOWAGE_REPLAY_BAD_FREE = 6,        /* a free of a block that is not live */
  STOWAGE_REPLAY_NO_MEMORY = 7,       /* the arena cannot be mapped */
  STOWAGE_REPLAY_EXECUTES = 8,        /* another image replaces this one */
};

typedef struct stowage_replay_header {
  /* The command writes these members. */
  uint64_t magic;
  uint64_t block_count;
  uint64_t arena_bytes;
  uint64_t arena_alignment; /* a power of two */
  uint64_t poisons;         /* whether freed bytes are overwritten */

  /* The library writes these members. */
  uint32_t state;
  uint32_t stop;
  uint64_t process;       /* of the image that owns the plan */
  uint64_t allocations;   /* all served ones, including those of no bytes */
  uint64_t blocks_served; /* served allocations with bytes */
  uint64_t bytes_asked;
  /* Describes the allocation, or the address, at which the program stopped. */
  uint64_t size;
  uint64_t alignment;
  uint64_t planned_size;
  uint64_t planned_offset;
  uint64_t other_number; /* of the live block */
  char program[1024];    /* the path of the image; may be cut */
} stowage_replay_header;

/* NOLINTEND(modernize-*, readability-identifier-naming) */

#endif /* STOWAGE_SRC_RECORDINGS_PRELOAD_REPLAY_FILE_H_ */
