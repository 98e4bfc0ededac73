// SPDX-License-Identifier: Apache-2.0
// Reads the recorded plans of tests/data/vectors as plain structs.
//
//   for (const Vector& vector : LoadVectors()) {
//     SCOPED_TRACE(vector.name);
//     const auto want = ObjectsIn<size_t>(vector.expected["EQUALITY"]);
//     ...
//   }
//
// A single test should loop over all vectors. If each vector were a test, the
// file would be parsed once for each vector, because every test runs in its own
// process. If a file cannot be read, the program exits with a message, because
// no test can continue without the file.
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

// Records and the plans that the original strategies made for them. For
// example, expected["GREEDY_BY_SIZE"] either has the members "object_ids",
// "object_sizes", "offsets" and "total_size", or is the word "unsupported".
template <typename TensorSizeT>
// NOLINTNEXTLINE(bugprone-exception-escape): assertions of the JSON library
struct SizedVector {
  std::string name;
  std::string family;  // "chain", "ties", ...; empty for extents
  // True if the records are sorted by first task. If they are not sorted, some
  // plans are missing.
  bool sorted = false;
  std::vector<TensorUsageRecord<TensorSizeT>> records;
  nlohmann::json expected;
};

using Vector = SizedVector<size_t>;

// Records and a reallocation graph. `expected` has the plans of the original
// GREEDY_IN_ORDER without the graph ("GREEDY_IN_ORDER") and with the graph
// ("GREEDY_IN_ORDER_REALLOC").
struct ReallocationVector {
  std::string name;
  std::vector<TensorUsageRecord<size_t>> records;
  UsageGraph deps_graph;
  UsageGraph reallocation_graph;
  nlohmann::json expected;
};

// Returns the vectors in `file`, a file in tests/data/vectors.
std::vector<Vector> LoadVectors(
    const std::string& file = "vectors_public.jsonl");

// Returns the vectors whose sizes are extents. Requires that TensorSizeT is
// uint2, uint3 or BHWC.
template <typename TensorSizeT>
std::vector<SizedVector<TensorSizeT>> LoadExtentVectors(
    const std::string& file = "vectors_multidim_public.jsonl");

std::vector<ReallocationVector> LoadReallocationVectors(
    const std::string& file = "vectors_realloc_public.jsonl");

// Returns the cases in upstream_cases.json that have all the given fields. Each
// case also has the fields "source" and "test", which identify the case when a
// test fails.
std::vector<nlohmann::json> LoadUpstreamCases(
    const std::vector<std::string>& fields);

// Returns the JSON documents in a file in tests/data/vectors. Each line of the
// file is one document.
std::vector<nlohmann::json> LoadJsonLines(const std::string& file);

// These functions convert parts of a JSON document. RecordsIn reads [[size,
// first_task, last_task], ...], where the size may be a list of extents.
// ObjectsIn reads an object with "object_ids" and "object_sizes". OffsetsIn
// reads an object with "offsets" and "total_size".
template <typename TensorSizeT>
std::vector<TensorUsageRecord<TensorSizeT>> RecordsIn(
    const nlohmann::json& records);
template <typename TensorSizeT>
ObjectsAssignment<TensorSizeT> ObjectsIn(const nlohmann::json& plan);
OffsetsAssignment OffsetsIn(const nlohmann::json& plan);

}  // namespace stowage::support

#endif  // STOWAGE_TESTS_SUPPORT_VECTORS_H_
