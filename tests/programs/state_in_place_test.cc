// SPDX-License-Identifier: Apache-2.0
// Tests plans that avoid copies when a program reads or assigns variables, or
// carries outputs to its next invocation. Checks which copies are avoided, and
// that the plans run without faults.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "stowage/base/statusor.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_file.h"
#include "stowage/programs/program_problem.h"
#include "stowage/strategy.h"
#include "stowage/verify_values.h"
#include "tests/programs/byte_machine.h"

namespace stowage {
namespace {

// A program with a state of 8 bytes for each variable.
struct StateCase {
  const char* name;
  const char* text;
  size_t copied;        // number of copies, in place
  size_t possible;      // number of copies if none is left out
  size_t total_size;    // of the arena, in place
  size_t copied_total;  // of the arena, if all copies are made
  size_t state_bytes;
};

// The tensors x and y have 1 byte; all other tensors have 8 bytes.
constexpr char kTensors[] =
    R"("tensors": [{"id": "x", "size": 1}, {"id": "y", "size": 1},
       {"id": "old", "size": 8}, {"id": "t", "size": 8},
       {"id": "new", "size": 8}])";
constexpr char kRead[] =
    R"({"in": [], "out": ["old"], "reads": [{"variable": "v", "output": 0}]})";
constexpr char kAssign[] =
    R"({"in": ["new"], "out": [], "assigns": [{"variable": "v", "input": 0}]})";

// Replaces TENSORS, READ and ASSIGN in `text` with the texts above.
std::string TextOf(std::string text) {
  const std::vector<std::pair<std::string, std::string>> words = {
      {"TENSORS", kTensors}, {"READ", kRead}, {"ASSIGN", kAssign}};
  for (const auto& [word, value] : words) {
    for (size_t at = text.find(word); at != std::string::npos;
         at = text.find(word, at + value.size())) {
      text.replace(at, word.size(), value);
    }
  }
  return text;
}

std::vector<StateCase> StateCases() {
  return {
      {"the new value is written after the last read of the old", R"({
       "functions": [{TENSORS, "inputs": ["x"], "outputs": ["y"], "nodes": [
         READ,
         {"in": ["old"], "out": ["t"]},
         {"in": ["t", "x"], "out": ["new", "y"]},
         ASSIGN]}],
       "variables": [{"id": "v", "size": 8}]})",
       0, 16, 10, 18, 8},
      {"the new value is computed in place of the old", R"({
       "functions": [{TENSORS, "inputs": ["x"], "outputs": ["y"], "nodes": [
         READ,
         {"in": ["old", "x"], "out": ["new"],
          "in_place": [{"output": 0, "input": 0}]},
         {"in": ["new"], "out": ["y"]},
         ASSIGN]}],
       "variables": [{"id": "v", "size": 8}]})",
       0, 16, 2, 10, 8},
      {"the new value is written while the old is read", R"({
       "functions": [{TENSORS, "inputs": ["x"], "outputs": ["y"], "nodes": [
         READ,
         {"in": ["old", "x"], "out": ["new", "y"]},
         ASSIGN]}],
       "variables": [{"id": "v", "size": 8}]})",
       8, 16, 10, 18, 8},
      {"the old value is read after the assignment", R"({
       "functions": [{TENSORS, "inputs": ["x"], "outputs": ["y"], "nodes": [
         READ,
         {"in": ["x"], "out": ["new"]},
         ASSIGN,
         {"in": ["old"], "out": ["y"]}]}],
       "variables": [{"id": "v", "size": 8}]})",
       8, 16, 10, 17, 8},
      {"a read that is never assigned", R"({
       "functions": [{TENSORS, "inputs": ["x"], "outputs": ["y"], "nodes": [
         READ,
         {"in": ["old"], "out": ["y"]}]}],
       "variables": [{"id": "v", "size": 8}]})",
       0, 8, 2, 10, 8},
      {"one entry assigns what the other reads", R"({
       "functions": [
        {TENSORS, "inputs": ["x"], "outputs": [], "nodes": [
         {"in": ["x"], "out": ["t"]},
         {"in": ["t"], "out": ["new"]},
         ASSIGN]},
        {TENSORS, "inputs": [], "outputs": ["y"], "nodes": [
         READ,
         {"in": ["old"], "out": ["t", "y"]}]}],
       "entries": [0, 1],
       "variables": [{"id": "v", "size": 8}]})",
       0, 16, 9, 17, 8},
      {"an update of a slice of what is carried", R"({
       "functions": [{TENSORS, "inputs": ["x", "old"], "outputs": ["new"],
        "nodes": [
         {"name": "DYNAMIC_UPDATE_SLICE", "in": ["old", "x"], "out": ["new"],
          "in_place": [{"output": 0, "input": 0}]}]}],
       "carried": [{"entry": 0, "output": 0, "input": 1}]})",
       0, 8, 9, 17, 0},
      {"what is carried is read after its update", R"({
       "functions": [{TENSORS, "inputs": ["x", "old"], "outputs": ["new", "y"],
        "nodes": [
         {"name": "DYNAMIC_UPDATE_SLICE", "in": ["old", "x"], "out": ["new"],
          "in_place": [{"output": 0, "input": 0}]},
         {"in": ["old"], "out": ["y"]}]}],
       "carried": [{"entry": 0, "output": 0, "input": 1}]})",
       8, 8, 18, 18, 0},
      {"two outputs that are carried crosswise", R"({
       "functions": [{TENSORS, "inputs": ["old", "t"], "outputs": ["old", "t"],
        "nodes": []}],
       "carried": [{"entry": 0, "output": 0, "input": 1},
                   {"entry": 0, "output": 1, "input": 0}]})",
       16, 16, 24, 24, 0},
  };
}

class StateInPlace : public testing::Test {
 protected:
  // Plans the program, and checks the plan both by values and by runs.
  StatusOr<PlannedProgram> Plan(const Program& program,
                                const ProgramOptions& options) {
    SolveOptions solve;
    solve.threads = 1;
    StatusOr<PlannedProgram> plan =
        PlanProgram(program, "optimal", options, solve);
    EXPECT_TRUE(plan.ok()) << plan.status();
    if (!plan.ok()) return plan;
    EXPECT_FALSE(FindValueFault(plan->points, plan->offsets));
    for (uint64_t seed = 0; seed < 8; ++seed) {
      EXPECT_EQ(RunOnBytes(program, MachinePlanOf(*plan, options.copies), seed),
                "");
    }
    return plan;
  }
};

TEST_F(StateInPlace, LeavesOutTheCopiesThatItMay) {
  for (const StateCase& each : StateCases()) {
    SCOPED_TRACE(each.name);
    const StatusOr<ProgramFile> file =
        ParseProgramJson(TextOf(each.text), each.name);
    ASSERT_TRUE(file.ok()) << file.status();
    for (const ProgramCopies copies :
         {ProgramCopies::kChosen, ProgramCopies::kNone}) {
      SCOPED_TRACE(ProgramCopiesName(copies));
      ProgramOptions options;
      options.copies = copies;
      const StatusOr<PlannedProgram> plan = Plan(file->program, options);
      ASSERT_TRUE(plan.ok());
      EXPECT_EQ(plan->copied_bytes, each.copied);
      EXPECT_EQ(plan->possible_bytes, each.possible);
      EXPECT_EQ(plan->total_size, each.total_size);
      EXPECT_EQ(plan->state_bytes, each.state_bytes);
    }
  }
}

TEST_F(StateInPlace, CopiesEverythingIfAsked) {
  for (const StateCase& each : StateCases()) {
    SCOPED_TRACE(each.name);
    const StatusOr<ProgramFile> file =
        ParseProgramJson(TextOf(each.text), each.name);
    ASSERT_TRUE(file.ok()) << file.status();
    for (const ProgramCopies copies :
         {ProgramCopies::kChosen, ProgramCopies::kNone, ProgramCopies::kMade}) {
      SCOPED_TRACE(ProgramCopiesName(copies));
      ProgramOptions options;
      options.copies = copies;
      options.state_in_place = false;
      const StatusOr<PlannedProgram> plan = Plan(file->program, options);
      ASSERT_TRUE(plan.ok());
      EXPECT_EQ(plan->copied_bytes, each.possible);
      EXPECT_EQ(plan->total_size, each.copied_total);
      EXPECT_EQ(plan->state_bytes, each.state_bytes);
    }
  }
}

// The results are in the memory of the variable, which is placed after the
// arena.
TEST_F(StateInPlace, LiesInTheMemoryOfTheVariable) {
  const StatusOr<ProgramFile> file =
      ParseProgramJson(TextOf(StateCases()[0].text), "program");
  ASSERT_TRUE(file.ok()) << file.status();
  ProgramOptions options;
  options.alignment = 16;
  const StatusOr<PlannedProgram> plan = Plan(file->program, options);
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->state_begin % 16, 0U);
  EXPECT_GE(plan->state_begin, plan->total_size);
  const SlotId variable = plan->points.first_slot.back();
  EXPECT_EQ(plan->offsets[variable], plan->state_begin);
  EXPECT_EQ(plan->offsets[2], plan->state_begin);  // old
  EXPECT_EQ(plan->offsets[4], plan->state_begin);  // new
}

}  // namespace
}  // namespace stowage
