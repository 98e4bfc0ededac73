// SPDX-License-Identifier: Apache-2.0
#include "tests/support/vectors.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace stowage::support {
namespace {

using nlohmann::json;

std::ifstream OpenOrDie(const std::string& file) {
  const std::string path =
      std::string(STOWAGE_SOURCE_DIR "/tests/data/vectors/") + file;
  std::ifstream stream(path);
  if (!stream) {
    std::cerr << path << ": cannot be read\n";
    std::abort();
  }
  return stream;
}

template <typename TensorSizeT>
TensorSizeT SizeIn(const json& size);

template <>
size_t SizeIn(const json& size) {
  return size.get<size_t>();
}

template <>
uint2 SizeIn(const json& size) {
  return {size.at(0).get<uint32_t>(), size.at(1).get<uint32_t>()};
}

template <>
uint3 SizeIn(const json& size) {
  return {size.at(0).get<uint32_t>(), size.at(1).get<uint32_t>(),
          size.at(2).get<uint32_t>()};
}

template <>
BHWC SizeIn(const json& size) {
  return {size.at(0).get<int32_t>(), size.at(1).get<int32_t>(),
          size.at(2).get<int32_t>(), size.at(3).get<int32_t>()};
}

// Returns the name of the type in vector files.
template <typename TensorSizeT>
const char* SizeTypeName();
template <>
const char* SizeTypeName<uint2>() {
  return "uint2";
}
template <>
const char* SizeTypeName<uint3>() {
  return "uint3";
}
template <>
const char* SizeTypeName<BHWC>() {
  return "bhwc";
}

template <typename TensorSizeT>
SizedVector<TensorSizeT> VectorIn(const json& line) {
  SizedVector<TensorSizeT> vector;
  vector.name = line.at("name").get<std::string>();
  vector.family = line.value("family", "");
  vector.records = RecordsIn<TensorSizeT>(line.at("records"));
  vector.sorted = line.value(
      "sorted", std::is_sorted(vector.records.begin(), vector.records.end(),
                               BeginsBefore()));
  vector.expected = line.at("expected");
  return vector;
}

}  // namespace

std::vector<json> LoadJsonLines(const std::string& file) {
  std::ifstream stream = OpenOrDie(file);
  std::vector<json> documents;
  for (std::string line; std::getline(stream, line);) {
    documents.push_back(json::parse(line));
  }
  return documents;
}

std::vector<Vector> LoadVectors(const std::string& file) {
  std::vector<Vector> vectors;
  for (const json& line : LoadJsonLines(file)) {
    vectors.push_back(VectorIn<size_t>(line));
  }
  return vectors;
}

template <typename TensorSizeT>
std::vector<SizedVector<TensorSizeT>> LoadExtentVectors(
    const std::string& file) {
  std::vector<SizedVector<TensorSizeT>> vectors;
  for (const json& line : LoadJsonLines(file)) {
    if (line.at("size_type") != SizeTypeName<TensorSizeT>()) continue;
    vectors.push_back(VectorIn<TensorSizeT>(line));
  }
  return vectors;
}

template std::vector<SizedVector<uint2>> LoadExtentVectors(const std::string&);
template std::vector<SizedVector<uint3>> LoadExtentVectors(const std::string&);
template std::vector<SizedVector<BHWC>> LoadExtentVectors(const std::string&);

std::vector<ReallocationVector> LoadReallocationVectors(
    const std::string& file) {
  std::vector<ReallocationVector> vectors;
  for (const json& line : LoadJsonLines(file)) {
    vectors.push_back({line.at("name").get<std::string>(),
                       RecordsIn<size_t>(line.at("records")),
                       line.at("deps_graph").get<UsageGraph>(),
                       line.at("reallocation_graph").get<UsageGraph>(),
                       line.at("expected")});
  }
  return vectors;
}

std::vector<json> LoadUpstreamCases(const std::vector<std::string>& fields) {
  std::ifstream stream = OpenOrDie("upstream_cases.json");
  const json document = json::parse(stream);
  std::vector<json> cases;
  for (const json& candidate : document.at("cases")) {
    const bool has_all = std::all_of(
        fields.begin(), fields.end(),
        [&](const std::string& field) { return candidate.contains(field); });
    if (has_all) cases.push_back(candidate);
  }
  return cases;
}

template <typename TensorSizeT>
std::vector<TensorUsageRecord<TensorSizeT>> RecordsIn(const json& records) {
  std::vector<TensorUsageRecord<TensorSizeT>> result;
  result.reserve(records.size());
  for (const json& record : records) {
    result.emplace_back(SizeIn<TensorSizeT>(record.at(0)),
                        record.at(1).get<TaskId>(), record.at(2).get<TaskId>());
  }
  return result;
}

template <typename TensorSizeT>
ObjectsAssignment<TensorSizeT> ObjectsIn(const json& plan) {
  ObjectsAssignment<TensorSizeT> result;
  result.object_ids = plan.at("object_ids").get<std::vector<size_t>>();
  for (const json& size : plan.at("object_sizes")) {
    result.object_sizes.push_back(SizeIn<TensorSizeT>(size));
  }
  return result;
}

template std::vector<TensorUsageRecord<size_t>> RecordsIn(const json&);
template std::vector<TensorUsageRecord<uint2>> RecordsIn(const json&);
template std::vector<TensorUsageRecord<uint3>> RecordsIn(const json&);
template std::vector<TensorUsageRecord<BHWC>> RecordsIn(const json&);
template ObjectsAssignment<size_t> ObjectsIn(const json&);
template ObjectsAssignment<uint2> ObjectsIn(const json&);
template ObjectsAssignment<uint3> ObjectsIn(const json&);
template ObjectsAssignment<BHWC> ObjectsIn(const json&);

OffsetsAssignment OffsetsIn(const json& plan) {
  OffsetsAssignment result;
  result.offsets = plan.at("offsets").get<std::vector<size_t>>();
  result.total_size = plan.at("total_size").get<size_t>();
  return result;
}

}  // namespace stowage::support
