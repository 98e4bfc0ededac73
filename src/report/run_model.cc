// SPDX-License-Identifier: Apache-2.0
#include "src/report/run_model.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "src/report/dump.h"
#include "src/trace/read_file.h"
#include "src/trace/text.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/tensor.h"
#include "stowage/profile.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"

namespace stowage::report {
namespace {

using harness::Interpreter;
using harness::Subgraph;
using harness::Tensor;

absl::Status InputSizeError(const std::string& key, ElementType type,
                            const Shape& shape, size_t bytes,
                            absl::string_view file_bytes) {
  return absl::InvalidArgumentError(
      absl::StrCat("input ", Quoted(key), ": its file has ", file_bytes,
                   " bytes; expected ", bytes, " for ", ElementTypeName(type),
                   " ", ShapeText(shape), ", or as many for each invocation"));
}

// The position of the input that is called `key`, by name or by number.
absl::StatusOr<size_t> FindInput(const SubgraphSpec& graph,
                                 const std::string& key) {
  std::string names;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const std::string& name = graph.tensors[graph.inputs[i]].name;
    if (key == name) return i;
    absl::StrAppend(&names, i > 0 ? ", " : "", Quoted(name));
  }
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    if (key == absl::StrCat(i)) return i;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "no input ", Quoted(key), "; expected ", names, ", or a number from 0"));
}

absl::Status CheckSubgraph(const Model& model, const RunRequest& request) {
  if (request.subgraph < model.subgraphs().size()) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(model.name(), ": no subgraph ", request.subgraph,
                   "; expected less than ", model.subgraphs().size()));
}

absl::Status CopyFrom(const std::string& key, const std::string& file,
                      size_t invocation, Tensor* tensor) {
  const size_t offset =
      file.size() == tensor->bytes ? 0 : invocation * tensor->bytes;
  if (tensor->bytes == 0 || file.size() % tensor->bytes != 0 ||
      offset + tensor->bytes > file.size()) {
    return InputSizeError(key, tensor->type, tensor->shape, tensor->bytes,
                          absl::StrCat(file.size()));
  }
  std::memcpy(tensor->data, file.data() + offset, tensor->bytes);
  return absl::OkStatus();
}

absl::Status CheckKeys(const Subgraph& graph,
                       const std::map<std::string, std::string>& files) {
  for (const auto& [key, file] : files) {
    if (absl::Status s = FindInput(graph.spec(), key).status(); !s.ok()) {
      return s;
    }
  }
  return absl::OkStatus();
}

// A full disk is not a memory limit: report another code.
absl::Status OfDump(const absl::Status& status) {
  if (!absl::IsResourceExhausted(status)) return status;
  return absl::FailedPreconditionError(status.message());
}

// A run of the invocations from the first to the last.
absl::StatusOr<absl::Duration> InvokeAll(const RunRequest& request,
                                         Subgraph* graph, Dump* dump) {
  InputSource inputs(request.seed, request.files);
  absl::Duration time;
  for (size_t i = 0; i < request.invocations; ++i) {
    absl::Status status = inputs.Fill(graph, i);
    if (status.ok() && dump != nullptr) {
      status = OfDump(dump->AddInputs(*graph, i));
    }
    if (!status.ok()) return status;
    const auto start = std::chrono::steady_clock::now();
    status = graph->Invoke();
    time += absl::FromChrono(std::chrono::steady_clock::now() - start);
    if (status.ok() && dump != nullptr) {
      status = OfDump(dump->AddOutputs(
          *graph, i, request.interpreter.preserve_all_tensors));
    }
    if (!status.ok()) return status;
  }
  return time;
}

void DescribePlan(const Subgraph& graph, RunResult* result) {
  const ArenaRecords records = graph.plan().Records();
  result->arena_bytes = graph.plan().arena_bytes;
  result->persistent_bytes = graph.plan().persistent_bytes;
  result->lower_bound = OffsetsLowerBound(records.records);
  result->naive_size = NaiveSize(records.records);
  result->strategy = graph.plan().strategy;
}

void DescribeOutputs(const Subgraph& graph, RunResult* result) {
  for (size_t i = 0; i < graph.output_count(); ++i) {
    const Tensor& tensor = graph.output(i);
    result->outputs.push_back(
        {tensor.name, DtypeName(tensor.type), tensor.shape,
         Sha256({static_cast<const char*>(tensor.data), tensor.bytes})});
  }
}

}  // namespace

absl::StatusOr<std::map<std::string, std::string>> ReadInputFiles(
    const Model& model, const RunRequest& request,
    const std::map<std::string, std::string>& paths) {
  if (absl::Status s = CheckSubgraph(model, request); !s.ok()) return s;
  const SubgraphSpec& graph = model.subgraphs()[request.subgraph];
  std::map<std::string, std::string> files;
  for (const auto& [key, path] : paths) {
    const absl::StatusOr<size_t> input = FindInput(graph, key);
    if (!input.ok()) return input.status();
    const TensorSpec& tensor = graph.tensors[graph.inputs[*input]];
    const absl::StatusOr<size_t> bytes = TensorBytes(tensor.type, tensor.shape);
    if (!bytes.ok()) return bytes.status();
    const size_t limit = CheckedMultiply(*bytes, request.invocations)
                             .value_or(std::numeric_limits<size_t>::max());
    absl::StatusOr<std::string> content = ReadFile(path, limit);
    if (absl::IsOutOfRange(content.status())) {
      return InputSizeError(key, tensor.type, tensor.shape, *bytes,
                            absl::StrCat("more than ", limit));
    }
    if (!content.ok()) return content.status();
    files[key] = *std::move(content);
  }
  return files;
}

absl::Status InputSource::Fill(Subgraph* graph, size_t invocation) {
  absl::Status status = CheckKeys(*graph, files_);
  if (invocation < next_) {
    random_ = RandomInputs(seed_);
    next_ = 0;
  }
  for (; status.ok() && next_ <= invocation; ++next_) {
    status = FillNext(graph, next_);
  }
  return status;
}

absl::Status InputSource::FillNext(Subgraph* graph, size_t invocation) {
  absl::Status status = absl::OkStatus();
  for (size_t i = 0; status.ok() && i < graph->input_count(); ++i) {
    Tensor& tensor = graph->input(i);
    auto file = files_.find(tensor.name);
    if (file == files_.end()) file = files_.find(absl::StrCat(i));
    status = file == files_.end()
                 ? random_.Fill(&tensor)
                 : CopyFrom(file->first, file->second, invocation, &tensor);
  }
  return status;
}

absl::StatusOr<RunResult> RunModel(const Model& model,
                                   const RunRequest& request) {
  if (absl::Status s = CheckSubgraph(model, request); !s.ok()) return s;
  absl::StatusOr<std::unique_ptr<Interpreter>> interpreter =
      Interpreter::Create(model, request.interpreter);
  if (!interpreter.ok()) return interpreter.status();
  Subgraph& graph = (*interpreter)->subgraph(request.subgraph);
  RunResult result;
  for (size_t i = 0; i < request.repeat; ++i) {
    (*interpreter)->Reset();
    if (i == 0) {
      const absl::Status status = graph.Allocate();
      if (!status.ok()) return status;
    }
    absl::optional<Dump> dump;
    if (i == 0 && !request.dump.empty()) {
      absl::StatusOr<Dump> created = Dump::Create(request.dump);
      if (!created.ok()) return OfDump(created.status());
      dump = *std::move(created);
    }
    const absl::StatusOr<absl::Duration> time =
        InvokeAll(request, &graph, dump ? &*dump : nullptr);
    if (!time.ok()) return time.status();
    result.times.push_back(*time);
    if (i > 0) continue;
    // Shapes that are computed have been by now.
    DescribePlan(graph, &result);
    DescribeOutputs(graph, &result);
    result.shadowed = (*interpreter)->ShadowedOperators();
    result.memory = harness::MemoryReportOf(graph);
    if (!dump) continue;
    const absl::Status status = dump->Finish(request.dump_header);
    if (!status.ok()) return OfDump(status);
  }
  return result;
}

}  // namespace stowage::report
