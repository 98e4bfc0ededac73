/* SPDX-License-Identifier: Apache-2.0 */
/* A program with its own allocator, which never frees memory. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static char memory[1 << 20];
static size_t used;

void* malloc(size_t size) {
  char* const block = memory + used;
  used += (size + 15) / 16 * 16;
  return used <= sizeof(memory) ? block : NULL;
}

void free(void* block) { (void)block; }

void* calloc(size_t count, size_t size) { return malloc(count * size); }

void* realloc(void* block, size_t size) {
  void* const moved = malloc(size);
  if (block != NULL) memmove(moved, block, size);
  return moved;
}

int main(void) {
  void* volatile block = malloc(100);
  free(block);
  return 0;
}
