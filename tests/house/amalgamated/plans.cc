// SPDX-License-Identifier: Apache-2.0
// Prints hashes of many plans. Each strategy has two lines: one for problems
// without constraints and one for problems with constraints. The program is
// compiled twice, with the library and with its amalgamation, and the test
// compares the lines of the two.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#ifdef STOWAGE_AMALGAMATED
#include "stowage.h"
#else
#include "stowage/stowage.h"
#endif

namespace {

constexpr uint64_t kProblems = 60;

// Generates numbers that are the same on every machine, with Knuth's MMIX
// constants.
class Numbers {
 public:
  explicit Numbers(uint64_t seed) : state_(seed) {}
  size_t Below(size_t end) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>((state_ >> 33) % end);
  }

 private:
  uint64_t state_;
};

stowage::ProblemSpec SpecOf(uint64_t seed, bool is_constrained) {
  Numbers numbers(seed);
  stowage::ProblemSpec spec;
  const size_t count = 2 + numbers.Below(40);
  for (size_t i = 0; i < count; ++i) {
    const size_t first = numbers.Below(30);
    spec.records.push_back(
        {numbers.Below(5000), first, first + numbers.Below(10)});
  }
  spec.alignment = size_t{1} << numbers.Below(7);
  if (numbers.Below(3) == 0) {
    spec.fixed_offsets.resize(count);
    spec.fixed_offsets[numbers.Below(count)] =
        spec.alignment * numbers.Below(99);
  }
  if (!is_constrained) return spec;
  spec.constraints.places.resize(count);
  for (stowage::RecordPlace& place : spec.constraints.places) {
    if (numbers.Below(3) > 0) continue;
    place.group = static_cast<uint32_t>(numbers.Below(5));
    place.at = spec.alignment * numbers.Below(9);
  }
  spec.constraints.apart = {{0, 1}};
  if (numbers.Below(2) == 0) spec.constraints.holes = {{64, 128, 3, 9}};
  return spec;
}

void Add(uint64_t value, uint64_t* hash) {
  for (int k = 0; k < 8; ++k) {
    *hash = (*hash ^ (value >> (8 * k) & 0xFF)) * 1099511628211u;
  }
}

// Returns a hash of all results, including errors and missing plans.
uint64_t HashOf(const stowage::Strategy& strategy, bool is_constrained) {
  stowage::SolveOptions options;
  options.node_budget = 1000;
  uint64_t hash = 14695981039346656037u;
  for (uint64_t seed = 0; seed < kProblems; ++seed) {
    const auto problem = stowage::Problem::Create(SpecOf(seed, is_constrained));
    Add(static_cast<uint64_t>(problem.status().code()), &hash);
    if (!problem.ok()) continue;
    const auto solution = stowage::Solve(*problem, strategy, options);
    Add(static_cast<uint64_t>(solution.status().code()), &hash);
    if (!solution.ok()) continue;
    Add(static_cast<uint64_t>(solution->status), &hash);
    Add(solution->total_size, &hash);
    if (solution->offsets() == nullptr) continue;
    for (const size_t offset : solution->offsets()->offsets) {
      Add(offset, &hash);
    }
  }
  return hash;
}

}  // namespace

int main() {
  for (const bool is_constrained : {false, true}) {
    for (const stowage::Strategy* strategy : stowage::AllStrategies()) {
      std::printf(
          "%s%s %016llx\n", is_constrained ? "constrained " : "",
          strategy->info().name.c_str(),
          static_cast<unsigned long long>(HashOf(*strategy, is_constrained)));
    }
  }
}
