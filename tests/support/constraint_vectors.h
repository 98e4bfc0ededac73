// SPDX-License-Identifier: Apache-2.0
// Reads the problems of tests/data/constraints with their optima, as specs for
// Problem::Create. For plans of the classic strategies use vectors.h.
//
//   for (const std::string& family : ConstraintFamilies()) {
//     for (const ConstraintVector& vector : LoadConstraintVectors(family)) {
//       SCOPED_TRACE(vector.name);
//       const auto problem = Problem::Create(vector.spec);
//       ...
//     }
//   }
//
// If a file cannot be read or has an unknown field, the program ends with a
// message, since no test can go on without the file.
#ifndef STOWAGE_TESTS_SUPPORT_CONSTRAINT_VECTORS_H_
#define STOWAGE_TESTS_SUPPORT_CONSTRAINT_VECTORS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/problem.h"

namespace stowage::support {

// A problem and the result of an exhaustive search.
struct ConstraintVector {
  std::string name;
  std::string family;
  ProblemSpec spec;
  bool is_infeasible = false;
  // An optimal plan, with the least cost and total; empty if the problem is
  // infeasible.
  uint64_t cost = 0;
  OffsetsAssignment plan;
  // True if the search that lays records in order of rising offsets, each at
  // its lowest feasible one, finds only a larger total.
  bool canonical_search_misses_it = false;
};

// Returns the families whose tasks have a given order: all but "order".
std::vector<std::string> ConstraintFamilies();

// Returns the vectors of a family. Requires one of ConstraintFamilies().
std::vector<ConstraintVector> LoadConstraintVectors(const std::string& family);

// Returns the models whose operators are in dag_<model>.json.
std::vector<std::string> DagModels();

// Returns the tensors of a model with its operators on 2, 3 or 4 streams. With
// 0 streams, the operators are ordered by their data alone. With 1 stream they
// form a sequence, without an order.
ProblemSpec LoadDag(const std::string& model, size_t streams);

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_CONSTRAINT_VECTORS_H_
