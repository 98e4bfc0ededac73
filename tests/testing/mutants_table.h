// SPDX-License-Identifier: Apache-2.0
// Writes and checks docs/mutants.md. For each mutant, the page lists which
// check caught it and after how many traces.
//
// A test generates a section of the page and compares it with the section in
// the file. To update the file:
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
  size_t after = 0;           // number of traces, graphs or models tried
  std::string smallest = {};  // the smallest trace, if the trace was shrunk
};

struct Section {
  std::string title;
  std::string unit;  // what `after` counts
  std::vector<Caught> rows;
};

// Expects that each mutant was caught, that no two mutants have the same name,
// and that the page contains `section`.
void ExpectCaughtAsDocumented(const Section& section);

}  // namespace stowage::testing

#endif  // STOWAGE_TESTS_TESTING_MUTANTS_TABLE_H_
