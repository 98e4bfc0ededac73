// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/onnx_shapes.h"

#include "absl/container/flat_hash_map.h"
#include "stowage/base/span.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {
namespace {

using OnnxShapeTable = absl::flat_hash_map<string_view, OnnxShapeFunction>;

void AddShapes(Span<const OnnxShapeRow> rows, OnnxShapeTable* table) {
  for (const OnnxShapeRow& row : rows) table->emplace(row.op, row.function);
}

const OnnxShapeTable& StandardShapes() {
  static const auto* const table = [] {
    auto* const made = new OnnxShapeTable();
    AddShapes(OnnxElementwiseShapes(), made);
    AddShapes(OnnxWindowShapes(), made);
    AddShapes(OnnxImageShapes(), made);
    AddShapes(OnnxMatrixShapes(), made);
    AddShapes(OnnxLayoutShapes(), made);
    AddShapes(OnnxIndexShapes(), made);
    AddShapes(OnnxReductionShapes(), made);
    AddShapes(OnnxSourceShapes(), made);
    return made;
  }();
  return *table;
}

const OnnxShapeTable& MicrosoftShapes() {
  static const auto* const table = [] {
    auto* const made = new OnnxShapeTable();
    AddShapes(OnnxMicrosoftShapes(), made);
    return made;
  }();
  return *table;
}

const OnnxShapeTable& LearningShapes() {
  static const auto* const table = [] {
    auto* const made = new OnnxShapeTable();
    AddShapes(OnnxLearningShapes(), made);
    return made;
  }();
  return *table;
}

OnnxShapeFunction FindIn(const OnnxShapeTable& table, string_view op) {
  const auto found = table.find(op);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace

OnnxShapeFunction FindOnnxShape(string_view domain, string_view op) {
  if (domain == "com.microsoft") {
    const OnnxShapeFunction function = FindIn(MicrosoftShapes(), op);
    // ONNX Runtime also accepts some standard operators in its own domain,
    // because it once defined them there or supports more types for them there.
    return function != nullptr ? function : FindIn(StandardShapes(), op);
  }
  if (domain == "ai.onnx.ml") return FindIn(LearningShapes(), op);
  return domain.empty() ? FindIn(StandardShapes(), op) : nullptr;
}

}  // namespace stowage::recordings
