// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflm/micro_trace.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/tflm/micro_tasks.h"
#include "stowage/constraints.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/known_shapes.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_structure.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/tflite/trace_of_graph.h"
#include "stowage/tflm/offline_check.h"
#include "stowage/tflm/offline_plan.h"
#include "stowage/usage_record.h"

namespace stowage {

namespace {

absl::Status CheckOptions(const Model& model,
                          const ModelTraceOptions& options) {
  if (options.streams > 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(model.name(), ": ", options.streams,
                     " streams under the rules micro; expected no streams"));
  }
  if (absl::Status s = model.CheckSubgraph(options.subgraph); !s.ok()) return s;
  if (options.subgraph != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        model.name(), ": subgraph ", options.subgraph,
        ": under the rules micro it is planned with the first; expected 0"));
  }
  if (!IsValidAlignment(options.tensor_alignment)) {
    return absl::InvalidArgumentError(
        absl::StrCat("tensor alignment ", options.tensor_alignment,
                     "; expected a power of two"));
  }
  return absl::OkStatus();
}

IoLifetime IoLifetimeOf(const ModelTraceOptions& options) {
  return options.io_lifetime.value_or(DefaultIoLifetime(LifetimeRules::kMicro));
}

// The maximum number of tasks that have names. A model may run its subgraphs so
// often that names for all tasks would need more memory than the model.
constexpr size_t kMaxNamedTasks = size_t{1} << 20;

void NameTask(size_t task, const std::string& name,
              std::vector<std::string>* operators) {
  if (task >= kMaxNamedTasks) return;
  if (operators->size() <= task) operators->resize(task + 1);
  (*operators)[task] = name;
}

// Returns the descriptions of the tensors of a subgraph, with the tasks that
// write and read the tensors when the subgraph runs for the first time. Also
// names these tasks.
std::vector<TensorInfo> DescribeGraph(const SubgraphSpec& graph,
                                      absl::Span<const size_t> tasks,
                                      std::vector<std::string>* operators) {
  std::vector<TensorInfo> infos;
  for (const TensorSpec& tensor : graph.tensors) {
    infos.push_back(DescribeTensor(tensor));
  }
  for (size_t op = 0; op < graph.operators.size(); ++op) {
    const OperatorSpec& spec = graph.operators[op];
    const size_t task = tasks[op];
    if (task == kAbsent) continue;
    NameTask(task, spec.name, operators);
    for (const size_t t : spec.inputs) {
      if (t == kAbsent) continue;
      std::vector<size_t>& consumers = infos[t].consumers;
      const bool is_known = !consumers.empty() && consumers.back() == task;
      if (!is_known) consumers.push_back(task);
    }
    for (const size_t t : spec.outputs) {
      if (t == kAbsent || graph.tensors[t].is_variable) continue;
      if (!infos[t].producer) infos[t].producer = task;
    }
  }
  for (const size_t t : graph.inputs) infos[t].producer.reset();
  return infos;
}

// Adds the descriptions of the buffers and the names of the tasks to the trace.
absl::Status DescribeBuffers(const Model& model,
                             const std::vector<OfflineBuffer>& buffers,
                             ProblemSpec* problem) {
  const absl::StatusOr<std::vector<std::vector<size_t>>> tasks =
      MicroTasksOf(model);
  if (!tasks.ok()) return tasks.status();
  std::vector<std::vector<TensorInfo>> infos;
  for (size_t g = 0; g < model.subgraphs().size(); ++g) {
    infos.push_back(DescribeGraph(model.subgraphs()[g], (*tasks)[g],
                                  &problem->labels.operators));
  }
  for (const OfflineBuffer& planned : buffers) {
    const MicroBuffer& buffer = planned.buffer;
    if (buffer.tensor != kAbsent) {
      problem->labels.tensors.push_back(infos[buffer.subgraph][buffer.tensor]);
      continue;
    }
    TensorInfo& info = problem->labels.tensors.emplace_back();
    info.name = TemporaryName(
        model.subgraphs()[buffer.subgraph].operators[buffer.op].name);
    const size_t task = (*tasks)[buffer.subgraph][buffer.op];
    if (task == kAbsent) continue;
    info.producer = task;
    info.consumers = {task};
  }
  return absl::OkStatus();
}

// Puts all records with given offsets into one group. This is necessary because
// some of these records share bytes, and only records of the same group, which
// do not conflict with each other, may share bytes.
void GroupGiven(const std::vector<OfflineBuffer>& buffers,
                ProblemSpec* problem) {
  for (const OfflineBuffer& buffer : buffers) {
    RecordPlace& place = problem->constraints.places.emplace_back();
    if (!buffer.given) continue;
    place.group = 0;
    place.at = buffer.offset;
  }
  problem->labels.groups = {"custom"};
}

// Returns a note for planners of the trace (ModelTrace::note).
absl::StatusOr<std::string> NoteOf(const Model& model, bool honours_plan,
                                   const std::vector<OfflineBuffer>& buffers) {
  if (!honours_plan) {
    return DescribeKept(static_cast<size_t>(absl::c_count_if(
        buffers, [](const auto& buffer) { return buffer.given.has_value(); })));
  }
  const absl::StatusOr<absl::optional<OfflinePlan>> plan =
      ReadOfflinePlan(model.bytes(), model.name());
  if (!plan.ok()) return plan.status();
  return plan->has_value() ? OfflinePlanNote(**plan) : "";
}

// Appends the records of the buffers to the trace. The ids of scratch memory
// are higher than all ids of tensors.
absl::Status AppendBuffers(const Model& model,
                           const std::vector<OfflineBuffer>& buffers,
                           size_t tensor_alignment, ProblemSpec* problem) {
  size_t next_id = model.tensor_count();
  std::vector<std::vector<size_t>> consumers;
  for (const SubgraphSpec& graph : model.subgraphs()) {
    consumers.push_back(CountConsumers(graph));
  }
  for (const OfflineBuffer& planned : buffers) {
    const MicroBuffer& buffer = planned.buffer;
    const SubgraphSpec& graph = model.subgraphs()[buffer.subgraph];
    const size_t id = buffer.tensor == kAbsent
                          ? next_id++
                          : graph.first_tensor + buffer.tensor;
    TensorUsageRecord<size_t> record = buffer.record;
    const absl::optional<size_t> bytes =
        CheckedAlignUp(record.tensor_size, tensor_alignment);
    if (!bytes) {
      return absl::InvalidArgumentError(absl::StrCat(
          model.name(), ": buffer ", id,
          ": its size exceeds 2^64 - 1 when rounded up to ", tensor_alignment));
    }
    record.tensor_size = *bytes;
    problem->names.push_back(absl::StrCat(id));
    problem->records.push_back(record);
    problem->labels.readers.push_back(
        buffer.tensor == kAbsent ? 0
                                 : consumers[buffer.subgraph][buffer.tensor]);
    problem->fixed_offsets.emplace_back();
    if (planned.given) problem->fixed_offsets.back() = planned.offset;
  }
  return absl::OkStatus();
}

// Counts the tensors with an open extent in all subgraphs, and the buffers of
// these tensors.
void AddOpenBuffers(const Model& model,
                    const std::vector<OfflineBuffer>& buffers,
                    OpenShapes* open) {
  std::vector<std::string> inputs;
  for (size_t g = 0; g < model.subgraphs().size(); ++g) {
    const SubgraphSpec& graph = model.subgraphs()[g];
    std::vector<size_t> tensors;
    for (const OfflineBuffer& planned : buffers) {
      if (planned.buffer.subgraph != g) continue;
      tensors.push_back(planned.buffer.tensor);
    }
    AddOpenShapes(
        absl::StrCat("subgraph ", g), graph, tensors,
        [&graph](size_t t) { return HasOpenExtent(graph.tensors[t]); }, open);
    // Only subgraph 0 receives its inputs from the caller. The other subgraphs
    // receive their inputs from operators.
    if (g == 0) inputs = std::move(open->inputs);
  }
  open->inputs = std::move(inputs);
}

}  // namespace

absl::StatusOr<ModelTrace> MicroTraceOf(const Model& model,
                                        const ModelTraceOptions& options) {
  if (absl::Status s = CheckOptions(model, options); !s.ok()) return s;
  const absl::StatusOr<std::vector<OfflineBuffer>> buffers = HeadBuffers(
      model,
      {options.honour_offline_plan, MicroWord::k64, IoLifetimeOf(options)});
  if (!buffers.ok()) return buffers.status();
  ModelTrace result;
  absl::Status status =
      AppendBuffers(model, *buffers, options.tensor_alignment, &result.problem);
  if (status.ok()) status = DescribeBuffers(model, *buffers, &result.problem);
  if (!status.ok()) return status;
  if (!HasFixedOffsets(result.problem)) result.problem.fixed_offsets.clear();
  if (absl::c_any_of(*buffers, [](const OfflineBuffer& buffer) {
        return buffer.shares_bytes;
      })) {
    GroupGiven(*buffers, &result.problem);
  }
  absl::StatusOr<std::string> note =
      NoteOf(model, options.honour_offline_plan, *buffers);
  if (!note.ok()) return note.status();
  result.note = *std::move(note);
  for (const SubgraphSpec& graph : model.subgraphs()) {
    result.operator_count += graph.operators.size();
  }
  result.subgraph_count = model.subgraphs().size();
  AddOpenBuffers(model, *buffers, &result.open);
  result.problem.labels.lifetimes =
      std::string(LifetimeRulesName(LifetimeRules::kMicro));
  return result;
}

absl::StatusOr<ModelTrace> ParseMicroTrace(absl::string_view model,
                                           absl::string_view name,
                                           const ModelTraceOptions& options) {
  const absl::StatusOr<std::unique_ptr<const Model>> parsed =
      ParseModelStructure(model, name);
  if (!parsed.ok()) return parsed.status();
  return MicroTraceOf(**parsed, options);
}

}  // namespace stowage
