// SPDX-License-Identifier: Apache-2.0
// Tests random inputs and inputs from files. The seed determines every bit of
// random inputs. Inputs from files are checked and assigned to invocations.
#include "stowage/harness/inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/harness/interpreter.h"
#include "stowage/harness/tensor.h"
#include "tests/harness/byte_models.h"
#include "tests/harness/sum_model.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_folder.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using support::IsOk;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

// Returns the first `count` elements of a random tensor of type `type` for seed
// 0, for which splitmix64 begins with E220A8397B1DCDAF, 6E789E6AA1B965F4,
// 06C45D188009454F.
template <typename T>
std::vector<T> Drawn(ElementType type, size_t count) {
  std::vector<T> elements(count);
  Tensor tensor;
  tensor.type = type;
  tensor.data = elements.data();
  tensor.bytes = count * sizeof(T);
  RandomInputs inputs(0);
  EXPECT_TRUE(inputs.Fill(&tensor).ok());
  return elements;
}

TEST(RandomInputs, TakeTopBits) {
  EXPECT_THAT(Drawn<int8_t>(ElementType::kInt8, 3),
              ElementsAre(0xE2 - 256, 0x6E, 0x06));
  EXPECT_THAT(Drawn<uint8_t>(ElementType::kUint8, 3),
              ElementsAre(0xE2, 0x6E, 0x06));
  EXPECT_THAT(Drawn<int16_t>(ElementType::kInt16, 3),
              ElementsAre(0xE220 - 65536, 0x6E78, 0x06C4));
  EXPECT_THAT(Drawn<uint8_t>(ElementType::kBool, 3), ElementsAre(1, 0, 0));
}

TEST(RandomInputs, OfWideIntegersAreBelowTen) {
  EXPECT_THAT(Drawn<int32_t>(ElementType::kInt32, 2),
              ElementsAre(0xE220A839 % 10, 0x6E789E6A % 10));
  EXPECT_THAT(Drawn<int64_t>(ElementType::kInt64, 2),
              ElementsAre(0xE220A839 % 10, 0x6E789E6A % 10));
}

TEST(RandomInputs, OfFloatsAreFromMinusOneToOne) {
  EXPECT_THAT(
      Drawn<float>(ElementType::kFloat32, 2),
      ElementsAre(0xE220A8 / 8388608.0F - 1, 0x6E789E / 8388608.0F - 1));
}

TEST(RandomInputs, AreOneStream) {
  uint8_t first = 0;
  uint8_t second = 0;
  Tensor tensor;
  tensor.type = ElementType::kUint8;
  tensor.bytes = 1;
  RandomInputs inputs(0);
  for (uint8_t* const place : {&first, &second}) {
    tensor.data = place;
    ASSERT_TRUE(inputs.Fill(&tensor).ok());
  }
  EXPECT_EQ(first, 0xE2);
  EXPECT_EQ(second, 0x6E);
}

TEST(RandomInputs, OfTextAreOneNumber) {
  Tensor tensor;
  tensor.type = ElementType::kString;
  tensor.shape = {3};
  ASSERT_THAT(RandomInputs(0).Fill(&tensor), IsOk());
  EXPECT_EQ(tensor.digest, 0xE220A8397B1DCDAF);
}

TEST(RandomInputs, RefuseOtherTypes) {
  Tensor tensor;
  tensor.name = "words";
  tensor.type = ElementType::kResource;
  EXPECT_THAT(RandomInputs(0).Fill(&tensor),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("input \"words\": type RESOURCE")));
}

// Provides an allocated subgraph of SumModel.
class InputSourceTest : public TempFolderTest {
 protected:
  InputSourceTest() : model_(SumModel()) {
    auto interpreter = Interpreter::Create(*model_);
    EXPECT_THAT(interpreter, IsOk());
    interpreter_ = *std::move(interpreter);
    EXPECT_THAT(graph().Allocate(), IsOk());
  }

  Subgraph& graph() { return interpreter_->primary(); }

  // Fills the inputs from `source`. Returns the elements of "x" followed by the
  // elements of "y".
  std::vector<float> Filled(InputSource* source, size_t invocation) {
    EXPECT_THAT((*source)(graph(), invocation), IsOk());
    std::vector<float> elements;
    for (size_t i = 0; i < 2; ++i) {
      const absl::Span<const float> input = graph().input(i).span<float>();
      elements.insert(elements.end(), input.begin(), input.end());
    }
    return elements;
  }

  LoadedModel model_;
  std::unique_ptr<Interpreter> interpreter_;
};

TEST_F(InputSourceTest, GivesAnInvocationTheSameInputsInAnyOrder) {
  InputSource in_order(7);
  std::vector<std::vector<float>> expected;
  for (size_t i = 0; i < 3; ++i) expected.push_back(Filled(&in_order, i));
  EXPECT_NE(expected[0], expected[1]);
  InputSource source(7);
  for (const size_t i : {size_t{2}, size_t{0}, size_t{1}, size_t{1}}) {
    EXPECT_EQ(Filled(&source, i), expected[i]) << i;
  }
}

TEST_F(InputSourceTest, DrawsInputsWithoutAFileOnly) {
  InputSource seed_alone(7);
  const std::vector<float> drawn = Filled(&seed_alone, 0);
  InputSource source(7, {{"x", FloatBytes({1, 2})}});
  // No random numbers are generated for "x", so the first random numbers go to
  // "y".
  EXPECT_THAT(Filled(&source, 0), ElementsAre(1, 2, drawn[0], drawn[1]));
}

TEST_F(InputSourceTest, TakesAFileForOneInvocationOrForEach) {
  InputSource source(
      1, {{"x", FloatBytes({1, 2})}, {"1", FloatBytes({3, 4, 5, 6})}});
  EXPECT_THAT(Filled(&source, 0), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(Filled(&source, 1), ElementsAre(1, 2, 5, 6));
  const std::string error =
      "input \"1\": its file has 16 bytes; expected 8 for FLOAT32 [2], or as "
      "many for each invocation";
  EXPECT_THAT(source(graph(), 2),
              FailsWith(absl::StatusCode::kInvalidArgument, error));
  // The source still works after an error.
  EXPECT_THAT(Filled(&source, 1), ElementsAre(1, 2, 5, 6));
  // The number of bytes for this many invocations overflows 64 bits.
  EXPECT_THAT(InputSource(1, {{"1", FloatBytes({3, 4, 5, 6})}})(
                  graph(), size_t{1} << 61),
              FailsWith(absl::StatusCode::kInvalidArgument, error));
}

TEST_F(InputSourceTest, RefusesFilesOfOtherInputsAndLengths) {
  EXPECT_THAT(InputSource(1, {{"z", FloatBytes({1, 2})}})(graph(), 0),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "no input \"z\"; expected \"x\", \"y\", or a number "
                        "from 0"));
  for (const size_t bytes : {size_t{0}, size_t{7}, size_t{9}}) {
    EXPECT_THAT(InputSource(1, {{"x", std::string(bytes, 'a')}})(graph(), 0),
                FailsWith(absl::StatusCode::kInvalidArgument,
                          HasSubstr("expected 8 for FLOAT32 [2]")));
  }
}

TEST(InputSource, TakesAnEmptyFileForAnInputWithoutElements) {
  ModelSpec spec;
  spec.codes = {{tflite::BuiltinOperator::RELU}};
  spec.buffers.emplace_back();
  GraphSpec& graph = spec.graphs.emplace_back();
  graph.tensors = {{{0, 4}}, {{0, 4}}};
  graph.inputs = {0};
  graph.outputs = {1};
  graph.operators = {{0, {0}, {1}}};
  const LoadedModel model(spec);
  auto interpreter = Interpreter::Create(*model);
  ASSERT_THAT(interpreter, IsOk());
  Subgraph& primary = (*interpreter)->primary();
  ASSERT_THAT(primary.Allocate(), IsOk());
  EXPECT_THAT(InputSource(1, {{"0", ""}})(primary, 1), IsOk());
  EXPECT_THAT(InputSource(1, {{"0", "a"}})(primary, 0),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("its file has 1 bytes; expected 0")));
}

TEST_F(InputSourceTest, RefusesTwoFilesOfOneInput) {
  const char kError[] =
      "input \"x\" is given twice, as \"0\" and as \"x\"; expected one file "
      "for each input";
  InputSource source(1, {{"0", FloatBytes({1, 2})}, {"x", FloatBytes({3, 4})}});
  EXPECT_THAT(source(graph(), 0),
              FailsWith(absl::StatusCode::kAlreadyExists, kError));
  EXPECT_THAT(ReadInputFiles(*model_, 0, 1, {{"0", "a"}, {"x", "b"}}),
              FailsWith(absl::StatusCode::kAlreadyExists, kError));
}

TEST_F(InputSourceTest, ReadsFilesUpToWhatAllInvocationsTake) {
  const std::string path = Write("x.bin", FloatBytes({1, 2, 3, 4}));
  const absl::StatusOr<InputFiles> files =
      ReadInputFiles(*model_, 0, 2, {{"0", path}});
  ASSERT_THAT(files, IsOk());
  EXPECT_THAT(*files, ElementsAre(Pair("0", FloatBytes({1, 2, 3, 4}))));
  EXPECT_THAT(ReadInputFiles(*model_, 0, 1, {{"0", path}}),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr(absl::StrCat("its file ", path,
                                               " has more than 8 bytes"))));
  EXPECT_THAT(ReadInputFiles(*model_, 0, 1, {{"z", path}}),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        HasSubstr("no input \"z\"")));
  EXPECT_THAT(ReadInputFiles(*model_, 1, 1, {}),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "bytes.tflite: no subgraph 1; expected an index below "
                        "1"));
  EXPECT_THAT(ReadInputFiles(*model_, 0, 1, {{"0", Path("absent")}}),
              FailsWith(absl::StatusCode::kNotFound, HasSubstr("absent")));
}

}  // namespace
}  // namespace stowage::harness
