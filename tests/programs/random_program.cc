// SPDX-License-Identifier: Apache-2.0
#include "tests/programs/random_program.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "stowage/programs/program.h"

namespace stowage {
namespace {

using Sizes = std::vector<size_t>;

// A complete function, which incomplete functions can call.
struct Signature {
  Sizes inputs;
  Sizes outputs;
  size_t function = 0;
};

class ProgramGenerator {
 public:
  explicit ProgramGenerator(uint64_t seed) : random_(seed) {}

  Program Generate();

 private:
  bool Chance(int percent) { return Below(100) < static_cast<size_t>(percent); }
  size_t Below(size_t count) { return random_() % count; }
  size_t AnySize() {
    constexpr size_t kSizes[] = {1, 2, 3, 4, 4, 8};
    return kSizes[Below(6)];
  }
  Sizes AnySizes(size_t least, size_t most) {
    Sizes sizes(least + Below(most - least + 1));
    for (size_t& size : sizes) size = AnySize();
    return sizes;
  }

  // Returns a function with these inputs and outputs. The function is either
  // new or already part of the program.
  size_t FunctionFor(const Sizes& inputs, const Sizes& outputs, size_t depth);
  size_t Build(const Sizes& inputs, const Sizes& outputs, size_t depth);
  void AddNode(size_t f, size_t depth);
  void AddOperator(size_t f, const Sizes& outputs);
  void AddCall(size_t f, size_t depth);
  void AddIf(size_t f, size_t depth);
  void AddWhile(size_t f, size_t depth);
  void AddOnce(size_t f, size_t depth);

  size_t AddTensor(size_t f, size_t size);
  std::vector<size_t> AddTensors(size_t f, const Sizes& sizes);
  std::vector<size_t> AnyTensors(size_t f, size_t least, size_t most);
  // Returns a tensor of the given size. If there is no such tensor, adds an
  // operator that writes one.
  size_t TensorOf(size_t f, size_t size);
  Sizes SizesOf(size_t f, const std::vector<size_t>& tensors);
  void AddSharing(size_t f, ProgramNode* node);
  void AddVariables(size_t f, ProgramNode* node);
  // Returns whether any node calls the function.
  bool IsCalled(size_t f) const;
  void AddCarried();

  ProgramFunction& function(size_t f) { return program_.functions[f]; }

  std::mt19937_64 random_;
  Program program_;
  std::vector<std::vector<size_t>> readable_;  // by function
  std::vector<Signature> complete_;
  size_t budget_ = 14;  // the nodes that may still be added
};

size_t ProgramGenerator::AddTensor(size_t f, size_t size) {
  std::vector<ProgramTensor>& tensors = function(f).tensors;
  tensors.push_back({"t" + std::to_string(tensors.size()), size});
  return tensors.size() - 1;
}

std::vector<size_t> ProgramGenerator::AddTensors(size_t f, const Sizes& sizes) {
  std::vector<size_t> tensors;
  for (const size_t size : sizes) tensors.push_back(AddTensor(f, size));
  return tensors;
}

std::vector<size_t> ProgramGenerator::AnyTensors(size_t f, size_t least,
                                                 size_t most) {
  std::vector<size_t> tensors;
  size_t count = least + Below(most - least + 1);
  while (count-- > 0 && !readable_[f].empty()) {
    // The latest tensors are read more often than earlier tensors.
    const std::vector<size_t>& all = readable_[f];
    const size_t last = std::min<size_t>(all.size(), 3);
    tensors.push_back(Chance(50) ? all[Below(all.size())]
                                 : all[all.size() - 1 - Below(last)]);
  }
  return tensors;
}

Sizes ProgramGenerator::SizesOf(size_t f, const std::vector<size_t>& tensors) {
  Sizes sizes;
  for (const size_t t : tensors) sizes.push_back(function(f).tensors[t].size);
  return sizes;
}

size_t ProgramGenerator::TensorOf(size_t f, size_t size) {
  std::vector<size_t> fitting;
  for (const size_t t : readable_[f]) {
    if (function(f).tensors[t].size == size) fitting.push_back(t);
  }
  if (!fitting.empty() && Chance(75)) return fitting[Below(fitting.size())];
  AddOperator(f, {size});
  return function(f).nodes.back().outputs[0];
}

void ProgramGenerator::AddSharing(size_t f, ProgramNode* node) {
  for (size_t o = 0; o < node->outputs.size(); ++o) {
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      const size_t size = function(f).tensors[node->outputs[o]].size;
      if (size != function(f).tensors[node->inputs[i]].size || !Chance(50)) {
        continue;
      }
      node->in_place.push_back({o, i, Chance(40)});
      break;
    }
  }
}

void ProgramGenerator::AddVariables(size_t f, ProgramNode* node) {
  for (size_t v = 0; v < program_.variables.size(); ++v) {
    const size_t size = program_.variables[v].size;
    for (size_t o = 0; o < node->outputs.size(); ++o) {
      const bool is_shared = std::any_of(
          node->in_place.begin(), node->in_place.end(),
          [&](const InPlaceOutput& each) { return each.output == o; });
      const bool is_read =
          std::any_of(node->reads.begin(), node->reads.end(),
                      [&](const auto& read) { return read.second == o; });
      if (is_shared || is_read || !Chance(40) ||
          function(f).tensors[node->outputs[o]].size != size) {
        continue;
      }
      node->reads.emplace_back(v, o);
    }
    for (size_t i = 0; i < node->inputs.size(); ++i) {
      if (function(f).tensors[node->inputs[i]].size != size || !Chance(40)) {
        continue;
      }
      node->assigns.emplace_back(v, i);
      break;
    }
  }
}

void ProgramGenerator::AddOperator(size_t f, const Sizes& outputs) {
  ProgramNode node;
  node.name = "op";
  node.inputs = AnyTensors(f, 0, 2);
  if (Chance(10)) node.inputs.push_back(AddTensor(f, 0));  // a constant
  node.outputs = AddTensors(f, outputs);
  AddSharing(f, &node);
  AddVariables(f, &node);
  if (Chance(10)) node.temporaries.push_back(AddTensor(f, AnySize()));
  readable_[f].insert(readable_[f].end(), node.outputs.begin(),
                      node.outputs.end());
  function(f).nodes.push_back(std::move(node));
}

void ProgramGenerator::AddCall(size_t f, size_t depth) {
  ProgramNode node;
  node.kind = NodeKind::kCall;
  node.inputs = AnyTensors(f, 0, 3);
  const Sizes outputs = AnySizes(1, 2);
  node.functions = {FunctionFor(SizesOf(f, node.inputs), outputs, depth)};
  node.outputs = AddTensors(f, outputs);
  readable_[f].insert(readable_[f].end(), node.outputs.begin(),
                      node.outputs.end());
  function(f).nodes.push_back(std::move(node));
}

void ProgramGenerator::AddIf(size_t f, size_t depth) {
  ProgramNode node;
  node.kind = NodeKind::kIf;
  const size_t condition = TensorOf(f, 1);
  const std::vector<size_t> arguments = AnyTensors(f, 0, 3);
  node.inputs = {condition};
  node.inputs.insert(node.inputs.end(), arguments.begin(), arguments.end());
  const Sizes inputs = SizesOf(f, arguments);
  const Sizes outputs = AnySizes(1, 2);
  const size_t then = FunctionFor(inputs, outputs, depth);
  node.functions = {then, FunctionFor(inputs, outputs, depth)};
  node.outputs = AddTensors(f, outputs);
  readable_[f].insert(readable_[f].end(), node.outputs.begin(),
                      node.outputs.end());
  function(f).nodes.push_back(std::move(node));
}

void ProgramGenerator::AddWhile(size_t f, size_t depth) {
  ProgramNode node;
  node.kind = NodeKind::kWhile;
  node.inputs = AnyTensors(f, 1, 3);
  const Sizes sizes = SizesOf(f, node.inputs);
  const size_t condition = Build(sizes, {1}, depth + 1);
  node.functions = {condition, FunctionFor(sizes, sizes, depth)};
  if (node.functions[0] == node.functions[1]) {
    node.functions[1] = Build(sizes, sizes, depth + 1);
  }
  node.outputs = AddTensors(f, sizes);
  readable_[f].insert(readable_[f].end(), node.outputs.begin(),
                      node.outputs.end());
  function(f).nodes.push_back(std::move(node));
}

void ProgramGenerator::AddOnce(size_t f, size_t depth) {
  ProgramNode node;
  node.kind = NodeKind::kOnce;
  node.functions = {FunctionFor({}, {}, depth)};
  function(f).nodes.push_back(std::move(node));
}

void ProgramGenerator::AddNode(size_t f, size_t depth) {
  if (budget_ > 0) --budget_;
  const size_t kind = depth > 2 || budget_ == 0 ? 0 : Below(100);
  if (kind < 50) return AddOperator(f, AnySizes(1, 2));
  if (kind < 62) return AddCall(f, depth);
  if (kind < 78) return AddIf(f, depth);
  if (kind < 95) return AddWhile(f, depth);
  return AddOnce(f, depth);
}

size_t ProgramGenerator::FunctionFor(const Sizes& inputs, const Sizes& outputs,
                                     size_t depth) {
  for (const Signature& known : complete_) {
    if (known.inputs == inputs && known.outputs == outputs && Chance(60)) {
      return known.function;
    }
  }
  return Build(inputs, outputs, depth + 1);
}

size_t ProgramGenerator::Build(const Sizes& inputs, const Sizes& outputs,
                               size_t depth) {
  const size_t f = program_.functions.size();
  program_.functions.emplace_back();
  readable_.emplace_back();
  function(f).inputs = AddTensors(f, inputs);
  readable_[f] = function(f).inputs;
  for (size_t nodes = Below(4); nodes > 0; --nodes) AddNode(f, depth);
  for (const size_t size : outputs) {
    // An output may be a constant, so that the result of the call has to be
    // written by a copy.
    const size_t output = Chance(5) ? AddTensor(f, 0) : TensorOf(f, size);
    function(f).outputs.push_back(output);
  }
  complete_.push_back({inputs, outputs, f});
  return f;
}

bool ProgramGenerator::IsCalled(size_t f) const {
  for (const ProgramFunction& caller : program_.functions) {
    for (const ProgramNode& node : caller.nodes) {
      if (std::count(node.functions.begin(), node.functions.end(), f) > 0) {
        return true;
      }
    }
  }
  return false;
}

void ProgramGenerator::AddCarried() {
  for (size_t e = 0; e < program_.entries.size(); ++e) {
    const ProgramFunction& entry = function(program_.entries[e]);
    if (IsCalled(program_.entries[e])) continue;
    for (size_t i = 0; i < entry.inputs.size(); ++i) {
      for (size_t o = 0; o < entry.outputs.size(); ++o) {
        const size_t size = entry.tensors[entry.outputs[o]].size;
        if (entry.tensors[entry.inputs[i]].size != size || !Chance(40)) {
          continue;
        }
        program_.carried.push_back({e, o, i});
        break;
      }
    }
  }
}

Program ProgramGenerator::Generate() {
  const size_t variables = Chance(50) ? 0 : 1 + Below(2);
  for (size_t v = 0; v < variables; ++v) {
    program_.variables.push_back({"state" + std::to_string(v), AnySize()});
  }
  program_.entries.clear();
  const size_t entries = Chance(80) ? 1 : 2;
  for (size_t e = 0; e < entries; ++e) {
    program_.entries.push_back(Build(AnySizes(1, 3), AnySizes(1, 2), 0));
  }
  program_.keeps_inputs = Chance(50);
  if (Chance(30)) AddCarried();
  return std::move(program_);
}

}  // namespace

Program RandomProgram(uint64_t seed) {
  return ProgramGenerator(seed).Generate();
}

}  // namespace stowage
