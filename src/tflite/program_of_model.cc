// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflite/program_of_model.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "model_schema/model_generated.h"
#include "stowage/programs/entry_names.h"
#include "stowage/programs/program.h"
#include "stowage/tensor_size.h"
#include "stowage/tflite/calls.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/storage.h"

namespace stowage {
namespace {

constexpr InPlace kFirst = InPlace::kInput0;
constexpr InPlace kEither = InPlace::kInput0 | InPlace::kInput1;
constexpr InPlace kSameBytes = InPlace::kUnmodified | InPlace::kInput0;

// An operator, and the inputs that may share their memory with its output.
struct InPlaceRow {
  absl::string_view name;
  InPlace inputs;
};

// The rows are sorted by name. A test compares them with the operators of the
// harness.
constexpr InPlaceRow kInPlaceRows[] = {
    {"ABS", kFirst},
    {"ADD", kEither},
    {"ADD_N", kFirst},
    {"CEIL", kFirst},
    {"COS", kFirst},
    {"CUMSUM", kFirst},
    {"DIV", kEither},
    {"DYNAMIC_UPDATE_SLICE", kFirst},
    {"ELU", kFirst},
    {"EXP", kFirst},
    {"EXPAND_DIMS", kSameBytes},
    {"FLOOR", kFirst},
    {"FLOOR_DIV", kEither},
    {"FLOOR_MOD", kEither},
    {"GELU", kFirst},
    {"HARD_SWISH", kFirst},
    {"L2_NORMALIZATION", kFirst},
    {"LEAKY_RELU", kFirst},
    {"LOG", kFirst},
    {"LOGICAL_AND", kEither},
    {"LOGICAL_NOT", kFirst},
    {"LOGICAL_OR", kEither},
    {"LOGISTIC", kFirst},
    {"LOG_SOFTMAX", kFirst},
    {"MAXIMUM", kEither},
    {"MINIMUM", kEither},
    {"MUL", kEither},
    {"NEG", kFirst},
    {"POW", kEither},
    {"PRELU", kFirst},
    {"QUANTIZE", kFirst},
    {"RELU", kFirst},
    {"RELU6", kFirst},
    {"RELU_0_TO_1", kFirst},
    {"RELU_N1_TO_1", kFirst},
    {"RESHAPE", kSameBytes},
    {"ROUND", kFirst},
    {"RSQRT", kFirst},
    {"SELECT", InPlace::kInput1 | InPlace::kInput2},
    {"SELECT_V2", InPlace::kInput1 | InPlace::kInput2},
    {"SIGN", kFirst},
    {"SIN", kFirst},
    {"SOFTMAX", kFirst},
    {"SQRT", kFirst},
    {"SQUARE", kFirst},
    {"SQUARED_DIFFERENCE", kEither},
    {"SQUEEZE", kSameBytes},
    {"SUB", kEither},
    {"TANH", kFirst},
    {"ZEROS_LIKE", kFirst},
};

NodeKind NodeKindOf(const OperatorSpec& op) {
  if (!CallsSubgraphs(op)) return NodeKind::kOperator;
  if (op.name == "IF") return NodeKind::kIf;
  if (op.name == "WHILE") return NodeKind::kWhile;
  return op.name == "CALL_ONCE" ? NodeKind::kOnce : NodeKind::kCall;
}

// Returns the tensors that are present.
std::vector<size_t> PresentOf(const std::vector<size_t>& tensors) {
  std::vector<size_t> present;
  absl::c_copy_if(tensors, std::back_inserter(present),
                  [](size_t t) { return t != kAbsent; });
  return present;
}

// Returns the id of the variable to which a VAR_HANDLE refers.
std::string VariableId(const OperatorSpec& op) {
  if (op.options == nullptr ||
      op.options_type !=
          static_cast<int>(tflite::BuiltinOptions::VarHandleOptions)) {
    return "";
  }
  const auto* options =
      static_cast<const tflite::VarHandleOptions*>(op.options);
  const auto text = [](const flatbuffers::String* part) {
    return part == nullptr ? std::string() : part->str();
  };
  const std::string container = text(options->container());
  return container.empty()
             ? text(options->shared_name())
             : absl::StrCat(container, "/", text(options->shared_name()));
}

// Adds the names that a signature assigns to inputs or outputs of a subgraph.
void AddArgumentNames(const std::vector<SignatureSpec::Argument>& arguments,
                      const std::vector<size_t>& tensors,
                      std::vector<std::vector<std::string>>* names) {
  for (const SignatureSpec::Argument& argument : arguments) {
    const auto it = absl::c_find(tensors, argument.tensor);
    if (it == tensors.end()) continue;
    (*names)[static_cast<size_t>(it - tensors.begin())].push_back(
        argument.name);
  }
}

// Returns the names of the inputs and outputs of a subgraph.
EntryNames NamesOfSubgraph(const Model& model, size_t subgraph) {
  const SubgraphSpec& graph = model.subgraphs()[subgraph];
  EntryNames names;
  for (const size_t t : graph.inputs) {
    names.inputs.push_back({graph.tensors[t].name});
  }
  for (const size_t t : graph.outputs) {
    names.outputs.push_back({graph.tensors[t].name});
  }
  for (const SignatureSpec& signature : model.signatures()) {
    if (signature.subgraph != subgraph) continue;
    names.keys.push_back(signature.key);
    AddArgumentNames(signature.inputs, graph.inputs, &names.inputs);
    AddArgumentNames(signature.outputs, graph.outputs, &names.outputs);
  }
  return names;
}

class ModelProgramBuilder {
 public:
  ModelProgramBuilder(const Model& model, const ProgramOfModelOptions& options)
      : model_(model), options_(options) {}

  absl::StatusOr<ModelProgram> Build();

 private:
  // The handles in a function. Maps each tensor that is a handle to the
  // variable to which it refers, or to kUnknown if callers pass different
  // variables.
  using Handles = std::map<size_t, size_t>;
  static constexpr size_t kUnknown = static_cast<size_t>(-1);

  absl::Status AddEntries();
  size_t FunctionOf(size_t subgraph);
  absl::StatusOr<ProgramFunction> Describe(size_t function);
  absl::StatusOr<size_t> SizeOf(const SubgraphSpec& graph, size_t tensor) const;
  ProgramNode DescribeNode(size_t function, const OperatorSpec& op,
                           const ProgramFunction& described);
  void PassHandles(size_t function, const OperatorSpec& op,
                   const ProgramNode& node);
  void AddVariable(size_t function, const OperatorSpec& op,
                   const ProgramFunction& described, ProgramNode* node);
  static void AddInPlace(const OperatorSpec& op,
                         const ProgramFunction& described, ProgramNode* node);
  absl::optional<size_t> HandleOf(size_t function, size_t tensor) const;

  const Model& model_;
  const ProgramOfModelOptions& options_;
  ModelProgram result_;
  std::map<size_t, size_t> functions_;       // by subgraph
  std::map<std::string, size_t> variables_;  // by id
  std::vector<Handles> handles_;             // by function
};

size_t ModelProgramBuilder::FunctionOf(size_t subgraph) {
  const auto added = functions_.emplace(subgraph, result_.subgraphs.size());
  if (added.second) {
    result_.subgraphs.push_back(subgraph);
    handles_.emplace_back();
  }
  return added.first->second;
}

absl::Status ModelProgramBuilder::AddEntries() {
  result_.program.entries.clear();
  if (!options_.enters_signatures) {
    if (absl::Status s = model_.CheckSubgraph(options_.subgraph); !s.ok()) {
      return s;
    }
    result_.program.entries.push_back(FunctionOf(options_.subgraph));
    return absl::OkStatus();
  }
  if (model_.signatures().empty()) {
    return absl::InvalidArgumentError(absl::StrCat(
        model_.name(), ": no signatures; expected at least one to enter"));
  }
  for (const SignatureSpec& signature : model_.signatures()) {
    const size_t entry = FunctionOf(signature.subgraph);
    if (!absl::c_linear_search(result_.program.entries, entry)) {
      result_.program.entries.push_back(entry);
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<size_t> ModelProgramBuilder::SizeOf(const SubgraphSpec& graph,
                                                   size_t tensor) const {
  const TensorSpec& spec = graph.tensors[tensor];
  if (spec.is_constant || spec.is_folded || spec.is_variable ||
      spec.is_scratch || ElementBits(spec.type) == 0) {
    return size_t{0};
  }
  const absl::optional<size_t> size =
      CheckedAlignUp(spec.bytes, options_.tensor_alignment);
  if (size) return *size;
  return absl::OutOfRangeError(absl::StrCat(
      graph.TensorPlace(tensor), ": ", spec.bytes, " bytes, rounded up to ",
      options_.tensor_alignment, ", are more than 64 bits can count"));
}

absl::optional<size_t> ModelProgramBuilder::HandleOf(size_t function,
                                                     size_t tensor) const {
  const auto it = handles_[function].find(tensor);
  if (it == handles_[function].end() || it->second == kUnknown) {
    return absl::nullopt;
  }
  return it->second;
}

// If an input of an operator is a known handle, records it for the
// corresponding inputs of the functions that the operator calls.
void ModelProgramBuilder::PassHandles(size_t function, const OperatorSpec& op,
                                      const ProgramNode& node) {
  const size_t first = op.name == "IF" ? 1 : 0;
  for (const size_t callee : node.functions) {
    const std::vector<size_t>& inputs =
        model_.subgraphs()[result_.subgraphs[callee]].inputs;
    for (size_t i = 0; i < inputs.size() && first + i < node.inputs.size();
         ++i) {
      const absl::optional<size_t> handle =
          HandleOf(function, node.inputs[first + i]);
      if (!handle) continue;
      const auto known = handles_[callee].emplace(inputs[i], *handle);
      if (known.first->second != *handle) known.first->second = kUnknown;
    }
  }
}

// Records the variable that an operator reads or assigns, or for which it
// creates a handle.
void ModelProgramBuilder::AddVariable(size_t function, const OperatorSpec& op,
                                      const ProgramFunction& described,
                                      ProgramNode* node) {
  if (op.name == "VAR_HANDLE" && node->outputs.size() == 1) {
    const std::string id = VariableId(op);
    const auto added = variables_.emplace(id, result_.program.variables.size());
    if (added.second) result_.program.variables.push_back({id, 0});
    handles_[function][node->outputs[0]] = added.first->second;
    return;
  }
  const bool is_read = op.name == "READ_VARIABLE" && !node->inputs.empty() &&
                       node->outputs.size() == 1;
  const bool is_assign =
      op.name == "ASSIGN_VARIABLE" && node->inputs.size() == 2;
  if (!is_read && !is_assign) return;
  const absl::optional<size_t> variable = HandleOf(function, node->inputs[0]);
  if (!variable) return;
  const size_t tensor = is_read ? node->outputs[0] : node->inputs[1];
  size_t& size = result_.program.variables[*variable].size;
  if (size == 0) size = described.tensors[tensor].size;
  if (is_read) {
    node->reads.emplace_back(*variable, 0);
  } else {
    node->assigns.emplace_back(*variable, 1);
  }
}

void ModelProgramBuilder::AddInPlace(const OperatorSpec& op,
                                     const ProgramFunction& described,
                                     ProgramNode* node) {
  const InPlace in_place = InPlaceOf(op);
  if (in_place == InPlace::kNever || op.outputs.empty() ||
      op.outputs[0] == kAbsent) {
    return;
  }
  const size_t size = described.tensors[op.outputs[0]].size;
  for (size_t i = 0; i < std::size(kInPlaceInputs) && i < op.inputs.size();
       ++i) {
    if (op.inputs[i] == kAbsent || !HasFlag(in_place, kInPlaceInputs[i]) ||
        size == 0 || described.tensors[op.inputs[i]].size != size) {
      continue;
    }
    InPlaceOutput& pair = node->in_place.emplace_back();
    pair.input = static_cast<size_t>(absl::c_find(node->inputs, op.inputs[i]) -
                                     node->inputs.begin());
    pair.is_view = HasFlag(in_place, InPlace::kUnmodified);
  }
}

ProgramNode ModelProgramBuilder::DescribeNode(
    size_t function, const OperatorSpec& op, const ProgramFunction& described) {
  ProgramNode node;
  node.kind = NodeKindOf(op);
  node.name = op.name;
  node.inputs = PresentOf(op.inputs);
  node.outputs = PresentOf(op.outputs);
  for (const int called : CalledSubgraphs(op)) {
    node.functions.push_back(FunctionOf(static_cast<size_t>(called)));
  }
  if (node.kind == NodeKind::kOperator) {
    AddInPlace(op, described, &node);
    AddVariable(function, op, described, &node);
  } else {
    PassHandles(function, op, node);
  }
  return node;
}

absl::StatusOr<ProgramFunction> ModelProgramBuilder::Describe(size_t function) {
  const SubgraphSpec& graph = model_.subgraphs()[result_.subgraphs[function]];
  ProgramFunction described;
  described.name = graph.name;
  described.inputs = graph.inputs;
  described.outputs = graph.outputs;
  std::vector<bool> is_written(graph.tensors.size(), false);
  for (const size_t t : graph.inputs) is_written[t] = true;
  for (const OperatorSpec& op : graph.operators) {
    for (const size_t t : PresentOf(op.outputs)) is_written[t] = true;
  }
  for (size_t t = 0; t < graph.tensors.size(); ++t) {
    const absl::StatusOr<size_t> size = SizeOf(graph, t);
    if (!size.ok()) return size.status();
    described.tensors.push_back(
        {absl::StrCat(t), is_written[t] ? *size : size_t{0}});
  }
  for (const OperatorSpec& op : graph.operators) {
    described.nodes.push_back(DescribeNode(function, op, described));
  }
  return described;
}

absl::StatusOr<ModelProgram> ModelProgramBuilder::Build() {
  if (absl::Status s = CheckCalls(model_); !s.ok()) return s;
  if (absl::Status s = AddEntries(); !s.ok()) return s;
  // Functions are described in the order in which they are found. Describing a
  // function may append further functions to the list.
  for (size_t f = 0; f < result_.subgraphs.size(); ++f) {
    absl::StatusOr<ProgramFunction> function = Describe(f);
    if (!function.ok()) {
      return absl::Status(
          function.status().code(),
          absl::StrCat(model_.name(), ": subgraph ", result_.subgraphs[f], ", ",
                       function.status().message()));
    }
    result_.program.functions.push_back(*std::move(function));
  }
  for (const size_t entry : result_.program.entries) {
    result_.names.push_back(NamesOfSubgraph(model_, result_.subgraphs[entry]));
  }
  result_.program.keeps_inputs = options_.keeps_inputs;
  if (absl::Status s = CheckProgram(result_.program); !s.ok()) {
    return absl::Status(s.code(),
                        absl::StrCat(model_.name(), ": ", s.message()));
  }
  return std::move(result_);
}

}  // namespace

InPlace InPlaceOf(const OperatorSpec& op) {
  if (op.is_custom) return InPlace::kNever;
  const auto* const row = std::lower_bound(
      std::begin(kInPlaceRows), std::end(kInPlaceRows), op.name,
      [](const InPlaceRow& a, const std::string& name) {
        return a.name < name;
      });
  return row != std::end(kInPlaceRows) && row->name == op.name
             ? row->inputs
             : InPlace::kNever;
}

absl::StatusOr<ModelProgram> ProgramOfModel(
    const Model& model, const ProgramOfModelOptions& options) {
  return ModelProgramBuilder(model, options).Build();
}

}  // namespace stowage
