// SPDX-License-Identifier: Apache-2.0
// Builds a problem and its plan from the values of a problem file, in the order
// of the file. Requires that the caller has checked the type and the position
// of each value (schema.h).
#ifndef STOWAGE_SRC_IO_PROBLEM_BUILDER_H_
#define STOWAGE_SRC_IO_PROBLEM_BUILDER_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/io/name_table.h"
#include "src/io/schema.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/constraints.h"
#include "stowage/free_order.h"
#include "stowage/io/problem_file.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"
#include "stowage/usage_record.h"

namespace stowage::problem_file {

// Builds a problem from the values of its file. Error messages describe what is
// wrong with a value; the caller adds the position of the value.
class ProblemBuilder {
 public:
  // Begins an object or a list.
  void Begin(Node node);
  // Ends an object or a list. For an object, `seen` must contain its keys.
  Status End(Node node, NodeSet seen);
  Status AddNumber(Node node, uint64_t number);
  Status AddText(Node node, string_view text);

  // Completes the problem at the end of the file. Unlike those of the other
  // functions, the error messages of this function contain the position of the
  // value.
  StatusOr<ProblemFile> Build();

 private:
  // The record that is being read.
  struct Row {
    size_t id = 0;  // the number of the name of the record
    size_t size = 0;
    size_t lower = 0;
    size_t upper = 0;
    size_t alignment = 1;
    size_t fixed = 0;
    RecordPlace place;
    // In each choice, `pool` is the number of the name of a pool instead of the
    // index of a pool, because the file may define the pool later.
    std::vector<PoolChoice> choices;
    size_t offset = 0;
    size_t object = 0;
    size_t chosen_pool = 0;
    TensorInfo info;
  };

  Status EndRecord(NodeSet seen);
  Status CheckChoices() const;
  Status AddInterval(NodeSet seen);
  Status AddPlan(NodeSet seen);
  void AddRequests(NodeSet seen);
  Status AddConsumer(uint64_t task);
  Status AddInfoText(Node node, string_view text);
  Status EndHole(NodeSet seen);
  Status EndPool();
  Status AddPair(std::vector<TaskEdge>* edges);
  Status EndSharedPlace();
  Status SetRecordNumber(Node node, uint64_t number);
  Status AddOrder(string_view text);

  Status CheckOrder() const;
  Status CheckFreeKeys() const;
  Status CheckUsers(size_t tasks) const;
  Status BuildOrder();
  Status BuildFreeOrder();
  Status CheckOperators() const;
  Status ResolveIds();
  Status ResolvePools();

  ProblemSpec problem_;
  FilePlan plan_;
  NodeSet seen_ = 0;  // the keys of the problem itself
  NameTable ids_;
  NameTable groups_;
  NameTable pools_;
  Row row_;
  // The alignment of the records without their own. It may follow them in the
  // file, so until Build, the alignment of such a record is 0.
  size_t default_alignment_ = 1;
  std::vector<size_t> numbers_;  // the entries of the innermost list
  Hole hole_;
  PoolChoice choice_;
  MemoryPool pool_;
  size_t pool_name_ = 0;
  ApartPreference preference_;
  bool has_users_ = false;
  bool is_free_ = false;  // says whether the order of the tasks is free
  size_t tasks_ = 0;
  std::vector<TaskEdge> edges_;
  std::vector<TaskEdge> waits_;
  std::vector<std::vector<TaskId>> streams_;
  std::vector<bool> hole_has_pool_;
};

}  // namespace stowage::problem_file

#endif  // STOWAGE_SRC_IO_PROBLEM_BUILDER_H_
