/* SPDX-License-Identifier: Apache-2.0 */
/* Serves a program's allocations from one planned arena. `stowage replay`
 * preloads this library into a program (LD_PRELOAD). In the first image that
 * allocates, allocation n is placed at the offset of block n of the plan. If an
 * allocation differs from the plan, the program is stopped, so no block is ever
 * placed on a block that is still live.
 *
 * Only the planned process uses the arena. A forked child keeps its old blocks
 * in its copy of the arena. The C library serves the new blocks of a child, and
 * all blocks of images that the program executes.
 *
 * The library never calls malloc for itself, because this would count as an
 * allocation of the program. Its functions may run before its constructor, so
 * they call only functions that permit this. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/recordings/preload/replay_file.h"

#define EXPORTED __attribute__((visibility("default")))

/* The functions of the C library that this library replaces and calls. */
/* NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming) */
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* block, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void* block);
/* NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming) */

enum {
  kGranule = STOWAGE_REPLAY_GRANULE,
  kGranulesPerWord = 64,
  kPoison = 0xA5,
  kMapStep = 1 << 21, /* distances between mappings are multiples of it */
};

/* The size of the address range for blocks of 0 bytes, which need distinct
 * addresses. The range uses no memory. */
static const size_t kEmptyArea = (size_t)1 << 26;

typedef enum {
  kUnstarted, /* Start() has not yet searched for the file */
  kReady,     /* there is a plan, but no allocation was made yet */
  kPlanned,   /* this process uses the plan */
  kForked,    /* this is a child of the process that uses the plan */
  kUnplanned, /* another image uses the plan, or there is no plan */
} Mode;

static Mode mode = kUnstarted;
static stowage_replay_header* header;
static const stowage_replay_block* blocks;
static uint64_t next_number;
static uint64_t next_block; /* the first block that was not served yet */

static char* arena;
static char* empty_area;
static size_t empty_used;
/* By granule: 1 + the index of the block that begins there, or 0 for none. */
static uint32_t* begins;
/* A bit for each granule, which is set if a live block contains the granule. */
static uint64_t* live;
/* Points to 1 in the planned process, and to 0 in a forked child. */
static volatile char* is_first_process;

/* The address of this variable identifies a thread. In this TLS model, an
 * access allocates nothing, even in a new thread. */
static __thread char thread_mark __attribute__((tls_model("initial-exec")));
static const char* planned_thread;

/* An allocation that the program requests. */
typedef struct {
  size_t size;
  size_t alignment;
} Request;

__attribute__((noreturn)) static void End(uint32_t reason) {
  __atomic_store_n(&header->stop, reason, __ATOMIC_SEQ_CST);
  _exit(EXIT_FAILURE);
}

__attribute__((noreturn)) static void Stop(uint32_t reason,
                                           const Request* request) {
  header->size = request->size;
  header->alignment = request->alignment;
  End(reason);
}

/* Maps memory far away from the mappings of the program, so their addresses do
 * not change. The allocations of some programs depend on these addresses. */
static void* Map(size_t bytes, int protection, int flags, int file,
                 uint64_t begin) {
  static uintptr_t next_place = (uintptr_t)UINT64_C(0x200000000000);
  /* NOLINTNEXTLINE(performance-no-int-to-ptr): an address that is made up */
  void* const place = (void*)next_place;
  void* const memory =
      mmap(place, bytes, protection, flags, file, (off_t)begin);
  if (memory == MAP_FAILED) return NULL;
  next_place += (bytes / kMapStep + 2) * kMapStep;
  return memory;
}

static void* MapPrivate(size_t bytes) {
  return Map(bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/* Maps the file of `stowage replay`. Returns whether `path` is such a file. */
static int MapFile(const char* path) {
  const uint64_t begin = STOWAGE_REPLAY_HEADER_BYTES;
  const int file = open(path, O_RDWR | O_CLOEXEC);
  if (file < 0) return 0;
  struct stat status;
  size_t rest = 0;
  if (fstat(file, &status) == 0 && (uint64_t)status.st_size >= begin) {
    rest = (size_t)status.st_size - begin;
    header = Map(begin, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (rest > 0) blocks = Map(rest, PROT_READ, MAP_SHARED, file, begin);
  }
  close(file);
  return header != NULL && header->magic == STOWAGE_REPLAY_MAGIC &&
         header->block_count == rest / sizeof *blocks &&
         (rest == 0 || blocks != NULL);
}

/* Finds out whether this is a replay, and whether another image has the plan.
 */
static void Start(void) {
  if (environ == NULL) return; /* the C library has not started either */
  mode = kUnplanned;
  /* NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread exists yet */
  const char* const path = getenv(STOWAGE_REPLAY_VARIABLE);
  if (path == NULL) return;
  const int error = errno;
  if (MapFile(path)) {
    uint32_t state = STOWAGE_REPLAY_NOT_LOADED;
    __atomic_compare_exchange_n(&header->state, &state, STOWAGE_REPLAY_LOADED,
                                0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    if (state != STOWAGE_REPLAY_CLAIMED) {
      mode = kReady;
    } else if (header->process == (uint64_t)getpid() &&
               header->blocks_served < header->block_count) {
      /* This image replaces the image that uses the plan. */
      End(STOWAGE_REPLAY_EXECUTES);
    }
  }
  errno = error;
}

__attribute__((constructor)) static void StartBeforeMain(void) {
  if (mode == kUnstarted) Start();
}

/* Maps the arena and the tables of its granules. */
static int MapArena(void) {
  const uint64_t limit = (uint64_t)PTRDIFF_MAX / 4;
  if (header->arena_bytes > limit || header->arena_alignment > limit) return 0;
  const size_t alignment = header->arena_alignment;
  const size_t granules = header->arena_bytes / kGranule + 1;
  char* const space = MapPrivate(header->arena_bytes + 2 * alignment);
  if (space == NULL) return 0;
  arena = space + (alignment - (uintptr_t)space % alignment) % alignment;
  empty_area = MapPrivate(kEmptyArea);
  begins = MapPrivate(granules * sizeof *begins);
  live = MapPrivate((granules / kGranulesPerWord + 1) * sizeof *live);
  void* const flag = MapPrivate(1);
  is_first_process = flag;
  return empty_area != NULL && begins != NULL && live != NULL && flag != NULL &&
         madvise(flag, 1, MADV_WIPEONFORK) == 0;
}

/* Claims the plan for this image, unless another image already uses it. */
static void Claim(void) {
  const int error = errno;
  uint32_t state = STOWAGE_REPLAY_LOADED;
  if (!__atomic_compare_exchange_n(&header->state, &state,
                                   STOWAGE_REPLAY_CLAIMED, 0, __ATOMIC_SEQ_CST,
                                   __ATOMIC_SEQ_CST)) {
    mode = kUnplanned;
    return;
  }
  /* NOLINTBEGIN(clang-analyzer-core.NonNullParamChecker): it is mapped */
  const ssize_t length =
      readlink("/proc/self/exe", header->program, sizeof header->program - 1);
  /* NOLINTEND(clang-analyzer-core.NonNullParamChecker) */
  header->program[length < 0 ? 0 : length] = '\0';
  header->process = (uint64_t)getpid();
  const Request whole = {header->arena_bytes, header->arena_alignment};
  if (!MapArena()) Stop(STOWAGE_REPLAY_NO_MEMORY, &whole);
  *is_first_process = 1;
  planned_thread = &thread_mark;
  mode = kPlanned;
  errno = error;
}

static Mode PresentMode(void) {
  if (mode == kUnstarted) Start();
  if (mode == kPlanned && *is_first_process == 0) mode = kForked;
  return mode;
}

/* Claims the plan if no image uses it. Returns the mode for an allocation. */
static Mode AllocationMode(void) {
  if (PresentMode() == kReady) Claim();
  return mode;
}

static int IsInArena(const void* block) {
  return arena != NULL &&
         (uintptr_t)block - (uintptr_t)arena < header->arena_bytes;
}

/* Returns whether this library served the block, here or before a fork. */
static int IsServed(const void* block) {
  return IsInArena(block) ||
         (arena != NULL &&
          (uintptr_t)block - (uintptr_t)empty_area < kEmptyArea);
}

static size_t GranuleOf(const void* block) {
  return (size_t)((const char*)block - arena) / kGranule;
}

/* Returns the live block that begins at an address in the arena, or null. */
static const stowage_replay_block* LiveBlock(const void* address) {
  if ((uintptr_t)address % kGranule != 0) return NULL;
  const uint32_t index =
      __atomic_load_n(&begins[GranuleOf(address)], __ATOMIC_RELAXED);
  return index == 0 ? NULL : &blocks[index - 1];
}

static size_t SizeOf(const void* address) {
  if (!IsInArena(address)) return 0;
  const stowage_replay_block* const block = LiveBlock(address);
  return block == NULL ? 0 : block->size;
}

/* Returns the number of the live block that contains the granule. */
static uint64_t OwnerOf(size_t granule) {
  while (begins[granule] == 0 && granule > 0) --granule;
  return begins[granule] == 0 ? 0 : blocks[begins[granule] - 1].number;
}

/* Sets or clears the bits of all granules of a block. Returns the first granule
 * whose bit was already set, or SIZE_MAX if there was none. Other threads may
 * free blocks at the same time. */
static size_t SetLive(const stowage_replay_block* block, int value) {
  const size_t begin = block->offset / kGranule;
  const size_t end = (block->offset + block->size - 1) / kGranule + 1;
  size_t first_set = SIZE_MAX;
  for (size_t i = begin; i < end;) {
    const size_t bit = i % kGranulesPerWord;
    const size_t left = kGranulesPerWord - bit;
    const size_t count = end - i < left ? end - i : left;
    const uint64_t ones = count == kGranulesPerWord
                              ? UINT64_MAX
                              : ((UINT64_C(1) << count) - 1) << bit;
    uint64_t* const word = &live[i / kGranulesPerWord];
    if (!value) {
      __atomic_fetch_and(word, ~ones, __ATOMIC_RELAXED);
    } else {
      const uint64_t before = __atomic_fetch_or(word, ones, __ATOMIC_RELAXED);
      if ((before & ones) != 0 && first_set == SIZE_MAX) {
        first_set = i - bit + (size_t)__builtin_ctzll(before & ones);
      }
    }
    i += count;
  }
  return first_set;
}

/* Returns a block of 0 bytes. Addresses repeat only after kEmptyArea bytes. */
static void* ServeEmpty(const Request* request) {
  const size_t mask = request->alignment - 1;
  size_t place = (empty_used + mask) & ~mask;
  if (place + kGranule > kEmptyArea) place = 0;
  empty_used = place + kGranule;
  return empty_area + place;
}

/* Returns the planned block, or null for a request of 0 bytes. Stops the
 * program if the request differs from the plan. */
static const stowage_replay_block* Planned(const Request* request) {
  const stowage_replay_block* block =
      next_block < header->block_count ? &blocks[next_block] : NULL;
  if (block != NULL && block->number != next_number) block = NULL;
  header->planned_size = block == NULL ? 0 : block->size;
  header->planned_offset = block == NULL ? 0 : block->offset;
  if (planned_thread != &thread_mark) Stop(STOWAGE_REPLAY_THREAD, request);
  if (block == NULL) {
    if (request->size == 0) return NULL;
    Stop(STOWAGE_REPLAY_NOT_PLANNED, request);
  }
  if (block->size != request->size) Stop(STOWAGE_REPLAY_OTHER_SIZE, request);
  if (request->alignment > header->arena_alignment ||
      block->offset % request->alignment != 0) {
    Stop(STOWAGE_REPLAY_OTHER_ALIGNMENT, request);
  }
  return block;
}

/* Returns whether the C library cannot serve this request either. If so, errno
 * is set. Recordings and plans do not contain such requests. */
static int FailsAnyway(size_t size, size_t alignment) {
  if (size <= header->arena_bytes && alignment <= header->arena_alignment) {
    return 0;
  }
  void* const block = __libc_memalign(alignment, size);
  __libc_free(block);
  return block == NULL;
}

/* Serves the next allocation of the planned process. The alignment must be a
 * power of two. */
static void* Serve(size_t size, size_t alignment) {
  if (FailsAnyway(size, alignment)) return NULL;
  const Request request = {size, alignment < kGranule ? kGranule : alignment};
  const stowage_replay_block* const block = Planned(&request);
  void* result = NULL;
  if (block == NULL) {
    result = ServeEmpty(&request);
  } else {
    const size_t taken = SetLive(block, 1);
    if (taken != SIZE_MAX) {
      header->other_number = OwnerOf(taken);
      Stop(STOWAGE_REPLAY_OVERLAP, &request);
    }
    ++next_block;
    result = arena + block->offset;
    __atomic_store_n(&begins[GranuleOf(result)], (uint32_t)next_block,
                     __ATOMIC_RELAXED);
  }
  ++next_number;
  header->allocations = next_number;
  header->blocks_served = next_block;
  header->bytes_asked += size;
  return result;
}

/* Overwrites the unused bytes [begin, end) if the header requests it. */
static void Poison(char* begin, const char* end) {
  if (header->poisons && begin < end) {
    memset(begin, kPoison, (size_t)(end - begin));
  }
}

/* Ends the lifetime of a served block and returns its size. If `poisons` is
 * set, overwrites the block first, because another thread may get its bytes. */
static size_t EndBlock(char* address, int poisons) {
  if (!IsInArena(address)) return 0;
  const stowage_replay_block* const block = LiveBlock(address);
  if (block == NULL) {
    const Request request = {0, 0};
    header->planned_offset = (uint64_t)(address - arena);
    Stop(STOWAGE_REPLAY_BAD_FREE, &request);
  }
  if (poisons) Poison(address, address + block->size);
  __atomic_store_n(&begins[GranuleOf(address)], 0, __ATOMIC_RELAXED);
  SetLive(block, 0);
  return block->size;
}

/* Overwrites a block that has ended, except the bytes that the block at `taken`
 * now uses. */
static void PoisonAround(char* old, size_t old_size, char* taken,
                         size_t taken_size) {
  char* const end = old + old_size;
  char* const taken_end = taken + taken_size;
  Poison(old, taken < end ? taken : end);
  Poison(taken_end > old ? taken_end : old, end);
}

/* Moves a block to the place of the next allocation. This place may overlap the
 * old place of the block. */
static void* Move(void* old, size_t size) {
  if (FailsAnyway(size, kGranule)) return NULL;
  if (!IsServed(old)) { /* it was allocated before the plan was used */
    const size_t old_size = malloc_usable_size(old);
    void* const copy = Serve(size, kGranule);
    memcpy(copy, old, old_size < size ? old_size : size);
    __libc_free(old);
    return copy;
  }
  const size_t old_size = EndBlock(old, 0);
  void* const moved = Serve(size, kGranule);
  memmove(moved, old, old_size < size ? old_size : size);
  PoisonAround(old, old_size, moved, size);
  return moved;
}

static size_t PageSize(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* Returns the product, or SIZE_MAX (larger than any block) if it overflows. */
static size_t Product(size_t count, size_t size) {
  size_t bytes = 0;
  return __builtin_mul_overflow(count, size, &bytes) ? SIZE_MAX : bytes;
}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): reserved */

EXPORTED void* malloc(size_t size) {
  if (AllocationMode() != kPlanned) return __libc_malloc(size);
  return Serve(size, kGranule);
}

EXPORTED void* calloc(size_t count, size_t size) {
  if (AllocationMode() != kPlanned) return __libc_calloc(count, size);
  const size_t bytes = Product(count, size);
  void* const block = Serve(bytes, kGranule);
  if (block != NULL) memset(block, 0, bytes);
  return block;
}

EXPORTED void free(void* block) {
  if (block == NULL) return;
  const Mode now = PresentMode();
  if (!IsServed(block)) {
    __libc_free(block);
  } else if (now == kPlanned) {
    EndBlock(block, 1);
  }
}

EXPORTED void* realloc(void* block, size_t size) {
  if (block == NULL) return malloc(size);
  const Mode now = PresentMode();
  if (now == kPlanned) {
    if (size != 0) return Move(block, size);
    free(block); /* like the realloc of the C library */
    return NULL;
  }
  if (!IsServed(block)) return __libc_realloc(block, size);
  if (size == 0) return NULL;
  /* A forked child keeps the old block in its arena, and gets a copy. */
  void* const copy = __libc_malloc(size);
  const size_t old_size = SizeOf(block);
  if (copy != NULL) memcpy(copy, block, old_size < size ? old_size : size);
  return copy;
}

EXPORTED void* reallocarray(void* block, size_t count, size_t size) {
  return realloc(block, Product(count, size));
}

EXPORTED void* memalign(size_t alignment, size_t size) {
  if (AllocationMode() != kPlanned) return __libc_memalign(alignment, size);
  if (alignment > SIZE_MAX / 2 + 1) {
    errno = EINVAL;
    return NULL;
  }
  size_t power = kGranule;
  while (power < alignment) power *= 2;
  return Serve(size, power);
}

EXPORTED void* aligned_alloc(size_t alignment, size_t size) {
  return memalign(alignment, size);
}

EXPORTED int posix_memalign(void** block, size_t alignment, size_t size) {
  const size_t mask = alignment - 1;
  if (alignment < sizeof(void*) || (alignment & mask) != 0) return EINVAL;
  const int error = errno;
  void* const result = memalign(alignment, size);
  errno = error;
  if (result == NULL) return ENOMEM;
  *block = result;
  return 0;
}

EXPORTED void* valloc(size_t size) { return memalign(PageSize(), size); }

EXPORTED void* pvalloc(size_t size) {
  const size_t page = PageSize();
  const size_t most = SIZE_MAX - page; /* larger sizes cannot be allocated */
  return memalign(page, size > most ? size : (size + page - 1) & ~(page - 1));
}

/* Returns the requested size, because the plan guarantees no further bytes. */
EXPORTED size_t malloc_usable_size(void* block) {
  if (block == NULL) return 0;
  if (IsServed(block)) return SizeOf(block);
  static size_t (*system_function)(void*);
  if (system_function == NULL) {
    void* const found = dlsym(RTLD_NEXT, "malloc_usable_size");
    memcpy(&system_function, &found, sizeof found);
  }
  return system_function == NULL ? 0 : system_function(block);
}

/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
