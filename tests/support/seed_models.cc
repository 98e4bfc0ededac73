// SPDX-License-Identifier: Apache-2.0
#include "tests/support/seed_models.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "flatbuffers/flexbuffers.h"
#include "model_schema/model_generated.h"
#include "src/tflite/model_draft.h"
#include "tests/support/example_model.h"
#include "tests/support/indexed_seed_models.h"
#include "tests/support/net_builder.h"

namespace stowage {
namespace {

using tflite::BuiltinOperator;
using tflite::TensorType;
using Floats = std::vector<float>;
using Bytes = std::vector<int8_t>;

// Adds a chain of operators that begins with `x`, and returns the last output.
int32_t Chain(NetBuilder* net, int32_t x, const std::vector<int32_t>& shape,
              std::initializer_list<BuiltinOperator> codes) {
  for (const BuiltinOperator code : codes) x = net->Add(code, {x}, shape);
  return x;
}

ModelSpec Unary() {
  NetBuilder net;
  const std::vector<int32_t> shape = {2, 3};
  int32_t x = Chain(&net, net.Input(shape), shape,
                    {BuiltinOperator::ABS,
                     BuiltinOperator::SQRT,
                     BuiltinOperator::EXP,
                     BuiltinOperator::RSQRT,
                     BuiltinOperator::LOG,
                     BuiltinOperator::SIN,
                     BuiltinOperator::COS,
                     BuiltinOperator::SQUARE,
                     BuiltinOperator::NEG,
                     BuiltinOperator::HARD_SWISH,
                     BuiltinOperator::TANH,
                     BuiltinOperator::LOGISTIC,
                     BuiltinOperator::RELU,
                     BuiltinOperator::RELU6,
                     BuiltinOperator::RELU_0_TO_1,
                     BuiltinOperator::RELU_N1_TO_1,
                     BuiltinOperator::L2_NORMALIZATION,
                     BuiltinOperator::CEIL,
                     BuiltinOperator::ROUND,
                     BuiltinOperator::FLOOR});
  tflite::LeakyReluOptionsT leaky;
  leaky.alpha = 0.5F;
  x = net.Add(BuiltinOperator::LEAKY_RELU, {x}, shape, leaky);
  tflite::SoftmaxOptionsT softmax;
  softmax.beta = 1;
  x = net.Add(BuiltinOperator::SOFTMAX, {x}, shape, softmax);
  const int32_t alpha = net.Constant<float>({3}, {0.1F, 0.2F, 0.3F});
  x = net.Add(BuiltinOperator::PRELU, {x, alpha}, shape);
  net.MarkOutput(net.Add(BuiltinOperator::ZEROS_LIKE, {x}, shape));
  net.MarkOutput(x);
  return net.spec();
}

ModelSpec Binary() {
  NetBuilder net;
  const std::vector<int32_t> shape = {2, 4};
  int32_t x = net.Input(shape);
  const int32_t y = net.Input({4});
  for (const BuiltinOperator code :
       {BuiltinOperator::ADD, BuiltinOperator::MUL, BuiltinOperator::SUB,
        BuiltinOperator::DIV, BuiltinOperator::MAXIMUM,
        BuiltinOperator::MINIMUM, BuiltinOperator::SQUARED_DIFFERENCE}) {
    x = net.Add(code, {x, y}, shape);
  }
  net.SetType(TensorType::BOOL);
  int32_t all = net.Add(BuiltinOperator::EQUAL, {x, y}, shape);
  for (const BuiltinOperator code :
       {BuiltinOperator::NOT_EQUAL, BuiltinOperator::LESS,
        BuiltinOperator::LESS_EQUAL, BuiltinOperator::GREATER,
        BuiltinOperator::GREATER_EQUAL}) {
    const int32_t one = net.Add(code, {x, y}, shape);
    all = net.Add(BuiltinOperator::LOGICAL_OR, {all, one}, shape);
  }
  const int32_t none = net.Add(BuiltinOperator::LOGICAL_NOT, {all}, shape);
  all = net.Add(BuiltinOperator::LOGICAL_AND, {all, none}, shape);
  net.SetType(TensorType::FLOAT32);
  const int32_t sum = net.Add(BuiltinOperator::ADD, {x, y}, shape);
  const int32_t chosen = net.Add(BuiltinOperator::SELECT, {all, x, sum}, shape);
  net.MarkOutput(net.Add(BuiltinOperator::SELECT_V2, {all, y, chosen}, shape));
  return net.spec();
}

ModelSpec Reductions() {
  NetBuilder net;
  const int32_t x = net.Input({2, 3, 4});
  const int32_t axes = net.List({0, -1});
  for (const BuiltinOperator code :
       {BuiltinOperator::SUM, BuiltinOperator::MEAN,
        BuiltinOperator::REDUCE_MAX, BuiltinOperator::REDUCE_MIN,
        BuiltinOperator::REDUCE_PROD}) {
    net.MarkOutput(net.Add(code, {x, axes}, {3}, tflite::ReducerOptionsT()));
  }
  const int32_t last = net.Numbers({}, {2});
  net.SetType(TensorType::INT64);
  tflite::ArgMaxOptionsT largest;
  largest.output_type = TensorType::INT64;
  net.MarkOutput(net.Add(BuiltinOperator::ARG_MAX, {x, last}, {2, 3}, largest));
  tflite::ArgMinOptionsT least;
  least.output_type = TensorType::INT64;
  net.MarkOutput(net.Add(BuiltinOperator::ARG_MIN, {x, last}, {2, 3}, least));
  net.SetType(TensorType::BOOL);
  tflite::CastOptionsT cast;
  cast.out_data_type = TensorType::BOOL;
  const int32_t truth = net.Add(BuiltinOperator::CAST, {x}, {2, 3, 4}, cast);
  for (const BuiltinOperator code :
       {BuiltinOperator::REDUCE_ALL, BuiltinOperator::REDUCE_ANY}) {
    tflite::ReducerOptionsT keeps;
    keeps.keep_dims = true;
    net.MarkOutput(net.Add(code, {truth, axes}, {1, 3, 1}, keeps));
  }
  return net.spec();
}

// Returns a model of operators that only change shapes, one after another.
ModelSpec Shapes() {
  NetBuilder net;
  int32_t x = net.Input({1, 2, 6});
  tflite::ReshapeOptionsT reshape;
  reshape.new_shape = {2, 3, -1};
  x = net.Add(BuiltinOperator::RESHAPE, {x, net.List({2, 3, -1})}, {2, 3, 2},
              reshape);
  const int32_t axis = net.Numbers({}, {1});
  x = net.Add(BuiltinOperator::EXPAND_DIMS, {x, axis}, {2, 1, 3, 2});
  tflite::SqueezeOptionsT squeeze;
  squeeze.squeeze_dims = {1};
  x = net.Add(BuiltinOperator::SQUEEZE, {x}, {2, 3, 2}, squeeze);
  x = net.Add(BuiltinOperator::TRANSPOSE, {x, net.List({2, 0, 1})}, {2, 2, 3});
  x = net.Add(BuiltinOperator::TILE, {x, net.List({1, 2, 1})}, {2, 4, 3});
  const int32_t pads = net.Numbers({3, 2}, {0, 0, 1, 1, 0, 1});
  x = net.Add(BuiltinOperator::PAD, {x, pads}, {2, 6, 4});
  const int32_t seven = net.Constant<float>({1}, {7});
  x = net.Add(BuiltinOperator::PADV2, {x, pads, seven}, {2, 8, 5});
  tflite::MirrorPadOptionsT mirror;
  x = net.Add(BuiltinOperator::MIRROR_PAD, {x, pads}, {2, 10, 6}, mirror);
  x = net.Add(BuiltinOperator::SLICE,
              {x, net.List({0, 1, 0}), net.List({-1, 8, 4})}, {2, 8, 4});
  tflite::StridedSliceOptionsT strided;
  strided.begin_mask = 1;
  strided.shrink_axis_mask = 1;
  x = net.Add(
      BuiltinOperator::STRIDED_SLICE,
      {x, net.List({0, 7, 0}), net.List({1, 0, 4}), net.List({1, -2, 1})},
      {4, 4}, strided);
  tflite::GatherOptionsT gather;
  x = net.Add(BuiltinOperator::GATHER, {x, net.List({3, 0})}, {2, 4}, gather);
  x = net.Add(BuiltinOperator::BROADCAST_TO, {x, net.List({2, 2, 4})},
              {2, 2, 4});
  net.MarkOutput(x);
  return net.spec();
}

// Returns a model of operators that split and join tensors.
ModelSpec Pieces() {
  NetBuilder net;
  const int32_t x = net.Input({2, 4, 4});
  const int32_t axis = net.Numbers({}, {1});
  tflite::SplitOptionsT split;
  split.num_splits = 2;
  const int32_t a = net.Tensor({2, 2, 4});
  const int32_t b = net.Tensor({2, 2, 4});
  net.AddOperator(BuiltinOperator::SPLIT, {axis, x}, {a, b}).options.Set(split);
  const int32_t sizes = net.List({3, -1});
  const int32_t c = net.Tensor({2, 3, 4});
  const int32_t d = net.Tensor({2, 1, 4});
  tflite::SplitVOptionsT split_v;
  split_v.num_splits = 2;
  net.AddOperator(BuiltinOperator::SPLIT_V, {x, sizes, axis}, {c, d})
      .options.Set(split_v);
  tflite::ConcatenationOptionsT concatenation;
  concatenation.axis = -2;
  net.MarkOutput(net.Add(BuiltinOperator::CONCATENATION, {a, c, d, b},
                         {2, 8, 4}, concatenation));
  tflite::PackOptionsT pack;
  pack.values_count = 2;
  const int32_t packed =
      net.Add(BuiltinOperator::PACK, {a, b}, {2, 2, 2, 4}, pack);
  const int32_t e = net.Tensor({2, 2, 4});
  const int32_t f = net.Tensor({2, 2, 4});
  tflite::UnpackOptionsT unpack;
  unpack.num = 2;
  unpack.axis = 1;
  net.AddOperator(BuiltinOperator::UNPACK, {packed}, {e, f})
      .options.Set(unpack);
  net.MarkOutput(e);
  tflite::SpaceToDepthOptionsT blocks;
  blocks.block_size = 2;
  const int32_t deep =
      net.Add(BuiltinOperator::SPACE_TO_DEPTH, {packed}, {2, 1, 1, 16}, blocks);
  tflite::DepthToSpaceOptionsT pixels;
  pixels.block_size = 2;
  net.MarkOutput(
      net.Add(BuiltinOperator::DEPTH_TO_SPACE, {deep}, {2, 2, 2, 4}, pixels));
  return net.spec();
}

// Returns a model in which the shapes of some tensors are computed during the
// run.
ModelSpec Computed() {
  NetBuilder net;
  const int32_t x = net.Input({2, 3});
  net.SetType(TensorType::INT32);
  const int32_t limit = net.Input({});
  const int32_t zero = net.Numbers({}, {0});
  const int32_t one = net.Numbers({}, {1});
  const int32_t least = net.Numbers({}, {3});
  const int32_t count = net.Add(BuiltinOperator::MAXIMUM, {limit, least}, {});
  const int32_t range = net.Add(BuiltinOperator::RANGE, {zero, count, one}, {});
  tflite::ShapeOptionsT type;
  type.out_type = TensorType::INT32;
  const int32_t shape = net.Add(BuiltinOperator::SHAPE, {x}, {2}, type);
  const int32_t length = net.Add(BuiltinOperator::SHAPE, {range}, {1}, type);
  net.MarkOutput(net.Add(BuiltinOperator::FILL, {length, one}, {}));
  net.SetType(TensorType::FLOAT32);
  const int32_t filled = net.Add(BuiltinOperator::FILL,
                                 {shape, net.Constant<float>({}, {2})}, {2, 3});
  const int32_t again =
      net.Add(BuiltinOperator::RESHAPE, {filled, shape}, {2, 3});
  net.MarkOutput(net.Add(BuiltinOperator::ADD, {again, x}, {2, 3}));
  net.SetType(TensorType::INT64);
  net.MarkOutput(net.Add(BuiltinOperator::WHERE, {x}, {6, 2}));
  return net.spec();
}

ModelSpec Images() {
  NetBuilder net;
  int32_t x = net.Input({1, 4, 4, 2});
  tflite::Conv2DOptionsT conv;
  conv.stride_h = conv.stride_w = 1;
  const int32_t weights = net.Constant<float>({2, 2, 2, 2}, Floats(16, 0.5F));
  const int32_t bias = net.Constant<float>({2}, {1, -1});
  x = net.Add(BuiltinOperator::CONV_2D, {x, weights, bias}, {1, 4, 4, 2}, conv);
  tflite::DepthwiseConv2DOptionsT depthwise;
  depthwise.stride_h = depthwise.stride_w = 1;
  depthwise.depth_multiplier = 1;
  const int32_t taps = net.Constant<float>({1, 3, 3, 2}, Floats(18, 0.25F));
  x = net.Add(BuiltinOperator::DEPTHWISE_CONV_2D, {x, taps, bias}, {1, 4, 4, 2},
              depthwise);
  tflite::Pool2DOptionsT pool;
  pool.stride_h = pool.stride_w = pool.filter_height = pool.filter_width = 2;
  const int32_t max =
      net.Add(BuiltinOperator::MAX_POOL_2D, {x}, {1, 2, 2, 2}, pool);
  const int32_t mean =
      net.Add(BuiltinOperator::AVERAGE_POOL_2D, {x}, {1, 2, 2, 2}, pool);
  x = net.Add(BuiltinOperator::ADD, {max, mean}, {1, 2, 2, 2},
              tflite::AddOptionsT());
  const int32_t size = net.List({3, 3});
  tflite::ResizeBilinearOptionsT bilinear;
  bilinear.half_pixel_centers = true;
  x = net.Add(BuiltinOperator::RESIZE_BILINEAR, {x, size}, {1, 3, 3, 2},
              bilinear);
  x = net.Add(BuiltinOperator::RESIZE_NEAREST_NEIGHBOR, {x, net.List({2, 2})},
              {1, 2, 2, 2}, tflite::ResizeNearestNeighborOptionsT());
  tflite::TransposeConvOptionsT back;
  back.stride_h = back.stride_w = 2;
  x = net.Add(BuiltinOperator::TRANSPOSE_CONV,
              {net.List({1, 4, 4, 2}), weights, x}, {1, 4, 4, 2}, back);
  const int32_t larger = net.Tensor({1, 4, 4, 2});
  net.AddOperator(BuiltinOperator::CUSTOM, {x, weights, bias}, {larger},
                  "Convolution2DTransposeBias")
      .custom_options = {1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0};
  net.MarkOutput(larger);
  return net.spec();
}

ModelSpec Matrices() {
  NetBuilder net;
  int32_t x = net.Input({3, 4});
  tflite::FullyConnectedOptionsT full;
  full.fused_activation_function = tflite::ActivationFunctionType::RELU;
  const int32_t weights = net.Constant<float>({4, 4}, Floats(16, 0.5F));
  const int32_t bias = net.Constant<float>({4}, {1, 2, -3, 4});
  x = net.Add(BuiltinOperator::FULLY_CONNECTED, {x, weights, bias}, {3, 4},
              full);
  tflite::BatchMatMulOptionsT product;
  product.adj_y = true;
  x = net.Add(BuiltinOperator::BATCH_MATMUL, {x, x}, {3, 3}, product);
  net.MarkOutput(x);
  return net.spec();
}

ModelSpec Quantised() {
  NetBuilder net;
  int32_t x = net.Input({1, 4, 4, 2});
  net.SetType(TensorType::INT8, 0.25F, -3);
  x = net.Add(BuiltinOperator::QUANTIZE, {x}, {1, 4, 4, 2});
  net.SetType(TensorType::INT8, 0.5F);
  const int32_t weights = net.Constant<int8_t>({2, 1, 1, 2}, {1, -2, 3, 4});
  const int32_t taps = net.Constant<int8_t>({1, 2, 2, 2}, Bytes(8, 3));
  const int32_t matrix = net.Constant<int8_t>({2, 8}, Bytes(16, -1));
  net.SetType(TensorType::INT32, 0.125F);
  const int32_t bias = net.Constant<int32_t>({2}, {5, -6});
  net.SetType(TensorType::INT8, 0.25F, -3);
  tflite::Conv2DOptionsT conv;
  conv.stride_h = conv.stride_w = 1;
  x = net.Add(BuiltinOperator::CONV_2D, {x, weights, bias}, {1, 4, 4, 2}, conv);
  tflite::DepthwiseConv2DOptionsT depthwise;
  depthwise.stride_h = depthwise.stride_w = 2;
  depthwise.depth_multiplier = 1;
  const int32_t y = net.Add(BuiltinOperator::DEPTHWISE_CONV_2D, {x, taps, bias},
                            {1, 2, 2, 2}, depthwise);
  tflite::Pool2DOptionsT pool;
  pool.stride_h = pool.stride_w = pool.filter_height = pool.filter_width = 2;
  const int32_t z =
      net.Add(BuiltinOperator::AVERAGE_POOL_2D, {x}, {1, 2, 2, 2}, pool);
  x = net.Add(BuiltinOperator::ADD, {y, z}, {1, 2, 2, 2},
              tflite::AddOptionsT());
  x = net.Add(BuiltinOperator::MUL, {x, z}, {1, 2, 2, 2},
              tflite::MulOptionsT());
  const int32_t mean = net.Add(BuiltinOperator::MEAN, {x, net.List({1, 2})},
                               {1, 2}, tflite::ReducerOptionsT());
  x = net.Add(BuiltinOperator::RESHAPE, {x, net.List({1, 8})}, {1, 8});
  x = net.Add(BuiltinOperator::FULLY_CONNECTED, {x, matrix, bias}, {1, 2},
              tflite::FullyConnectedOptionsT());
  tflite::ConcatenationOptionsT both;
  both.axis = 1;
  x = net.Add(BuiltinOperator::CONCATENATION, {x, mean}, {1, 4}, both);
  net.SetType(TensorType::INT8, 1.0F / 256, -128);
  const int32_t logistic = net.Add(BuiltinOperator::LOGISTIC, {x}, {1, 4});
  tflite::SoftmaxOptionsT softmax;
  softmax.beta = 1;
  const int32_t share =
      net.Add(BuiltinOperator::SOFTMAX, {logistic}, {1, 4}, softmax);
  net.SetType(TensorType::INT8, 1.0F / 128);
  net.MarkOutput(net.Add(BuiltinOperator::TANH, {share}, {1, 4}));
  net.SetType(TensorType::FLOAT32);
  net.MarkOutput(net.Add(BuiltinOperator::DEQUANTIZE, {share}, {1, 4}));
  return net.spec();
}

// Returns a model of operators that keep state between invocations.
ModelSpec Recurrent() {
  NetBuilder net;
  const int32_t x = net.Input({1, 2, 2});
  // The LSTM has four gates, and no peepholes, projection or normalization.
  std::vector<int32_t> inputs = {x};
  for (int gate = 0; gate < 4; ++gate) {
    inputs.push_back(net.Constant<float>({2, 2}, {1, -1, 0.5F, 0.25F}));
  }
  for (int gate = 0; gate < 4; ++gate) {
    inputs.push_back(net.Constant<float>({2, 2}, {0.5F, 1, -1, 0.125F}));
  }
  inputs.insert(inputs.end(), {-1, -1, -1});
  for (int gate = 0; gate < 4; ++gate) {
    inputs.push_back(net.Constant<float>({2}, {0.5F, -0.5F}));
  }
  inputs.insert(inputs.end(), {-1, -1});
  inputs.push_back(net.Variable({1, 2}));
  inputs.push_back(net.Variable({1, 2}));
  inputs.insert(inputs.end(), {-1, -1, -1, -1});
  tflite::UnidirectionalSequenceLSTMOptionsT lstm;
  lstm.fused_activation_function = tflite::ActivationFunctionType::TANH;
  int32_t y = net.Add(BuiltinOperator::UNIDIRECTIONAL_SEQUENCE_LSTM, inputs,
                      {1, 2, 2}, lstm);
  y = net.Add(BuiltinOperator::RESHAPE, {y, net.List({2, 2})}, {2, 2});
  tflite::SVDFOptionsT svdf;
  svdf.rank = 2;
  const int32_t features = net.Constant<float>({2, 2}, {10, 1, 1, -1});
  const int32_t times = net.Constant<float>({2, 3}, {100, 10, 1, 5, 3, 2});
  const int32_t bias = net.Constant<float>({1}, {0.5F});
  net.MarkOutput(net.Add(BuiltinOperator::SVDF,
                         {y, features, times, bias, net.Variable({2, 6})},
                         {2, 1}, svdf));
  return net.spec();
}

tflite::VarHandleOptionsT Named() {
  tflite::VarHandleOptionsT options;
  options.container = "c";
  options.shared_name = "v";
  return options;
}

// Returns a model with a resource variable. Subgraph 1 sets the variable, and
// subgraph 0 adds the input of the model to the variable.
ModelSpec Resources() {
  NetBuilder net;
  const int32_t x = net.Input({1, 4});
  tflite::CallOnceOptionsT call;
  call.init_subgraph_index = 1;
  net.AddOperator(BuiltinOperator::CALL_ONCE, {}, {}).options.Set(call);
  net.SetType(TensorType::RESOURCE);
  const int32_t handle = net.Add(BuiltinOperator::VAR_HANDLE, {}, {}, Named());
  net.SetType(TensorType::FLOAT32);
  const int32_t value =
      net.Add(BuiltinOperator::READ_VARIABLE, {handle}, {1, 4});
  const int32_t sum = net.Add(BuiltinOperator::ADD, {value, x}, {1, 4});
  net.AddOperator(BuiltinOperator::ASSIGN_VARIABLE, {handle, sum}, {});
  net.MarkOutput(sum);
  net.BeginSubgraph();
  const int32_t first = net.Constant<float>({1, 4}, {1, 2, 3, 4});
  net.SetType(TensorType::RESOURCE);
  const int32_t same = net.Add(BuiltinOperator::VAR_HANDLE, {}, {}, Named());
  net.AddOperator(BuiltinOperator::ASSIGN_VARIABLE, {same, first}, {});
  return net.spec();
}

ModelSpec Detection() {
  NetBuilder net;
  const int32_t boxes = net.Input({1, 4, 4});
  const int32_t scores = net.Input({1, 4, 3});
  const int32_t anchors = net.Constant<float>(
      {4, 4}, {0, 0, 1, 1, 0, 0, 1, 1, 10, 10, 1, 1, 20, 20, 1, 1});
  const std::vector<int32_t> outputs = {net.Tensor({1, 3, 4}),
                                        net.Tensor({1, 3}), net.Tensor({1, 3}),
                                        net.Tensor({1})};
  net.AddOperator(BuiltinOperator::CUSTOM, {boxes, scores, anchors}, outputs,
                  "TFLite_Detection_PostProcess")
      .custom_options = SeedDetectionOptions();
  for (const int32_t output : outputs) net.MarkOutput(output);
  return net.spec();
}

}  // namespace

std::vector<uint8_t> SeedDetectionOptions() {
  flexbuffers::Builder builder;
  builder.Map([&] {
    builder.Int("max_detections", 3);
    builder.Int("max_classes_per_detection", 1);
    builder.Int("detections_per_class", 2);
    builder.Bool("use_regular_nms", true);
    builder.Float("nms_score_threshold", 0.125F);
    builder.Float("nms_iou_threshold", 0.5F);
    builder.Int("num_classes", 2);
    builder.Float("y_scale", 10);
    builder.Float("x_scale", 10);
    builder.Float("h_scale", 5);
    builder.Float("w_scale", 5);
  });
  builder.Finish();
  return builder.GetBuffer();
}

std::vector<SeedModel> SeedModels() {
  return {{"binary", Binary()},           {"blocks", SeedBlocks()},
          {"computed", Computed()},       {"detection", Detection()},
          {"example", ExampleModel()},    {"images", Images()},
          {"matrices", Matrices()},       {"pieces", Pieces()},
          {"quantised", Quantised()},     {"recurrent", Recurrent()},
          {"reductions", Reductions()},   {"resources", Resources()},
          {"selection", SeedSelection()}, {"shapes", Shapes()},
          {"sparse", SeedSparse()},       {"unary", Unary()}};
}

std::vector<SeedModel> SeedRunCalls() {
  // Each description begins with the strategy and the flags of an interpreter,
  // followed by a list of calls. Each call is a number and its arguments: 0 new
  // interpreter, 1 select subgraph, 2 resize, 3 allocate, 5 invoke, 7 write
  // inputs, 8 reset variables, 9 reset all, 10 cancel, 11 select signature.
  std::vector<SeedModel> seeds = {{"again", ExampleModel()},
                                  {"resized", Matrices()},
                                  {"recurrent", Recurrent()},
                                  {"resources", Resources()},
                                  {"computed", Computed()}};
  seeds[0].spec.description = {1, 8, 5, 3, 7, 1, 5, 10, 5, 0, 7, 6, 3, 5};
  seeds[1].spec.description = {0, 0, 3, 5, 2, 0, 2, 7, 6, 7, 1, 3, 7, 2, 5};
  seeds[2].spec.description = {3, 4, 3, 7, 1, 5, 5, 8, 5, 9, 5};
  seeds[3].spec.description = {7, 8, 3, 5, 5, 9, 5, 1, 1, 3, 5, 1, 0, 5};
  seeds[4].spec.description = {5, 16, 3, 5, 7, 9, 5, 2, 1, 0, 3, 5, 11, 0};
  return seeds;
}

}  // namespace stowage
