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

// Holds a problem and its optimum, which an exhaustive search has found.
struct ConstraintVector {
  std::string name;
  std::string family;
  ProblemSpec spec;
  bool is_infeasible = false;
  // The least cost of all plans, and a plan of this cost. No other plan of this
  // cost has a smaller total. The plan is empty if the problem is infeasible.
  uint64_t cost = 0;
  OffsetsAssignment plan;
  // True if a simpler search finds only a larger total. That search places
  // records in order of rising offsets, each at its lowest feasible offset.
  bool canonical_search_misses_it = false;
};

// Returns the families of vectors except for "order", in which the order of the
// tasks is to be chosen.
std::vector<std::string> ConstraintFamilies();

// Returns the vectors of a family. Requires one of ConstraintFamilies().
std::vector<ConstraintVector> LoadConstraintVectors(const std::string& family);

// Returns the names of the models for which there is a file dag_<model>.json.
std::vector<std::string> DagModels();

// Returns a problem with the tensors of a model. Its operators run on `streams`
// streams, which may be 2, 3 or 4. If `streams` is 0, operators are ordered
// only by the data that they pass to each other. If it is 1, they run one after
// the other, and the problem has no partial order.
ProblemSpec LoadDag(const std::string& model, size_t streams);

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_CONSTRAINT_VECTORS_H_
