// SPDX-License-Identifier: Apache-2.0
// Tests that the reader of models converts sparse constants to dense ones, and
// that it refuses damaged sparse constants with the name of the tensor.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "stowage/tflite/model.h"
#include "tests/support/status_matchers.h"

namespace stowage {
namespace {

using support::FailsWith;
using ::testing::ElementsAre;
using tflite::DimensionMetadataT;
using tflite::DimensionType;
using tflite::SparsityParametersT;

// The number of bits of each stored number of a level.
enum class Width { k32, k16, k8 };

void Set(const std::vector<int32_t>& numbers, Width width,
         tflite::SparseIndexVectorUnion* to) {
  if (width == Width::k32) {
    tflite::Int32VectorT list;
    list.values = numbers;
    to->Set(std::move(list));
  } else if (width == Width::k16) {
    tflite::Uint16VectorT list;
    list.values.assign(numbers.begin(), numbers.end());
    to->Set(std::move(list));
  } else {
    tflite::Uint8VectorT list;
    list.values.assign(numbers.begin(), numbers.end());
    to->Set(std::move(list));
  }
}

DimensionMetadataT Dense(int32_t size) {
  DimensionMetadataT level;
  level.format = DimensionType::DENSE;
  level.dense_size = size;
  return level;
}

DimensionMetadataT Sparse(const std::vector<int32_t>& segments,
                          const std::vector<int32_t>& indices,
                          Width width = Width::k32) {
  DimensionMetadataT level;
  level.format = DimensionType::SPARSE_CSR;
  Set(segments, width, &level.array_segments);
  Set(indices, width, &level.array_indices);
  return level;
}

struct SparseCase {
  std::vector<int32_t> shape;
  std::vector<int32_t> order;
  std::vector<int32_t> blocks;
  std::vector<DimensionMetadataT> levels;
  std::vector<uint8_t> elements;
  tflite::TensorType type = tflite::TensorType::INT8;
};

// Returns this matrix, stored by rows:
//
//   1 0 0
//   0 2 3
SparseCase Rows(Width width = Width::k32) {
  return {{2, 3},
          {0, 1},
          {},
          {Dense(2), Sparse({0, 1, 3}, {0, 1, 2}, width)},
          {1, 2, 3}};
}

// Returns this matrix in blocks of 2 by 2. Only the blocks on the diagonal are
// stored, each of them row by row:
//
//   1 2 0 0
//   3 4 0 0
//   0 0 5 6
//   0 0 7 8
SparseCase Blocks() {
  return {{4, 4},
          {0, 1, 2, 3},
          {0, 1},
          {Dense(2), Sparse({0, 1, 2}, {0, 1}), Dense(2), Dense(2)},
          {1, 2, 3, 4, 5, 6, 7, 8}};
}

std::string ModelOf(const SparseCase& c) {
  auto sparsity = std::make_shared<SparsityParametersT>();
  sparsity->traversal_order = c.order;
  sparsity->block_map = c.blocks;
  for (const DimensionMetadataT& level : c.levels) {
    sparsity->dim_metadata.push_back(
        std::make_unique<DimensionMetadataT>(level));
  }
  ModelSpec model;
  model.buffers = {{}, {c.elements}};
  GraphSpec& graph = model.graphs.emplace_back();
  TensorDraft& tensor = graph.tensors.emplace_back();
  tensor.shape = c.shape;
  tensor.type = c.type;
  tensor.buffer = 1;
  tensor.name = "w";
  tensor.sparsity = sparsity;
  return Build(model);
}

std::vector<uint8_t> Unpacked(const SparseCase& c) {
  const std::string bytes = ModelOf(c);
  const auto model = Model::Parse(bytes, "sparse.tflite");
  EXPECT_TRUE(model.ok()) << model.status();
  if (!model.ok()) return {};
  const auto data = (*model)->subgraphs()[0].tensors[0].data;
  EXPECT_EQ(reinterpret_cast<uintptr_t>(data.data()) % 16, 0u);
  return {data.begin(), data.end()};
}

TEST(SparseTensor, IsUnpackedWhateverTheIndicesAreStoredIn) {
  for (const Width width : {Width::k32, Width::k16, Width::k8}) {
    EXPECT_THAT(Unpacked(Rows(width)), ElementsAre(1, 0, 0, 0, 2, 3));
  }
}

TEST(SparseTensor, HasElementsOfSeveralBytes) {
  SparseCase c = Rows();
  c.type = tflite::TensorType::FLOAT16;
  c.elements = {1, 2, 3, 4, 5, 6};
  EXPECT_THAT(Unpacked(c), ElementsAre(1, 2, 0, 0, 0, 0, 0, 0, 3, 4, 5, 6));
}

TEST(SparseTensor, IsTraversedInAnyOrder) {
  SparseCase c = Rows();
  c.order = {1, 0};  // columns, then rows
  c.levels = {Dense(3), Sparse({0, 1, 2, 3}, {0, 1, 1})};
  EXPECT_THAT(Unpacked(c), ElementsAre(1, 0, 0, 0, 2, 3));
}

TEST(SparseTensor, HasSparseLevelsAboveSparseLevels) {
  SparseCase c;
  c.shape = {3, 2, 2};
  c.order = {0, 1, 2};
  c.levels = {Sparse({0, 2}, {0, 2}), Dense(2),
              Sparse({0, 1, 1, 2, 4}, {1, 0, 0, 1})};
  c.elements = {1, 2, 3, 4};
  EXPECT_THAT(Unpacked(c), ElementsAre(0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 3, 4));
}

TEST(SparseTensor, HasBlocks) {
  EXPECT_THAT(Unpacked(Blocks()),
              ElementsAre(1, 2, 0, 0, 3, 4, 0, 0, 0, 0, 5, 6, 0, 0, 7, 8));
  SparseCase by_columns = Blocks();
  by_columns.order = {0, 1, 3, 2};
  EXPECT_THAT(Unpacked(by_columns),
              ElementsAre(1, 3, 0, 0, 2, 4, 0, 0, 0, 0, 5, 7, 0, 0, 6, 8));
}

TEST(SparseTensor, HasBlocksAlongOneDimension) {
  SparseCase c;
  c.shape = {2, 8};
  c.order = {0, 1, 2};
  c.blocks = {1};
  c.levels = {Dense(2), Sparse({0, 1, 2}, {1, 0}), Dense(4)};
  c.elements = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_THAT(Unpacked(c),
              ElementsAre(0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0, 0, 0));
}

TEST(SparseTensor, MayHaveNoElementsInSomeRows) {
  SparseCase c = Rows();
  c.levels = {Dense(2), Sparse({0, 0, 1}, {2})};
  c.elements = {9};
  EXPECT_THAT(Unpacked(c), ElementsAre(0, 0, 0, 0, 0, 9));
}

struct DamagedCase {
  std::string name;
  std::function<void(SparseCase*)> damage;
  std::string message;
  SparseCase whole = Rows();
};

class DamagedSparseTensor : public ::testing::TestWithParam<DamagedCase> {};

TEST_P(DamagedSparseTensor, IsRefused) {
  SparseCase c = GetParam().whole;
  GetParam().damage(&c);
  const std::string bytes = ModelOf(c);
  EXPECT_THAT(Model::Parse(bytes, "sparse.tflite"),
              FailsWith(absl::StatusCode::kInvalidArgument,
                        "sparse.tflite: subgraph 0, tensor 0 \"w\": " +
                            GetParam().message));
}

constexpr int32_t kHuge = 2147483647;

INSTANTIATE_TEST_SUITE_P(
    , DamagedSparseTensor,
    ::testing::Values(
        DamagedCase{"IndexBeyond",
                    [](SparseCase* c) {
                      c->levels[1] = Sparse({0, 1, 3}, {0, 1, 3});
                    },
                    "its sparsity: level 1: index 2 is 3; expected increasing "
                    "ones below 3"},
        DamagedCase{"IndexTwice",
                    [](SparseCase* c) {
                      c->levels[1] = Sparse({0, 1, 3}, {0, 2, 2});
                    },
                    "its sparsity: level 1: index 2 is 2; expected increasing "
                    "ones below 3"},
        DamagedCase{"IndexBelowZero",
                    [](SparseCase* c) {
                      c->levels[1] = Sparse({0, 1, 3}, {0, 1, -1});
                    },
                    "its sparsity: level 1, indices: number 2 is -1; expected "
                    "0 or more"},
        DamagedCase{"TooManyIndices",
                    [](SparseCase* c) {
                      c->levels[1] = Sparse({0, 1, 7}, {0, 1, 2, 3, 4, 5, 6});
                    },
                    "its sparsity: level 1, indices: 7 numbers; expected at "
                    "most 6"},
        DamagedCase{"SegmentBackwards",
                    [](SparseCase* c) {
                      c->levels = {Dense(2), Sparse({0, 4, 3}, {0, 1, 2})};
                    },
                    "its sparsity: level 1: segment 0 is from 0 to 4; expected "
                    "it within 3 indices"},
        DamagedCase{"SegmentBeyond",
                    [](SparseCase* c) {
                      c->levels[1] = Sparse({0, kHuge, 3}, {0, 1, 2});
                    },
                    "its sparsity: level 1: segment 0 is from 0 to "
                    "2147483647; expected it within 3 indices"},
        DamagedCase{"TooFewSegments",
                    [](SparseCase* c) {
                      c->levels[1] = Sparse({0, 3}, {0, 1, 2});
                    },
                    "its sparsity: level 1: 2 segment ends for 3 indices; "
                    "expected 3, from 0 to the number of indices"},
        DamagedCase{"NoSegments",
                    [](SparseCase* c) { c->levels[1].array_segments.Reset(); },
                    "its sparsity: level 1, segments: a list of type 0; "
                    "expected INT32, UINT16 or UINT8"},
        DamagedCase{"TooFewElements",
                    [](SparseCase* c) { c->elements.pop_back(); },
                    "its sparsity: places for 3 elements, and its buffer has "
                    "2; expected equal counts"},
        DamagedCase{
            "PartOfAnElement",
            [](SparseCase* c) { c->type = tflite::TensorType::FLOAT32; },
            "its sparsity: its buffer has 3 bytes; expected whole "
            "elements of 4"},
        DamagedCase{"DenseSize",
                    [](SparseCase* c) { c->levels[0] = Dense(kHuge); },
                    "its sparsity: level 0: its size is 2147483647; expected "
                    "2"},
        DamagedCase{"Format",
                    [](SparseCase* c) {
                      c->levels[0].format = static_cast<DimensionType>(7);
                    },
                    "its sparsity: level 0: its format is 7; expected DENSE or "
                    "SPARSE_CSR"},
        DamagedCase{"OrderTwice",
                    [](SparseCase* c) {
                      c->order = {1, 1};
                    },
                    "its sparsity: traversal order: 1; expected each of 0 to 1 "
                    "once"},
        DamagedCase{"OrderTooShort", [](SparseCase* c) { c->order = {0}; },
                    "its sparsity: 1 dimensions in traversal order and 2 with "
                    "metadata; expected 2, for those of the shape and of the "
                    "block map"},
        DamagedCase{"LevelMissing", [](SparseCase* c) { c->levels.pop_back(); },
                    "its sparsity: 2 dimensions in traversal order and 1 with "
                    "metadata; expected 2, for those of the shape and of the "
                    "block map"},
        DamagedCase{"BlockMap",
                    [](SparseCase* c) {
                      c->blocks = {0, 0};
                    },
                    "its sparsity: block map: 0; expected dimensions of the "
                    "shape, each once at most",
                    Blocks()},
        DamagedCase{"BlockThatDoesNotDivide",
                    [](SparseCase* c) { c->levels[3] = Dense(3); },
                    "its sparsity: level 3: a block of 3 along dimension 1 of "
                    "4; expected a dense level whose size divides the "
                    "dimension",
                    Blocks()},
        DamagedCase{"BlockOfNone",
                    [](SparseCase* c) { c->levels[2] = Dense(0); },
                    "its sparsity: level 2: a block of 0 along dimension 0 of "
                    "4; expected a dense level whose size divides the "
                    "dimension",
                    Blocks()},
        DamagedCase{"EmptyShape",
                    [](SparseCase* c) {
                      c->shape = {2, 0};
                    },
                    "its sparsity: 3 elements; expected none"},
        DamagedCase{"LargerThanTheFileMayTake",
                    [](SparseCase* c) {
                      c->shape = {20000, 20000};
                    },
                    "it is sparse and takes 400000000 bytes; expected at most "
                    "256 times those of the file for all sparse tensors"},
        DamagedCase{"TypeWithoutBytes",
                    [](SparseCase* c) { c->type = tflite::TensorType::INT4; },
                    "its sparsity: its buffer has 3 bytes; expected whole "
                    "elements of 0"}),
    [](const auto& damaged) { return damaged.param.name; });

}  // namespace
}  // namespace stowage
