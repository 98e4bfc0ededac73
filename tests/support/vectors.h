// SPDX-License-Identifier: Apache-2.0
// Reads the recorded plans of tests/data/vectors as plain structs.
//
//   for (const Vector& vector : LoadVectors()) {
//     SCOPED_TRACE(vector.name);
//     const auto want = ObjectsIn<size_t>(vector.expected["EQUALITY"]);
//     ...
//   }
//
// Loop over them in one test instead of making a test of each: every test is a
// process, and every process would parse the file again. If a file cannot be
// read, the program ends with a message, since no test can go on without it.
#ifndef STOWAGE_TESTS_SUPPORT_VECTORS_H_
#define STOWAGE_TESTS_SUPPORT_VECTORS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "nlohmann/json.hpp"
#include "stowage/assignment.h"
#include "stowage/tensor_size.h"
#include "stowage/usage_record.h"

namespace stowage::support {

// An input with the plans of the original strategies.
// expected["GREEDY_BY_SIZE"] holds "object_ids", "object_sizes", "offsets" and
// "total_size", or the word "unsupported".
template <typename TensorSizeT>
// NOLINTNEXTLINE(bugprone-exception-escape): of the JSON's own assertions
struct SizedVector {
  std::string name;
  std::string family;   // "chain", "ties", ...; empty for extents
  bool sorted = false;  // by first task; otherwise some plans are missing
  std::vector<TensorUsageRecord<TensorSizeT>> records;
  nlohmann::json expected;
};

using Vector = SizedVector<size_t>;

// An input of GREEDY_IN_ORDER with a reallocation graph. `expected` has the
// plans "GREEDY_IN_ORDER" and "GREEDY_IN_ORDER_REALLOC".
struct ReallocationVector {
  std::string name;
  std::vector<TensorUsageRecord<size_t>> records;
  UsageGraph deps_graph;
  UsageGraph reallocation_graph;
  nlohmann::json expected;
};

// Returns the vectors of `file`, a name in tests/data/vectors.
std::vector<Vector> LoadVectors(
    const std::string& file = "vectors_public.jsonl");

// Returns the vectors of extents. TensorSizeT is uint2, uint3 or BHWC.
template <typename TensorSizeT>
std::vector<SizedVector<TensorSizeT>> LoadExtentVectors(
    const std::string& file = "vectors_multidim_public.jsonl");

std::vector<ReallocationVector> LoadReallocationVectors(
    const std::string& file = "vectors_realloc_public.jsonl");

// Returns the cases of upstream_cases.json that have all of `fields`. Each is
// an object with "source" and "test", which identify the case in a failure.
std::vector<nlohmann::json> LoadUpstreamCases(
    const std::vector<std::string>& fields);

// Returns the documents of a file in tests/data/vectors, one on each line.
std::vector<nlohmann::json> LoadJsonLines(const std::string& file);

// These convert parts of a document: [[size, first_task, last_task], ...],
// where an extent is itself a list; {"object_ids", "object_sizes"}; and
// {"offsets", "total_size"}.
template <typename TensorSizeT>
std::vector<TensorUsageRecord<TensorSizeT>> RecordsIn(
    const nlohmann::json& records);
template <typename TensorSizeT>
ObjectsAssignment<TensorSizeT> ObjectsIn(const nlohmann::json& plan);
OffsetsAssignment OffsetsIn(const nlohmann::json& plan);

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_VECTORS_H_
