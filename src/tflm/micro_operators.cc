// SPDX-License-Identifier: Apache-2.0
// Lists what TensorFlow Lite Micro can load, for the commit kMicroCommit
// (micro_trace.h): the types and operators, and the number of tensors of each
// operator.
#include "src/tflm/micro_operators.h"

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/tflm/micro_kernels.h"
#include "stowage/error_payload.h"
#include "stowage/tflite/calls.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_arena.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage {
namespace {

// The allowed number of inputs or outputs of an operator. Its Prepare checks
// this number, or at least reads that many tensors.
struct Count {
  size_t min = 0;
  size_t max = 0;
};
constexpr size_t kAny = kAbsent;

struct OperatorRow {
  absl::string_view name;
  // The function of TensorFlow Lite Micro's resolver that adds the kernel.
  absl::string_view adder;
  Count inputs;
  Count outputs;
};

constexpr OperatorRow kBuiltins[] = {
    {"ABS", "AddAbs", {1, 1}, {1, 1}},
    {"ADD", "AddAdd", {2, kAny}, {1, kAny}},
    {"ADD_N", "AddAddN", {2, kAny}, {1, 1}},
    {"ARG_MAX", "AddArgMax", {2, kAny}, {1, kAny}},
    {"ARG_MIN", "AddArgMin", {2, kAny}, {1, kAny}},
    {"ASSIGN_VARIABLE", "AddAssignVariable", {2, 2}, {0, 0}},
    {"AVERAGE_POOL_2D", "AddAveragePool2D", {1, kAny}, {1, kAny}},
    {"BATCH_MATMUL", "AddBatchMatMul", {2, 2}, {1, 1}},
    {"BATCH_TO_SPACE_ND", "AddBatchToSpaceNd", {3, 3}, {1, 1}},
    {"BROADCAST_ARGS", "AddBroadcastArgs", {2, 2}, {1, 1}},
    {"BROADCAST_TO", "AddBroadcastTo", {2, 2}, {1, 1}},
    {"CALL_ONCE", "AddCallOnce", {0, 0}, {0, 0}},
    {"CAST", "AddCast", {1, 1}, {1, 1}},
    {"CEIL", "AddCeil", {1, 1}, {1, 1}},
    {"CONCATENATION", "AddConcatenation", {1, 10}, {1, kAny}},
    {"CONV_2D", "AddConv2D", {2, 3}, {1, 1}},
    {"COS", "AddCos", {1, 1}, {1, 1}},
    {"CUMSUM", "AddCumSum", {2, 2}, {1, 1}},
    {"DEPTHWISE_CONV_2D", "AddDepthwiseConv2D", {2, 3}, {1, 1}},
    {"DEPTH_TO_SPACE", "AddDepthToSpace", {1, 1}, {1, 1}},
    {"DEQUANTIZE", "AddDequantize", {1, 1}, {1, 1}},
    {"DIV", "AddDiv", {2, kAny}, {1, kAny}},
    {"DYNAMIC_UPDATE_SLICE", "AddDynamicUpdateSlice", {3, 3}, {1, 1}},
    {"ELU", "AddElu", {1, 1}, {1, 1}},
    {"EMBEDDING_LOOKUP", "AddEmbeddingLookup", {2, 2}, {1, 1}},
    {"EQUAL", "AddEqual", {2, kAny}, {1, kAny}},
    {"EXP", "AddExp", {1, 1}, {1, 1}},
    {"EXPAND_DIMS", "AddExpandDims", {2, 2}, {1, 1}},
    {"FILL", "AddFill", {2, kAny}, {1, kAny}},
    {"FLOOR", "AddFloor", {1, kAny}, {1, kAny}},
    {"FLOOR_DIV", "AddFloorDiv", {2, 2}, {1, 1}},
    {"FLOOR_MOD", "AddFloorMod", {2, 2}, {1, 1}},
    {"FULLY_CONNECTED", "AddFullyConnected", {2, kAny}, {1, kAny}},
    {"GATHER", "AddGather", {2, 2}, {1, 1}},
    {"GATHER_ND", "AddGatherNd", {2, 2}, {1, 1}},
    {"GREATER", "AddGreater", {2, kAny}, {1, kAny}},
    {"GREATER_EQUAL", "AddGreaterEqual", {2, kAny}, {1, kAny}},
    {"HARD_SWISH", "AddHardSwish", {1, 1}, {1, 1}},
    {"IF", "AddIf", {1, kAny}, {0, kAny}},
    {"L2_NORMALIZATION", "AddL2Normalization", {1, 1}, {1, 1}},
    {"L2_POOL_2D", "AddL2Pool2D", {1, 1}, {1, 1}},
    {"LEAKY_RELU", "AddLeakyRelu", {1, 1}, {1, 1}},
    {"LESS", "AddLess", {2, kAny}, {1, kAny}},
    {"LESS_EQUAL", "AddLessEqual", {2, kAny}, {1, kAny}},
    {"LOG", "AddLog", {1, 1}, {1, 1}},
    {"LOGICAL_AND", "AddLogicalAnd", {2, kAny}, {1, kAny}},
    {"LOGICAL_NOT", "AddLogicalNot", {1, 1}, {1, 1}},
    {"LOGICAL_OR", "AddLogicalOr", {2, kAny}, {1, kAny}},
    {"LOGISTIC", "AddLogistic", {1, kAny}, {1, kAny}},
    {"LOG_SOFTMAX", "AddLogSoftmax", {1, 1}, {1, 1}},
    {"MAXIMUM", "AddMaximum", {2, kAny}, {1, kAny}},
    {"MAX_POOL_2D", "AddMaxPool2D", {1, kAny}, {1, kAny}},
    {"MEAN", "AddMean", {2, 2}, {1, 1}},
    {"MINIMUM", "AddMinimum", {2, kAny}, {1, kAny}},
    {"MIRROR_PAD", "AddMirrorPad", {2, kAny}, {1, kAny}},
    {"MUL", "AddMul", {2, 2}, {1, 1}},
    {"NEG", "AddNeg", {1, kAny}, {1, kAny}},
    {"NOT_EQUAL", "AddNotEqual", {2, kAny}, {1, kAny}},
    {"PACK", "AddPack", {1, kAny}, {1, kAny}},
    {"PAD", "AddPad", {2, 3}, {1, 1}},
    {"PADV2", "AddPadV2", {2, 3}, {1, 1}},
    {"PRELU", "AddPrelu", {2, kAny}, {1, kAny}},
    {"QUANTIZE", "AddQuantize", {1, 1}, {1, 1}},
    {"READ_VARIABLE", "AddReadVariable", {1, 1}, {1, 1}},
    {"REDUCE_ALL", "AddReduceAll", {2, 2}, {1, 1}},
    {"REDUCE_MAX", "AddReduceMax", {2, 2}, {1, 1}},
    {"REDUCE_MIN", "AddReduceMin", {2, 2}, {1, 1}},
    {"RELU", "AddRelu", {1, kAny}, {1, kAny}},
    {"RELU6", "AddRelu6", {1, kAny}, {1, kAny}},
    {"RESHAPE", "AddReshape", {1, 2}, {1, 1}},
    {"RESIZE_BILINEAR", "AddResizeBilinear", {2, 2}, {1, 1}},
    {"RESIZE_NEAREST_NEIGHBOR", "AddResizeNearestNeighbor", {2, 2}, {1, 1}},
    {"REVERSE_V2", "AddReverseV2", {2, 2}, {1, 1}},
    {"ROUND", "AddRound", {1, 1}, {1, 1}},
    {"RSQRT", "AddRsqrt", {1, 1}, {1, 1}},
    {"SELECT_V2", "AddSelectV2", {3, 3}, {1, 1}},
    {"SHAPE", "AddShape", {1, 1}, {1, 1}},
    {"SIN", "AddSin", {1, 1}, {1, 1}},
    {"SLICE", "AddSlice", {3, 3}, {1, 1}},
    {"SOFTMAX", "AddSoftmax", {1, 1}, {1, 1}},
    {"SPACE_TO_BATCH_ND", "AddSpaceToBatchNd", {3, 3}, {1, 1}},
    {"SPACE_TO_DEPTH", "AddSpaceToDepth", {1, 1}, {1, 1}},
    {"SPLIT", "AddSplit", {2, kAny}, {1, kAny}},
    {"SPLIT_V", "AddSplitV", {3, 3}, {1, kAny}},
    {"SQRT", "AddSqrt", {1, 1}, {1, 1}},
    {"SQUARE", "AddSquare", {1, 1}, {1, 1}},
    {"SQUARED_DIFFERENCE", "AddSquaredDifference", {2, 2}, {1, 1}},
    {"SQUEEZE", "AddSqueeze", {1, 1}, {1, 1}},
    {"STRIDED_SLICE", "AddStridedSlice", {4, 4}, {1, 1}},
    {"SUB", "AddSub", {2, kAny}, {1, kAny}},
    {"SUM", "AddSum", {2, 2}, {1, 1}},
    {"SVDF", "AddSvdf", {5, 5}, {1, 1}},
    {"TANH", "AddTanh", {1, 1}, {1, 1}},
    {"TRANSPOSE", "AddTranspose", {2, 2}, {1, 1}},
    {"TRANSPOSE_CONV", "AddTransposeConv", {3, 4}, {1, 1}},
    {"UNIDIRECTIONAL_SEQUENCE_LSTM",
     "AddUnidirectionalSequenceLSTM",
     {24, 24},
     {1, 1}},
    {"UNPACK", "AddUnpack", {1, kAny}, {1, kAny}},
    {"VAR_HANDLE", "AddVarHandle", {0, kAny}, {1, kAny}},
    {"WHILE", "AddWhile", {0, kAny}, {0, kAny}},
    {"ZEROS_LIKE", "AddZerosLike", {1, 1}, {1, 1}},
};

constexpr OperatorRow kCustoms[] = {
    {"CIRCULAR_BUFFER", "AddCircularBuffer", {1, kAny}, {1, kAny}},
    {"ethos-u", "AddEthosU", {0, kAny}, {0, kAny}},
    {"SignalDelay", "AddDelay", {1, 1}, {1, 1}},
    {"SignalEnergy", "AddEnergy", {1, 1}, {1, 1}},
    {"SignalFftAutoScale", "AddFftAutoScale", {1, 1}, {2, 2}},
    {"SignalFilterBank", "AddFilterBank", {6, 6}, {1, 1}},
    {"SignalFilterBankLog", "AddFilterBankLog", {1, 1}, {1, 1}},
    {"SignalFilterBankSpectralSubtraction",
     "AddFilterBankSpectralSubtraction",
     {1, 1},
     {2, 2}},
    {"SignalFilterBankSquareRoot", "AddFilterBankSquareRoot", {2, 2}, {1, 1}},
    {"SignalFramer", "AddFramer", {1, 1}, {2, 2}},
    {"SignalIrfft", "AddIrfft", {1, 1}, {1, 1}},
    {"SignalOverlapAdd", "AddOverlapAdd", {1, 1}, {1, 1}},
    {"SignalPCAN", "AddPCAN", {3, 3}, {1, 1}},
    {"SignalRfft", "AddRfft", {1, 1}, {1, 1}},
    {"SignalStacker", "AddStacker", {1, 1}, {2, 2}},
    {"SignalWindow", "AddWindow", {2, 2}, {1, 1}},
    {"TFLite_Detection_PostProcess", "AddDetectionPostprocess", {3, 3}, {4, 4}},
    {"TFLM_DECODE", "AddDecode", {0, kAny}, {0, kAny}},
};

const OperatorRow* FindRow(const OperatorSpec& op) {
  const auto find = [&](const auto& rows) -> const OperatorRow* {
    for (const OperatorRow& row : rows) {
      if (row.name == op.name) return &row;
    }
    return nullptr;
  };
  return op.is_custom ? find(kCustoms) : find(kBuiltins);
}

// Returns a number with a noun, such as "1 input" or "2 inputs".
std::string NumberText(size_t number, absl::string_view what) {
  return absl::StrCat(number, " ", what, number == 1 ? "" : "s");
}

std::string CountText(const Count& count, absl::string_view what) {
  if (count.max == kAny) {
    return absl::StrCat("at least ", NumberText(count.min, what));
  }
  if (count.min == count.max) return NumberText(count.min, what);
  return absl::StrCat(count.min, " to ", NumberText(count.max, what));
}

class LoadCheck {
 public:
  explicit LoadCheck(const Model& model) : model_(model) {}

  absl::Status Run() const {
    for (size_t g = 0; g < model_.subgraphs().size(); ++g) {
      absl::Status status = CheckTypes(g);
      for (size_t op = 0;
           status.ok() && op < model_.subgraphs()[g].operators.size(); ++op) {
        status = CheckCounts(g, op);
        if (status.ok()) status = CheckCalls(g, op);
      }
      if (!status.ok()) return status;
    }
    return absl::OkStatus();
  }

 private:
  // The values that a call passes from one subgraph to another.
  struct Passed {
    std::string from;  // "input" or "output" of the operator
    std::vector<size_t> arguments;
    std::string to;  // "inputs" or "outputs" of the subgraph
    std::vector<size_t> parameters;
  };

  absl::Status Refuse(size_t graph, size_t op, absl::string_view what) const {
    return WithOperator(
        absl::InvalidArgumentError(absl::StrCat(
            model_.name(), ": subgraph ", graph, ", ",
            model_.subgraphs()[graph].OperatorPlace(op), ": ", what)),
        op);
  }

  absl::Status CheckTypes(size_t graph) const;
  absl::Status CheckCounts(size_t graph, size_t op) const;
  absl::Status CheckCalls(size_t graph, size_t op) const;
  absl::Status CheckPassed(size_t graph, size_t op, size_t called,
                           const Passed& passed) const;

  const Model& model_;
};

// Checks the types of all tensors, including constants, because the device
// computes the size of every tensor.
absl::Status LoadCheck::CheckTypes(size_t graph) const {
  const SubgraphSpec& spec = model_.subgraphs()[graph];
  for (size_t t = 0; t < spec.tensors.size(); ++t) {
    const ElementType type = spec.tensors[t].type;
    if (MicroElementBytes(type) > 0) continue;
    return WithTensor(
        absl::InvalidArgumentError(absl::StrCat(
            model_.name(), ": subgraph ", graph, ", ", spec.TensorPlace(t),
            ": its type is ", ElementTypeName(type),
            ", whose size the device does not know (TensorFlow Lite Micro ",
            kMicroCommit, "); expected another type")),
        t);
  }
  return absl::OkStatus();
}

absl::Status LoadCheck::CheckCounts(size_t graph, size_t op) const {
  const OperatorSpec& spec = model_.subgraphs()[graph].operators[op];
  const OperatorRow* const row = FindRow(spec);
  if (row == nullptr) return absl::OkStatus();
  const std::pair<const std::vector<size_t>&, std::pair<Count, const char*>>
      sides[] = {{spec.inputs, {row->inputs, "input"}},
                 {spec.outputs, {row->outputs, "output"}}};
  for (const auto& [tensors, side] : sides) {
    const auto& [count, what] = side;
    if (tensors.size() >= count.min && tensors.size() <= count.max) continue;
    return Refuse(graph, op,
                  absl::StrCat("it has ", NumberText(tensors.size(), what),
                               ", which the device refuses; expected ",
                               CountText(count, what)));
  }
  return absl::OkStatus();
}

absl::Status LoadCheck::CheckPassed(size_t graph, size_t op, size_t called,
                                    const Passed& passed) const {
  const SubgraphSpec& caller = model_.subgraphs()[graph];
  const SubgraphSpec& callee = model_.subgraphs()[called];
  const size_t count = passed.parameters.size();
  if (passed.arguments.size() != count) {
    return Refuse(
        graph, op,
        absl::StrCat("it has ",
                     NumberText(passed.arguments.size(), passed.from), " for ",
                     NumberText(count, passed.to), " of subgraph ", called,
                     ", which the device refuses; expected as many"));
  }
  for (size_t i = 0; i < count; ++i) {
    const size_t argument = passed.arguments[i];
    if (argument == kAbsent) continue;
    const size_t bytes = MicroTensorBytes(caller.tensors[argument]);
    const size_t expected =
        MicroTensorBytes(callee.tensors[passed.parameters[i]]);
    if (bytes == expected) continue;
    return WithTensor(
        Refuse(graph, op,
               absl::StrCat(
                   caller.TensorPlace(argument), " is ", bytes, " bytes, and ",
                   passed.to, " ", i, " of subgraph ", called, ", ",
                   callee.TensorPlace(passed.parameters[i]), ", ", expected,
                   ", which the device does not copy; expected equal "
                   "sizes")),
        argument);
  }
  return absl::OkStatus();
}

// Checks the arguments of calls. A call of a nonexistent subgraph is not
// reported here, because MicroBuffersOf reports it when it follows the calls.
absl::Status LoadCheck::CheckCalls(size_t graph, size_t op) const {
  const OperatorSpec& spec = model_.subgraphs()[graph].operators[op];
  const std::vector<int> calls = CalledSubgraphs(spec);
  const bool is_while = spec.name == "WHILE";
  for (size_t i = 0; i < calls.size(); ++i) {
    const auto called = static_cast<size_t>(calls[i]);
    if (calls[i] < 0 || called >= model_.subgraphs().size()) continue;
    const SubgraphSpec& callee = model_.subgraphs()[called];
    std::vector<size_t> arguments = spec.inputs;
    // The first input of IF is the condition, which is not passed to the
    // subgraphs. CALL_ONCE does not pass any arguments.
    if (spec.name == "IF" && !arguments.empty()) {
      arguments.erase(arguments.begin());
    }
    if (spec.name == "CALL_ONCE") continue;
    absl::Status status = CheckPassed(
        graph, op, called, {"argument", arguments, "input", callee.inputs});
    // The first subgraph of WHILE only computes the condition.
    if (is_while && i == 0) {
      if (status.ok() && callee.outputs.empty()) {
        status = Refuse(graph, op,
                        absl::StrCat("subgraph ", called,
                                     ", its condition, has no output; "
                                     "expected one"));
      }
    } else if (status.ok()) {
      status = CheckPassed(graph, op, called,
                           {"output", spec.outputs, "output", callee.outputs});
    }
    if (!status.ok()) return status;
  }
  if (is_while && spec.inputs.size() != spec.outputs.size()) {
    return Refuse(
        graph, op,
        absl::StrCat("it has ", NumberText(spec.inputs.size(), "input"),
                     " and ", NumberText(spec.outputs.size(), "output"),
                     ", which the device refuses; expected "
                     "as many of both"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckDeviceLoads(const Model& model) {
  return LoadCheck(model).Run();
}

std::vector<MicroOperator> MicroOperatorsOf(const Model& model) {
  std::map<std::pair<bool, std::string>, MicroOperator> operators;
  for (const SubgraphSpec& graph : model.subgraphs()) {
    for (const OperatorSpec& op : graph.operators) {
      MicroOperator& entry = operators[{op.is_custom, op.name}];
      if (++entry.uses > 1) continue;
      entry.name = op.name;
      entry.is_custom = op.is_custom;
      const OperatorRow* const row = FindRow(op);
      if (row != nullptr) entry.adder = std::string(row->adder);
    }
  }
  std::vector<MicroOperator> list;
  list.reserve(operators.size());
  for (auto& [key, entry] : operators) list.push_back(std::move(entry));
  return list;
}

}  // namespace stowage
