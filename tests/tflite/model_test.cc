// SPDX-License-Identifier: Apache-2.0
// Tests the parts of a model other than its graphs.
#include "stowage/tflite/model.h"

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "tests/support/example_model.h"
#include "tests/support/status_matchers.h"

namespace stowage::harness {
namespace {

using support::FailsWith;
using ::testing::ElementsAre;

tflite::MetadataT Metadata(const std::string& name, uint32_t buffer) {
  tflite::MetadataT metadata;
  metadata.name = name;
  metadata.buffer = buffer;
  return metadata;
}

TEST(Model, HasTheMetadataOfTheFile) {
  ModelSpec spec = ExampleModel();
  const auto end = static_cast<uint32_t>(spec.buffers.size());
  spec.buffers.push_back({{7, 8, 9}});
  spec.metadata = {Metadata("min_runtime_version", end), Metadata("empty", 0)};
  const std::string bytes = Build(spec);
  const auto model = Model::Parse(bytes, "test.tflite");
  ASSERT_TRUE(model.ok()) << model.status();
  ASSERT_EQ((*model)->metadata().size(), 2u);
  EXPECT_EQ((*model)->metadata()[0].name, "min_runtime_version");
  EXPECT_THAT((*model)->metadata()[0].data, ElementsAre(7, 8, 9));
  EXPECT_EQ((*model)->metadata()[1].name, "empty");
  EXPECT_THAT((*model)->metadata()[1].data, ElementsAre());
}

TEST(Model, RefusesMetadataWithoutABuffer) {
  ModelSpec spec = ExampleModel();
  spec.metadata = {Metadata("lost", 2)};
  const std::string bytes = Build(spec);
  EXPECT_THAT(Model::Parse(bytes, "test.tflite"),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "test.tflite: metadata 0: its buffer is 2: there are "
                        "2"));
}

// Kernels need aligned constants, regardless of where the file is in memory.
TEST(Model, ConstantsAreAlignedWhereverTheFileLies) {
  const std::string bytes = Build(ExampleModel());
  for (size_t shift = 0; shift < 16; ++shift) {
    const std::string shifted = std::string(shift, ' ') + bytes;
    const auto model =
        Model::Parse(absl::string_view(shifted).substr(shift), "m.tflite");
    ASSERT_TRUE(model.ok()) << model.status();
    const absl::Span<const uint8_t> weights =
        (*model)->subgraphs()[0].tensors[1].data;
    EXPECT_EQ(reinterpret_cast<uintptr_t>(weights.data()) % 16, 0u);
    EXPECT_THAT(weights, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
  }
}

}  // namespace
}  // namespace stowage::harness
