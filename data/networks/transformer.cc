// SPDX-License-Identifier: Apache-2.0
// Transformers, which compute attention between all positions of a sequence.
//
// Vaswani et al. 2017, section 3. Encoder of text: Devlin et al. 2018 (base).
// Encoder of images: Dosovitskiy et al. 2020, table 1 (base, patches of 16).
// Decoder: Radford et al. 2019, section 2.3, at a quarter of its depth, and in
// full where it has parameters.
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
  const Extent width = x.dim(2);
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
  const Extent width = x.dim(2);
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

void BertOf(Network& network, const Extent& batch, const Extent& positions) {
  constexpr int kWidth = 768;
  constexpr ElementType kType = ElementType::FLOAT32;
  const Tensor words = network.Input({batch, positions}, ElementType::INT32);
  const Tensor segments = network.Input({batch, positions}, ElementType::INT32);
  const Tensor mask = network.Input({batch, 1, 1, positions});
  // Minus infinity where nothing may be read. It is live until the last layer.
  const Tensor hidden = MulScalar(AddScalar(mask));

  Tensor x = Embedding(words, 30522, kWidth, kType);
  x = Add(x, Embedding(segments, 2, kWidth, kType));
  x = LayerNorm(Add(x, network.Weights({positions, kWidth}, kType)));
  for (int layer = 0; layer < 12; ++layer) {
    const Attended attended = Project(x, /*heads=*/12);
    const Tensor scores = Add(Scores(attended), hidden);
    x = LayerNorm(Add(x, Attend(scores, attended.values)));
    x = LayerNorm(Add(x, FeedForward(x)));
  }
  for (Tensor end : Unpack(FullyConnected(x, 2), 2)) network.Output(end);
}

void VisionTransformerOf(Network& network, const Extent& size,
                         ElementType type) {
  constexpr int kWidth = 768;
  const Tensor image = network.Input({1, size, size, 3}, type);
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

// Runs the decoder on some words after those of a cache, whose keys and values
// are inputs. Those of the words are outputs, which the caller appends.
void DecoderOf(Network& network, const Extent& words, const Extent& cache) {
  constexpr DecoderSize kSize = {12, 768, 12, 50257};
  const Tensor tokens = network.Input({1, words}, ElementType::INT32);
  const Shape seen = {1, kSize.heads, cache, kSize.width / kSize.heads};
  Tensor x = Embedding(tokens, kSize.words, kSize.width, ElementType::FLOAT32);
  x = Add(x, network.Weights({words, kSize.width}, x.type()));
  for (int layer = 0; layer < kSize.layers; ++layer) {
    const Tensor seen_keys = network.Input(seen);
    const Tensor seen_values = network.Input(seen);
    const Attended attended = Project(LayerNorm(x), kSize.heads);
    network.Output(attended.keys);
    network.Output(attended.values);
    const Tensor keys = Concat({seen_keys, attended.keys}, 2);
    const Tensor values = Concat({seen_values, attended.values}, 2);
    x = Add(x, Attend(Scores({attended.queries, keys, values}), values));
    x = Add(x, FeedForward(LayerNorm(x)));
  }
  // The word after the last one.
  x = Slice(LayerNorm(x), {1, 1, kSize.width});
  network.Output(NextToken(x, kSize.words));
}

// Mixes rows with the rows that they attend to.
Tensor AttendTo(Tensor x, Tensor rows, int heads) {
  const Extent width = x.dim(2);
  const Tensor queries = SplitHeads(FullyConnected(x, width), heads);
  const Tensor keys = SplitHeads(FullyConnected(rows, width), heads);
  const Tensor values = SplitHeads(FullyConnected(rows, width), heads);
  return Attend(Scores({queries, keys, values}), values);
}

}  // namespace

void Bert(Network& network) { BertOf(network, 1, 128); }

void BertBySequence(Network& network) {
  BertOf(network, 1, network.Parameter({"seq", 16, 512}));
}

void BertByBatch(Network& network) {
  BertOf(network, network.Parameter({"batch", 1, 32}), 128);
}

void BertByBatchAndSequence(Network& network) {
  const Extent batch = network.Parameter({"batch", 1, 32});
  const Extent positions = network.Parameter({"seq", 16, 512, 16});
  network.Where("batch*seq <= 4096");
  BertOf(network, batch, positions);
}

void VisionTransformerHalf(Network& network) {
  VisionTransformerOf(network, 224, ElementType::FLOAT16);
}

void VisionTransformerByImage(Network& network) {
  VisionTransformerOf(network, network.Parameter({"image", 96, 512, 16}),
                      ElementType::FLOAT32);
}

void DecoderByCache(Network& network) {
  DecoderOf(network, 1, network.Parameter({"cache", 0, 4095}));
}

void DecoderByWordsAndCache(Network& network) {
  const Extent words = network.Parameter({"n", 1, 512});
  DecoderOf(network, words, network.Parameter({"cache", 0, 4096, 16}));
}

void SpeechByFramesAndTokens(Network& network) {
  constexpr int kWidth = 384;
  constexpr int kHeads = 6;
  constexpr int kLayers = 4;
  constexpr int kWords = 51865;
  const Extent frames = network.Parameter({"frames", 100, 3000, 100});
  const Extent tokens = network.Parameter({"tokens", 1, 448});
  Window window = Window::Rectangle(3, 1);
  const Tensor sound = network.Input({1, frames, 1, 80});
  Tensor heard = Unary(Op::GELU, Conv(sound, kWidth, window));
  window.stride = 2;
  heard = Unary(Op::GELU, Conv(heard, kWidth, window));
  heard = Reshape(heard, {1, heard.dim(1), kWidth});
  heard = Add(heard, network.Weights({heard.dim(1), kWidth}, heard.type()));
  for (int layer = 0; layer < kLayers; ++layer) {
    const Tensor rows = LayerNorm(heard);
    heard = Add(heard, AttendTo(rows, rows, kHeads));
    heard = Add(heard, FeedForward(LayerNorm(heard)));
  }
  heard = LayerNorm(heard);
  const Tensor words = network.Input({1, tokens}, ElementType::INT32);
  Tensor x = Embedding(words, kWords, kWidth, ElementType::FLOAT32);
  x = Add(x, network.Weights({tokens, kWidth}, x.type()));
  for (int layer = 0; layer < kLayers; ++layer) {
    const Tensor rows = LayerNorm(x);
    x = Add(x, AttendTo(rows, rows, kHeads));
    x = Add(x, AttendTo(LayerNorm(x), heard, kHeads));
    x = Add(x, FeedForward(LayerNorm(x)));
  }
  network.Output(NextToken(LayerNorm(x), kWords));
}

void LoopOverRows(Network& network) {
  constexpr int kRows = 64;
  constexpr int kWidth = 256;
  const Extent i = network.Parameter({"i", 1, kRows - 2});
  const Tensor row = network.Input({1, 1, kWidth});
  const Tensor before = network.Input({1, i, kWidth});
  const Tensor after = network.Input({1, Extent(kRows - 1) - i, kWidth});
  const Tensor query = FullyConnected(row, kWidth);
  const Tensor keys_before = FullyConnected(before, kWidth);
  const Tensor scores_before = BatchMatMulTransposed(query, keys_before);
  const Tensor values_before = FullyConnected(before, kWidth);
  const Tensor keys_after = FullyConnected(after, kWidth);
  const Tensor scores_after = BatchMatMulTransposed(query, keys_after);
  const Tensor values_after = FullyConnected(after, kWidth);
  const Tensor weights_before = Unary(Op::SOFTMAX, MulScalar(scores_before));
  const Tensor weights_after = Unary(Op::SOFTMAX, MulScalar(scores_after));
  const Tensor found_before = BatchMatMul(weights_before, values_before);
  const Tensor found_after = BatchMatMul(weights_after, values_after);
  Tensor x =
      Add(row, FullyConnected(Concat({found_before, found_after}, 2), kWidth));
  network.Output(Add(x, FeedForward(x)));
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
