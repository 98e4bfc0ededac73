// SPDX-License-Identifier: Apache-2.0
// Tests arguments that no caller should pass: null pointers, counts that exceed
// all memory, wrong sizes of structs, numbers that are not enumerators, records
// that do not exist, handles of the wrong type, and text that is not UTF-8.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/base/text.h"
#include "stowage/c/stowage.h"
#include "tests/c/c_handles.h"

namespace stowage::c_test {
namespace {

stowage_code NoPlan(void*, const stowage_problem*, uint64_t*, uint32_t*) {
  return STOWAGE_OK;
}
int32_t NoText(void*, const char*, size_t) { return 0; }

// Valid arguments. Each test case replaces one of them.
struct World {
  BuilderHandle owned_builder = BuilderOf(SmallSpec());
  ProblemHandle owned_problem = ProblemOf(SmallSpec());
  SolutionHandle owned_solution = Solve(owned_problem);
  stowage_builder* b = owned_builder.get();
  const stowage_problem* p = owned_problem.get();
  const stowage_solution* s = owned_solution.get();
  stowage_record records[3] = {{4096, 0, 2}, {1024, 2, 4}, {4096, 3, 4}};
  uint64_t numbers[3] = {0, 1, 2};
  uint64_t offsets[3] = {0, 4096, 0};
  stowage_edge edges[1] = {{0, 1}};
  const char* names[3] = {"a", "b", "c"};
  const char* holes_in_names[3] = {"a", nullptr, "c"};
  stowage_placed_record placed[3] = {};
  stowage_place places[3] = {};
  char text[64] = {};
  uint64_t total = 0;
  stowage_problem* new_problem = nullptr;
  stowage_solution* new_solution = nullptr;
  stowage_file* new_file = nullptr;
  stowage_builder* new_builder = nullptr;
  stowage_plan plan = PlanOf(owned_solution);
  stowage_options options = DefaultOptions();
  FileHandle owned_file = [] {
    const std::string csv = "id,lower,upper,size,offset\na,0,1,8,0\n";
    stowage_file* file = nullptr;
    stowage_file_parse(csv.data(), csv.size(), "csv", &file, nullptr);
    return FileHandle(file);
  }();
  const stowage_file* f = owned_file.get();

  ~World() {
    stowage_problem_free(new_problem);
    stowage_solution_free(new_solution);
    stowage_file_free(new_file);
    stowage_builder_free(new_builder);
  }
};

struct BadCall {
  std::string name;
  std::function<stowage_code(World&, stowage_error*)> call;
  stowage_code code = STOWAGE_INVALID_ARGUMENT;
  uint64_t record = STOWAGE_NONE;
};

#define CALL(...) \
  []([[maybe_unused]] World& w, stowage_error* e) { return __VA_ARGS__; }

class BadCalls : public ::testing::TestWithParam<BadCall> {};

TEST_P(BadCalls, AreErrors) {
  World world;
  auto error = Sized<stowage_error>();
  EXPECT_EQ(GetParam().call(world, &error), GetParam().code);
  EXPECT_EQ(error.code, GetParam().code);
  EXPECT_EQ(error.record, GetParam().record);
  EXPECT_STRNE(error.message, "");
  EXPECT_EQ(GetParam().call(world, nullptr), GetParam().code);
}

std::string NameOfCall(const ::testing::TestParamInfo<BadCall>& info) {
  return info.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    NullHandle, BadCalls,
    ::testing::Values(
        BadCall{"Records",
                CALL(stowage_builder_records(nullptr, w.records, 3, e))},
        BadCall{"Columns",
                CALL(stowage_builder_columns(nullptr, w.numbers, 8, w.numbers,
                                             8, w.numbers, 8, 3, e))},
        BadCall{"Kind", CALL(stowage_builder_kind(nullptr, 0, e))},
        BadCall{"Alignment", CALL(stowage_builder_alignment(nullptr, 1, e))},
        BadCall{"Alignments",
                CALL(stowage_builder_alignments(nullptr, w.numbers, 3, e))},
        BadCall{"Capacity", CALL(stowage_builder_capacity(nullptr, 1, e))},
        BadCall{"Fixed", CALL(stowage_builder_fixed(nullptr, 0, 0, e))},
        BadCall{"Range", CALL(stowage_builder_range(nullptr, 0, 0, 9, e))},
        BadCall{"Group", CALL(stowage_builder_group(nullptr, 0, 0, 0, e))},
        BadCall{"Optional",
                CALL(stowage_builder_groups_optional(nullptr, 1, e))},
        BadCall{"Word", CALL(stowage_builder_group_word(nullptr, "x", e))},
        BadCall{"Hole", CALL(stowage_builder_hole(nullptr, 0, 1, 0, 1, 0, e))},
        BadCall{"Apart", CALL(stowage_builder_apart(nullptr, w.numbers, 2, e))},
        BadCall{"Never", CALL(stowage_builder_never(nullptr, 0, 1, e))},
        BadCall{"Prefer",
                CALL(stowage_builder_prefer_apart(nullptr, 0, 1, 1, e))},
        BadCall{"SameOrApart",
                CALL(stowage_builder_same_or_apart(nullptr, 0, 1, 1, e))},
        BadCall{"Pool", CALL(stowage_builder_pool(nullptr, "x", 1, e))},
        BadCall{"Choice", CALL(stowage_builder_choice(nullptr, 0, 0, 0, e))},
        BadCall{"Order",
                CALL(stowage_builder_order(nullptr, 2, w.edges, 1, e))},
        BadCall{"Stream",
                CALL(stowage_builder_stream(nullptr, w.numbers, 1, e))},
        BadCall{"Waits", CALL(stowage_builder_waits(nullptr, w.edges, 1, e))},
        BadCall{"FreeOrder",
                CALL(stowage_builder_free_order(nullptr, 2, w.edges, 1, e))},
        BadCall{"Users",
                CALL(stowage_builder_users(nullptr, 0, w.numbers, 1, e))},
        BadCall{"Graph",
                CALL(stowage_builder_reallocation(nullptr, w.edges, 1, e))},
        BadCall{"First",
                CALL(stowage_builder_place_first(nullptr, w.numbers, 1, e))},
        BadCall{"Names", CALL(stowage_builder_names(nullptr, w.names, 3, e))},
        BadCall{"Operators",
                CALL(stowage_builder_operators(nullptr, w.names, 3, e))},
        BadCall{"GroupNames",
                CALL(stowage_builder_group_names(nullptr, w.names, 3, e))},
        BadCall{"Readers",
                CALL(stowage_builder_readers(nullptr, w.numbers, 3, e))},
        BadCall{"Lifetimes", CALL(stowage_builder_lifetimes(nullptr, "x", e))},
        BadCall{"Tensor", CALL(stowage_builder_tensor(nullptr, 0, "", "", "", 0,
                                                      w.numbers, 1, e))},
        BadCall{"Create",
                CALL(stowage_problem_create(nullptr, &w.new_problem, e))},
        BadCall{"Info", CALL(stowage_problem_get_info(
                            nullptr,
                            std::make_unique<stowage_problem_info>(
                                Sized<stowage_problem_info>())
                                .get(),
                            e))},
        BadCall{"Fingerprint",
                CALL(stowage_problem_fingerprint(nullptr, w.numbers, e))},
        BadCall{"ProblemRecords",
                CALL(stowage_problem_records(nullptr, w.records, 3, e))},
        BadCall{"ProblemAlignments",
                CALL(stowage_problem_alignments(nullptr, w.numbers, 3, e))},
        BadCall{"ProblemFixed",
                CALL(stowage_problem_fixed(nullptr, w.numbers, 3, e))},
        BadCall{"ProblemPlaces",
                CALL(stowage_problem_places(nullptr, w.places, 3, e))},
        BadCall{"Solve",
                CALL(stowage_solve(nullptr, nullptr, &w.new_solution, e))},
        BadCall{"SolveWith",
                CALL(stowage_solve_with(nullptr, 1, &NoPlan, nullptr, nullptr,
                                        &w.new_solution, e))},
        BadCall{"Plan", CALL(stowage_solution_plan(nullptr, &w.plan, e))},
        BadCall{"CreateSolution",
                CALL(stowage_solution_create(nullptr, &w.plan, &w.new_solution,
                                             e))},
        BadCall{"Verify", CALL(stowage_verify(nullptr, &w.plan, nullptr, e))},
        BadCall{"FileBuilder",
                CALL(stowage_file_builder(nullptr, &w.new_builder, e))},
        BadCall{"FilePlan", CALL(stowage_file_plan(nullptr, 0, &w.plan, e))},
        BadCall{"WriteProblem",
                CALL(stowage_write_problem(nullptr, nullptr, 0, &NoText,
                                           nullptr, e))},
        BadCall{"Save",
                CALL(stowage_save_problem(nullptr, nullptr, 0, "x", e))},
        BadCall{
            "Certificate",
            CALL(stowage_write_certificate(nullptr, w.s, &NoText, nullptr, e))},
        BadCall{
            "CertificateOfNoSolution",
            CALL(stowage_write_certificate(w.p, nullptr, &NoText, nullptr, e))},
        BadCall{"CheckCertificate",
                CALL(stowage_check_certificate(nullptr, "{", 1, nullptr,
                                               nullptr, nullptr, e))}),
    NameOfCall);

INSTANTIATE_TEST_SUITE_P(
    NullPointer, BadCalls,
    ::testing::Values(
        BadCall{"Alignments",
                CALL(stowage_builder_alignments(w.b, nullptr, 3, e))},
        BadCall{"Word", CALL(stowage_builder_group_word(w.b, nullptr, e))},
        BadCall{"Apart", CALL(stowage_builder_apart(w.b, nullptr, 2, e))},
        BadCall{"Pool", CALL(stowage_builder_pool(w.b, nullptr, 1, e))},
        BadCall{"Order", CALL(stowage_builder_order(w.b, 2, nullptr, 1, e))},
        BadCall{"Stream", CALL(stowage_builder_stream(w.b, nullptr, 1, e))},
        BadCall{"Waits", CALL(stowage_builder_waits(w.b, nullptr, 1, e))},
        BadCall{"FreeOrder",
                CALL(stowage_builder_free_order(w.b, 2, nullptr, 1, e))},
        BadCall{"Users", CALL(stowage_builder_users(w.b, 0, nullptr, 1, e))},
        BadCall{"Graph",
                CALL(stowage_builder_reallocation(w.b, nullptr, 1, e))},
        BadCall{"First", CALL(stowage_builder_place_first(w.b, nullptr, 1, e))},
        BadCall{"Names", CALL(stowage_builder_names(w.b, nullptr, 3, e))},
        BadCall{"OneName",
                CALL(stowage_builder_names(w.b, w.holes_in_names, 3, e))},
        BadCall{"Operators",
                CALL(stowage_builder_operators(w.b, w.holes_in_names, 3, e))},
        BadCall{"GroupNames",
                CALL(stowage_builder_group_names(w.b, nullptr, 3, e))},
        BadCall{"Readers", CALL(stowage_builder_readers(w.b, nullptr, 3, e))},
        BadCall{"Lifetimes", CALL(stowage_builder_lifetimes(w.b, nullptr, e))},
        BadCall{"Consumers", CALL(stowage_builder_tensor(w.b, 0, "", "", "", 0,
                                                         nullptr, 1, e))},
        BadCall{"Create", CALL(stowage_problem_create(w.b, nullptr, e))},
        BadCall{"Info", CALL(stowage_problem_get_info(w.p, nullptr, e))},
        BadCall{"Fingerprint",
                CALL(stowage_problem_fingerprint(w.p, nullptr, e))},
        BadCall{"ProblemRecords",
                CALL(stowage_problem_records(w.p, nullptr, 3, e))},
        BadCall{"ProblemPlaces",
                CALL(stowage_problem_places(w.p, nullptr, 3, e))},
        BadCall{"Bound", CALL(stowage_problem_bound(w.p, nullptr, e))},
        BadCall{"Describe", CALL(stowage_describe_proof(0, 0, nullptr, 9, e))},
        BadCall{"AssignRecords",
                CALL(stowage_assign_offsets(nullptr, 3, 1, nullptr, w.offsets,
                                            &w.total, e))},
        BadCall{"AssignOffsets",
                CALL(stowage_assign_offsets(w.records, 3, 1, nullptr, nullptr,
                                            &w.total, e))},
        BadCall{"AssignTotal",
                CALL(stowage_assign_offsets(w.records, 3, 1, nullptr, w.offsets,
                                            nullptr, e))},
        BadCall{"InPlace", CALL(stowage_plan_in_place(w.placed, 0, 1, nullptr,
                                                      0, nullptr, e))},
        BadCall{"Options", CALL(stowage_options_init(nullptr, e))},
        BadCall{"Solve", CALL(stowage_solve(w.p, nullptr, nullptr, e))},
        BadCall{"Strategy",
                CALL(stowage_solve_with(w.p, 1, nullptr, nullptr, nullptr,
                                        &w.new_solution, e))},
        BadCall{"Features",
                CALL(stowage_strategy_features("skyline", nullptr, e))},
        BadCall{"FeaturesOfNone",
                CALL(stowage_strategy_features(nullptr, w.numbers, e))},
        BadCall{"Summary", CALL(stowage_solution_summary(w.s, nullptr, e))},
        BadCall{"Plan", CALL(stowage_solution_plan(w.s, nullptr, e))},
        BadCall{
            "CreateSolution",
            CALL(stowage_solution_create(w.p, nullptr, &w.new_solution, e))},
        BadCall{"CreateNoSolution",
                CALL(stowage_solution_create(w.p, &w.plan, nullptr, e))},
        BadCall{"Verify", CALL(stowage_verify(w.p, nullptr, nullptr, e))},
        BadCall{"VerifyOffsets",
                CALL(stowage_verify_offsets(w.records, 3, 1, nullptr, 0,
                                            nullptr, e))},
        BadCall{"Path", CALL(stowage_file_read(nullptr, &w.new_file, e))},
        BadCall{"File", CALL(stowage_file_read("x", nullptr, e))},
        BadCall{"Text",
                CALL(stowage_file_parse(nullptr, 1, "x", &w.new_file, e))},
        BadCall{"Name",
                CALL(stowage_file_parse("x", 1, nullptr, &w.new_file, e))},
        BadCall{"ParsedFile",
                CALL(stowage_file_parse("x", 1, "x", nullptr, e))},
        BadCall{"FileBuilder", CALL(stowage_file_builder(w.f, nullptr, e))},
        BadCall{"FilePlan", CALL(stowage_file_plan(w.f, 0, nullptr, e))},
        BadCall{"Write", CALL(stowage_write_problem(w.p, nullptr, 0, nullptr,
                                                    nullptr, e))},
        BadCall{"SavePath",
                CALL(stowage_save_problem(w.p, nullptr, 0, nullptr, e))},
        BadCall{"Certificate",
                CALL(stowage_write_certificate(w.p, w.s, nullptr, nullptr, e))},
        BadCall{"CheckCertificate",
                CALL(stowage_check_certificate(w.p, nullptr, 1, nullptr,
                                               nullptr, nullptr, e))}),
    NameOfCall);

constexpr size_t k32 = size_t{1} << 32;

INSTANTIATE_TEST_SUITE_P(
    Count, BadCalls,
    ::testing::Values(
        BadCall{"Records",
                [](World& w, stowage_error* e) {
                  BuilderHandle b(stowage_builder_new());
                  EXPECT_EQ(
                      stowage_builder_records(b.get(), w.records, SIZE_MAX, e),
                      STOWAGE_OUT_OF_RANGE);
                  EXPECT_EQ(
                      stowage_builder_columns(b.get(), w.numbers, 8, w.numbers,
                                              8, w.numbers, 8, SIZE_MAX, e),
                      STOWAGE_OUT_OF_RANGE);
                  return stowage_builder_records(b.get(), w.records, k32, e);
                },
                STOWAGE_OUT_OF_RANGE},
        BadCall{"Alignments",
                CALL(stowage_builder_alignments(w.b, w.numbers, SIZE_MAX, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"FewAlignments",
                CALL(stowage_builder_alignments(w.b, w.numbers, 2, e))},
        BadCall{"NoAlignments",
                CALL(stowage_builder_alignments(w.b, nullptr, 0, e))},
        BadCall{"Apart", CALL(stowage_builder_apart(w.b, w.numbers, k32, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"Order",
                CALL(stowage_builder_order(w.b, 2, w.edges, SIZE_MAX, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"Stream", CALL(stowage_builder_stream(w.b, w.numbers, k32, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"Waits", CALL(stowage_builder_waits(w.b, w.edges, SIZE_MAX, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"FreeOrder",
                CALL(stowage_builder_free_order(w.b, 2, w.edges, k32, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"Users",
                CALL(stowage_builder_users(w.b, 0, w.numbers, SIZE_MAX, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"Graph",
                CALL(stowage_builder_reallocation(w.b, w.edges, SIZE_MAX, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"First",
                CALL(stowage_builder_place_first(w.b, w.numbers, SIZE_MAX, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"Names", CALL(stowage_builder_names(w.b, w.names, SIZE_MAX, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"FewNames", CALL(stowage_builder_names(w.b, w.names, 2, e))},
        BadCall{"Operators",
                CALL(stowage_builder_operators(w.b, w.names, SIZE_MAX, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"GroupNames",
                CALL(stowage_builder_group_names(w.b, w.names, k32, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"Readers", CALL(stowage_builder_readers(w.b, w.numbers, 4, e))},
        BadCall{"Consumers",
                CALL(stowage_builder_tensor(w.b, 0, "", "", "", 0, w.numbers,
                                            SIZE_MAX, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"Room", CALL(stowage_problem_records(w.p, w.records, 2, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"NoRoom", CALL(stowage_problem_fixed(w.p, nullptr, 0, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"NoText", CALL(stowage_describe_proof(0, 0, w.text, 0, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"Assign",
                CALL(stowage_assign_offsets(w.records, SIZE_MAX, 1, nullptr,
                                            w.offsets, &w.total, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"Verify",
                CALL(stowage_verify_offsets(w.records, k32, 1, w.offsets, 0,
                                            nullptr, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"Plan",
                CALL((w.plan.count = SIZE_MAX,
                      stowage_verify(w.p, &w.plan, nullptr, e))),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"PlanOrder", CALL((w.plan.order_count = 1,
                                   stowage_verify(w.p, &w.plan, nullptr, e)))},
        BadCall{"Parse",
                CALL(stowage_file_parse("x", SIZE_MAX, "x", &w.new_file, e)),
                STOWAGE_OUT_OF_RANGE},
        BadCall{"Certificate",
                CALL(stowage_check_certificate(w.p, "{", SIZE_MAX, nullptr,
                                               nullptr, nullptr, e)),
                STOWAGE_OUT_OF_RANGE}),
    NameOfCall);

INSTANTIATE_TEST_SUITE_P(
    Number, BadCalls,
    ::testing::Values(
        BadCall{"Kind", CALL(stowage_builder_kind(w.b, 2, e))},
        BadCall{"KindMax", CALL(stowage_builder_kind(w.b, UINT32_MAX, e))},
        BadCall{"Optional", CALL(stowage_builder_groups_optional(w.b, 2, e))},
        BadCall{"Proof", CALL(stowage_describe_proof(22, 0, w.text, 9, e))},
        BadCall{"ProofMax",
                CALL(stowage_describe_proof(UINT32_MAX, 0, w.text, 9, e))},
        BadCall{"FileKind", CALL(stowage_file_plan(w.f, 2, &w.plan, e))},
        BadCall{"Format", CALL(stowage_write_problem(w.p, nullptr, 2, &NoText,
                                                     nullptr, e))},
        BadCall{"SaveFormat",
                CALL(stowage_save_problem(w.p, nullptr, UINT32_MAX, "x", e))},
        BadCall{"Decide",
                CALL((w.options.decide = 2,
                      stowage_solve(w.p, &w.options, &w.new_solution, e)))},
        BadCall{"Relax",
                CALL((w.options.relax_to_boxes = UINT32_MAX,
                      stowage_solve(w.p, &w.options, &w.new_solution, e)))},
        BadCall{"PlanReserved",
                CALL((w.plan.reserved = 1,
                      stowage_verify(w.p, &w.plan, nullptr, e)))},
        BadCall{"Features",
                CALL(stowage_solve_with(w.p, UINT64_MAX, &NoPlan, nullptr,
                                        nullptr, &w.new_solution, e))},
        BadCall{"StrategyTwice",
                CALL((w.options.strategy = "skyline",
                      stowage_solve_with(w.p, 1, &NoPlan, nullptr, &w.options,
                                         &w.new_solution, e)))},
        BadCall{"StrategyName",
                CALL((w.options.strategy = "\xFF\xFE",
                      stowage_solve(w.p, &w.options, &w.new_solution, e))),
                STOWAGE_NOT_FOUND},
        BadCall{"GroupAtADistance",
                CALL(stowage_builder_group(w.b, 0, STOWAGE_NO_GROUP, 4, e))},
        BadCall{"AssignAlignment",
                CALL(stowage_assign_offsets(w.records, 3, 3, nullptr, w.offsets,
                                            &w.total, e))}),
    NameOfCall);

INSTANTIATE_TEST_SUITE_P(
    Record, BadCalls,
    ::testing::Values(
        BadCall{"Fixed", CALL(stowage_builder_fixed(w.b, 3, 0, e)),
                STOWAGE_INVALID_ARGUMENT, 3},
        BadCall{"Range",
                CALL(stowage_builder_range(w.b, SIZE_MAX - 1, 0, 9, e)),
                STOWAGE_INVALID_ARGUMENT, SIZE_MAX - 1},
        BadCall{"Group", CALL(stowage_builder_group(w.b, 3, 0, 0, e)),
                STOWAGE_INVALID_ARGUMENT, 3},
        BadCall{"Apart",
                CALL((w.numbers[1] = 5,
                      stowage_builder_apart(w.b, w.numbers, 2, e))),
                STOWAGE_INVALID_ARGUMENT, 5},
        BadCall{"Never", CALL(stowage_builder_never(w.b, 0, 3, e)),
                STOWAGE_INVALID_ARGUMENT, 3},
        BadCall{"Prefer", CALL(stowage_builder_prefer_apart(w.b, 4, 0, 1, e)),
                STOWAGE_INVALID_ARGUMENT, 4},
        BadCall{"SameOrApart",
                CALL(stowage_builder_same_or_apart(w.b, 0, 4, 1, e)),
                STOWAGE_INVALID_ARGUMENT, 4},
        BadCall{"Choice", CALL(stowage_builder_choice(w.b, 3, 0, 0, e)),
                STOWAGE_INVALID_ARGUMENT, 3},
        BadCall{"Users", CALL(stowage_builder_users(w.b, 3, w.numbers, 1, e)),
                STOWAGE_INVALID_ARGUMENT, 3},
        BadCall{"Graph",
                CALL((w.edges[0].after = 7,
                      stowage_builder_reallocation(w.b, w.edges, 1, e))),
                STOWAGE_INVALID_ARGUMENT, 7},
        BadCall{"First",
                CALL((w.numbers[2] = 3,
                      stowage_builder_place_first(w.b, w.numbers, 3, e))),
                STOWAGE_INVALID_ARGUMENT, 3},
        BadCall{
            "Tensor",
            CALL(stowage_builder_tensor(w.b, 3, "", "", "", 0, nullptr, 0, e)),
            STOWAGE_INVALID_ARGUMENT, 3}),
    NameOfCall);

// Casts a handle to a handle of a different type.
template <typename To, typename From>
To* As(From* handle) {
  return reinterpret_cast<To*>(handle);
}

INSTANTIATE_TEST_SUITE_P(
    OtherHandle, BadCalls,
    ::testing::Values(
        BadCall{"Builder",
                CALL(stowage_problem_create(As<const stowage_builder>(w.p),
                                            &w.new_problem, e))},
        BadCall{"Problem", CALL(stowage_solve(As<const stowage_problem>(w.s),
                                              nullptr, &w.new_solution, e))},
        BadCall{"Solution",
                CALL(stowage_solution_plan(As<const stowage_solution>(w.f),
                                           &w.plan, e))},
        BadCall{"File", CALL(stowage_file_plan(As<const stowage_file>(w.b), 0,
                                               &w.plan, e))},
        BadCall{"Incumbent",
                CALL((w.options.incumbent = As<const stowage_solution>(w.p),
                      stowage_solve(w.p, &w.options, &w.new_solution, e)))},
        BadCall{"Token",
                CALL((w.options.cancel = As<const stowage_cancel_token>(w.p),
                      stowage_solve(w.p, &w.options, &w.new_solution, e)))}),
    NameOfCall);

#undef CALL

TEST(Getters, AcceptNull) {
  size_t count = 7;
  EXPECT_EQ(stowage_solution_reason(nullptr), nullptr);
  EXPECT_EQ(stowage_solution_strategy(nullptr), nullptr);
  EXPECT_EQ(stowage_solution_found_by(nullptr), nullptr);
  EXPECT_EQ(stowage_solution_conflict(nullptr, &count), nullptr);
  EXPECT_EQ(count, 0);
  World world;
  EXPECT_EQ(stowage_solution_conflict(world.s, nullptr), nullptr);
  stowage_builder_free(nullptr);
  stowage_problem_free(nullptr);
  stowage_solution_free(nullptr);
  stowage_file_free(nullptr);
  stowage_cancel_token_free(nullptr);
}

}  // namespace
}  // namespace stowage::c_test
