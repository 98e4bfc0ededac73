/* SPDX-License-Identifier: Apache-2.0 */
/* A program for tests of recorded touches. The first argument selects a
 * function. The comment above each function describes what must be recorded, or
 * what must work in the same way as without the recorder. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { kBytes = 64 << 10 };

/* The type is volatile, so the compiler keeps every access to the block. */
static volatile char* Large(void) { return malloc(kBytes); }

/* An address at which there is no memory. */
static volatile char* volatile nowhere = (volatile char*)8;

/* A network that allocates all buffers at the start. Each of 6 layers reads the
 * buffer of the previous layer. By touches, 2 buffers are live at a time, and
 * by allocations, 7. */
static int RunLayers(void) {
  volatile char* buffers[7];
  for (int i = 0; i < 7; ++i) buffers[i] = Large();
  for (int i = 0; i < 7; ++i) {
    for (int k = 0; k < kBytes; ++k) {
      buffers[i][k] = (char)(i == 0 ? k : buffers[i - 1][k] + 1);
    }
  }
  const char last = buffers[6][10];
  for (int i = 0; i < 7; ++i) free((void*)buffers[i]);
  return last == 16 ? 0 : 1;
}

/* The first block is touched between the allocations of the second and the
 * third block, and never again, so its lifetime ends before that of the fourth
 * block begins. The second block is not touched. */
static int TouchOnce(void) {
  volatile char* first = Large();
  volatile char* second = Large();
  first[100] = 1;
  volatile char* third = Large();
  third[0] = 2;
  volatile char* fourth = Large();
  fourth[0] = third[0];
  free((void*)first);
  free((void*)second);
  free((void*)third);
  free((void*)fourth);
  return 0;
}

/* System calls can access protected memory through all kinds of arguments.
 * Signals and handlers are unchanged. */
static int UseSystemCalls(void) {
  int ends[2];
  char* from = (char*)Large();
  char* to = (char*)Large();
  char* path = (char*)Large();
  struct iovec* vectors = (struct iovec*)Large();
  if (pipe(ends) != 0) return 1;
  memset(from, 'x', 100);
  strcpy(path, "/dev/zero");
  vectors[0].iov_base = to;
  vectors[0].iov_len = 50;
  vectors[1].iov_base = to + 50;
  vectors[1].iov_len = 50;
  free((void*)Large()); /* closes all blocks */
  if (write(ends[1], from, 100) != 100) return 2;
  free((void*)Large());
  if (readv(ends[0], vectors, 2) != 100) return 3;
  if (memcmp(from, to, 100) != 0) return 4;
  free((void*)Large());
  FILE* file = fopen(path, "r");
  if (file == NULL) return 5;
  free((void*)Large());
  if (fread(to, 1, kBytes, file) != kBytes) return 6;
  fclose(file);
  if (to[99] != 0) return 7;
  if (write(ends[1], (const void*)nowhere, 1) != -1 || errno != EFAULT)
    return 8;
  free((void*)Large());
  sigset_t* set = (sigset_t*)from;
  sigset_t before;
  sigfillset(set);
  free((void*)Large());
  if (sigprocmask(SIG_SETMASK, set, &before) != 0) return 9;
  if (write(ends[1], to, 1) != 1) return 10; /* with all signals blocked */
  from[0] = 1;
  if (sigprocmask(SIG_SETMASK, &before, NULL) != 0) return 11;
  return 0;
}

static sigjmp_buf escape;
static volatile sig_atomic_t faults;
static volatile sig_atomic_t alarms;

static void OnFault(int number) {
  (void)number;
  ++faults;
  siglongjmp(escape, 1);
}

static void OnAlarm(int number) {
  (void)number;
  ++alarms;
}

/* A fault of the program calls the program's own handler, and a signal
 * interrupts a system call. */
static int HandleSignals(void) {
  struct sigaction action;
  struct sigaction before;
  volatile char* volatile block = Large();
  memset(&action, 0, sizeof(action));
  action.sa_handler = OnFault;
  sigfillset(&action.sa_mask);
  if (sigaction(SIGSEGV, &action, NULL) != 0) return 1;
  if (sigaction(SIGSEGV, NULL, &before) != 0) return 2;
  if (before.sa_handler != OnFault) return 3;
  for (volatile int i = 0; i < 3; ++i) {
    if (sigsetjmp(escape, 1) == 0) *nowhere = 1;
    block[0] = 1;
    free((void*)Large());
  }
  if (faults != 3) return 4;
  action.sa_handler = OnAlarm;
  action.sa_flags = 0;
  if (sigaction(SIGALRM, &action, NULL) != 0) return 5;
  int ends[2];
  if (pipe(ends) != 0) return 6;
  alarm(1);
  block = Large();
  if (read(ends[0], (void*)block, 1) != -1 || errno != EINTR) return 7;
  if (alarms != 1) return 8;
  signal(SIGSEGV, SIG_DFL);
  const pid_t child = fork();
  if (child == 0) *nowhere = 1;
  int status = 0;
  if (waitpid(child, &status, 0) != child) return 9;
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV ? 0 : 10;
}

/* A child has the blocks of its parent and can start a program with them. */
static int Fork(void) {
  char* block = (char*)Large();
  strcpy(block, "true");
  char** arguments = (char**)Large();
  arguments[0] = block;
  arguments[1] = NULL;
  free((void*)Large());
  for (volatile int i = 0; i < 2; ++i) {
    const pid_t child = i == 0 ? fork() : vfork();
    if (child == 0) {
      execvp(block, arguments);
      _exit(1);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || status != 0) return 1;
    free((void*)Large());
  }
  strcpy(block, "exit 3");
  free((void*)Large());
  if (WEXITSTATUS(system(block)) != 3) return 2;
  return 0;
}

static volatile char* shared[4];

static void* Hammer(void* argument) {
  const int me = (int)(intptr_t)argument;
  int ends[2];
  if (pipe(ends) != 0) return NULL;
  char* own = (char*)Large();
  for (int i = 0; i < 2000; ++i) {
    for (int k = 0; k < 4; ++k) shared[k][me] = (char)(shared[k][me] + 1);
    if (write(ends[1], own, 4000) != 4000) return NULL;
    if (read(ends[0], own, 4000) != 4000) return NULL;
    if (i % 16 == 0) own = realloc(own, (size_t)(kBytes + i % 3 * 4096));
    free((void*)Large());
  }
  free(own);
  return (void*)1;
}

/* Several threads open and close the same blocks at the same time. */
static int UseThreads(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i) shared[i] = calloc(1, kBytes);
  for (int i = 0; i < 4; ++i) {
    if (pthread_create(&threads[i], NULL, Hammer, (void*)(intptr_t)i) != 0) {
      return 1;
    }
  }
  for (int i = 0; i < 4; ++i) {
    void* result = NULL;
    if (pthread_join(threads[i], &result) != 0 || result == NULL) return 2;
    for (int k = 0; k < 4; ++k) {
      if (shared[k][i] != (char)2000) return 3;
    }
  }
  return 0;
}

/* Blocks keep their content when they grow, shrink and move. */
static int Move(void) {
  char* block = NULL;
  size_t before = 0;
  for (size_t i = 1; i < 400; ++i) {
    const size_t size = i * 7919 % 30000 + 1;
    block = realloc(block, size);
    for (size_t k = 0; k < before && k < size; ++k) {
      if (block[k] != (char)(k * 31)) return 1;
    }
    for (size_t k = 0; k < size; ++k) block[k] = (char)(k * 31);
    before = size;
    free((void*)Large());
  }
  free(block);
  void* aligned = NULL;
  if (posix_memalign(&aligned, 1 << 16, kBytes) != 0) return 2;
  if ((uintptr_t)aligned % (1 << 16) != 0) return 3;
  if (mprotect(aligned, 4096, PROT_READ) != 0) return 4;
  free((void*)Large());
  if (*(volatile char*)aligned != 0) return 5;
  if (mprotect(aligned, 4096, PROT_READ | PROT_WRITE) != 0) return 6;
  free(aligned);
  return 0;
}

static char* barred;
static volatile int bars;

static void LiftBar(int number) {
  (void)number;
  ++bars;
  mprotect(barred, 4096, PROT_READ | PROT_WRITE);
}

/* A program can detect writes by protecting memory. Garbage collectors do this.
 */
static int BarWrites(void) {
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = LiftBar;
  if (sigaction(SIGSEGV, &action, NULL) != 0) return 1;
  void* memory = NULL;
  if (posix_memalign(&memory, 4096, 4 * kBytes) != 0) return 2;
  barred = memory;
  for (int i = 1; i <= 3; ++i) {
    if (mprotect(barred, 4096, i == 1 ? PROT_NONE : PROT_READ) != 0) return 3;
    *(volatile char*)(barred + 5000) = 1;
    *(volatile char*)barred = 1;
    *(volatile char*)(barred + 100) = 1;
    if (bars != i) return 4;
  }
  free(memory);
  return 0;
}

static volatile int runs_on_stack;
static ucontext_t here;
static ucontext_t there;

static void OnStack(int number) {
  (void)number;
  free((void*)Large());
  ++runs_on_stack;
}

static void* StepOnStack(void* argument) {
  free((void*)Large());
  ++runs_on_stack;
  return argument;
}

static void Coroutine(void) {
  for (;;) {
    StepOnStack(NULL);
    swapcontext(&there, &here);
  }
}

/* Handlers, threads and coroutines can have stacks in protected memory. */
static int UseStacks(void) {
  stack_t stack;
  memset(&stack, 0, sizeof(stack));
  stack.ss_size = 4 * kBytes;
  stack.ss_sp = malloc(stack.ss_size);
  if (sigaltstack(&stack, NULL) != 0) return 1;
  struct sigaction action;
  memset(&action, 0, sizeof(action));
  action.sa_handler = OnStack;
  action.sa_flags = SA_ONSTACK;
  if (sigaction(SIGUSR1, &action, NULL) != 0) return 2;
  free((void*)Large());
  raise(SIGUSR1);
  if (runs_on_stack != 1) return 3;
  stack.ss_flags = SS_DISABLE;
  if (sigaltstack(&stack, NULL) != 0) return 4;
  pthread_attr_t attributes;
  pthread_t thread;
  void* memory = NULL;
  if (posix_memalign(&memory, 4096, 16 * kBytes) != 0) return 5;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, memory, 16 * kBytes);
  if (pthread_create(&thread, &attributes, StepOnStack, NULL) != 0) return 6;
  pthread_join(thread, NULL);
  if (runs_on_stack != 2) return 7;
  getcontext(&there);
  there.uc_stack.ss_size = 4 * kBytes;
  there.uc_stack.ss_sp = malloc(there.uc_stack.ss_size);
  there.uc_link = NULL;
  makecontext(&there, Coroutine, 0);
  for (int i = 0; i < 5; ++i) {
    free((void*)Large());
    swapcontext(&here, &there);
  }
  return runs_on_stack == 7 ? 0 : 8;
}

int main(int count, char** arguments) {
  if (count != 2) return 99;
  const char* what = arguments[1];
  if (strcmp(what, "layers") == 0) return RunLayers();
  if (strcmp(what, "once") == 0) return TouchOnce();
  if (strcmp(what, "calls") == 0) return UseSystemCalls();
  if (strcmp(what, "signals") == 0) return HandleSignals();
  if (strcmp(what, "fork") == 0) return Fork();
  if (strcmp(what, "threads") == 0) return UseThreads();
  if (strcmp(what, "move") == 0) return Move();
  if (strcmp(what, "stacks") == 0) return UseStacks();
  if (strcmp(what, "barrier") == 0) return BarWrites();
  return 99;
}
