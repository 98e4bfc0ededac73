// SPDX-License-Identifier: Apache-2.0
#include "tests/micro/device/device.h"

static uint32_t failures = 0;

void print_number(uint32_t number) {
  char digits[11];
  char* first = digits + sizeof(digits) - 1;
  *first = '\0';
  do {
    *--first = (char)('0' + number % 10);
    number /= 10;
  } while (number > 0);
  print(first);
}

void fail(const char* file, int line, const char* condition) {
  ++failures;
  print(file);
  print(":");
  print_number((uint32_t)line);
  print(": not so: ");
  print(condition);
  print("\n");
}

uint32_t next_random(uint32_t* state) {
  *state ^= *state << 13;
  *state ^= *state >> 17;
  *state ^= *state << 5;
  return *state;
}

uint32_t run_tests(void) {
#define TEST(name)         \
  print("== " #name "\n"); \
  test_##name();
#include "tests/micro/device/tests.inc"
#undef TEST
  print(failures == 0 ? "PASSED\n" : "FAILED\n");
  return failures;
}
