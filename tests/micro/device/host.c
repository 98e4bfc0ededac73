// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>

#include "tests/micro/device/device.h"

void print(const char* text) { fputs(text, stdout); }

void start_count(void) {}

uint32_t instructions(void) { return 0; }

int main(void) { return run_tests() == 0 ? 0 : 1; }
