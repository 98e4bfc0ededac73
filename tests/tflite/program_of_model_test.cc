// SPDX-License-Identifier: Apache-2.0
// Tests the conversion of models to programs. Also checks the plans for these
// programs: every value must be preserved until it is read.
#include "stowage/tflite/program_of_model.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/programs/entry_names.h"
#include "stowage/programs/points.h"
#include "stowage/programs/program.h"
#include "stowage/programs/program_problem.h"
#include "stowage/strategy.h"
#include "stowage/tflite/model.h"
#include "stowage/verify_values.h"
#include "tests/support/real_data.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::IsOk;
using ::testing::HasSubstr;

using Offsets = std::vector<absl::optional<size_t>>;

constexpr char kMadeModels[] = STOWAGE_SOURCE_DIR "/tests/data/control_flow/";

std::unique_ptr<const Model> ReadMade(const std::string& name) {
  absl::StatusOr<std::unique_ptr<const Model>> model =
      Model::Read(absl::StrCat(kMadeModels, name, ".tflite"));
  EXPECT_THAT(model.status(), IsOk());
  return model.ok() ? *std::move(model) : nullptr;
}

// Returns the tensor of the first subgraph that has the given name.
size_t Named(const Model& model, const std::string& name) {
  const std::vector<TensorSpec>& tensors = model.subgraphs()[0].tensors;
  for (size_t t = 0; t < tensors.size(); ++t) {
    if (tensors[t].name == name) return t;
  }
  ADD_FAILURE() << "no tensor " << name;
  return 0;
}

// The model computes a = x + K, b = a + K, c = reshape(b), d = c * K and out =
// b - d. If b is in the memory of a, and c is a view of b, then d must not
// overwrite b, because b is read later.
TEST(ProgramOfModel, FindsTheFaultOfAViewOfAValueInPlace) {
  const std::unique_ptr<const Model> model =
      ReadMade("made_residual_reshape_i32");
  ASSERT_NE(model, nullptr);
  const absl::StatusOr<ModelProgram> program = ProgramOfModel(*model);
  ASSERT_THAT(program.status(), IsOk());
  const absl::StatusOr<ProgramPoints> points = PointsOf(program->program);
  ASSERT_THAT(points.status(), IsOk());
  // Initially, every tensor has its own memory.
  Offsets offsets;
  size_t end = 0;
  for (const size_t size : points->slot_sizes) {
    offsets.push_back(end);
    end += size;
  }
  EXPECT_FALSE(FindValueFault(*points, offsets));
  const size_t b = Named(*model, "b");
  for (const char* const shared : {"b", "c", "d"}) {
    offsets[Named(*model, shared)] = offsets[Named(*model, "a")];
  }
  const absl::optional<ValueFault> fault = FindValueFault(*points, offsets);
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->slot, b);
  EXPECT_EQ(fault->byte, *offsets[b]);
  EXPECT_EQ(points->points[fault->point].node, 4u);
  ASSERT_TRUE(fault->writer);
  EXPECT_EQ(points->points[*fault->writer].node, 3u);
  EXPECT_EQ(*fault->writer_slot, Named(*model, "d"));
  EXPECT_THAT(DescribeValueFault(program->program, *points, *fault),
              HasSubstr("was last written by"));
}

TEST(ProgramOfModel, HasTheCallsOfEachMadeModel) {
  for (const char* const name :
       {"made_if_nested", "made_while_fibonacci", "made_while_in_if"}) {
    SCOPED_TRACE(name);
    const std::unique_ptr<const Model> model = ReadMade(name);
    ASSERT_NE(model, nullptr);
    const absl::StatusOr<ModelProgram> program = ProgramOfModel(*model);
    ASSERT_THAT(program.status(), IsOk());
    EXPECT_EQ(program->subgraphs.size(), model->subgraphs().size());
    EXPECT_EQ(program->subgraphs[0], 0u);
    EXPECT_THAT(CheckProgram(program->program), IsOk());
  }
}

TEST(ProgramOfModel, RefusesWhatIsNotThere) {
  const std::unique_ptr<const Model> model = ReadMade("made_if_plain");
  ASSERT_NE(model, nullptr);
  ProgramOfModelOptions options;
  options.subgraph = 99;
  EXPECT_TRUE(
      absl::IsInvalidArgument(ProgramOfModel(*model, options).status()));
  options = {};
  options.enters_signatures = true;
  const absl::StatusOr<ModelProgram> program = ProgramOfModel(*model, options);
  EXPECT_EQ(program.ok(), !model->signatures().empty());
}

TEST(ProgramOfModel, NamesVariablesByTheirHandles) {
  const absl::optional<std::string> folder =
      support::RealDataFolder("STOWAGE_DYNAMIC");
  if (!folder) GTEST_SKIP() << "STOWAGE_DYNAMIC is not set";
  const absl::StatusOr<std::unique_ptr<const Model>> model =
      Model::Read(*folder + "/models/mww_alexa_v1.tflite");
  ASSERT_THAT(model.status(), IsOk());
  const absl::StatusOr<ModelProgram> program = ProgramOfModel(**model);
  ASSERT_THAT(program.status(), IsOk());
  size_t state = 0;
  for (const ProgramVariable& variable : program->program.variables) {
    EXPECT_FALSE(variable.id.empty());
    state += variable.size;
  }
  EXPECT_EQ(state, 8024u);
}

struct StateRow {
  const char* model;
  bool enters_signatures;
  bool state_in_place;
  size_t total_size;
  size_t copied_bytes;
  size_t possible_bytes;
  size_t state_bytes;
};

// The plans must not need more memory or make more copies than the plans of a
// prototype of these rules.
TEST(ProgramOfModel, KeepsStateInPlaceAndSignaturesInOneArena) {
  const absl::optional<std::string> folder =
      support::RealDataFolder("STOWAGE_DYNAMIC");
  if (!folder) GTEST_SKIP() << "STOWAGE_DYNAMIC is not set";
  for (const StateRow& row : std::vector<StateRow>{
           {"mww_alexa_v1", false, true, 7280, 0, 16048, 8024},
           {"mww_alexa_v1", false, false, 14904, 16048, 16048, 8024},
           {"litert_resource_vars", false, true, 220, 0, 300, 100},
           {"lyra_quantizer", true, true, 11968, 0, 0, 0},
           {"quantizer_toy_kv_cache_2sig", true, true, 2644000, 0, 0, 0},
       }) {
    SCOPED_TRACE(row.model);
    const absl::StatusOr<std::unique_ptr<const Model>> model =
        Model::Read(absl::StrCat(*folder, "/models/", row.model, ".tflite"));
    ASSERT_THAT(model.status(), IsOk());
    ProgramOfModelOptions asked;
    asked.enters_signatures = row.enters_signatures;
    const absl::StatusOr<ModelProgram> program = ProgramOfModel(**model, asked);
    ASSERT_THAT(program.status(), IsOk());
    ProgramOptions options;
    options.state_in_place = row.state_in_place;
    SolveOptions solve;
    solve.node_budget = 100000;
    solve.threads = 1;
    const absl::StatusOr<PlannedProgram> plan =
        PlanProgram(program->program, "optimal", options, solve);
    ASSERT_THAT(plan.status(), IsOk());
    EXPECT_EQ(plan->total_size, row.total_size);
    EXPECT_EQ(plan->copied_bytes, row.copied_bytes);
    EXPECT_EQ(plan->possible_bytes, row.possible_bytes);
    EXPECT_EQ(plan->state_bytes, row.state_bytes);
  }
}

TEST(ProgramOfModel, NamesEntriesAsSignaturesDo) {
  const absl::optional<std::string> folder =
      support::RealDataFolder("STOWAGE_DYNAMIC");
  if (!folder) GTEST_SKIP() << "STOWAGE_DYNAMIC is not set";
  const absl::StatusOr<std::unique_ptr<const Model>> model =
      Model::Read(*folder + "/models/quantizer_toy_kv_cache_2sig.tflite");
  ASSERT_THAT(model.status(), IsOk());
  ProgramOfModelOptions asked;
  asked.enters_signatures = true;
  absl::StatusOr<ModelProgram> program = ProgramOfModel(**model, asked);
  ASSERT_THAT(program.status(), IsOk());
  ASSERT_EQ(program->names.size(), 2u);
  for (const SignatureSpec& signature : (*model)->signatures()) {
    SCOPED_TRACE(signature.key);
    ASSERT_FALSE(signature.outputs.empty());
    ASSERT_FALSE(signature.inputs.empty());
    const size_t before = program->program.carried.size();
    const std::string text =
        absl::StrCat(signature.key, ":", signature.outputs[0].name, "=",
                     signature.inputs[0].name);
    EXPECT_THAT(AddCarriedOutputs(text, program->names, &program->program),
                IsOk());
    ASSERT_EQ(program->program.carried.size(), before + 1);
    const CarriedOutput& carried = program->program.carried.back();
    const size_t function = program->program.entries[carried.entry];
    EXPECT_EQ(program->subgraphs[function], signature.subgraph);
    EXPECT_EQ(program->program.functions[function].outputs[carried.output],
              signature.outputs[0].tensor);
    EXPECT_EQ(program->program.functions[function].inputs[carried.input],
              signature.inputs[0].tensor);
  }
}

// Plans the functions of every model, and checks that every value is intact
// when it is read.
TEST(ProgramOfModel, ReadsAllModelsAndTheirPlansAreSafe) {
  std::vector<std::string> paths = support::FilesIn(kMadeModels, ".tflite");
  for (const char* const variable :
       {"STOWAGE_MODELS", "STOWAGE_DYNAMIC", "STOWAGE_MICRO"}) {
    const absl::optional<std::string> folder =
        support::RealDataFolder(variable);
    if (!folder) continue;
    for (std::string& path : support::FilesIn(*folder, ".tflite")) {
      paths.push_back(std::move(path));
    }
  }
  size_t planned = 0;
  for (const std::string& path : paths) {
    SCOPED_TRACE(path);
    const absl::StatusOr<std::unique_ptr<const Model>> model =
        Model::Read(path);
    if (!model.ok()) continue;
    const absl::StatusOr<ModelProgram> program = ProgramOfModel(**model);
    if (!program.ok()) continue;
    for (const ProgramCopies copies :
         {ProgramCopies::kMade, ProgramCopies::kNone}) {
      ProgramOptions options;
      options.copies = copies;
      const absl::StatusOr<PlannedProgram> plan =
          PlanProgram(program->program, "greedy_by_size", options);
      ASSERT_THAT(plan.status(), IsOk());
      const absl::optional<ValueFault> fault =
          FindValueFault(plan->points, plan->offsets);
      EXPECT_FALSE(fault) << DescribeValueFault(program->program, plan->points,
                                                *fault);
      ++planned;
    }
  }
  EXPECT_GT(planned, 30u);
}

}  // namespace
}  // namespace stowage
