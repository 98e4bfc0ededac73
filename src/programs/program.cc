// SPDX-License-Identifier: Apache-2.0
#include "stowage/programs/program.h"

#include <cstddef>
#include <string>

#include "src/base/str_cat.h"
#include "stowage/base/string_view.h"

namespace stowage {

string_view NodeKindName(NodeKind kind) {
  switch (kind) {
    case NodeKind::kOperator:
      return "operator";
    case NodeKind::kCall:
      return "call";
    case NodeKind::kOnce:
      return "once";
    case NodeKind::kIf:
      return "if";
    case NodeKind::kWhile:
      return "while";
  }
  return "?";
}

std::string FunctionPlace(const Program& program, size_t function) {
  const std::string& name = program.functions[function].name;
  return name.empty() ? StrCat("function ", function)
                      : StrCat("function ", function, " \"", name, "\"");
}

std::string NodePlace(const Program& program, size_t function, size_t node) {
  const ProgramNode& that = program.functions[function].nodes[node];
  return StrCat(
      FunctionPlace(program, function), ", node ", node, " (",
      that.name.empty() ? std::string(NodeKindName(that.kind)) : that.name,
      ")");
}

}  // namespace stowage
