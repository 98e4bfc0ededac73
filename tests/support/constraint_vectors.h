// SPDX-License-Identifier: Apache-2.0
// The problems of tests/data/constraints with their optima, as specs to make
// problems of. For plans of the classic strategies use vectors.h.
//
//   for (const std::string& family : ConstraintFamilies()) {
//     for (const ConstraintVector& vector : LoadConstraintVectors(family)) {
//       SCOPED_TRACE(vector.name);
//       const auto problem = Problem::Create(vector.spec);
//       ...
//     }
//   }
//
// A file that cannot be read, or that has a field unknown here, ends the
// program with a message, since no test can go on without it.
#ifndef STOWAGE_TESTS_SUPPORT_CONSTRAINT_VECTORS_H_
#define STOWAGE_TESTS_SUPPORT_CONSTRAINT_VECTORS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/problem.h"

namespace stowage::support {

// One problem and what exhaustive search found.
struct ConstraintVector {
  std::string name;
  std::string family;
  ProblemSpec spec;
  bool is_infeasible = false;
  // One optimal plan, of which `cost` and the total are the least; empty if
  // infeasible.
  uint64_t cost = 0;
  OffsetsAssignment plan;
  // True if the search that lays records in order of rising offsets, each at
  // its lowest feasible one, ends with a larger total.
  bool canonical_search_misses_it = false;
};

// The families whose tasks have an order that is given: all but "order".
std::vector<std::string> ConstraintFamilies();

// `family` is one of ConstraintFamilies().
std::vector<ConstraintVector> LoadConstraintVectors(const std::string& family);

// The models whose operators are in dag_<model>.json.
std::vector<std::string> DagModels();

// The tensors of a model with its operators on so many streams: 2, 3 or 4; 0
// orders the operators by their data alone, and 1 is one sequence, without an
// order.
ProblemSpec LoadDag(const std::string& model, size_t streams);

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_CONSTRAINT_VECTORS_H_
