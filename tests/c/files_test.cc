// SPDX-License-Identifier: Apache-2.0
// Tests verification, files and certificates.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "rapidcheck/gtest.h"
#include "src/c/handles.h"
#include "stowage/c/stowage.h"
#include "stowage/problem.h"
#include "stowage/testing/generators.h"
#include "stowage/testing/specs.h"
#include "tests/c/c_handles.h"
#include "tests/support/temp_folder.h"

namespace stowage::c_test {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

int32_t Append(void* context, const char* text, size_t size) {
  static_cast<std::string*>(context)->append(text, size);
  return 0;
}

std::string Text(const ProblemHandle& problem, const stowage_plan* plan,
                 uint32_t format) {
  std::string text;
  auto error = Sized<stowage_error>();
  EXPECT_EQ(stowage_write_problem(problem.get(), plan, format, &Append, &text,
                                  &error),
            STOWAGE_OK)
      << error.message;
  return text;
}

FileHandle Parse(const std::string& text, stowage_error* error = nullptr) {
  stowage_file* file = nullptr;
  stowage_file_parse(text.data(), text.size(), "text", &file, error);
  return FileHandle(file);
}

ProblemHandle ProblemOfFile(const FileHandle& file) {
  stowage_builder* builder = nullptr;
  EXPECT_EQ(stowage_file_builder(file.get(), &builder, nullptr), STOWAGE_OK);
  return Create(BuilderHandle(builder));
}

struct UnsafePlan {
  std::string name;
  std::vector<uint64_t> offsets;
  uint64_t total;
  uint32_t kind;
  uint64_t first;
  uint64_t second;
};

class UnsafePlans : public ::testing::TestWithParam<UnsafePlan> {};

TEST_P(UnsafePlans, HaveAWitness) {
  const ProblemHandle problem = ProblemOf(SmallSpec());
  auto plan = Sized<stowage_plan>();
  plan.count = GetParam().offsets.size();
  plan.offsets = GetParam().offsets.data();
  plan.total_size = GetParam().total;
  auto violation = Sized<stowage_violation>();
  auto error = Sized<stowage_error>();
  EXPECT_EQ(stowage_verify(problem.get(), &plan, &violation, &error),
            STOWAGE_FAILED_PRECONDITION);
  EXPECT_EQ(violation.kind, GetParam().kind);
  EXPECT_EQ(violation.first_tensor, GetParam().first);
  EXPECT_EQ(violation.second_tensor, GetParam().second);
  EXPECT_STRNE(error.message, "");
  stowage_solution* solution = nullptr;
  EXPECT_EQ(stowage_solution_create(problem.get(), &plan, &solution, nullptr),
            STOWAGE_FAILED_PRECONDITION);
  EXPECT_EQ(solution, nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    , UnsafePlans,
    ::testing::Values(
        UnsafePlan{
            "Overlap", {0, 64, 0}, 9999, STOWAGE_OVERLAPPING_BYTES, 0, 1},
        UnsafePlan{"Misaligned", {1, 8192, 0}, 9999, STOWAGE_MISALIGNED, 0, 0},
        UnsafePlan{
            "BeyondArena", {0, 4096, 0}, 5119, STOWAGE_BEYOND_ARENA, 1, 0},
        UnsafePlan{"BeyondMemory",
                   {0, UINT64_MAX - 63, 0},
                   STOWAGE_NONE,
                   STOWAGE_BEYOND_ARENA,
                   1,
                   0},
        UnsafePlan{
            "TooFew", {0, 4096}, STOWAGE_NONE, STOWAGE_COUNT_MISMATCH, 0, 0},
        UnsafePlan{"None", {}, 0, STOWAGE_COUNT_MISMATCH, 0, 0}),
    [](const auto& unsafe) { return unsafe.param.name; });

TEST(Verify, TellsThatAPlanIsSafe) {
  const ProblemHandle problem = ProblemOf(SmallSpec());
  const SolutionHandle solution = Solve(problem);
  const stowage_plan plan = PlanOf(solution);
  auto violation = Sized<stowage_violation>();
  violation.kind = 99;
  auto error = Sized<stowage_error>();
  EXPECT_EQ(stowage_verify(problem.get(), &plan, &violation, &error),
            STOWAGE_OK);
  EXPECT_EQ(violation.kind, STOWAGE_NO_VIOLATION);
  EXPECT_STREQ(error.message, "");
}

TEST(Verify, ChecksTheCapacity) {
  ProblemSpec spec = SmallSpec();
  const ProblemHandle problem = ProblemOf(spec);
  const SolutionHandle solution = Solve(problem);
  const stowage_plan plan = PlanOf(solution);
  spec.capacity = 5119;
  auto violation = Sized<stowage_violation>();
  EXPECT_EQ(stowage_verify(ProblemOf(spec).get(), &plan, &violation, nullptr),
            STOWAGE_FAILED_PRECONDITION);
  EXPECT_EQ(violation.kind, STOWAGE_BEYOND_CAPACITY);
  EXPECT_EQ(violation.expected, 5119);
  spec.capacity.reset();
  spec.kind = PlanKind::kObjects;
  const ProblemHandle objects = ProblemOf(spec);
  const SolutionHandle shared = Solve(objects);
  const stowage_plan view = PlanOf(shared);
  EXPECT_EQ(stowage_verify(objects.get(), &view, nullptr, nullptr), STOWAGE_OK);
  spec.capacity = 5119;
  EXPECT_EQ(stowage_verify(ProblemOf(spec).get(), &view, &violation, nullptr),
            STOWAGE_FAILED_PRECONDITION);
  EXPECT_EQ(violation.kind, STOWAGE_BEYOND_CAPACITY);
}

// If the total exceeds the capacity, the violation does not name a record.
TEST(Verify, ComparesTheTotalWithTheCapacity) {
  ProblemSpec spec = SmallSpec();
  spec.capacity = 6000;
  const ProblemHandle problem = ProblemOf(spec);
  const SolutionHandle solution = Solve(problem);
  stowage_plan plan = PlanOf(solution);
  plan.total_size = 6001;
  auto violation = Sized<stowage_violation>();
  auto error = Sized<stowage_error>();
  EXPECT_EQ(stowage_verify(problem.get(), &plan, &violation, &error),
            STOWAGE_FAILED_PRECONDITION);
  EXPECT_EQ(violation.kind, STOWAGE_BEYOND_CAPACITY);
  EXPECT_EQ(violation.first_tensor, STOWAGE_NONE);
  EXPECT_EQ(violation.second_tensor, STOWAGE_NONE);
  EXPECT_EQ(violation.end, 6001);
  EXPECT_EQ(error.record, STOWAGE_NONE);
  stowage_solution* made = nullptr;
  EXPECT_EQ(stowage_solution_create(problem.get(), &plan, &made, nullptr),
            STOWAGE_FAILED_PRECONDITION);
  plan.total_size = 6000;
  EXPECT_EQ(stowage_verify(problem.get(), &plan, nullptr, nullptr), STOWAGE_OK);
}

TEST(Verify, RefusesReservedFieldsOfPlaces) {
  const ProblemHandle problem = ProblemOf(SmallSpec());
  const SolutionHandle solution = Solve(problem);
  stowage_plan plan = PlanOf(solution);
  stowage_place places[3] = {};
  for (stowage_place& place : places) place.group = STOWAGE_NO_GROUP;
  places[1].reserved = 1;
  plan.places = places;
  auto error = Sized<stowage_error>();
  EXPECT_EQ(stowage_verify(problem.get(), &plan, nullptr, &error),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(error.record, 1);
  places[1].reserved = 0;
  EXPECT_EQ(stowage_verify(problem.get(), &plan, nullptr, nullptr), STOWAGE_OK);
}

TEST(Verify, RefusesChoicesThatTheProblemDoesNotLeave) {
  const ProblemHandle problem = ProblemOf(SmallSpec());
  const SolutionHandle solution = Solve(problem);
  const stowage_plan good = PlanOf(solution);
  auto error = Sized<stowage_error>();
  const uint64_t order[3] = {2, 1, 0};
  stowage_plan plan = good;
  plan.order = order;
  plan.order_count = 3;
  EXPECT_EQ(stowage_verify(problem.get(), &plan, nullptr, &error),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, HasSubstr("plan->order: the problem has no free"));
  stowage_place places[3] = {};
  places[0].group = STOWAGE_NO_GROUP;
  plan = good;
  plan.places = places;
  stowage_solution* made = nullptr;
  EXPECT_EQ(stowage_solution_create(problem.get(), &plan, &made, &error),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(error.record, 1);
  EXPECT_EQ(made, nullptr);
}

TEST(CreatedSolutions, HaveTheirCost) {
  ProblemSpec spec = SmallSpec();
  spec.constraints.pools = {{"fast", {}}, {"slow", {}}};
  spec.constraints.choices = {{{0, 3}, {1, 7}}, {}, {}};
  const ProblemHandle problem = ProblemOf(spec);
  const uint64_t offsets[3] = {0, 0, 4096};
  const uint32_t pools[3] = {1, 0, 1};
  auto plan = Sized<stowage_plan>();
  plan.count = 3;
  plan.offsets = offsets;
  plan.pools = pools;
  plan.total_size = STOWAGE_NONE;
  stowage_solution* made = nullptr;
  ASSERT_EQ(stowage_solution_create(problem.get(), &plan, &made, nullptr),
            STOWAGE_OK);
  EXPECT_EQ(SummaryOf(SolutionHandle(made)).cost, 7);
}

TEST(Verify, RefusesPlansOfTheOtherKind) {
  ProblemSpec spec = SmallSpec();
  const ProblemHandle offsets = ProblemOf(spec);
  spec.kind = PlanKind::kObjects;
  const ProblemHandle objects = ProblemOf(spec);
  const SolutionHandle of_offsets = Solve(offsets);
  const SolutionHandle of_objects = Solve(objects);
  stowage_plan plan = PlanOf(of_objects);
  EXPECT_EQ(stowage_verify(offsets.get(), &plan, nullptr, nullptr),
            STOWAGE_INVALID_ARGUMENT);
  plan = PlanOf(of_offsets);
  EXPECT_EQ(stowage_verify(objects.get(), &plan, nullptr, nullptr),
            STOWAGE_INVALID_ARGUMENT);
}

TEST(Verify, NeedsTheOrderThatWasChosen) {
  ProblemSpec spec;
  spec.records = {{8, 0, 0}, {8, 0, 0}};
  spec.free_order =
      FreeOrder{3, {{0, 1}}, std::vector<std::vector<TaskId>>{{0, 1}, {1, 2}}};
  const ProblemHandle problem = ProblemOf(spec);
  const SolutionHandle solution = Solve(problem);
  stowage_plan plan = PlanOf(solution);
  EXPECT_EQ(plan.order_count, 3);
  EXPECT_EQ(stowage_verify(problem.get(), &plan, nullptr, nullptr), STOWAGE_OK);
  plan.order = nullptr;
  plan.order_count = 0;
  EXPECT_EQ(stowage_verify(problem.get(), &plan, nullptr, nullptr),
            STOWAGE_INVALID_ARGUMENT);
}

TEST(Verify, TakesTheGroupsThatWereKept) {
  ProblemSpec spec;
  spec.records = {{64, 0, 3}, {16, 2, 5}};
  spec.constraints.places = {{0, {}, 1, 0}, {0, {}, 1, 64}};
  spec.groups_are_optional = true;
  const ProblemHandle problem = ProblemOf(spec);
  const SolutionHandle solution = Solve(problem);
  const stowage_plan plan = PlanOf(solution);
  EXPECT_EQ(stowage_verify(problem.get(), &plan, nullptr, nullptr), STOWAGE_OK);
}

RC_GTEST_PROP(Files, AreReadAsTheyWereWritten, ()) {
  const ProblemSpec spec =
      testing::Simplified(*rc::gen::resize(20, testing::AnyProblems()));
  RC_PRE(!spec.records.empty());
  const ProblemHandle problem = ProblemOf(spec);
  const SolutionHandle solution = Solve(problem);
  const bool has_plan = solution != nullptr && PlanOf(solution).count > 0;
  const stowage_plan plan = has_plan ? PlanOf(solution) : Sized<stowage_plan>();
  const std::string text =
      Text(problem, has_plan ? &plan : nullptr, STOWAGE_JSON);
  const FileHandle file = Parse(text);
  RC_ASSERT(file != nullptr);
  const ProblemHandle again = ProblemOfFile(file);
  RC_ASSERT(again != nullptr);
  auto read = Sized<stowage_plan>();
  const stowage_code code =
      stowage_file_plan(file.get(), STOWAGE_OFFSETS, &read, nullptr);
  RC_ASSERT((code == STOWAGE_OK) == has_plan);
  if (!has_plan) return;
  RC_ASSERT(std::vector<uint64_t>(read.offsets, read.offsets + read.count) ==
            std::vector<uint64_t>(plan.offsets, plan.offsets + plan.count));
  auto error = Sized<stowage_error>();
  RC_ASSERT(stowage_verify(again.get(), &read, nullptr, &error) == STOWAGE_OK);
}

class SavedFiles : public stowage::TempFolderTest {};

TEST_F(SavedFiles, KeepTheirMode) {
  const std::string path = Path("p.csv");
  const ProblemHandle problem = ProblemOf(SmallSpec());
  const SolutionHandle solution = Solve(problem);
  const stowage_plan plan = PlanOf(solution);
  auto error = Sized<stowage_error>();
  ASSERT_EQ(stowage_save_problem(problem.get(), &plan, STOWAGE_CSV,
                                 path.c_str(), &error),
            STOWAGE_OK)
      << error.message;
  using std::filesystem::perms;
  std::filesystem::permissions(path, perms::owner_all | perms::group_read);
  ASSERT_EQ(stowage_save_problem(problem.get(), nullptr, STOWAGE_JSON,
                                 path.c_str(), nullptr),
            STOWAGE_OK);
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            perms::owner_all | perms::group_read);
  stowage_file* made = nullptr;
  ASSERT_EQ(stowage_file_read(path.c_str(), &made, nullptr), STOWAGE_OK);
  const FileHandle file(made);
  EXPECT_EQ(ProblemOfFile(file)->problem.size(), 3);
  auto none = Sized<stowage_plan>();
  EXPECT_EQ(stowage_file_plan(file.get(), STOWAGE_OFFSETS, &none, nullptr),
            STOWAGE_FAILED_PRECONDITION);
  EXPECT_EQ(Names(), std::vector<std::string>{"p.csv"})
      << "a temporary file remains";
}

TEST(Files, ReportWhatTheSystemSays) {
  const ProblemHandle problem = ProblemOf(SmallSpec());
  auto error = Sized<stowage_error>();
  EXPECT_EQ(stowage_save_problem(problem.get(), nullptr, STOWAGE_CSV,
                                 "/nowhere/at/all", &error),
            STOWAGE_NOT_FOUND);
  EXPECT_THAT(error.message, HasSubstr("/nowhere/at/all"));
  stowage_file* file = nullptr;
  EXPECT_EQ(stowage_file_read("/nowhere/at/all", &file, &error),
            STOWAGE_NOT_FOUND);
  EXPECT_EQ(stowage_file_read("/", &file, &error), STOWAGE_FAILED_PRECONDITION);
  EXPECT_EQ(file, nullptr);
}

TEST(Files, KeepObjectsAndOrders) {
  const FileHandle file =
      Parse("id,lower,upper,size,object\na,0,2,8,5\nb,3,4,6,5\n");
  ASSERT_NE(file, nullptr);
  auto plan = Sized<stowage_plan>();
  ASSERT_EQ(stowage_file_plan(file.get(), STOWAGE_OBJECTS, &plan, nullptr),
            STOWAGE_OK);
  EXPECT_EQ(plan.object_count, 1);
  EXPECT_EQ(plan.object_sizes[0], 8);
  ProblemSpec spec;
  spec.records = {{8, 0, 0}, {8, 0, 0}};
  spec.free_order =
      FreeOrder{3, {{0, 1}}, std::vector<std::vector<TaskId>>{{0, 1}, {1, 2}}};
  const ProblemHandle problem = ProblemOf(spec);
  const SolutionHandle solution = Solve(problem);
  const stowage_plan chosen = PlanOf(solution);
  const FileHandle free = Parse(Text(problem, &chosen, STOWAGE_JSON));
  ASSERT_NE(free, nullptr);
  ASSERT_EQ(stowage_file_plan(free.get(), STOWAGE_OFFSETS, &plan, nullptr),
            STOWAGE_OK);
  EXPECT_EQ(plan.order_count, 3);
  EXPECT_EQ(stowage_verify(ProblemOfFile(free).get(), &plan, nullptr, nullptr),
            STOWAGE_OK);
}

TEST(Files, MayBeginWithAByteOrderMark) {
  const std::string text = Text(ProblemOf(SmallSpec()), nullptr, STOWAGE_JSON);
  const FileHandle file = Parse("\xEF\xBB\xBF" + text);
  ASSERT_NE(file, nullptr);
  EXPECT_EQ(ProblemOfFile(file)->problem.size(), 3);
}

TEST(Files, NameTheLine) {
  auto error = Sized<stowage_error>();
  EXPECT_EQ(Parse("id,lower,upper,size\na,0,2,x\n", &error), nullptr);
  EXPECT_EQ(error.code, STOWAGE_INVALID_ARGUMENT);
  EXPECT_THAT(error.message, StartsWith("text:2"));
}

TEST(Certificates, AreWrittenAndChecked) {
  const ProblemHandle problem = ProblemOf(SmallSpec());
  const SolutionHandle solution = Solve(problem);
  std::string text;
  ASSERT_EQ(stowage_write_certificate(problem.get(), solution.get(), &Append,
                                      &text, nullptr),
            STOWAGE_OK);
  auto verdict = Sized<stowage_verdict>();
  std::string statements;
  EXPECT_EQ(stowage_check_certificate(problem.get(), text.data(), text.size(),
                                      &verdict, &Append, &statements, nullptr),
            STOWAGE_OK);
  EXPECT_GT(verdict.checked, 0);
  EXPECT_GT(verdict.proved, 0);
  EXPECT_EQ(verdict.not_checked, 0);
  EXPECT_THAT(statements, HasSubstr("proved: "));
  const size_t total = text.find("5120");
  ASSERT_NE(total, std::string::npos);
  text.replace(total, 4, "5119");
  auto error = Sized<stowage_error>();
  EXPECT_EQ(stowage_check_certificate(problem.get(), text.data(), text.size(),
                                      nullptr, nullptr, nullptr, &error),
            STOWAGE_FAILED_PRECONDITION);
  EXPECT_THAT(error.message, HasSubstr("refuted"));
  EXPECT_EQ(stowage_check_certificate(problem.get(), "{", 1, nullptr, nullptr,
                                      nullptr, nullptr),
            STOWAGE_INVALID_ARGUMENT);
}

// Writes a certificate for a problem with the capacity `written`, and returns
// the result of checking it for the same problem with the capacity `checked`. 0
// means no capacity.
stowage_code CheckAtCapacity(size_t written, size_t checked) {
  ProblemSpec spec;
  spec.records = {{64, 0, 1}, {32, 1, 2}, {64, 2, 3}};
  if (written != 0) spec.capacity = written;
  const ProblemHandle problem = ProblemOf(spec);
  const SolutionHandle solution = Solve(problem);
  std::string text;
  EXPECT_EQ(stowage_write_certificate(problem.get(), solution.get(), &Append,
                                      &text, nullptr),
            STOWAGE_OK);
  spec.capacity.reset();
  if (checked != 0) spec.capacity = checked;
  const ProblemHandle other = ProblemOf(spec);
  return stowage_check_certificate(other.get(), text.data(), text.size(),
                                   nullptr, nullptr, nullptr, nullptr);
}

TEST(Certificates, AreOfTheCapacityOfTheProblem) {
  EXPECT_EQ(CheckAtCapacity(80, 80), STOWAGE_OK);
  EXPECT_EQ(CheckAtCapacity(80, 70), STOWAGE_OK);
  EXPECT_EQ(CheckAtCapacity(80, 81), STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(CheckAtCapacity(80, 0), STOWAGE_INVALID_ARGUMENT);
  EXPECT_EQ(CheckAtCapacity(0, 96), STOWAGE_OK);
  EXPECT_EQ(CheckAtCapacity(0, 95), STOWAGE_INVALID_ARGUMENT);
}

TEST(Certificates, AreOfTheKindOfTheProblem) {
  ProblemSpec spec = SmallSpec();
  const ProblemHandle problem = ProblemOf(spec);
  const SolutionHandle solution = Solve(problem);
  std::string text;
  ASSERT_EQ(stowage_write_certificate(problem.get(), solution.get(), &Append,
                                      &text, nullptr),
            STOWAGE_OK);
  spec.kind = PlanKind::kObjects;
  const ProblemHandle of_objects = ProblemOf(spec);
  EXPECT_EQ(
      stowage_check_certificate(of_objects.get(), text.data(), text.size(),
                                nullptr, nullptr, nullptr, nullptr),
      STOWAGE_INVALID_ARGUMENT);
}

TEST(Certificates, AreOfTheProblemThatWasSolved) {
  ProblemSpec spec = SmallSpec();
  const SolutionHandle solution = Solve(ProblemOf(spec));
  std::string text;
  EXPECT_EQ(stowage_write_certificate(ProblemOf(spec).get(), solution.get(),
                                      &Append, &text, nullptr),
            STOWAGE_OK);
  spec.records.push_back(spec.records[0]);
  auto error = Sized<stowage_error>();
  EXPECT_EQ(stowage_write_certificate(ProblemOf(spec).get(), solution.get(),
                                      &Append, &text, &error),
            STOWAGE_INVALID_ARGUMENT);
  EXPECT_THAT(error.message,
              StartsWith("solution: belongs to another problem"));
}

}  // namespace
}  // namespace stowage::c_test
