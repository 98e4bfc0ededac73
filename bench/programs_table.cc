// SPDX-License-Identifier: Apache-2.0
// Prints how long planning takes for programs with many points. Shows the times
// to expand the program, to compute lifetimes, and to make three plans: one for
// each value of ProgramCopies, which selects the copies to make.
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

#include "stowage/programs/live_runs.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_problem.h"
#include "stowage/strategy.h"

namespace stowage {
namespace {

// Returns a chain of operators. Each operator reads the two tensors that
// precede its output.
ProgramFunction Chain(size_t length) {
  ProgramFunction function;
  function.tensors = {{"in", 64}};
  function.inputs = {0};
  for (size_t i = 0; i < length; ++i) {
    const size_t output = function.tensors.size();
    function.tensors.push_back({"t" + std::to_string(output),
                                i + 1 == length ? 64 : 64 * (1 + i % 7)});
    ProgramNode node;
    node.inputs = {output - 1};
    if (output > 1) node.inputs.push_back(output - 2);
    node.outputs = {output};
    function.nodes.push_back(node);
  }
  function.outputs = {length};
  return function;
}

// Returns a program of about `points` points. The program is a sequence of
// loops, and the body of each loop calls another function.
Program LoopsOf(size_t points) {
  constexpr size_t kLength = 96;
  Program program;
  ProgramFunction main;
  main.tensors = {{"in", 64}};
  main.inputs = {0};
  ProgramFunction condition = Chain(1);
  condition.tensors[1].size = 1;
  ProgramFunction body;
  body.tensors = {{"v", 64}, {"w", 64}};
  body.inputs = {0};
  body.outputs = {1};
  body.nodes = {{NodeKind::kCall, "", {0}, {1}, {3}}};
  const size_t loops = points / (kLength + 6);
  for (size_t i = 0; i < loops; ++i) {
    main.tensors.push_back({"v" + std::to_string(i), 64});
    main.nodes.push_back({NodeKind::kWhile, "", {i}, {i + 1}, {1, 2}});
  }
  main.outputs = {loops};
  program.functions = {main, condition, body, Chain(kLength)};
  return program;
}

// Returns a program that consists of a single function with one operator for
// each point.
Program OneFunctionOf(size_t points) {
  Program program;
  program.functions = {Chain(points)};
  return program;
}

// Returns the processor time of `work` in seconds. Unlike elapsed time, it
// excludes other programs.
template <typename Work>
double SecondsOf(Work work) {
  const std::clock_t begun = std::clock();
  work();
  return static_cast<double>(std::clock() - begun) / CLOCKS_PER_SEC;
}

void PrintRow(const char* name, const Program& program) {
  ProgramPoints points;
  const double expand = SecondsOf([&] { points = *PointsOf(program); });
  const double live = SecondsOf([&] { LiveRuns(points); });
  std::printf("%-12s %8zu points  expand %.3f s  live runs %.3f s", name,
              points.points.size(), expand, live);
  for (const ProgramCopies copies :
       {ProgramCopies::kMade, ProgramCopies::kChosen, ProgramCopies::kNone}) {
    ProgramOptions options;
    options.copies = copies;
    bool is_planned = false;
    const double plan = SecondsOf([&] {
      is_planned = PlanProgram(program, "greedy_by_size", options).ok();
    });
    if (!is_planned) std::exit(1);
    std::printf("  %s %.3f s", std::string(ProgramCopiesName(copies)).c_str(),
                plan);
  }
  std::printf("\n");
}

}  // namespace
}  // namespace stowage

int main(int argc, char** argv) {
  const size_t points = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100000;
  stowage::PrintRow("operators", stowage::OneFunctionOf(points));
  stowage::PrintRow("loops", stowage::LoopsOf(points));
  return 0;
}
