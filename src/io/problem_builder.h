// SPDX-License-Identifier: Apache-2.0
// Builds a problem and its plan from the values of a problem file, in the order
// of the file. The caller has already checked the type and the position of each
// value (schema.h).
#ifndef STOWAGE_SRC_IO_PROBLEM_BUILDER_H_
#define STOWAGE_SRC_IO_PROBLEM_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/io/schema.h"
#include "stowage/constraints.h"
#include "stowage/free_order.h"
#include "stowage/io/problem_file.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"

namespace stowage::problem_file {

// Numbers names from 0 in the order of their first appearance. A file may use a
// name before it defines the object that the name stands for.
class NameTable {
 public:
  static constexpr size_t kNothing = static_cast<size_t>(-1);

  size_t NumberOf(absl::string_view name);
  // Returns the index of the object that the name stands for, or kNothing if
  // the file has not defined it.
  size_t MeaningOf(size_t number) const { return meanings_[number]; }
  void SetMeaning(size_t number, size_t meaning) {
    meanings_[number] = meaning;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  absl::flat_hash_map<std::string, size_t> numbers_;
  std::vector<std::string> names_;
  std::vector<size_t> meanings_;
};

// Builds a problem from the values of its file. Error messages say what is
// wrong with a value; the caller adds its position.
class ProblemBuilder {
 public:
  // Begins an object or a list.
  void Begin(Node node);
  // Ends an object or a list. `seen` are the keys of an object.
  absl::Status End(Node node, NodeSet seen);
  absl::Status AddNumber(Node node, uint64_t number);
  absl::Status AddText(Node node, absl::string_view text);

  // Completes the problem at the end of the file. Unlike those of the other
  // functions, its error messages name the value.
  absl::StatusOr<ProblemFile> Build();

 private:
  // The record that is being read.
  struct Row {
    size_t id = 0;  // the number of its name
    size_t size = 0;
    size_t lower = 0;
    size_t upper = 0;
    size_t alignment = 1;
    size_t fixed = 0;
    RecordPlace place;
    std::vector<PoolChoice> choices;  // pools by the number of their names
    size_t offset = 0;
    size_t object = 0;
    size_t chosen_pool = 0;
    TensorInfo info;
  };

  absl::Status EndRecord(NodeSet seen);
  absl::Status CheckChoices() const;
  absl::Status AddInterval(NodeSet seen);
  absl::Status AddPlan(NodeSet seen);
  void AddRequests(NodeSet seen);
  absl::Status AddConsumer(uint64_t task);
  absl::Status AddInfoText(Node node, absl::string_view text);
  absl::Status EndHole(NodeSet seen);
  absl::Status EndPool();
  absl::Status AddPair(std::vector<TaskEdge>* edges);
  absl::Status SetRecordNumber(Node node, uint64_t number);
  absl::Status AddOrder(absl::string_view text);

  absl::Status CheckOrder() const;
  absl::Status CheckFreeKeys() const;
  absl::Status CheckUsers(size_t tasks) const;
  absl::Status BuildOrder();
  absl::Status BuildFreeOrder();
  absl::Status CheckOperators() const;
  absl::Status ResolveIds();
  absl::Status ResolvePools();

  ProblemSpec problem_;
  FilePlan plan_;
  NodeSet seen_ = 0;  // the keys of the problem itself
  NameTable ids_;
  NameTable groups_;
  NameTable pools_;
  Row row_;
  std::vector<size_t> numbers_;  // the entries of the innermost list
  Hole hole_;
  PoolChoice choice_;
  MemoryPool pool_;
  size_t pool_name_ = 0;
  ApartPreference preference_;
  bool has_users_ = false;
  bool is_free_ = false;  // whether the order of the tasks is free
  size_t tasks_ = 0;
  std::vector<TaskEdge> edges_;
  std::vector<TaskEdge> waits_;
  std::vector<std::vector<TaskId>> streams_;
  std::vector<bool> hole_has_pool_;
};

}  // namespace stowage::problem_file

#endif  // STOWAGE_SRC_IO_PROBLEM_BUILDER_H_
