// SPDX-License-Identifier: Apache-2.0
// Transformers, which compute attention between all positions of a sequence.
//
// Vaswani et al. 2017, section 3. Encoder of text: Devlin et al. 2018 (base).
// Encoder of images: Dosovitskiy et al. 2020, table 1 (base, patches of 16).
// Decoder: Radford et al. 2019, section 2.3, at a quarter of its depth.
#include <vector>

#include "data/networks/layers.h"
#include "data/networks/networks.h"

namespace stowage::networks {
namespace {

// Consists of the steps that converters write, because there is no single
// operator.
Tensor LayerNorm(Tensor x) {
  const Tensor mean = Mean(x, {-1});
  const Tensor variance = Mean(SquaredDifference(x, mean), {-1});
  const Tensor scale = MulChannels(Unary(Op::RSQRT, AddScalar(variance)));
  const Tensor scaled = Mul(x, scale);
  return Add(scaled, SubFromChannels(Mul(mean, scale)));
}

// Reshapes {batch, positions, width} to {batch, heads, positions, width /
// heads}.
Tensor SplitHeads(Tensor x, int heads) {
  x = Reshape(x, {x.dim(0), x.dim(1), heads, x.dim(2) / heads});
  return Transpose(x, {0, 2, 1, 3});
}

Tensor JoinHeads(Tensor x) {
  x = Transpose(x, {0, 2, 1, 3});
  return Reshape(x, {x.dim(0), x.dim(1), x.dim(2) * x.dim(3)});
}

// The operands of attention. Each query is compared with the keys and selects
// among the values.
struct Attended {
  Tensor queries;
  Tensor keys;
  Tensor values;
};

Attended Project(Tensor x, int heads) {
  const int width = x.dim(2);
  const Tensor queries = FullyConnected(x, width);
  const Tensor keys = FullyConnected(x, width);
  const Tensor values = FullyConnected(x, width);
  return {SplitHeads(queries, heads), SplitHeads(keys, heads),
          SplitHeads(values, heads)};
}

Tensor Scores(const Attended& attended) {
  return MulScalar(BatchMatMulTransposed(attended.queries, attended.keys));
}

Tensor Attend(Tensor scores, Tensor values) {
  const Tensor found = BatchMatMul(Unary(Op::SOFTMAX, scores), values);
  const Tensor joined = JoinHeads(found);
  return FullyConnected(joined, joined.dim(2));
}

Tensor FeedForward(Tensor x) {
  const int width = x.dim(2);
  return FullyConnected(Unary(Op::GELU, FullyConnected(x, 4 * width)), width);
}

// The keys and values that a decoder has stored for each layer about the
// positions that it has seen.
struct Memory {
  Tensor keys;
  Tensor values;
};

struct DecoderSize {
  int layers, width, heads, words;
};

// Runs the decoder on one position, which is appended to the memory.
Tensor Decode(Tensor token, const DecoderSize& size,
              std::vector<Memory>& memories) {
  Tensor x = Embedding(token, size.words, size.width, ElementType::FLOAT32);
  x = AddChannels(x);  // one row of the table of positions
  for (Memory& memory : memories) {
    Attended attended = Project(LayerNorm(x), size.heads);
    attended.keys = Concat({memory.keys, attended.keys}, 2);
    attended.values = Concat({memory.values, attended.values}, 2);
    memory = {attended.keys, attended.values};
    x = Add(x, Attend(Scores(attended), attended.values));
    x = Add(x, FeedForward(LayerNorm(x)));
  }
  return LayerNorm(x);
}

// Returns the most likely next word, {batch, 1}.
Tensor NextToken(Tensor x, int words) {
  const Tensor logits = FullyConnected(x, words);
  return x.network().Append(Op::ARG_MAX, {logits}, {x.dim(0), 1},
                            ElementType::INT32);
}

}  // namespace

void Bert(Network& network) {
  constexpr int kPositions = 128;
  constexpr int kWidth = 768;
  constexpr ElementType kType = ElementType::FLOAT32;
  const Tensor words = network.Input({1, kPositions}, ElementType::INT32);
  const Tensor segments = network.Input({1, kPositions}, ElementType::INT32);
  const Tensor mask = network.Input({1, 1, 1, kPositions});
  // Minus infinity where nothing may be read. It is live until the last layer.
  const Tensor hidden = MulScalar(AddScalar(mask));

  Tensor x = Embedding(words, 30522, kWidth, kType);
  x = Add(x, Embedding(segments, 2, kWidth, kType));
  x = LayerNorm(Add(x, network.Weights({kPositions, kWidth}, kType)));
  for (int layer = 0; layer < 12; ++layer) {
    const Attended attended = Project(x, /*heads=*/12);
    const Tensor scores = Add(Scores(attended), hidden);
    x = LayerNorm(Add(x, Attend(scores, attended.values)));
    x = LayerNorm(Add(x, FeedForward(x)));
  }
  for (Tensor end : Unpack(FullyConnected(x, 2), 2)) network.Output(end);
}

void VisionTransformerHalf(Network& network) {
  constexpr int kWidth = 768;
  const Tensor image = network.Input({1, 224, 224, 3}, ElementType::FLOAT16);
  Tensor x = Conv(image, kWidth, Window(16, 16));
  x = Reshape(x, {1, x.dim(1) * x.dim(2), kWidth});
  const Tensor summary = network.Weights({1, 1, kWidth}, x.type());
  x = Concat({summary, x}, 1);
  x = Add(x, network.Weights({x.dim(1), kWidth}, x.type()));
  for (int layer = 0; layer < 12; ++layer) {
    const Attended attended = Project(LayerNorm(x), /*heads=*/12);
    x = Add(x, Attend(Scores(attended), attended.values));
    x = Add(x, FeedForward(LayerNorm(x)));
  }
  x = Slice(LayerNorm(x), {1, 1, kWidth});
  network.Output(Unary(Op::SOFTMAX, FullyConnected(Flatten(x), 1000)));
}

void DecoderWithCache(Network& network) {
  constexpr DecoderSize kSize = {3, 768, 12, 50257};
  constexpr int kPrompt = 100;
  constexpr int kGenerated = 6;
  Tensor token = network.Input({1, 1}, ElementType::INT32);
  const Shape seen = {1, kSize.heads, kPrompt, kSize.width / kSize.heads};
  std::vector<Memory> memories;
  for (int layer = 0; layer < kSize.layers; ++layer) {
    const Tensor keys = network.Input(seen);
    memories.push_back({keys, network.Input(seen)});
  }
  for (int i = 0; i < kGenerated; ++i) {
    token = NextToken(Decode(token, kSize, memories), kSize.words);
    network.Output(token);
  }
}

}  // namespace stowage::networks
