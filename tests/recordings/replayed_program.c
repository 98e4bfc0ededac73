/* SPDX-License-Identifier: Apache-2.0 */
/* A program with known allocations, for tests of the replay. It prints nothing,
 * because printing could allocate memory. The argument selects a further
 * action. The exit code is 0 if all memory kept the bytes that were written to
 * it. */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kMark = 7 };

static int Holds(const char* bytes, char value, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (bytes[i] != value) return 0;
  }
  return 1;
}

static void* Allocate(void* unused) {
  (void)unused;
  free(malloc(10));
  return NULL;
}

/* The child has a copy of the block, and continues without the plan. */
static int RunChild(char* block) {
  const pid_t child = fork();
  if (child == 0) {
    char* const more = malloc(12345);
    block = realloc(block, 54321);
    const int is_right = more != NULL && Holds(block, kMark, 48);
    free(more);
    free(block);
    if (is_right) execlp("sh", "sh", "-c", "exit 3", (char*)NULL);
    _exit(1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 3;
}

/* Makes the allocations 0 to 5, and returns the only block that is live. */
static char* MakeAllocations(void) {
  char* block = malloc(100); /* 0 */
  memset(block, kMark, 100);
  /* NOLINTNEXTLINE(clang-analyzer-optin.portability.UnixAPI) */
  char* const empty = malloc(0); /* 1 */
  block = realloc(block, 300);   /* 2 */
  if (!Holds(block, kMark, 100)) _exit(10);
  memset(block, kMark, 300);
  char* const zeros = calloc(10, 8); /* 3 */
  if (!Holds(zeros, 0, 80)) _exit(11);
  void* aligned = NULL;
  if (posix_memalign(&aligned, 256, 64) != 0) _exit(12); /* 4 */
  if ((uintptr_t)aligned % 256 != 0) _exit(13);
  memset(aligned, 1, 64);
  memset(zeros, 2, 80);
  if (!Holds(block, kMark, 300)) _exit(14);
  free(zeros);
  free(aligned);
  free(empty);
  block = realloc(block, 48); /* 5 */
  if (!Holds(block, kMark, 48)) _exit(15);
  if (malloc_usable_size(block) < 48) _exit(16);
  return block;
}

/* Makes calls that fail. They have no number, because they return no block. */
static void FailToAllocate(char* kept) {
  volatile size_t huge = SIZE_MAX / 2 + 16;
  void* block = NULL;
  if (malloc(huge) != NULL || errno != ENOMEM) _exit(20);
  if (calloc(huge, 4) != NULL || reallocarray(NULL, huge, 4) != NULL) _exit(21);
  volatile size_t large = (size_t)1 << 60; /* exceeds every address space */
  if (malloc(large) != NULL || errno != ENOMEM) _exit(23);
  if (memalign(large << 3, 16) != NULL || errno != ENOMEM) _exit(25);
  if (realloc(kept, large) != NULL || !Holds(kept, kMark, 48)) _exit(24);
  if (posix_memalign(&block, 3, 100) != EINVAL) _exit(22);
}

int main(int argc, char** argv) {
  const char* const what = argc > 1 ? argv[1] : "";
  char* const block = MakeAllocations();
  FailToAllocate(block);
  if (strcmp(what, "forks") == 0 && !RunChild(block)) return 30;
  if (strcmp(what, "reads_freed") == 0) {
    char* volatile freed = block;
    free(block);
    return Holds(freed, kMark, 48) ? 0 : 31;
  }
  if (strcmp(what, "executes") == 0) {
    execlp("sh", "sh", "-c", "exit 3", (char*)NULL);
  }
  if (strcmp(what, "frees_twice") == 0) free(block);
  if (strcmp(what, "has_thread") == 0) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, Allocate, NULL) != 0) return 32;
    pthread_join(thread, NULL);
  }
  if (strcmp(what, "aborts") == 0) abort();
  free(block);
  return strcmp(what, "exits_with_5") == 0 ? 5 : 0;
}
