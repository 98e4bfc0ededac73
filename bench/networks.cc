// SPDX-License-Identifier: Apache-2.0
#include "bench/networks.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "stowage/base/random.h"

namespace stowage::bench {
namespace {

size_t RandomSize(Random* random) {
  constexpr size_t kSides[] = {1, 7, 14, 28, 56, 112};
  constexpr size_t kChannels[] = {16, 24, 32, 64, 96, 128, 256, 512};
  const size_t side = kSides[random->Below(6)];
  // Early layers are wide and late layers are deep, so their tensors have
  // similar sizes.
  const size_t channels =
      kChannels[side > 50 ? random->Below(3) : random->Below(8)];
  return 4 * side * side * channels;
}

// Returns the random number of tasks between the producer of a tensor and its
// last reader.
size_t RandomLength(size_t count, Random* random) {
  const uint64_t kind = random->Below(1000);
  if (kind < 650) return 1;
  if (kind < 850) return 2 + random->Below(6);
  if (kind < 999) return 8 + random->Below(90);
  return 1 + random->Below(count / 4 + 1);
}

}  // namespace

std::vector<ByteRecord> NetworkRecords(size_t count, uint64_t seed) {
  Random random(seed);
  std::vector<ByteRecord> records;
  records.reserve(count);
  for (size_t task = 0; records.size() < count; ++task) {
    const size_t outputs = random.Below(100) < 85 ? 1 : 2;
    for (size_t k = 0; k < outputs && records.size() < count; ++k) {
      records.emplace_back(RandomSize(&random), task,
                           task + RandomLength(count, &random));
    }
  }
  return records;
}

}  // namespace stowage::bench
