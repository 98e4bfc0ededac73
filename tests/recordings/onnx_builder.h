// SPDX-License-Identifier: Apache-2.0
// Writes small ONNX models in the binary format of Protocol Buffers. The field
// numbers are those of onnx/onnx.proto in github.com/onnx/onnx.
//
//   namespace wire = onnx_wire;
//   const std::string model = wire::Model(
//       wire::Input("x", 1, {1, 8}) + wire::Node("Relu", {"x"}, {"y"}), 13);
#ifndef STOWAGE_TESTS_RECORDINGS_ONNX_BUILDER_H_
#define STOWAGE_TESTS_RECORDINGS_ONNX_BUILDER_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace stowage::onnx_wire {

inline std::string Varint(uint64_t number) {
  std::string bytes;
  for (; number >= 0x80; number >>= 7) {
    bytes += static_cast<char>((number & 0x7F) | 0x80);
  }
  return bytes + static_cast<char>(number);
}

inline std::string Bytes(uint64_t field, const std::string& bytes) {
  return Varint(field << 3 | 2) + Varint(bytes.size()) + bytes;
}

inline std::string Number(uint64_t field, int64_t number) {
  return Varint(field << 3) + Varint(static_cast<uint64_t>(number));
}

// Returns the four bytes that a field of type float contains for `number`.
inline std::string Fixed(float number) {
  std::string bytes(sizeof(number), '\0');
  std::memcpy(&bytes[0], &number, sizeof(number));
  return bytes;
}

// A dimension with a name or, if the name is empty, with an extent.
struct Dim {
  Dim(int64_t number) : extent(number) {}  // NOLINT: a number is an extent
  Dim(const char* text) : name(text) {}    // NOLINT: a text is a name
  int64_t extent = 0;
  std::string name;
};

inline std::string TypeBytes(int64_t element, const std::vector<Dim>& dims) {
  std::string shape;
  for (const Dim& dim : dims) {
    shape +=
        Bytes(1, dim.name.empty() ? Number(1, dim.extent) : Bytes(2, dim.name));
  }
  return Bytes(1, Number(1, element) + Bytes(2, shape));
}

inline std::string Declaration(uint64_t field, const std::string& name,
                               int64_t element, const std::vector<Dim>& dims) {
  return Bytes(field, Bytes(1, name) + Bytes(2, TypeBytes(element, dims)));
}

// The following functions return fields of a graph.
inline std::string Input(const std::string& name, int64_t element,
                         const std::vector<Dim>& dims) {
  return Declaration(11, name, element, dims);
}
inline std::string Output(const std::string& name, int64_t element,
                          const std::vector<Dim>& dims) {
  return Declaration(12, name, element, dims);
}
// BareInput and BareOutput return the declaration of an input or an output
// without a type. Such declarations are allowed in subgraphs.
inline std::string BareInput(const std::string& name) {
  return Bytes(11, Bytes(1, name));
}
inline std::string BareOutput(const std::string& name) {
  return Bytes(12, Bytes(1, name));
}
inline std::string ValueInfo(const std::string& name, int64_t element,
                             const std::vector<Dim>& dims) {
  return Declaration(13, name, element, dims);
}

// Return tensors with their content.
inline std::string Integers(const std::string& name,
                            const std::vector<int64_t>& dims,
                            const std::vector<int64_t>& values) {
  std::string tensor = Number(2, 7) + Bytes(8, name);
  for (const int64_t extent : dims) tensor += Number(1, extent);
  std::string packed;
  for (const int64_t value : values) {
    packed += Varint(static_cast<uint64_t>(value));
  }
  return tensor + Bytes(7, packed);
}
inline std::string Floats(const std::string& name,
                          const std::vector<int64_t>& dims,
                          const std::vector<float>& values) {
  std::string tensor = Number(2, 1) + Bytes(8, name);
  for (const int64_t extent : dims) tensor += Number(1, extent);
  std::string raw;
  for (const float value : values) raw += Fixed(value);
  return tensor + Bytes(9, raw);
}
inline std::string Initializer(const std::string& tensor) {
  return Bytes(5, tensor);
}

// The following functions return attributes of a node.
inline std::string Int(const std::string& name, int64_t value) {
  return Bytes(5, Bytes(1, name) + Number(3, value));
}
inline std::string Ints(const std::string& name,
                        const std::vector<int64_t>& values) {
  std::string attribute = Bytes(1, name);
  for (const int64_t value : values) attribute += Number(8, value);
  return Bytes(5, attribute);
}
inline std::string Text(const std::string& name, const std::string& text) {
  return Bytes(5, Bytes(1, name) + Bytes(4, text));
}
inline std::string FloatList(const std::string& name,
                             const std::vector<float>& values) {
  std::string packed;
  for (const float value : values) packed += Fixed(value);
  return Bytes(5, Bytes(1, name) + Bytes(7, packed));
}
inline std::string TensorValue(const std::string& name,
                               const std::string& tensor) {
  return Bytes(5, Bytes(1, name) + Bytes(5, tensor));
}
inline std::string GraphValue(const std::string& name,
                              const std::string& graph) {
  return Bytes(5, Bytes(1, name) + Bytes(6, graph));
}

inline std::string Node(const std::string& op,
                        const std::vector<std::string>& inputs,
                        const std::vector<std::string>& outputs,
                        const std::string& attributes = "",
                        const std::string& domain = "") {
  std::string node;
  for (const std::string& name : inputs) node += Bytes(1, name);
  for (const std::string& name : outputs) node += Bytes(2, name);
  node += Bytes(4, op) + attributes;
  if (!domain.empty()) node += Bytes(7, domain);
  return Bytes(1, node);
}

// Returns a model whose graph has the fields `graph`.
inline std::string Model(const std::string& graph, int64_t opset) {
  return Number(1, 8) + Bytes(2, "test") + Bytes(7, graph + Bytes(2, "net")) +
         Bytes(8, Bytes(1, "") + Number(2, opset)) +
         Bytes(8, Bytes(1, "com.microsoft") + Number(2, 1));
}

}  // namespace stowage::onnx_wire

#endif  // STOWAGE_TESTS_RECORDINGS_ONNX_BUILDER_H_
