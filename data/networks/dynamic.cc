// SPDX-License-Identifier: Apache-2.0
#include "data/networks/dynamic.h"

#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "stowage/tflite/model_trace.h"

namespace stowage::networks {
namespace {

// All offsets are multiples of it, as runtimes with vector instructions want.
constexpr size_t kAlignment = 64;

// Writes the size and the name of each record, which the trace calls by the
// index of its tensor.
absl::Status DescribeRecords(const Network& network, DynamicSpec* spec) {
  ProblemSpec& problem = spec->problem;
  for (size_t i = 0; i < problem.records.size(); ++i) {
    int tensor = 0;
    if (!absl::SimpleAtoi(problem.names[i], &tensor) ||
        tensor >= network.tensor_count()) {
      return absl::InternalError(
          absl::StrCat("record ", problem.names[i], " is no tensor"));
    }
    const Extent size = network.SizeOf(tensor);
    if (size.value() != static_cast<int64_t>(problem.records[i].tensor_size)) {
      return absl::InternalError(absl::StrCat(
          "tensor ", network.NameOf(tensor), ": ", size.ToString(), " is ",
          size.value(), "; expected ", problem.records[i].tensor_size));
    }
    problem.names[i] = network.NameOf(tensor);
    spec->sizes.push_back(size.ToString());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DynamicSpec> DynamicSpecOf(
    const NamedNetwork& named, std::map<std::string, int64_t> values) {
  Network network(named.name, std::move(values));
  named.describe(network);
  const absl::StatusOr<std::string> model = network.Serialize();
  if (!model.ok()) return model.status();
  absl::StatusOr<ModelTrace> trace = ParseModelTrace(*model, named.name);
  if (!trace.ok()) return trace.status();
  DynamicSpec spec;
  spec.problem.records = std::move(trace->problem.records);
  spec.problem.names = std::move(trace->problem.names);
  spec.problem.alignment = kAlignment;
  for (const NetworkParameter& parameter : network.parameters()) {
    spec.parameters.push_back({parameter.name,
                               static_cast<uint64_t>(parameter.min),
                               static_cast<uint64_t>(parameter.max),
                               static_cast<uint64_t>(parameter.step)});
  }
  spec.where.assign(network.limits().begin(), network.limits().end());
  if (absl::Status s = DescribeRecords(network, &spec); !s.ok()) return s;
  return spec;
}

}  // namespace stowage::networks
