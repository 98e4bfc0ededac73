// SPDX-License-Identifier: Apache-2.0
// Starts the program on the boards MPS2 AN385, AN386 and AN500 of QEMU. Output
// and exit use semihosting. There is no C library, so this file defines the
// memory functions that the compiler calls.
#include "tests/micro/device/device.h"

enum { kWrite0 = 0x04, kExitExtended = 0x20, kApplicationExit = 0x20026 };

static uint32_t semihost(uint32_t operation, const void* argument) {
  register uint32_t r0 __asm__("r0") = operation;
  register const void* r1 __asm__("r1") = argument;
  __asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

static void leave(uint32_t status) {
  const uint32_t block[2] = {kApplicationExit, status};
  semihost(kExitExtended, block);
  for (;;) {
  }
}

void print(const char* text) { semihost(kWrite0, text); }

// SysTick has 24 bits and counts down at 25 MHz. With -icount shift=0, QEMU
// counts one nanosecond for each instruction.
static volatile uint32_t* const kSysTick = (volatile uint32_t*)0xE000E010;

void start_count(void) { kSysTick[2] = 0; }

uint32_t instructions(void) { return (0xFFFFFF - kSysTick[2]) * 40; }

extern uint32_t data_source[], data_begin[], data_end[], bss_begin[], bss_end[];
extern uint32_t stack_end[];

void reset(void);
void fault(void);

void reset(void) {
  const uint32_t* source = data_source;
  for (uint32_t* p = data_begin; p < data_end; ++p) *p = *source++;
  for (uint32_t* p = bss_begin; p < bss_end; ++p) *p = 0;
  kSysTick[1] = 0xFFFFFF;
  kSysTick[0] = 5;
  leave(run_tests() == 0 ? 0 : 1);
}

void fault(void) {
  print("a fault\nFAILED\n");
  leave(99);
}

typedef union {
  void (*handler)(void);
  const void* stack;
} vector;

__attribute__((section(".vectors"), used)) static const vector kVectors[16] = {
    {.stack = stack_end}, {.handler = reset}, {.handler = fault},
    {.handler = fault},   {.handler = fault}, {.handler = fault},
    {.handler = fault}};

void* memcpy(void* to, const void* from, size_t count);
void* memmove(void* to, const void* from, size_t count);
void* memset(void* to, int value, size_t count);
int memcmp(const void* a, const void* b, size_t count);

void* memcpy(void* to, const void* from, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    ((volatile char*)to)[i] = ((const char*)from)[i];
  }
  return to;
}

void* memmove(void* to, const void* from, size_t count) {
  if ((uintptr_t)to <= (uintptr_t)from) return memcpy(to, from, count);
  while (count-- > 0) ((volatile char*)to)[count] = ((const char*)from)[count];
  return to;
}

void* memset(void* to, int value, size_t count) {
  for (size_t i = 0; i < count; ++i) ((volatile char*)to)[i] = (char)value;
  return to;
}

int memcmp(const void* a, const void* b, size_t count) {
  const volatile unsigned char* const left = a;
  const volatile unsigned char* const right = b;
  for (size_t i = 0; i < count; ++i) {
    if (left[i] != right[i]) return left[i] < right[i] ? -1 : 1;
  }
  return 0;
}
