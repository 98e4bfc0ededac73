// SPDX-License-Identifier: Apache-2.0
// Implements the rules `micro`: finds the buffers that TensorFlow Lite Micro
// plans and the times at which they are live.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/tflm/micro_kernels.h"
#include "src/tflm/micro_operators.h"
#include "src/tflm/micro_tasks.h"
#include "stowage/error_payload.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/calls.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_trace.h"
#include "stowage/tflm/offline_plan.h"

namespace stowage {
namespace {

// The maximum number of tasks. Needed because called subgraphs may call further
// subgraphs, so a small model could have too many tasks to plan in a reasonable
// time.
constexpr size_t kMaxTasks = size_t{1} << 24;
// The maximum number of tensors and operators in all runs of subgraphs. A
// tensor or operator is counted once for each run of its subgraph.
constexpr size_t kMaxVisits = size_t{1} << 28;

// The maximum depth of nested calls.
constexpr size_t kMaxDepth = 64;

// The maximum number of earlier lifetimes of a tensor that are stored
// separately. If a tensor has more, its two earliest lifetimes are merged. No
// model in use has that many.
constexpr size_t kMaxLives = 64;

struct Lifespan {
  bool is_live = false;
  size_t first = 0;
  size_t last = 0;

  void Begin(size_t task) {
    is_live = true;
    first = task;
    last = task;
  }
  // Extends the lifetime of the tensor to `task`. A tensor that is read but has
  // never been written is live from the beginning.
  void Extend(size_t task) {
    is_live = true;
    last = task;
  }
  // Ends the current lifetime, because the subgraph runs again, and appends it
  // to the earlier lifetimes.
  void BeginAnew() {
    if (!is_live) return;
    if (earlier.size() == kMaxLives) {
      earlier[1].first = earlier[0].first;
      earlier.erase(earlier.begin());
    }
    earlier.push_back({first, last});
    is_live = false;
    first = 0;
  }

  std::vector<MicroLife> earlier;
};

// Visits the operators in the order in which they run, and counts tasks.
class LifetimeWalk {
 public:
  LifetimeWalk(const Model& model, MicroWord word,
               absl::Span<const int32_t> offsets)
      : model_(model),
        word_(word),
        offsets_(offsets),
        is_running_(model.subgraphs().size(), 0),
        tensors_(model.subgraphs().size()),
        scratch_(model.subgraphs().size()),
        tasks_(model.subgraphs().size()) {
    for (size_t g = 0; g < tensors_.size(); ++g) {
      tensors_[g].resize(model.subgraphs()[g].tensors.size());
      scratch_[g].resize(model.subgraphs()[g].operators.size());
      tasks_[g].resize(model.subgraphs()[g].operators.size(), kAbsent);
    }
  }

  absl::StatusOr<std::vector<MicroBuffer>> Buffers();
  absl::StatusOr<std::vector<std::vector<size_t>>> Tasks();

 private:
  absl::Status Run(size_t graph);
  absl::Status RunOperator(size_t graph, size_t op);
  absl::Status Call(size_t graph, size_t op);
  bool IsInTail(const TensorSpec& tensor, size_t id) const;
  absl::Status AddTensors(size_t graph);
  absl::Status AddScratch(size_t graph);
  absl::Status Add(const Lifespan& life, size_t bytes, MicroBuffer buffer);
  absl::Status Refuse(size_t graph, size_t op, absl::string_view what) const;

  const Model& model_;
  const MicroWord word_;
  // The offsets of tensors; empty if there are none.
  const absl::Span<const int32_t> offsets_;
  size_t task_ = 0;
  size_t visits_ = 0;
  size_t depth_ = 1;                 // the number of subgraphs that are running
  std::vector<uint8_t> is_running_;  // says whether each subgraph is running
  std::vector<std::vector<Lifespan>> tensors_;  // is indexed by subgraph
  // The lifespans of scratch memory, indexed by subgraph and then by operator.
  std::vector<std::vector<Lifespan>> scratch_;
  // The task of each operator in the first run of its subgraph.
  std::vector<std::vector<size_t>> tasks_;
  std::vector<MicroBuffer> buffers_;
};

absl::Status LifetimeWalk::Refuse(size_t graph, size_t op,
                                  absl::string_view what) const {
  return absl::InvalidArgumentError(
      absl::StrCat(model_.name(), ": subgraph ", graph, ", ",
                   model_.subgraphs()[graph].OperatorPlace(op), ": ", what));
}

absl::Status LifetimeWalk::Call(size_t graph, size_t op) {
  for (const int called :
       CalledSubgraphs(model_.subgraphs()[graph].operators[op])) {
    const size_t count = model_.subgraphs().size();
    if (called < 0 || static_cast<size_t>(called) >= count) {
      return Refuse(graph, op,
                    absl::StrCat("it calls subgraph ", called,
                                 "; expected an index below ", count));
    }
    if (is_running_[static_cast<size_t>(called)] != 0) {
      return Refuse(graph, op,
                    absl::StrCat("it calls subgraph ", called,
                                 ", which is running; expected another"));
    }
    if (depth_ >= kMaxDepth) {
      return Refuse(
          graph, op,
          absl::StrCat("it calls subgraph ", called, " within ", depth_,
                       " others; expected fewer than ", kMaxDepth));
    }
    ++task_;
    ++depth_;
    if (absl::Status s = Run(static_cast<size_t>(called)); !s.ok()) return s;
    --depth_;
  }
  return absl::OkStatus();
}

absl::Status LifetimeWalk::RunOperator(size_t graph, size_t op_index) {
  if (++task_ > kMaxTasks) {
    return Refuse(graph, op_index,
                  absl::StrCat("the model runs more than ", kMaxTasks,
                               " tasks; expected at most as many"));
  }
  size_t& first_task = tasks_[graph][op_index];
  if (first_task == kAbsent) first_task = task_;
  const OperatorSpec& op = model_.subgraphs()[graph].operators[op_index];
  std::vector<Lifespan>& tensors = tensors_[graph];
  for (const size_t t : op.outputs) {
    if (t != kAbsent) tensors[t].Begin(task_);
  }
  Lifespan& scratch = scratch_[graph][op_index];
  scratch.Begin(task_);
  if (absl::Status s = Call(graph, op_index); !s.ok()) return s;
  for (const std::vector<size_t>* ends : {&op.inputs, &op.outputs}) {
    for (const size_t t : *ends) {
      if (t != kAbsent) tensors[t].Extend(task_);
    }
  }
  scratch.last = task_;
  return absl::OkStatus();
}

absl::Status LifetimeWalk::Run(size_t graph) {
  is_running_[graph] = 1;
  const SubgraphSpec& spec = model_.subgraphs()[graph];
  visits_ += spec.tensors.size() + spec.operators.size();
  if (visits_ > kMaxVisits) {
    return absl::InvalidArgumentError(
        absl::StrCat(model_.name(), ": subgraph ", graph,
                     ": it runs too often for its size; expected at most ",
                     kMaxVisits, " tensors and operators in all runs"));
  }
  std::vector<Lifespan>& tensors = tensors_[graph];
  for (std::vector<Lifespan>* lives : {&tensors_[graph], &scratch_[graph]}) {
    for (Lifespan& life : *lives) life.BeginAnew();
  }
  for (const std::vector<size_t>* ends : {&spec.inputs, &spec.outputs}) {
    for (const size_t t : *ends) tensors[t].Begin(task_);
  }
  for (size_t op = 0; op < spec.operators.size(); ++op) {
    if (absl::Status s = RunOperator(graph, op); !s.ok()) return s;
  }
  for (const size_t t : spec.outputs) tensors[t].Extend(task_);
  is_running_[graph] = 0;
  return absl::OkStatus();
}

absl::Status LifetimeWalk::Add(const Lifespan& life, size_t bytes,
                               MicroBuffer buffer) {
  const absl::optional<size_t> rounded = CheckedAlignUp(bytes, kMicroAlignment);
  if (!rounded) {
    return absl::InvalidArgumentError(absl::StrCat(
        model_.name(), ": subgraph ", buffer.subgraph, ", ",
        buffer.tensor != kAbsent
            ? model_.subgraphs()[buffer.subgraph].TensorPlace(buffer.tensor)
            : model_.subgraphs()[buffer.subgraph].OperatorPlace(buffer.op),
        ": its size overflows 64 bits; expected fewer bytes"));
  }
  // A buffer that is never live is planned at a task after the last task, at
  // which nothing else is live. The original TensorFlow Lite Micro plans such a
  // buffer before the first task instead.
  buffer.record =
      life.is_live ? TensorUsageRecord<size_t>(*rounded, life.first, life.last)
                   : TensorUsageRecord<size_t>(*rounded, task_ + 1, task_ + 1);
  buffer.earlier = life.earlier;
  buffers_.push_back(std::move(buffer));
  return absl::OkStatus();
}

bool LifetimeWalk::IsInTail(const TensorSpec& tensor, size_t id) const {
  return tensor.is_variable &&
         (offsets_.empty() || offsets_[id] == kPlacedOnDevice);
}

absl::Status LifetimeWalk::AddTensors(size_t graph) {
  const SubgraphSpec& spec = model_.subgraphs()[graph];
  std::vector<uint8_t> is_handle(spec.tensors.size(), 0);
  for (const OperatorSpec& op : spec.operators) {
    for (const size_t t : op.outputs) {
      if (t != kAbsent && OutputIsHandle(op)) is_handle[t] = 1;
    }
  }
  for (size_t t = 0; t < spec.tensors.size(); ++t) {
    const TensorSpec& tensor = spec.tensors[t];
    const size_t bytes = MicroTensorBytes(tensor);
    if (tensor.is_constant || IsInTail(tensor, spec.first_tensor + t) ||
        is_handle[t] != 0 || bytes == 0) {
      continue;
    }
    MicroBuffer buffer;
    buffer.subgraph = graph;
    buffer.tensor = t;
    Lifespan life = tensors_[graph][t];
    if (tensor.is_variable) life.first = 0;
    absl::Status status = Add(life, bytes, buffer);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status LifetimeWalk::AddScratch(size_t graph) {
  const SubgraphSpec& spec = model_.subgraphs()[graph];
  for (size_t op = 0; op < spec.operators.size(); ++op) {
    for (const size_t bytes :
         MicroKernelOf(spec, spec.operators[op], word_).scratch) {
      MicroBuffer buffer;
      buffer.subgraph = graph;
      buffer.op = op;
      absl::Status status = Add(scratch_[graph][op], bytes, buffer);
      if (!status.ok()) return status;
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<MicroBuffer>> LifetimeWalk::Buffers() {
  if (absl::Status s = Run(0); !s.ok()) return s;
  for (size_t g = 0; g < model_.subgraphs().size(); ++g) {
    if (absl::Status s = AddTensors(g); !s.ok()) return s;
  }
  for (size_t g = 0; g < model_.subgraphs().size(); ++g) {
    if (absl::Status s = AddScratch(g); !s.ok()) return s;
  }
  return std::move(buffers_);
}

absl::StatusOr<std::vector<std::vector<size_t>>> LifetimeWalk::Tasks() {
  if (absl::Status s = Run(0); !s.ok()) return s;
  return std::move(tasks_);
}

}  // namespace

absl::StatusOr<std::vector<std::vector<size_t>>> MicroTasksOf(
    const Model& model) {
  return LifetimeWalk(model, MicroWord::k64, {}).Tasks();
}

absl::StatusOr<std::vector<MicroBuffer>> MicroBuffersOf(
    const Model& model, MicroWord word, absl::Span<const int32_t> offsets) {
  if (!offsets.empty() && offsets.size() != model.tensor_count()) {
    return absl::InvalidArgumentError(
        absl::StrCat(model.name(), ": a plan with ", offsets.size(),
                     " offsets; expected one for each of its ",
                     model.tensor_count(), " tensors"));
  }
  if (absl::Status s = CheckDeviceLoads(model); !s.ok()) return s;
  return LifetimeWalk(model, word, offsets).Buffers();
}

bool IsInputOrOutput(const Model& model, const MicroBuffer& buffer) {
  const SubgraphSpec& graph = model.subgraphs()[0];
  return buffer.subgraph == 0 && buffer.tensor != kAbsent &&
         (absl::c_linear_search(graph.inputs, buffer.tensor) ||
          absl::c_linear_search(graph.outputs, buffer.tensor));
}

void HoldInputsAndOutputs(const Model& model,
                          std::vector<MicroBuffer>* buffers) {
  size_t last_task = 0;
  for (const MicroBuffer& buffer : *buffers) {
    last_task = std::max(last_task, buffer.record.last_task);
  }
  for (MicroBuffer& buffer : *buffers) {
    if (!IsInputOrOutput(model, buffer)) continue;
    buffer.record.first_task = 0;
    buffer.record.last_task = last_task;
    buffer.earlier.clear();
  }
}

TensorUsageRecord<size_t> JoinLives(const MicroBuffer& buffer) {
  TensorUsageRecord<size_t> record = buffer.record;
  for (const MicroLife& life : buffer.earlier) {
    record.first_task = std::min(record.first_task, life.first);
    record.last_task = std::max(record.last_task, life.last);
  }
  return record;
}

}  // namespace stowage
