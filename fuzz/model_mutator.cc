// SPDX-License-Identifier: Apache-2.0
#include "fuzz/model_mutator.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "flatbuffers/flatbuffers.h"
#include "fuzz/engine.h"
#include "fuzz/packed_model.h"
#include "model_schema/model_generated.h"
#include "stowage/base/random.h"
#include "stowage/harness/tensor.h"

namespace stowage {
namespace {

using tflite::ModelT;
using tflite::OperatorT;
using tflite::SubGraphT;
using tflite::TensorT;

// The maximum size to which a constant is enlarged so that it matches its
// shape.
constexpr size_t kMaxConstantBytes = 4096;

// Resizes constants to the number of bytes that their shapes require.
void FitConstants(ModelT* model) {
  for (const auto& graph : model->subgraphs) {
    for (const auto& tensor : graph->tensors) {
      if (tensor->buffer == 0 || tensor->buffer >= model->buffers.size()) {
        continue;
      }
      const auto bytes =
          TensorBytes(static_cast<ElementType>(tensor->type), tensor->shape);
      std::vector<uint8_t>& data = model->buffers[tensor->buffer]->data;
      if (!data.empty() && bytes.ok() && *bytes <= kMaxConstantBytes) {
        data.resize(*bytes);
      }
    }
  }
}

void MutateData(std::vector<uint8_t>* data) {
  const size_t size = data->size();
  data->resize(size + 16);
  data->resize(LLVMFuzzerMutate(data->data(), size, data->size()));
}

void MutateText(std::string* text) {
  std::vector<uint8_t> bytes(text->begin(), text->end());
  MutateData(&bytes);
  text->assign(bytes.begin(), bytes.end());
}

class ModelMutator {
 public:
  ModelMutator(ModelT* model, unsigned int seed) : model_(*model), dice_(seed) {
    // The format makes these tables optional, but the mutator requires them.
    if (model_.buffers.empty()) Append(&model_.buffers);
    if (model_.operator_codes.empty()) Append(&model_.operator_codes);
    if (model_.subgraphs.empty()) Append(&model_.subgraphs);
  }

  void Mutate() {
    SubGraphT& graph = *Any(model_.subgraphs);
    switch (dice_.Below(12)) {
      case 0:
      case 1:
      case 2:
      case 3:
        return MutateOperator(&graph);
      case 4:
      case 5:
      case 6:
        return MutateTensor(&graph);
      case 7:
        return MutateCode(Any(model_.operator_codes).get());
      case 8:
        return MutateData(&Any(model_.buffers)->data);
      case 9:
        return MutateList(Half() ? &graph.inputs : &graph.outputs,
                          graph.tensors.size());
      case 10:
        return MutateText(&model_.description);
      default:
        return MutateTables(&graph);
    }
  }

 private:
  bool Half() { return dice_.Below(2) == 0; }

  template <typename Entry>
  Entry& Any(std::vector<Entry>& list) {
    return list[dice_.Below(list.size())];
  }

  template <typename Table>
  static Table& Append(std::vector<std::unique_ptr<Table>>* tables) {
    tables->push_back(std::make_unique<Table>());
    return *tables->back();
  }

  // Returns a number, often one at which the behavior of code changes.
  int32_t AnyNumber() {
    constexpr int32_t kEdges[] = {0,
                                  1,
                                  2,
                                  3,
                                  4,
                                  5,
                                  7,
                                  8,
                                  16,
                                  31,
                                  127,
                                  128,
                                  255,
                                  256,
                                  32767,
                                  -1,
                                  -2,
                                  -128,
                                  100,
                                  64,
                                  6,
                                  1024,
                                  65536,
                                  std::numeric_limits<int32_t>::max(),
                                  std::numeric_limits<int32_t>::min()};
    // Three out of four numbers are in [0, 4], because operators usually accept
    // only small numbers.
    return dice_.Below(4) == 0 ? kEdges[dice_.Below(std::size(kEdges))]
                               : static_cast<int32_t>(dice_.Below(5));
  }

  // Changes a list of indices into `size` entries.
  void MutateList(std::vector<int32_t>* list, size_t size) {
    // The index is sometimes out of range or absent.
    const int32_t index = dice_.Below(16) == 0 || size == 0
                              ? AnyNumber()
                              : static_cast<int32_t>(dice_.Below(size));
    if (list->empty() || dice_.Below(4) == 0) {
      const auto at = static_cast<ptrdiff_t>(dice_.Below(list->size() + 1));
      list->insert(list->begin() + at, index);
    } else if (dice_.Below(4) == 0) {
      list->erase(list->begin() +
                  static_cast<ptrdiff_t>(dice_.Below(list->size())));
    } else {
      Any(*list) = index;
    }
  }

  void MutateShape(std::vector<int32_t>* shape) {
    if (shape->empty() || dice_.Below(5) == 0) {
      shape->push_back(AnyNumber());
    } else if (dice_.Below(5) == 0) {
      shape->pop_back();
    } else {
      Any(*shape) = AnyNumber();
    }
  }

  void MutateQuantization(TensorT* tensor) {
    if (tensor->quantization == nullptr) {
      tensor->quantization =
          std::make_unique<tflite::QuantizationParametersT>();
    }
    tflite::QuantizationParametersT& result = *tensor->quantization;
    constexpr float kScales[] = {
        1.0F,  0.5F,  0.00390625F, 0.0F,
        -1.0F, 1e30F, 1e-30F,      std::numeric_limits<float>::quiet_NaN()};
    const size_t count = dice_.Below(4) == 0 ? dice_.Below(5) : 1;
    result.scale.resize(count, 0.25F);
    result.zero_point.resize(count);
    if (count == 0) return;
    Any(result.scale) = kScales[dice_.Below(std::size(kScales))];
    Any(result.zero_point) = AnyNumber();
    result.quantized_dimension = AnyNumber();
  }

  void MutateTensor(SubGraphT* graph) {
    if (graph->tensors.empty()) {
      Append(&graph->tensors);
      return;
    }
    TensorT& tensor = *Any(graph->tensors);
    switch (dice_.Below(8)) {
      case 0:
      case 1:
      case 2:
        return MutateShape(&tensor.shape);
      case 3:
        tensor.type = static_cast<tflite::TensorType>(dice_.Below(20));
        return;
      case 4:
        tensor.buffer =
            static_cast<uint32_t>(dice_.Below(model_.buffers.size() + 1));
        return;
      case 5:
        return MutateQuantization(&tensor);
      case 6:
        tensor.is_variable = !tensor.is_variable;
        return;
      default:
        tensor.shape_signature = tensor.shape;
        for (int32_t& dim : tensor.shape_signature) dim = Half() ? -1 : dim;
        return;
    }
  }

  void MutateCode(tflite::OperatorCodeT* code) {
    if (dice_.Below(8) == 0) return MutateText(&code->custom_code);
    if (dice_.Below(8) == 0) {
      code->version = AnyNumber();
      return;
    }
    const auto number = static_cast<int32_t>(
        dice_.Below(static_cast<uint64_t>(tflite::BuiltinOperator::MAX) + 2));
    code->version = 1;
    code->builtin_code = static_cast<tflite::BuiltinOperator>(number);
    code->deprecated_builtin_code =
        static_cast<int8_t>(std::min<int32_t>(number, 127));
  }

  void MutateOperator(SubGraphT* graph) {
    if (graph->operators.empty()) {
      Append(&graph->operators);
      return;
    }
    OperatorT& op = *Any(graph->operators);
    switch (dice_.Below(8)) {
      case 0:
      case 1:
      case 2:
        return MutateList(&op.inputs, graph->tensors.size());
      case 3:
        return MutateList(&op.outputs, graph->tensors.size());
      case 4:
        op.opcode_index = static_cast<uint32_t>(
            dice_.Below(model_.operator_codes.size() + 1));
        return;
      case 5:
        return MutateData(&op.custom_options);
      case 6:
        op.builtin_options = Any(graph->operators)->builtin_options;
        return;
      default:
        return MutateList(&op.intermediates, graph->tensors.size());
    }
  }

  // Adds, removes or reorders tables.
  void MutateTables(SubGraphT* graph) {
    switch (dice_.Below(6)) {
      case 0:
        graph->operators.push_back(
            graph->operators.empty()
                ? std::make_unique<OperatorT>()
                : std::make_unique<OperatorT>(*Any(graph->operators)));
        return;
      case 1:
        if (!graph->operators.empty()) {
          graph->operators.erase(
              graph->operators.begin() +
              static_cast<ptrdiff_t>(dice_.Below(graph->operators.size())));
        }
        return;
      case 2:
        if (!graph->operators.empty()) {
          std::swap(Any(graph->operators), Any(graph->operators));
        }
        return;
      case 3:
        graph->tensors.push_back(
            graph->tensors.empty()
                ? std::make_unique<TensorT>()
                : std::make_unique<TensorT>(*Any(graph->tensors)));
        return;
      case 4:
        Append(&model_.buffers).data.assign(dice_.Below(65), 1);
        return;
      default:
        if (model_.subgraphs.size() < 4) {
          model_.subgraphs.push_back(std::make_unique<SubGraphT>(*graph));
        }
        return;
    }
  }

  ModelT& model_;
  Random dice_;
};

// Returns the bytes of one field in the options of some operator of the file,
// or nullopt if these options have no fields.
absl::optional<absl::Span<uint8_t>> AnyOption(Random* dice,
                                              absl::Span<uint8_t> bytes) {
  const auto* graphs = tflite::GetModel(bytes.data())->subgraphs();
  if (graphs == nullptr || graphs->size() == 0) return absl::nullopt;
  const auto* operators =
      graphs->Get(static_cast<uint32_t>(dice->Below(graphs->size())))
          ->operators();
  if (operators == nullptr || operators->size() == 0) return absl::nullopt;
  const auto* op =
      operators->Get(static_cast<uint32_t>(dice->Below(operators->size())));
  const auto* table = static_cast<const uint8_t*>(op->builtin_options());
  if (table == nullptr) return absl::nullopt;
  // A vtable consists of 2-byte numbers: its own size, the size of the table,
  // and the offset of each field.
  const uint8_t* vtable =
      table - flatbuffers::ReadScalar<flatbuffers::soffset_t>(table);
  const auto vtable_size =
      flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable);
  const auto table_size =
      flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable + 2);
  if (vtable_size <= 4) return absl::nullopt;
  const size_t field = dice->Below(vtable_size / 2U - 2);
  const auto at =
      flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable + 4 + 2 * field);
  if (at == 0) return absl::nullopt;
  // The field extends to the next field or to the end of the table.
  size_t end = table_size;
  for (size_t other = 4; other < vtable_size; other += 2) {
    const auto start =
        flatbuffers::ReadScalar<flatbuffers::voffset_t>(vtable + other);
    if (start > at) end = std::min<size_t>(end, start);
  }
  return bytes.subspan(static_cast<size_t>(table - bytes.data()) + at,
                       end - at);
}

// Replaces a field in the options of some operator by another number. If the
// field refers to a list or a string, the result may no longer be a model.
void MutateOption(Random* dice, absl::Span<uint8_t> bytes) {
  const absl::optional<absl::Span<uint8_t>> field = AnyOption(dice, bytes);
  if (!field) return;
  constexpr int32_t kNumbers[] = {0,
                                  1,
                                  2,
                                  3,
                                  4,
                                  5,
                                  -1,
                                  -2,
                                  127,
                                  std::numeric_limits<int32_t>::max(),
                                  std::numeric_limits<int32_t>::min(),
                                  0x3F800000,
                                  0x7FC00000};
  const int32_t number = kNumbers[dice->Below(std::size(kNumbers))];
  std::memcpy(field->data(), &number, std::min(field->size(), sizeof(number)));
}

// The index, in each joined list, of the first entry that comes from the second
// model.
struct Shift {
  uint32_t codes = 0;
  uint32_t buffers = 0;
  int32_t tensors = 0;
};

template <typename Table>
void Move(std::vector<std::unique_ptr<Table>>* from,
          std::vector<std::unique_ptr<Table>>* to) {
  for (auto& table : *from) to->push_back(std::move(table));
}

void JoinGraphs(SubGraphT* to, SubGraphT* from, const Shift& shift,
                Random* dice) {
  // Each input of the second model may be replaced by any tensor of the first
  // model.
  std::vector<int32_t> numbers(from->tensors.size());
  for (size_t t = 0; t < numbers.size(); ++t) {
    numbers[t] = static_cast<int32_t>(t) + shift.tensors;
  }
  for (const int32_t input : from->inputs) {
    if (static_cast<size_t>(input) >= numbers.size()) continue;
    if (shift.tensors > 0 && dice->Below(4) != 0) {
      numbers[static_cast<size_t>(input)] = static_cast<int32_t>(
          dice->Below(static_cast<uint64_t>(shift.tensors)));
    } else {
      to->inputs.push_back(numbers[static_cast<size_t>(input)]);
    }
  }
  const auto renumber = [&](std::vector<int32_t>* list) {
    for (int32_t& t : *list) {
      if (static_cast<size_t>(t) < numbers.size()) {
        t = numbers[static_cast<size_t>(t)];
      }
    }
  };
  for (const auto& tensor : from->tensors) {
    if (tensor->buffer != 0) tensor->buffer += shift.buffers;
  }
  for (const auto& op : from->operators) {
    op->opcode_index += shift.codes;
    renumber(&op->inputs);
    renumber(&op->outputs);
    renumber(&op->intermediates);
  }
  renumber(&from->outputs);
  to->outputs.insert(to->outputs.end(), from->outputs.begin(),
                     from->outputs.end());
  Move(&from->tensors, &to->tensors);
  Move(&from->operators, &to->operators);
}

}  // namespace

size_t MutateModel(uint8_t* data, size_t size, size_t max_size,
                   unsigned int seed) {
  const std::unique_ptr<ModelT> model = Unpack({data, size});
  if (model == nullptr) return LLVMFuzzerMutate(data, size, max_size);
  Random dice(seed);
  ModelMutator mutator(model.get(), seed);
  for (uint64_t changes = 1 + dice.Below(4); changes > 0; --changes) {
    mutator.Mutate();
  }
  if (dice.Below(4) != 0) FitConstants(model.get());
  std::vector<uint8_t> bytes = Pack(*model);
  if (dice.Below(3) == 0) MutateOption(&dice, absl::MakeSpan(bytes));
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

size_t MutateModelOrBytes(uint8_t* data, size_t size, size_t max_size,
                          unsigned int seed, unsigned int period) {
  return seed % period == 0 ? MutateModel(data, size, max_size, seed)
                            : LLVMFuzzerMutate(data, size, max_size);
}

size_t MutateDescription(uint8_t* data, size_t size, size_t max_size) {
  const std::unique_ptr<ModelT> model = Unpack({data, size});
  if (model == nullptr) return LLVMFuzzerMutate(data, size, max_size);
  MutateText(&model->description);
  const std::vector<uint8_t> bytes = Pack(*model);
  if (bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

size_t JoinModels(absl::Span<const uint8_t> first,
                  absl::Span<const uint8_t> second, unsigned int seed,
                  absl::Span<uint8_t> out) {
  const std::unique_ptr<ModelT> to = Unpack(first);
  const std::unique_ptr<ModelT> from = Unpack(second);
  if (to == nullptr || from == nullptr || to->subgraphs.empty() ||
      from->subgraphs.empty()) {
    return 0;
  }
  Random dice(seed);
  const Shift shift = {static_cast<uint32_t>(to->operator_codes.size()),
                       static_cast<uint32_t>(to->buffers.size()),
                       static_cast<int32_t>(to->subgraphs[0]->tensors.size())};
  JoinGraphs(to->subgraphs[0].get(), from->subgraphs[0].get(), shift, &dice);
  Move(&from->operator_codes, &to->operator_codes);
  Move(&from->buffers, &to->buffers);
  const std::vector<uint8_t> bytes = Pack(*to);
  if (bytes.size() > out.size()) return 0;
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return bytes.size();
}

}  // namespace stowage
