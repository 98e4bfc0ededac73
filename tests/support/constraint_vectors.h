// SPDX-License-Identifier: Apache-2.0
// Reads the problems of tests/data/constraints and their optima, as specs for
// Problem::Create. For plans of the classic strategies, use vectors.h.
//
//   for (const std::string& family : ConstraintFamilies()) {
//     for (const ConstraintVector& vector : LoadConstraintVectors(family)) {
//       SCOPED_TRACE(vector.name);
//       const auto problem = Problem::Create(vector.spec);
//       ...
//     }
//   }
//
// If a file cannot be read or has an unknown field, the program exits with a
// message, because no test can continue without the file.
#ifndef STOWAGE_TESTS_SUPPORT_CONSTRAINT_VECTORS_H_
#define STOWAGE_TESTS_SUPPORT_CONSTRAINT_VECTORS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "stowage/assignment.h"
#include "stowage/problem.h"

namespace stowage::support {

// A problem and its optimum, which was found by exhaustive search.
struct ConstraintVector {
  std::string name;
  std::string family;
  ProblemSpec spec;
  bool is_infeasible = false;
  // The lowest cost of all plans, and a plan of this cost whose total size is
  // the smallest. The plan is empty if the problem is infeasible.
  uint64_t cost = 0;
  OffsetsAssignment plan;
  // True if a simpler search finds only plans with a larger total size. The
  // simpler search places records in order of increasing offset, each at its
  // lowest feasible offset.
  bool canonical_search_misses_it = false;
};

// Returns the families of vectors except for "order", in which the order of the
// tasks has to be chosen.
std::vector<std::string> ConstraintFamilies();

// Returns the vectors of a family. Requires that `family` is one of
// ConstraintFamilies().
std::vector<ConstraintVector> LoadConstraintVectors(const std::string& family);

// Returns the names of the models that have a file dag_<model>.json.
std::vector<std::string> DagModels();

// Returns a problem with the tensors of a model. Its operators run on `streams`
// streams, which may be 2, 3 or 4. If `streams` is 0, operators are ordered
// only by the data that they pass to each other. If it is 1, operators run one
// after another, and the problem has no partial order.
ProblemSpec LoadDag(const std::string& model, size_t streams);

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_CONSTRAINT_VECTORS_H_
