// SPDX-License-Identifier: Apache-2.0
// Tests how a network is converted to a model, and a model to usage records.
#include "data/networks/network.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "data/networks/layers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "stowage/tflite/model_trace.h"
#include "tests/support/records_csv.h"

namespace stowage::networks {
namespace {

using testing::ElementsAre;

constexpr absl::string_view kCsvOfResidual =
    "id,lower,upper,size\n"
    "3,0,3,128\n"  // read by the second convolution and by the sum
    "6,1,3,128\n"
    "7,2,4,128\n";  // written by the sum, read by the last operator

// Returns the model, after checking it with the verifier of the format.
const tflite::Model* Read(const std::string& model) {
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(model.data()),
                                 model.size());
  EXPECT_TRUE(tflite::VerifyModelBuffer(verifier));
  return tflite::GetModel(model.data());
}

TEST(Network, BecomesTheRecordsOfWhatLivesInside) {
  Network network("residual");
  Tensor x = network.Input({1, 4, 4, 3});  // tensor 0
  x = Conv(x, 2, Window(3));               // 1, 2 -> 3
  x = Add(x, Conv(x, 2, Window(3)));       // 4, 5 -> 6; 7
  network.Output(Unary(Op::SOFTMAX, x));   // 8
  const auto model = network.Serialize();
  ASSERT_TRUE(model.ok()) << model.status();
  const auto read = ParseModelTrace(*model, "residual");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->operator_count, 4u);
  EXPECT_EQ(support::RecordsCsv(read->problem), kCsvOfResidual);
}

TEST(Network, WeightsStoredInAnotherTypeAreNoRecords) {
  Network network("half");
  network.set_stored_weights_type(ElementType::FLOAT16);
  const Tensor x = FullyConnected(network.Input({1, 4}), 8);
  network.Output(Unary(Op::SOFTMAX, x));
  const auto model = network.Serialize();
  ASSERT_TRUE(model.ok()) << model.status();
  const auto read = ParseModelTrace(*model, "half");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->operator_count, 4u);  // two of them are DEQUANTIZE
  EXPECT_EQ(read->folded_tensors, 2u);
  EXPECT_EQ(read->folded_bytes, sizeof(float) * (8 * 4 + 8));
  ASSERT_EQ(read->problem.records.size(), 1u);
  EXPECT_EQ(read->problem.records[0].first_task, 2u);
}

TEST(Network, IntegerWeightsAreNotDequantized) {
  Network network("int8");
  network.set_stored_weights_type(ElementType::FLOAT16);
  network.Output(FullyConnected(network.Input({1, 4}, ElementType::INT8), 8));
  const auto model = network.Serialize();
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ(Read(*model)->subgraphs()->Get(0)->operators()->size(), 1u);
}

TEST(Network, HasAnOperatorCodeForEachKindOnce) {
  Network network("codes");
  Tensor x = network.Input({1, 4});
  x = Unary(Op::TANH, Unary(Op::TANH, x));
  x = Unary(OperatorKind::Custom("Mine"), Unary(Op::GELU, x));
  x = Unary(OperatorKind::Custom("Yours"), x);
  network.Output(x);
  const auto model = network.Serialize();
  ASSERT_TRUE(model.ok()) << model.status();
  const auto* codes = Read(*model)->operator_codes();
  ASSERT_EQ(codes->size(), 4u);
  EXPECT_EQ(codes->Get(0)->builtin_code(), Op::TANH);
  EXPECT_EQ(codes->Get(0)->deprecated_builtin_code(), 28);
  // Numbers above 127 do not fit into the single byte that old files provide.
  EXPECT_EQ(codes->Get(1)->builtin_code(), Op::GELU);
  EXPECT_EQ(codes->Get(1)->deprecated_builtin_code(), 127);
  EXPECT_EQ(codes->Get(2)->builtin_code(), Op::CUSTOM);
  EXPECT_EQ(codes->Get(2)->custom_code()->str(), "Mine");
  EXPECT_EQ(codes->Get(3)->custom_code()->str(), "Yours");
}

TEST(Network, SaysWhatItIs) {
  Network network("named");
  network.Output(Unary(Op::TANH, network.Input({2, 3})));
  const auto serialized = network.Serialize();
  ASSERT_TRUE(serialized.ok()) << serialized.status();
  const tflite::Model* model = Read(*serialized);
  EXPECT_TRUE(tflite::ModelBufferHasIdentifier(serialized->data()));
  EXPECT_EQ(model->version(), 3u);
  EXPECT_EQ(model->description()->str(), "named");
  const auto* tensors = model->subgraphs()->Get(0)->tensors();
  EXPECT_EQ(tensors->Get(0)->name()->str(), "input_0");
  EXPECT_EQ(tensors->Get(1)->name()->str(), "tanh_0");
}

TEST(Network, OnlyConstantsHaveContentAndAllShareIt) {
  Network network("content");
  network.Output(FullyConnected(network.Input({1, 4}), 8));
  const auto model = network.Serialize();
  ASSERT_TRUE(model.ok()) << model.status();
  const auto* buffers = Read(*model)->buffers();
  ASSERT_EQ(buffers->size(), 2u);
  EXPECT_EQ(buffers->Get(0)->data(), nullptr);
  EXPECT_EQ(buffers->Get(1)->data()->size(), 1u);
  std::vector<uint32_t> used;
  for (const auto* tensor : *Read(*model)->subgraphs()->Get(0)->tensors()) {
    used.push_back(tensor->buffer());
  }
  EXPECT_THAT(used, ElementsAre(0, 1, 1, 0));  // input, weights, bias, output
}

TEST(Network, DimCountsFromEitherEnd) {
  Network network("dims");
  const Tensor x = network.Input({2, 3, 5});
  EXPECT_THAT((Shape{x.dim(0), x.dim(2), x.dim(-1), x.dim(-3)}),
              ElementsAre(2, 5, 5, 2));
  EXPECT_EQ(x.dim(3), 0);
  EXPECT_EQ(x.dim(-4), 0);
}

TEST(Network, WithoutOutputIsAMistake) {
  Network network("endless");
  Unary(Op::TANH, network.Input({2}));
  EXPECT_EQ(network.Serialize().status().message(), "endless: has no output");
}

TEST(Network, WithoutExtentsIsAMistake) {
  Network network("empty");
  network.Output(FullyConnected(network.Input({}), 3));
  EXPECT_EQ(network.Serialize().status().message(),
            "empty: tensor 0 (input_0); expected extents above 0, got ''");
}

TEST(Network, DoesNotReadAnother) {
  Network here("here");
  Network there("there");
  const Tensor x = there.Input({2});
  here.Output(here.Append(Op::TANH, {x}, {2}, x.type()));
  EXPECT_EQ(here.Serialize().status().message(),
            "here: operator 0 (TANH): operand of another network");
}

}  // namespace
}  // namespace stowage::networks
