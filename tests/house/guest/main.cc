// SPDX-License-Identifier: Apache-2.0
// Makes plans through the runtime, which contains the library.
#include <cstddef>
#include <cstdio>

extern "C" size_t guest_plan(const char* strategy);
extern "C" size_t guest_strategies(char* names, size_t size);

int main() {
  char names[1024];
  guest_strategies(names, sizeof(names));
  std::printf("%s: %zu %zu %zu\n", names, guest_plan("greedy_best"),
              guest_plan("skyline"), guest_plan("naive"));
}
