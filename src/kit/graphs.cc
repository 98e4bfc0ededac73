// SPDX-License-Identifier: Apache-2.0
#include "stowage/testing/graphs.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/str_cat.h"
#include "src/kit/random_samples.h"
#include "stowage/assignment.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/testing/families.h"
#include "stowage/usage_record.h"
#include "stowage/verify.h"

namespace stowage::testing {
namespace {

// Returns, for each tensor, which tensors depend on it, directly or indirectly.
std::vector<std::vector<bool>> Descendants(const UsageGraph& dependencies) {
  const size_t count = dependencies.size();
  std::vector<std::vector<bool>> result(count, std::vector<bool>(count));
  for (size_t i = count; i-- > 0;) {
    for (const size_t child : dependencies[i]) {
      result[i][child] = true;
      for (size_t k = 0; k < count; ++k) {
        if (result[child][k]) result[i][k] = true;
      }
    }
  }
  return result;
}

// Returns whether all readers of `before` have finished when `after` begins.
// This is the case if `before` has readers and `after` depends on all of them.
bool IsOver(const GraphInstance& graph,
            const std::vector<std::vector<bool>>& descendants, size_t before,
            size_t after) {
  const std::vector<size_t>& readers = graph.dependencies[before];
  return !readers.empty() &&
         std::all_of(readers.begin(), readers.end(),
                     [&](size_t reader) { return descendants[reader][after]; });
}

Status CheckDependencies(const GraphInstance& graph) {
  const size_t count = graph.records.size();
  if (graph.dependencies.size() != count) {
    return InvalidArgumentError(
        StrCat("the graph has ", graph.dependencies.size(),
               " lists of dependencies for ", count, " records"));
  }
  for (size_t i = 0; i < count; ++i) {
    for (const size_t child : graph.dependencies[i]) {
      if (child > i && child < count) continue;
      return InvalidArgumentError(StrCat("tensor ", i, " lists tensor ", child,
                                         "; expected one from ", i + 1, " to ",
                                         count, ", exclusive"));
    }
  }
  return OkStatus();
}

}  // namespace

GraphInstance GraphFromSamples(Span<const Sample> samples,
                               const Parameters& parameters) {
  GraphInstance graph;
  graph.dependencies.resize(samples.size());
  const Sample limits = GraphSampleLimits(parameters);
  for (size_t i = 0; i < samples.size(); ++i) {
    const Sample& sample = samples[i];
    graph.records.emplace_back(sample.size % limits.size + 1, i, i);
    const uint64_t kind = sample.kind % limits.kind;
    if (i == 0 || kind == 3) continue;
    // The task reads one or two earlier tensors. Lower numbers in the sample
    // select tensors that are closer.
    std::vector<size_t> read = {i - 1 - (sample.gap % limits.gap) % i};
    if (kind == 2) read.push_back(i - 1 - (sample.life % limits.life) % i);
    for (const size_t parent : read) {
      std::vector<size_t>& children = graph.dependencies[parent];
      if (children.empty() || children.back() != i) children.push_back(i);
      graph.records[parent].last_task = i;
    }
  }
  return graph;
}

Sample GraphSampleLimits(const Parameters& parameters) {
  Sample limits;
  limits.size = std::max<uint64_t>(parameters.max_size, 1);
  limits.gap = limits.life =
      std::min<uint64_t>(parameters.max_life, 1 << 20) + 1;
  limits.kind = 4;
  limits.alignment = 1;
  return limits;
}

GraphInstance RandomGraph(uint64_t seed, size_t size,
                          const Parameters& parameters) {
  return GraphFromSamples(
      SamplesBelow(GraphSampleLimits(parameters), seed, size), parameters);
}

Status CheckParallelPlan(const GraphInstance& graph,
                         const ObjectsAssignment<size_t>& plan) {
  if (Status status = CheckDependencies(graph); !status.ok()) {
    return status;
  }
  if (const auto violation =
          FindViolation(MakeConstSpan(graph.records), plan)) {
    return InternalError(Describe(*violation));
  }
  const auto descendants = Descendants(graph.dependencies);
  for (size_t b = 0; b < graph.records.size(); ++b) {
    for (size_t a = 0; a < b; ++a) {
      if (plan.object_ids[a] != plan.object_ids[b]) continue;
      if (graph.records[a].tensor_size == 0) continue;
      if (graph.records[b].tensor_size == 0) continue;
      if (IsOver(graph, descendants, a, b)) continue;
      return InternalError(
          StrCat("tensor ", a, " and tensor ", b, " both hold object ",
                 plan.object_ids[a], ", and nothing keeps ", b,
                 " from being computed before ", a, " has been read"));
    }
  }
  return OkStatus();
}

}  // namespace stowage::testing
