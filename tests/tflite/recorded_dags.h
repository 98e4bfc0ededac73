// SPDX-License-Identifier: Apache-2.0
// Reads the graphs of ten models recorded in tests/data/constraints: operators,
// data edges, schedules on streams, and records with their users.
#ifndef STOWAGE_TESTS_TFLITE_RECORDED_DAGS_H_
#define STOWAGE_TESTS_TFLITE_RECORDED_DAGS_H_

#include <cstddef>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"
#include "stowage/task_order.h"
#include "stowage/tflite/streams.h"
#include "stowage/usage_record.h"
#include "tests/support/real_data.h"

namespace stowage {

// NOLINTNEXTLINE(bugprone-exception-escape): assertions of the JSON library
struct RecordedDag {
  std::string name;
  std::string source;  // the file of the model
  size_t tasks = 0;
  std::vector<TaskEdge> edges;
  std::map<size_t, StreamSchedule> schedules;  // by number of streams
  std::vector<std::string> ids;                // of records, which are tensors
  std::vector<size_t> sizes;
  std::vector<std::vector<TaskId>> users;  // by record; rising
};

inline std::vector<TaskEdge> TaskEdgesIn(const nlohmann::json& pairs) {
  std::vector<TaskEdge> edges;
  for (const nlohmann::json& pair : pairs) {
    edges.push_back({pair.at(0).get<TaskId>(), pair.at(1).get<TaskId>()});
  }
  return edges;
}

inline RecordedDag ReadDag(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  const nlohmann::json json = nlohmann::json::parse(file);
  RecordedDag dag;
  dag.name = json["name"].get<std::string>();
  dag.source = json["source"].get<std::string>();
  dag.tasks = json["tasks"].get<size_t>();
  dag.edges = TaskEdgesIn(json["edges"]);
  for (const auto& [streams, schedule] : json["schedules"].items()) {
    dag.schedules[std::stoul(streams)] = {
        schedule["streams"].get<std::vector<std::vector<TaskId>>>(),
        TaskEdgesIn(schedule["waits"])};
  }
  for (const nlohmann::json& record : json["records"]) {
    dag.ids.push_back(record["id"].get<std::string>());
    dag.sizes.push_back(record["size"].get<size_t>());
    std::vector<TaskId> users = {record["producer"].get<TaskId>()};
    for (const nlohmann::json& consumer : record["consumers"]) {
      users.push_back(consumer.get<TaskId>());
    }
    dag.users.push_back(std::move(users));
  }
  return dag;
}

inline std::vector<RecordedDag> ReadDags() {
  std::vector<RecordedDag> dags;
  const std::string folder = STOWAGE_SOURCE_DIR "/tests/data/constraints";
  for (const std::string& path : support::FilesIn(folder, ".json")) {
    dags.push_back(ReadDag(path));
  }
  EXPECT_EQ(dags.size(), 10U);
  return dags;
}

}  // namespace stowage

#endif  // STOWAGE_TESTS_TFLITE_RECORDED_DAGS_H_
