// SPDX-License-Identifier: Apache-2.0
// Tests programs whose conflicts, arenas and unnecessary copies were computed
// by other algorithms.
#include <algorithm>
#include <cstddef>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "stowage/base/statusor.h"
#include "stowage/planner.h"
#include "stowage/problem.h"
#include "stowage/programs/live_runs.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_file.h"
#include "stowage/programs/program_problem.h"
#include "stowage/solution.h"
#include "stowage/strategy.h"

namespace stowage {
namespace {

using nlohmann::json;
using Pairs = std::set<std::set<std::string>>;

std::vector<json> Vectors() {
  std::ifstream file(STOWAGE_SOURCE_DIR
                     "/tests/data/programs/programs_public.jsonl");
  std::vector<json> vectors;
  for (std::string line; std::getline(file, line);) {
    vectors.push_back(json::parse(line));
  }
  return vectors;
}

StatusOr<ProgramFile> Parse(const json& vector) {
  const json document = {{"functions", vector["functions"]}};
  return ParseProgramJson(document.dump(), "vector");
}

Pairs PairsOf(const json& list) {
  Pairs pairs;
  for (const auto& pair : list) {
    pairs.insert({pair[0].get<std::string>(), pair[1].get<std::string>()});
  }
  return pairs;
}

SolveOptions Search() {
  SolveOptions options;
  options.node_budget = 20000;
  options.threads = 1;
  return options;
}

// Returns the size of the smallest arena, without the scratch memory for swaps,
// because the vectors do not count it either.
size_t ArenaOf(const Program& program, ProgramCopies copies) {
  ProgramOptions options;
  options.copies = copies;
  StatusOr<ProgramProblem> made = ProblemOfProgram(program, options);
  EXPECT_TRUE(made.ok()) << made.status();
  if (!made.ok()) return 0;
  const StatusOr<Problem> problem = Problem::Create(std::move(made->problem));
  EXPECT_TRUE(problem.ok()) << problem.status();
  if (!problem.ok()) return 0;
  const StatusOr<Solution> solution = Solve(*problem, "optimal", Search());
  EXPECT_TRUE(solution.ok()) << solution.status();
  return solution.ok() ? solution->total_size : 0;
}

TEST(ProgramVectors, HaveTheConflictsThatRunsHave) {
  size_t checked = 0;
  for (const json& vector : Vectors()) {
    if (vector["truth"].contains("error")) continue;
    const StatusOr<ProgramFile> file = Parse(vector);
    ASSERT_TRUE(file.ok()) << file.status();
    const StatusOr<ProgramPoints> points = PointsOf(file->program);
    ASSERT_TRUE(points.ok());
    Pairs found;
    for (const auto& [a, b] : SlotConflicts(*points)) {
      found.insert({SlotName(file->program, a), SlotName(file->program, b)});
    }
    EXPECT_EQ(found, PairsOf(vector["truth"]["conflicts"])) << vector["name"];
    ++checked;
  }
  EXPECT_EQ(checked, 190U);
}

TEST(ProgramVectors, HaveTheCopiesThatCanBeLeftOut) {
  for (const json& vector : Vectors()) {
    if (vector["truth"].contains("error")) continue;
    const StatusOr<ProgramFile> file = Parse(vector);
    ASSERT_TRUE(file.ok()) << file.status();
    const StatusOr<ProgramPoints> points = PointsOf(file->program);
    ASSERT_TRUE(points.ok());
    Pairs conflicts;
    for (const auto& [a, b] : SlotConflicts(*points)) {
      conflicts.insert(
          {SlotName(file->program, a), SlotName(file->program, b)});
    }
    Pairs found;
    for (const Point& point : points->points) {
      for (const SlotCopy& copy : point.copies) {
        const std::set<std::string> pair = {
            SlotName(file->program, copy.destination),
            SlotName(file->program, copy.source)};
        if (conflicts.count(pair) == 0) found.insert(pair);
      }
    }
    EXPECT_EQ(found, PairsOf(vector["truth"]["elidable"])) << vector["name"];
  }
}

TEST(ProgramVectors, TakeTheArenaOfEachFunctionAlone) {
  for (const json& vector : Vectors()) {
    if (vector["truth"].contains("error")) continue;
    const StatusOr<ProgramFile> file = Parse(vector);
    ASSERT_TRUE(file.ok()) << file.status();
    for (size_t f = 0; f < file->program.functions.size(); ++f) {
      Program alone;
      alone.functions = {file->program.functions[f]};
      for (ProgramNode& node : alone.functions[0].nodes) {
        node.kind = NodeKind::kOperator;
        node.functions.clear();
      }
      EXPECT_EQ(ArenaOf(alone, ProgramCopies::kMade), vector["truth"]["own"][f])
          << vector["name"] << ", function " << f;
    }
  }
}

TEST(ProgramVectors, TakeTheLeastArenaWithAllCopies) {
  for (const json& vector : Vectors()) {
    if (vector["truth"].contains("error")) continue;
    const StatusOr<ProgramFile> file = Parse(vector);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(ArenaOf(file->program, ProgramCopies::kMade),
              vector["truth"]["copies"]["arena"])
        << vector["name"];
  }
}

TEST(ProgramVectors, TakeTheLeastArenaOfAnyChoiceOfCopies) {
  for (const json& vector : Vectors()) {
    if (vector["truth"].contains("error")) continue;
    size_t best = std::numeric_limits<size_t>::max();
    for (const json& pair : vector["truth"]["copied_arena"]) {
      best = std::min(best, pair[1].get<size_t>());
    }
    const StatusOr<ProgramFile> file = Parse(vector);
    ASSERT_TRUE(file.ok()) << file.status();
    EXPECT_EQ(ArenaOf(file->program, ProgramCopies::kChosen), best)
        << vector["name"];
  }
}

TEST(ProgramVectors, AreRefusedWhereTheyAreWrong) {
  size_t refused = 0;
  for (const json& vector : Vectors()) {
    if (!vector["truth"].contains("error")) continue;
    EXPECT_FALSE(Parse(vector).ok()) << vector["name"];
    ++refused;
  }
  EXPECT_EQ(refused, 10U);
}

}  // namespace
}  // namespace stowage
