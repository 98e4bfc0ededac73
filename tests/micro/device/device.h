// SPDX-License-Identifier: Apache-2.0
// Declares what tests in C need, both on a microcontroller without a C library
// (board.c, with semihosting) and on a host (host.c). Each test is a function
// void test_NAME(void) in NAME.c, and CMakeLists.txt lists it.
#ifndef STOWAGE_TESTS_MICRO_DEVICE_DEVICE_H_
#define STOWAGE_TESTS_MICRO_DEVICE_DEVICE_H_

// NOLINTBEGIN(modernize-*): this is C.
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

void print(const char* text);
void print_number(uint32_t number);

// Starts counting instructions. The count must stay below 671 million.
void start_count(void);
// Returns the number of instructions since start_count, in steps of 40. Returns
// 0 on a host.
uint32_t instructions(void);

// Counts a failed condition, and prints it with its file and line.
void fail(const char* file, int line, const char* condition);

#define EXPECT(condition) \
  ((condition) ? (void)0 : fail(__FILE__, __LINE__, #condition))

// Returns the next number of a fixed sequence (xorshift).
uint32_t next_random(uint32_t* state);

// CMake generates tests.inc, which has a line TEST(NAME) for each test.
#define TEST(name) void test_##name(void);
#include "tests/micro/device/tests.inc"
#undef TEST

// Runs all tests and returns the number of failures.
uint32_t run_tests(void);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-*)

#endif  // STOWAGE_TESTS_MICRO_DEVICE_DEVICE_H_
