// SPDX-License-Identifier: Apache-2.0
#include "stowage/harness/recorder.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "stowage/harness/observer.h"
#include "stowage/tflite/model.h"

namespace stowage::harness {
namespace {

absl::Duration Now() {
  return absl::FromChrono(std::chrono::steady_clock::now().time_since_epoch());
}

}  // namespace

Recorder::Recorder() : start_(Now()) {}

absl::Status Recorder::BeforeOperator(const Execution& at) {
  const absl::Duration time = Now() - start_;
  for (const size_t t : at.reads) {
    events_.push_back({at.subgraph, at.invocation, at.node, t, false, time});
  }
  return absl::OkStatus();
}

absl::Status Recorder::AfterOperator(const Execution& at) {
  const absl::Duration time = Now() - start_;
  for (const size_t t : at.writes) {
    events_.push_back({at.subgraph, at.invocation, at.node, t, true, time});
  }
  return absl::OkStatus();
}

absl::Status Profiler::BeforeOperator(const Execution& at) {
  begun_[{at.subgraph, at.node}] = Now();
  return absl::OkStatus();
}

absl::Status Profiler::AfterOperator(const Execution& at) {
  const absl::Duration time = Now() - begun_[{at.subgraph, at.node}];
  Entry& entry = entries_[{at.subgraph, at.node}];
  if (entry.runs == 0) {
    entry.subgraph = at.subgraph;
    entry.node = at.node;
    entry.id = at.id;
    entry.step = at.step;
    entry.name = at.op->name;
    entry.shortest = time;
  }
  ++entry.runs;
  entry.total += time;
  entry.shortest = std::min(entry.shortest, time);
  return absl::OkStatus();
}

std::vector<Profiler::Entry> Profiler::Operators() const {
  std::vector<Entry> result;
  for (const auto& [place, entry] : entries_) result.push_back(entry);
  return result;
}

std::vector<Profiler::TypeEntry> Profiler::Types() const {
  std::map<std::string, TypeEntry> by_name;
  for (const auto& [place, entry] : entries_) {
    TypeEntry& type = by_name[entry.name];
    type.name = entry.name;
    ++type.operators;
    type.runs += entry.runs;
    type.total += entry.total;
  }
  std::vector<TypeEntry> result;
  result.reserve(by_name.size());
  for (auto& [name, type] : by_name) result.push_back(std::move(type));
  std::stable_sort(
      result.begin(), result.end(),
      [](const TypeEntry& a, const TypeEntry& b) { return a.total > b.total; });
  return result;
}

}  // namespace stowage::harness
