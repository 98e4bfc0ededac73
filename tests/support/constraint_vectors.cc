// SPDX-License-Identifier: Apache-2.0
#include "tests/support/constraint_vectors.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <utility>

#include "absl/status/statusor.h"
#include "nlohmann/json.hpp"
#include "stowage/constraints.h"
#include "stowage/task_order.h"

namespace stowage::support {
namespace {

using nlohmann::json;

[[noreturn]] void Die(const std::string& what) {
  std::cerr << what << "\n";
  std::abort();
}

std::ifstream OpenConstraints(const std::string& file) {
  const std::string path = STOWAGE_SOURCE_DIR "/tests/data/constraints/" + file;
  std::ifstream stream(path);
  if (!stream) Die(path + ": cannot be read");
  return stream;
}

void CheckFields(const json& object, const std::vector<std::string>& known) {
  for (const auto& [field, value] : object.items()) {
    if (std::find(known.begin(), known.end(), field) != known.end()) continue;
    Die("constraint vectors: field '" + field + "' is unknown");
  }
}

// Assigns numbers to names, in the order in which the names first occur.
class Indices {
 public:
  uint32_t Of(const std::string& name) {
    return indices_.try_emplace(name, static_cast<uint32_t>(indices_.size()))
        .first->second;
  }

 private:
  std::map<std::string, uint32_t> indices_;
};

std::vector<TaskEdge> EdgesIn(const json& list) {
  std::vector<TaskEdge> edges;
  for (const json& edge : list) {
    edges.push_back({edge.at(0).get<TaskId>(), edge.at(1).get<TaskId>()});
  }
  return edges;
}

void SetOrder(absl::StatusOr<TaskOrder> order, ProblemSpec* spec) {
  if (!order.ok()) Die(std::string(order.status().message()));
  spec->constraints.order = *std::move(order);
}

void AddOrder(const json& problem, ProblemSpec* spec) {
  if (!problem.contains("order")) return;
  if (problem.at("order") != "partial") Die("constraint vectors: other order");
  if (problem.contains("edges")) {
    SetOrder(TaskOrder::FromEdges(problem.at("tasks").get<size_t>(),
                                  EdgesIn(problem.at("edges"))),
             spec);
    return;
  }
  SetOrder(TaskOrder::FromStreams(
               problem.at("streams").get<std::vector<std::vector<TaskId>>>(),
               EdgesIn(problem.at("waits"))),
           spec);
}

// Adds a record and the tasks that use it. The interval of the record extends
// from the first to the last of these tasks.
void AddUsers(size_t size, const std::vector<TaskId>& users,
              ProblemSpec* spec) {
  const auto [first, last] = std::minmax_element(users.begin(), users.end());
  spec->records.emplace_back(size, *first, *last);
  spec->constraints.users.Add(users);
}

void AddRecord(const json& record, Indices* groups, Indices* pools,
               ProblemSpec* spec) {
  CheckFields(record, {"id", "size", "lower", "upper", "users", "alignment",
                       "fixed", "min", "max", "group", "at", "pools"});
  const size_t size = record.at("size").get<size_t>();
  spec->names.push_back(record.at("id").get<std::string>());
  if (record.contains("users")) {
    AddUsers(size, record.at("users").get<std::vector<TaskId>>(), spec);
  } else {
    spec->records.emplace_back(size, record.at("lower").get<TaskId>(),
                               record.at("upper").get<TaskId>() - 1);
  }
  spec->alignments.push_back(record.value("alignment", size_t{1}));
  spec->fixed_offsets.emplace_back();
  if (record.contains("fixed")) {
    spec->fixed_offsets.back() = record.at("fixed").get<size_t>();
  }
  RecordPlace place;
  place.min = record.value("min", size_t{0});
  if (record.contains("max")) place.max = record.at("max").get<size_t>();
  if (record.contains("group")) {
    place.group = groups->Of(record.at("group").get<std::string>());
    place.at = record.at("at").get<size_t>();
  }
  spec->constraints.places.push_back(place);
  std::vector<PoolChoice> choices;
  for (const json& choice : record.value("pools", json::array())) {
    choices.push_back({pools->Of(choice.at("name").get<std::string>()),
                       choice.at("cost").get<uint64_t>()});
  }
  spec->constraints.choices.push_back(std::move(choices));
}

void AddHoles(const json& problem, Indices* pools, ProblemSpec* spec) {
  for (const json& hole : problem.value("holes", json::array())) {
    CheckFields(hole, {"begin", "end", "lower", "upper", "pool"});
    const bool has_pool = hole.contains("pool");
    spec->constraints.holes.push_back(
        {hole.at("begin").get<size_t>(), hole.at("end").get<size_t>(),
         hole.at("lower").get<TaskId>(), hole.at("upper").get<TaskId>() - 1,
         has_pool ? pools->Of(hole.at("pool").get<std::string>()) : 0});
  }
}

void AddPairs(const json& problem, Indices* records, ProblemSpec* spec) {
  const auto index = [&](const json& id) {
    return size_t{records->Of(id.get<std::string>())};
  };
  Constraints& constraints = spec->constraints;
  for (const json& pair : problem.value("apart", json::array())) {
    constraints.apart.push_back({index(pair.at(0)), index(pair.at(1))});
  }
  for (const json& pair : problem.value("never", json::array())) {
    constraints.never.emplace_back(index(pair.at(0)), index(pair.at(1)));
  }
  for (const json& pair : problem.value("prefer_apart", json::array())) {
    constraints.prefer_apart.push_back({index(pair.at("first")),
                                        index(pair.at("second")),
                                        pair.at("cost").get<uint64_t>()});
  }
}

// Clears each list of the spec if no record of the problem has an entry in it.
void DropEmptyLists(const json& problem, ProblemSpec* spec) {
  const auto any_has = [&](const char* field) {
    const json& records = problem.at("records");
    return std::any_of(records.begin(), records.end(), [&](const json& record) {
      return record.contains(field);
    });
  };
  if (!any_has("alignment")) spec->alignments.clear();
  if (!any_has("fixed")) spec->fixed_offsets.clear();
  if (!any_has("min") && !any_has("max") && !any_has("group")) {
    spec->constraints.places.clear();
  }
  if (!any_has("pools")) spec->constraints.choices.clear();
}

ProblemSpec SpecIn(const json& problem, Indices* pools) {
  CheckFields(problem,
              {"records", "holes", "apart", "never", "prefer_apart", "pools",
               "tasks", "edges", "streams", "waits", "order", "capacity"});
  ProblemSpec spec;
  for (const json& pool : problem.value("pools", json::array())) {
    CheckFields(pool, {"name", "capacity"});
    MemoryPool& added = spec.constraints.pools.emplace_back();
    added.name = pool.at("name").get<std::string>();
    pools->Of(added.name);
    if (pool.contains("capacity")) {
      added.capacity = pool.at("capacity").get<size_t>();
    }
  }
  Indices groups;
  Indices records;
  for (const json& record : problem.at("records")) {
    records.Of(record.at("id").get<std::string>());
    AddRecord(record, &groups, pools, &spec);
  }
  AddHoles(problem, pools, &spec);
  AddPairs(problem, &records, &spec);
  AddOrder(problem, &spec);
  DropEmptyLists(problem, &spec);
  if (problem.contains("capacity")) {
    spec.capacity = problem.at("capacity").get<size_t>();
  }
  return spec;
}

ConstraintVector ConstraintVectorIn(const json& line) {
  CheckFields(line, {"name", "family", "problem", "answer",
                     "canonical_search_misses_it", "without_the_constraint"});
  ConstraintVector vector;
  vector.name = line.at("name").get<std::string>();
  vector.family = line.at("family").get<std::string>();
  Indices pools;
  vector.spec = SpecIn(line.at("problem"), &pools);
  vector.canonical_search_misses_it =
      line.at("canonical_search_misses_it").get<bool>();
  const json& answer = line.at("answer");
  CheckFields(answer, {"status", "total", "offsets", "cost", "pools"});
  vector.is_infeasible = answer.at("status") == "infeasible";
  if (vector.is_infeasible) return vector;
  vector.cost = answer.value("cost", uint64_t{0});
  vector.plan.total_size = answer.at("total").get<size_t>();
  vector.plan.offsets = answer.at("offsets").get<std::vector<size_t>>();
  for (const json& pool : answer.value("pools", json::array())) {
    vector.plan.pools.push_back(pools.Of(pool.get<std::string>()));
  }
  return vector;
}

}  // namespace

std::vector<std::string> ConstraintFamilies() {
  return {"alias", "alignment", "apart",  "gaps",  "group",  "holes", "mixed",
          "never", "partial",   "pinned", "pools", "prefer", "range"};
}

std::vector<ConstraintVector> LoadConstraintVectors(const std::string& family) {
  std::ifstream stream = OpenConstraints("vectors_" + family + "_public.jsonl");
  std::vector<ConstraintVector> vectors;
  for (std::string line; std::getline(stream, line);) {
    vectors.push_back(ConstraintVectorIn(json::parse(line)));
  }
  return vectors;
}

std::vector<std::string> DagModels() {
  return {"blazeface_front_f32",
          "deeplabv3_257_mv_gpu_f32",
          "deeplabv3_mnv2_dm05_pascal_u8",
          "hand_recrop_f16w",
          "inception_v3_w025_299_f32_synthetic",
          "mcunet_vww_i8",
          "mobilenet_v2_1.0_224_u8",
          "posenet_mv1_100_257_iq",
          "resnet8_i8",
          "ssd_mobilenet_v1_coco_u8_postprocess"};
}

ProblemSpec LoadDag(const std::string& model, size_t streams) {
  std::ifstream stream = OpenConstraints("dag_" + model + ".json");
  const json document = json::parse(stream);
  ProblemSpec spec;
  for (const json& record : document.at("records")) {
    spec.names.push_back(record.at("id").get<std::string>());
    std::vector<TaskId> users =
        record.at("consumers").get<std::vector<TaskId>>();
    users.insert(users.begin(), record.at("producer").get<TaskId>());
    AddUsers(record.at("size").get<size_t>(), users, &spec);
  }
  if (streams == 0) {
    SetOrder(TaskOrder::FromEdges(document.at("tasks").get<size_t>(),
                                  EdgesIn(document.at("edges"))),
             &spec);
  } else if (streams == 1) {
    spec.constraints.users = {};
  } else {
    const json& schedule = document.at("schedules").at(std::to_string(streams));
    SetOrder(TaskOrder::FromStreams(
                 schedule.at("streams").get<std::vector<std::vector<TaskId>>>(),
                 EdgesIn(schedule.at("waits"))),
             &spec);
  }
  return spec;
}

}  // namespace stowage::support
