// SPDX-License-Identifier: Apache-2.0
#include "src/harness/kernels/copy_at_once.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <list>
#include <vector>

#include "absl/algorithm/container.h"

namespace stowage::harness {
namespace {

// Returns whether `a` overwrites a byte that `b` reads.
bool Overwrites(const ByteCopy& a, const ByteCopy& b) {
  const std::less<> precedes;
  const uint8_t* const destination = a.destination;
  return precedes(destination, b.source + b.bytes) &&
         precedes(b.source, destination + a.bytes);
}

}  // namespace

void CopyAtOnce(std::vector<ByteCopy> copies) {
  copies.erase(std::remove_if(copies.begin(), copies.end(),
                              [](const ByteCopy& copy) {
                                return copy.bytes == 0 ||
                                       copy.destination == copy.source;
                              }),
               copies.end());
  std::list<std::vector<uint8_t>> scratch;
  while (!copies.empty()) {
    const auto is_free = [&](const ByteCopy& copy) {
      return absl::c_none_of(copies, [&](const ByteCopy& other) {
        return &other != &copy && Overwrites(copy, other);
      });
    };
    const auto next = absl::c_find_if(copies, is_free);
    if (next == copies.end()) {
      // After this, nothing reads the source of the first copy in its place, so
      // that the copy to this place is free, or another cycle remains.
      ByteCopy& first = copies.front();
      scratch.emplace_back(first.source, first.source + first.bytes);
      first.source = scratch.back().data();
      continue;
    }
    // The two places may overlap in part.
    std::memmove(next->destination, next->source, next->bytes);
    copies.erase(next);
  }
}

}  // namespace stowage::harness
