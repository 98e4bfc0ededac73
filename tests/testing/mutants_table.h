// SPDX-License-Identifier: Apache-2.0
// docs/mutants.md: what caught which mutant, after how long.
//
// A test makes a section of the page and compares it with what is there. To
// write down what is found now:
//
//   STOWAGE_UPDATE_MUTANTS=1 build/release/tests/testing/mutants_test
//   STOWAGE_UPDATE_MUTANTS=1 build/release/tests/testing/lifetimes_test
#ifndef STOWAGE_TESTS_TESTING_MUTANTS_TABLE_H_
#define STOWAGE_TESTS_TESTING_MUTANTS_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

namespace stowage::testing {

struct Caught {
  std::string name;
  std::string bug;
  std::string by = {};        // empty if nothing has caught it
  size_t after = 0;           // so many traces, graphs or models, with the last
  std::string smallest = {};  // trace, where it was shrunk
};

struct Section {
  std::string title;
  std::string unit;  // what `after` counts
  std::vector<Caught> rows;
};

// Expects that each mutant was caught, that no two have one name, and that the
// page has this section.
void ExpectCaughtAsDocumented(const Section& section);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTS_TESTING_MUTANTS_TABLE_H_
