// SPDX-License-Identifier: Apache-2.0
// Multiplies a few rows of inputs by all rows of a matrix of weights. Most
// models spend most of their time here.
//
// Weights are [channels, depth], as in models. They are not rearranged, because
// a copy would double the memory of the model. The input rows are rearranged
// instead: a tile is small, and is read once for each channel.
//
// Sums of floats run over the depth from first to last on every machine, as in
// the reference kernels of TensorFlow Lite.
#ifndef STOWAGE_SRC_HARNESS_KERNELS_TILE_H_
#define STOWAGE_SRC_HARNESS_KERNELS_TILE_H_

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "src/harness/kernels/support.h"

namespace stowage::harness {

// The number of rows in a tile of floats. Rows are interleaved: element k of
// row r is at position k * kFloatRows + r. If there are fewer rows, the values
// at the positions of the missing rows are undefined.
constexpr int64_t kFloatRows = 8;

// The number of rows in a tile of integers. Rows are stored one after another,
// and the zero point has already been subtracted from their elements.
constexpr int64_t kIntegerRows = 4;

namespace tile_internal {

// Four floats in an explicit vector type of GCC and Clang, which keeps sums in
// registers.
using Float4 = float __attribute__((vector_size(16)));

// Computes the sums of products of kVectors * 4 rows with the weights of
// kChannels channels. sums[c] holds the sums of channel c, one for each row.
template <int kChannels, int kVectors>
void FloatBlock(const float* rows, int64_t depth, const float* weights,
                float (&sums)[4][kFloatRows]) {
  Float4 total[kChannels][kVectors] = {};
  for (int64_t k = 0; k < depth; ++k) {
    Float4 x[kVectors];
    std::memcpy(x, rows + k * kFloatRows, sizeof(x));
    for (int c = 0; c < kChannels; ++c) {
      const float weight = weights[c * depth + k];
      for (int v = 0; v < kVectors; ++v) total[c][v] += x[v] * weight;
    }
  }
  for (int c = 0; c < kChannels; ++c) {
    std::memcpy(sums[c], total[c], sizeof(total[c]));
  }
}

template <int kChannels>
void FloatBlock(const float* rows, int64_t count, int64_t depth,
                const float* weights, float (&sums)[4][kFloatRows]) {
  if (count <= 4) {
    FloatBlock<kChannels, 1>(rows, depth, weights, sums);
  } else {
    FloatBlock<kChannels, 2>(rows, depth, weights, sums);
  }
}

// The number of products that can be summed in 32 bits. The product of a 16-bit
// input and an 8-bit weight is below 2^23.
constexpr int64_t kTerms = 256;

template <typename Weight>
void IntegerDots(const int16_t* row, int64_t depth, const Weight* weights,
                 int16_t weights_zero, int64_t (&sums)[1]) {
  sums[0] = 0;
  for (int64_t begin = 0; begin < depth; begin += kTerms) {
    const int64_t end = std::min(depth, begin + kTerms);
    int32_t sum = 0;
    for (int64_t k = begin; k < end; ++k) {
      const auto weight = static_cast<int16_t>(weights[k] - weights_zero);
      sum += row[k] * weight;
    }
    sums[0] += sum;
  }
}

// The four sums are separate variables instead of an array, because compilers
// then keep them in registers and vectorize the loop.
template <typename Weight>
void IntegerDots(const int16_t* rows, int64_t depth, const Weight* weights,
                 int16_t weights_zero, int64_t (&sums)[4]) {
  const int16_t* const row1 = rows + depth;
  const int16_t* const row2 = row1 + depth;
  const int16_t* const row3 = row2 + depth;
  for (int64_t& sum : sums) sum = 0;
  for (int64_t begin = 0; begin < depth; begin += kTerms) {
    const int64_t end = std::min(depth, begin + kTerms);
    int32_t sum0 = 0;
    int32_t sum1 = 0;
    int32_t sum2 = 0;
    int32_t sum3 = 0;
    for (int64_t k = begin; k < end; ++k) {
      const auto weight = static_cast<int16_t>(weights[k] - weights_zero);
      sum0 += rows[k] * weight;
      sum1 += row1[k] * weight;
      sum2 += row2[k] * weight;
      sum3 += row3[k] * weight;
    }
    sums[0] += sum0;
    sums[1] += sum1;
    sums[2] += sum2;
    sums[3] += sum3;
  }
}

// Calls finish(row, channel, sum) for each of `count` rows and each channel,
// where `sum` is the sum of the products of the elements of the row with the
// weights of the channel.
template <typename Finish>
void MultiplyFloatTile(const float* rows, int64_t count, int64_t depth,
                       const float* weights, int64_t channels,
                       const Finish& finish) {
  float sums[4][kFloatRows] = {};
  int64_t done = 0;
  while (done < channels) {
    const float* const block_weights = weights + done * depth;
    const int64_t block = channels - done >= 4 ? 4 : 1;
    if (block == 4) {
      FloatBlock<4>(rows, count, depth, block_weights, sums);
    } else {
      FloatBlock<1>(rows, count, depth, block_weights, sums);
    }
    for (int64_t r = 0; r < count; ++r) {
      for (int64_t c = 0; c < block; ++c) finish(r, done + c, sums[c][r]);
    }
    done += block;
  }
}

// Does the same as MultiplyFloatTile for 8-bit weights. `weights_zero` is
// subtracted from each weight, and sums have 64 bits.
template <typename Weight, typename Finish>
void MultiplyIntegerTile(const int16_t* rows, int64_t count, int64_t depth,
                         const Weight* weights, int32_t weights_zero,
                         int64_t channels, const Finish& finish) {
  const auto zero = static_cast<int16_t>(weights_zero);
  for (int64_t c = 0; c < channels; ++c) {
    const Weight* const channel = weights + c * depth;
    if (count == kIntegerRows) {
      int64_t sums[kIntegerRows];
      IntegerDots(rows, depth, channel, zero, sums);
      for (int64_t r = 0; r < kIntegerRows; ++r) finish(r, c, sums[r]);
      continue;
    }
    for (int64_t r = 0; r < count; ++r) {
      int64_t sum[1];
      IntegerDots(rows + r * depth, depth, channel, zero, sum);
      finish(r, c, sum[0]);
    }
  }
}

}  // namespace tile_internal

// The layout of a tile for inputs of type T.
template <typename T>
struct TileLayout {
  static constexpr bool kIsFloat = std::is_same_v<T, float>;
  static constexpr int64_t kRows = kIsFloat ? kFloatRows : kIntegerRows;
  using Cell = std::conditional_t<kIsFloat, float, int16_t>;

  static int64_t RowStep(int64_t depth) { return kIsFloat ? 1 : depth; }
  static constexpr int64_t kCellStep = kIsFloat ? kFloatRows : 1;
};

// Allocates a tile of floats or integers. The tile is persistent memory,
// because a temporary would need a place in the plan of the graph. Errors:
// those of NewPersistentBytes; ResourceExhausted if the depth is so large that
// no memory could hold the tile.
inline absl::StatusOr<void*> NewTile(OperatorContext& context, int64_t depth,
                                     bool is_float) {
  if (depth > int64_t{1} << 48) {
    return absl::ResourceExhaustedError(
        absl::StrCat("its filters have ", depth,
                     " elements each; expected no more than memory holds"));
  }
  const size_t row =
      is_float ? kFloatRows * sizeof(float) : kIntegerRows * sizeof(int16_t);
  return context.NewPersistentBytes(static_cast<size_t>(depth) * row);
}

// Copies elements to a row of a tile, and subtracts the zero point from
// integers.
inline void CopyToTile(const float* from, int64_t count, int32_t /*zero*/,
                       float* to) {
  for (int64_t i = 0; i < count; ++i) to[i * kFloatRows] = from[i];
}
template <typename T>
void CopyToTile(const T* from, int64_t count, int32_t zero, int16_t* to) {
  for (int64_t i = 0; i < count; ++i) {
    to[i] = static_cast<int16_t>(from[i] - zero);
  }
}

// A matrix of weights [channels, depth], and the zero point to subtract from
// each weight.
template <typename Weight>
struct TileWeights {
  const Weight* data;
  int64_t channels;
  int64_t depth;
  int32_t zero = 0;
};

// Calls finish(row, channel, sum) for each of the first `rows` rows of a tile
// and each channel, where `sum` is the sum of the products of the elements of
// the row with the weights of the channel. T is the type of the inputs for
// which the tile was created. O(rows * depth * channels).
template <typename T, typename Weight, typename Finish>
void MultiplyTile(const typename TileLayout<T>::Cell* tile, int64_t rows,
                  const TileWeights<Weight>& weights, const Finish& finish) {
  if constexpr (TileLayout<T>::kIsFloat) {
    tile_internal::MultiplyFloatTile(tile, rows, weights.depth, weights.data,
                                     weights.channels, finish);
  } else {
    tile_internal::MultiplyIntegerTile(tile, rows, weights.depth, weights.data,
                                       weights.zero, weights.channels, finish);
  }
}

// Calls finish(row, channel, sum) for each row in [0, count) and each channel,
// where `sum` is the sum of the products of the elements of the row with the
// weights of the channel. fill(row, cells) must copy a row of inputs of type T
// to the tile. O(count * depth * channels).
template <typename T, typename Weight, typename Fill, typename Finish>
void MultiplyRows(int64_t count, const TileWeights<Weight>& weights, void* tile,
                  const Fill& fill, const Finish& finish) {
  using Layout = TileLayout<T>;
  auto* const cells = static_cast<typename Layout::Cell*>(tile);
  for (int64_t begin = 0; begin < count; begin += Layout::kRows) {
    const int64_t rows = std::min(Layout::kRows, count - begin);
    for (int64_t i = 0; i < rows; ++i) {
      fill(begin + i, cells + i * Layout::RowStep(weights.depth));
    }
    MultiplyTile<T>(cells, rows, weights,
                    [&](int64_t i, int64_t channel, auto sum) {
                      finish(begin + i, channel, sum);
                    });
  }
}

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_KERNELS_TILE_H_
