/* SPDX-License-Identifier: Apache-2.0 */
/* A program for tests of the recorder. The first argument selects a function.
 * The comment above each function describes what must be recorded. */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* The compiler must not remove an allocation if its result is stored here. */
static void* volatile kept;

static void* Keep(void* block) {
  kept = block;
  return block;
}

/* 10 allocations, 4 of them live at the end. */
static int CallAll(void) {
  void* aligned = NULL;
  Keep(malloc(100));
  void* block = Keep(calloc(10, 20));
  block = Keep(realloc(block, 5000));
  free(Keep(reallocarray(block, 3, 100)));
  Keep(memalign(64, 128));
  free(Keep(aligned_alloc(256, 512)));
  if (posix_memalign(&aligned, 4096, 10) != 0) return 1;
  Keep(aligned);
  free(Keep(valloc(30)));
  free(Keep(pvalloc(30)));
  Keep(realloc(NULL, 70));
  free(NULL);
  /* None of these calls allocates. */
  volatile size_t huge = SIZE_MAX / 2;
  if (Keep(malloc(huge)) != NULL || Keep(calloc(huge, 4)) != NULL ||
      Keep(reallocarray(aligned, huge, 4)) != NULL ||
      Keep(pvalloc(2 * huge + 1)) != NULL ||
      posix_memalign(&aligned, 24, 10) == 0) {
    return 1;
  }
  return 0;
}

/* 3 allocations of 100, 50 and 40 bytes. The peak is 150 bytes, because a block
 * that cannot grow stays live. */
static int FailToGrow(void) {
  volatile size_t huge = SIZE_MAX / 2;
  void* volatile block =
      Keep(malloc(100)); /* volatile: compilers track plain pointers */
  if (Keep(realloc(block, huge)) != NULL) return 1;
  void* other = Keep(malloc(50));
  if (Keep(realloc(other, 0)) != NULL) return 1; /* frees `other` */
  Keep(malloc(40));
  free(block);
  return 0;
}

/* `count` allocations of 16 bytes, which all stay live. */
static void AllocateMany(long count) {
  for (long i = 0; i < count; ++i) Keep(malloc(16));
}

static int BeKilled(void) {
  AllocateMany(50000);
  raise(SIGKILL);
  return 1;
}

/* 50,000 allocations, most of them after all descriptors were closed. */
static int CloseAll(void) {
  AllocateMany(1000);
  for (int fd = 3; fd < 1024; ++fd) close(fd);
  AllocateMany(49000);
  _exit(0);
}

/* 50,001 allocations, all but one of 16 bytes. During the second part, the log
 * must grow while no descriptor is free. Later, descriptors are free again. */
static int UseAllDescriptors(void) {
  enum { kMost = 64 };
  const struct rlimit limit = {kMost, kMost};
  int used[kMost];
  int count = 0;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) return 1;
  AllocateMany(1000);
  while ((used[count] = dup(STDOUT_FILENO)) >= 0) ++count;
  AllocateMany(19000);
  while (count > 0) close(used[--count]);
  AllocateMany(30000);
  Keep(malloc(7));
  return 0;
}

/* Forks whenever a signal arrives. Both processes then continue the interrupted
 * code. Finally, each child allocates and exits. */
static volatile sig_atomic_t forks;
static void ForkInHandler(int number) {
  (void)number;
  ++forks;
  if (fork() == 0) forks = -1;
}

static int ForkInHandlers(void) {
  const struct itimerval often = {{0, 500}, {0, 500}};
  const struct itimerval never = {{0, 0}, {0, 0}};
  signal(SIGCHLD, SIG_IGN);
  signal(SIGALRM, ForkInHandler);
  setitimer(ITIMER_REAL, &often, NULL);
  for (long i = 0; i < 3000000 && forks >= 0 && forks < 200; ++i) {
    free(Keep(malloc((size_t)(i % 100 + 1))));
  }
  setitimer(ITIMER_REAL, &never, NULL);
  if (forks < 0) {
    AllocateMany(10);
    _exit(0);
  }
  while (wait(NULL) > 0) {
  }
  return 0;
}

/* The parent has 1001 allocations, and the child has 2001. The blocks of the
 * parent are not recorded for the child, although the child frees one. */
static int Fork(void) {
  void* block = Keep(malloc(10));
  AllocateMany(500);
  const pid_t child = fork();
  if (child == 0) {
    free(block);
    AllocateMany(2000);
    Keep(malloc(7));
    _exit(0);
  }
  AllocateMany(500);
  return waitpid(child, NULL, 0) == child ? 0 : 1;
}

/* Two functions start this program again, with an empty environment:
 * ExecuteOnly in this process, and VforkAndExecute in the child of a vfork. */
static char* const kNothing[] = {NULL};

static int ExecuteOnly(const char* path) {
  AllocateMany(10);
  char* const arguments[] = {(char*)"subject", (char*)"many", NULL};
  execve(path, arguments, kNothing);
  return 1;
}

static int VforkAndExecute(const char* path) {
  AllocateMany(10);
  char* const arguments[] = {(char*)"subject", (char*)"many", NULL};
  const pid_t child = vfork();
  if (child == 0) {
    execve(path, arguments, kNothing);
    _exit(1);
  }
  AllocateMany(10);
  return waitpid(child, NULL, 0) == child ? 0 : 1;
}

/* 1 allocation, which is freed as late as possible. */
static void* late;
__attribute__((destructor)) static void FreeLate(void) { free(late); }

enum { kBlocks = 64, kRounds = 400000 };
static void* blocks[kBlocks];

static void* Swap(uint32_t i, void* block) {
  return __atomic_exchange_n(&blocks[i], block, __ATOMIC_ACQ_REL);
}

/* Allocates, frees and resizes blocks, including those of other threads. */
static void* Exchange(void* seed) {
  uint32_t random = (uint32_t)(uintptr_t)seed;
  for (long i = 0; i < kRounds; ++i) {
    random = random * 1664525u + 1013904223u;
    void* block = Swap(random >> 26, NULL);
    if ((random >> 8 & 3) == 0 && block != NULL) {
      block = realloc(block, 1 + (random >> 10 & 1023));
    } else {
      free(block);
      block = malloc(1 + (random >> 10 & 255));
    }
    free(Swap(random >> 20 & 63, block));
  }
  return NULL;
}

/* Runs a command twice in a shell, with an empty environment. */
static int RunShells(const char* command) {
  clearenv();
  if (system(command) != 0) return 1;
  FILE* const output = popen(command, "r");
  if (output == NULL || pclose(output) != 0) return 2;
  char longest[(1 << 17) - 8];
  memset(longest, ' ', sizeof(longest));
  memcpy(longest, "exit 4", 6);
  longest[sizeof(longest) - 1] = '\0';
  if (system(longest) >> 8 != 4) return 3;
  return system("exit 3") >> 8 == 3 && system(NULL) != 0 ? 0 : 4;
}

static int RunThreads(void) {
  pthread_t threads[2];
  for (uintptr_t i = 0; i < 2; ++i) {
    if (pthread_create(&threads[i], NULL, Exchange, (void*)(i + 1))) return 1;
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  for (uint32_t i = 0; i < kBlocks; ++i) free(Swap(i, NULL));
  return 0;
}

/* Exits before its child, in which threads allocate continuously. */
static int LeaveThreads(void) {
  int pipes[2];
  if (pipe(pipes) != 0) return 1;
  if (fork() == 0) {
    pthread_t thread;
    alarm(1);
    pthread_create(&thread, NULL, Exchange, NULL);
    AllocateMany(1000);
    if (write(pipes[1], "", 1) != 1) return 1;
    for (;;) free(Keep(malloc(10)));
  }
  char byte = 0;
  return read(pipes[0], &byte, 1) == 1 ? 0 : 1;
}

int main(int count, char** arguments) {
  const char* mode = count > 1 ? arguments[1] : "";
  if (strcmp(mode, "all") == 0) return CallAll();
  if (strcmp(mode, "fail") == 0) return FailToGrow();
  if (strcmp(mode, "killed") == 0) return BeKilled();
  if (strcmp(mode, "close") == 0) return CloseAll();
  if (strcmp(mode, "descriptors") == 0) return UseAllDescriptors();
  if (strcmp(mode, "fork") == 0) return Fork();
  if (strcmp(mode, "handlers") == 0) return ForkInHandlers();
  if (strcmp(mode, "exec") == 0) return ExecuteOnly(arguments[2]);
  if (strcmp(mode, "vfork") == 0) return VforkAndExecute(arguments[2]);
  if (strcmp(mode, "shells") == 0) return RunShells(arguments[2]);
  if (strcmp(mode, "threads") == 0) return RunThreads();
  if (strcmp(mode, "leave") == 0) return LeaveThreads();
  if (strcmp(mode, "late") == 0) late = malloc(10);
  if (strcmp(mode, "many") == 0) AllocateMany(1000);
  if (strcmp(mode, "seven") == 0) return 7;
  if (strcmp(mode, "wait") == 0) {
    AllocateMany(5);
    pause();
  }
  return 0;
}
