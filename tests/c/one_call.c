// SPDX-License-Identifier: Apache-2.0
#include <inttypes.h>
#include <stdio.h>

#include "stowage/c/stowage.h"

int main(void) {
  // Size in bytes, first task, last task: both ends are inclusive.
  const stowage_record records[] = {{4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
  uint64_t offsets[3];
  uint64_t total = 0;
  stowage_error error;
  error.struct_size = sizeof(error);
  if (stowage_assign_offsets(records, 3, 64, "skyline", offsets, &total,
                             &error)) {
    fprintf(stderr, "%s\n", error.message);
    return 1;
  }
  for (int i = 0; i < 3; ++i) printf("%" PRIu64 " ", offsets[i]);
  printf("in an arena of %" PRIu64 " bytes\n", total);
  return 0;
}
