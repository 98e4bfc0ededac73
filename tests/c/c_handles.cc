// SPDX-License-Identifier: Apache-2.0
#include "tests/c/c_handles.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include "stowage/c/stowage.h"
#include "stowage/constraints.h"
#include "stowage/problem.h"
#include "stowage/task_order.h"

namespace stowage::c_test {
namespace {

void MustBeOk(stowage_code code, const stowage_error& error) {
  if (code == STOWAGE_OK) return;
  std::cerr << stowage_code_name(code) << ": " << error.message << "\n";
  std::abort();
}

std::vector<const char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  return pointers;
}

template <typename Edges>
std::vector<stowage_edge> EdgesInC(const Edges& edges) {
  std::vector<stowage_edge> in_c;
  for (const TaskEdge& edge : edges) in_c.push_back({edge.before, edge.after});
  return in_c;
}

// Fills one builder.
class Filler {
 public:
  Filler(stowage_builder* builder, const ProblemSpec& spec)
      : builder_(builder), spec_(spec) {}

  void Fill() {
    const std::vector<stowage_record> records = RecordsInC(spec_);
    Must(stowage_builder_records(builder_, records.data(), records.size(),
                                 &error_));
    FillSpec();
    FillPlaces();
    FillConstraints();
    FillOrder();
    FillLabels();
  }

 private:
  void Must(stowage_code code) { MustBeOk(code, error_); }

  void FillSpec() {
    Must(stowage_builder_kind(
        builder_,
        spec_.kind == PlanKind::kObjects ? STOWAGE_OBJECTS : STOWAGE_OFFSETS,
        &error_));
    Must(stowage_builder_alignment(builder_, spec_.alignment, &error_));
    if (!spec_.alignments.empty()) {
      Must(stowage_builder_alignments(builder_, spec_.alignments.data(),
                                      spec_.alignments.size(), &error_));
    }
    Must(stowage_builder_capacity(
        builder_, spec_.capacity.value_or(STOWAGE_NONE), &error_));
    for (size_t i = 0; i < spec_.fixed_offsets.size(); ++i) {
      if (!spec_.fixed_offsets[i]) continue;
      Must(
          stowage_builder_fixed(builder_, i, *spec_.fixed_offsets[i], &error_));
    }
    Must(stowage_builder_place_first(builder_, spec_.place_first.data(),
                                     spec_.place_first.size(), &error_));
    Must(stowage_builder_groups_optional(
        builder_, spec_.groups_are_optional ? 1 : 0, &error_));
    if (!spec_.reallocation_graph) return;
    std::vector<stowage_edge> edges;
    for (size_t i = 0; i < spec_.reallocation_graph->size(); ++i) {
      for (const size_t j : (*spec_.reallocation_graph)[i]) {
        edges.push_back({i, j});
      }
    }
    Must(stowage_builder_reallocation(builder_, edges.data(), edges.size(),
                                      &error_));
  }

  void FillPlaces() {
    const std::vector<RecordPlace>& places = spec_.constraints.places;
    for (size_t i = 0; i < places.size(); ++i) {
      Must(stowage_builder_range(builder_, i, places[i].min,
                                 places[i].max.value_or(STOWAGE_NONE),
                                 &error_));
      Must(stowage_builder_group(builder_, i, places[i].group, places[i].at,
                                 &error_));
    }
    Must(stowage_builder_group_word(
        builder_, spec_.constraints.group_word.c_str(), &error_));
  }

  void FillConstraints() {
    const Constraints& all = spec_.constraints;
    for (const Hole& hole : all.holes) {
      Must(stowage_builder_hole(builder_, hole.begin, hole.end, hole.first_task,
                                hole.last_task, hole.pool, &error_));
    }
    for (const std::vector<size_t>& set : all.apart) {
      Must(stowage_builder_apart(builder_, set.data(), set.size(), &error_));
    }
    for (const auto& [first, second] : all.never) {
      Must(stowage_builder_never(builder_, first, second, &error_));
    }
    for (const ApartPreference& pair : all.prefer_apart) {
      Must(stowage_builder_prefer_apart(builder_, pair.first, pair.second,
                                        pair.cost, &error_));
    }
    for (const SharedPlace& pair : all.same_or_apart) {
      Must(stowage_builder_same_or_apart(builder_, pair.first, pair.second,
                                         pair.copied, &error_));
    }
    for (const MemoryPool& pool : all.pools) {
      Must(stowage_builder_pool(builder_, pool.name.c_str(),
                                pool.capacity.value_or(STOWAGE_NONE), &error_));
    }
    for (size_t i = 0; i < all.choices.size(); ++i) {
      for (const PoolChoice& choice : all.choices[i]) {
        Must(stowage_builder_choice(builder_, i, choice.pool, choice.cost,
                                    &error_));
      }
    }
  }

  void FillOrder() {
    if (spec_.free_order) {
      const auto edges = EdgesInC(spec_.free_order->edges);
      Must(stowage_builder_free_order(builder_, spec_.free_order->tasks,
                                      edges.data(), edges.size(), &error_));
      FillUsers(spec_.free_order->users);
    }
    FillUsers(spec_.constraints.users);
    if (!spec_.constraints.order) return;
    const TaskOrder& order = *spec_.constraints.order;
    const auto edges = EdgesInC(order.edges());
    if (!order.is_of_streams()) {
      Must(stowage_builder_order(builder_, order.tasks(), edges.data(),
                                 edges.size(), &error_));
      return;
    }
    for (size_t i = 0; i < order.chains(); ++i) {
      Must(stowage_builder_stream(builder_, order.chain(i).data(),
                                  order.chain(i).size(), &error_));
    }
    Must(stowage_builder_waits(builder_, edges.data(), edges.size(), &error_));
  }

  void FillUsers(const UserLists& users) {
    for (size_t i = 0; i < users.size(); ++i) {
      Must(stowage_builder_users(builder_, i, users[i].data(), users[i].size(),
                                 &error_));
    }
  }

  void FillLabels() {
    const Labels& labels = spec_.labels;
    const auto operators = Pointers(labels.operators);
    const auto groups = Pointers(labels.groups);
    Must(stowage_builder_operators(builder_, operators.data(), operators.size(),
                                   &error_));
    Must(stowage_builder_group_names(builder_, groups.data(), groups.size(),
                                     &error_));
    if (!spec_.names.empty()) {
      const auto names = Pointers(spec_.names);
      Must(
          stowage_builder_names(builder_, names.data(), names.size(), &error_));
    }
    if (!labels.readers.empty()) {
      Must(stowage_builder_readers(builder_, labels.readers.data(),
                                   labels.readers.size(), &error_));
    }
    Must(
        stowage_builder_lifetimes(builder_, labels.lifetimes.c_str(), &error_));
    for (size_t i = 0; i < labels.tensors.size(); ++i) {
      const TensorInfo& info = labels.tensors[i];
      Must(stowage_builder_tensor(
          builder_, i, info.name.c_str(), info.type.c_str(), info.shape.c_str(),
          info.producer.value_or(STOWAGE_NONE), info.consumers.data(),
          info.consumers.size(), &error_));
    }
  }

  stowage_builder* builder_;
  const ProblemSpec& spec_;
  stowage_error error_ = Sized<stowage_error>();
};

}  // namespace

stowage_options DefaultOptions() {
  auto options = Sized<stowage_options>();
  auto error = Sized<stowage_error>();
  MustBeOk(stowage_options_init(&options, &error), error);
  return options;
}

std::vector<stowage_record> RecordsInC(const ProblemSpec& spec) {
  std::vector<stowage_record> records;
  for (const ByteRecord& record : spec.records) {
    records.push_back(
        {record.tensor_size, record.first_task, record.last_task});
  }
  return records;
}

BuilderHandle BuilderOf(const ProblemSpec& spec) {
  BuilderHandle builder(stowage_builder_new());
  Filler(builder.get(), spec).Fill();
  return builder;
}

ProblemHandle Create(const BuilderHandle& builder, stowage_error* error) {
  stowage_problem* problem = nullptr;
  stowage_problem_create(builder.get(), &problem, error);
  return ProblemHandle(problem);
}

ProblemHandle ProblemOf(const ProblemSpec& spec) {
  return Create(BuilderOf(spec));
}

ProblemSpec SmallSpec() {
  ProblemSpec spec;
  spec.records = {{4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
  spec.alignment = 64;
  return spec;
}

ProblemSpec HardSpec() {
  ProblemSpec spec;
  uint64_t state = 1;
  for (size_t i = 0; i < 300; ++i) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    const size_t first = (state >> 33) % 150;
    spec.records.push_back(
        {1 + (state >> 40) % 100'003, first, first + (state >> 50) % 30});
  }
  return spec;
}

SolutionHandle Solve(const ProblemHandle& problem,
                     const stowage_options* options, stowage_error* error) {
  stowage_solution* solution = nullptr;
  stowage_solve(problem.get(), options, &solution, error);
  return SolutionHandle(solution);
}

stowage_plan PlanOf(const SolutionHandle& solution) {
  auto plan = Sized<stowage_plan>();
  stowage_solution_plan(solution.get(), &plan, nullptr);
  return plan;
}

stowage_summary SummaryOf(const SolutionHandle& solution) {
  auto summary = Sized<stowage_summary>();
  auto error = Sized<stowage_error>();
  MustBeOk(stowage_solution_summary(solution.get(), &summary, &error), error);
  return summary;
}

}  // namespace stowage::c_test
