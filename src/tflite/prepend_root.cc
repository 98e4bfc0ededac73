// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflite/prepend_root.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "flatbuffers/flatbuffers.h"
#include "model_schema/model_generated.h"
#include "stowage/tflite/model_file.h"

namespace stowage {
namespace {

constexpr size_t kDataAlignment = 16;
// The maximum value of the offset of a buffer that has no data outside of the
// flatbuffer.
constexpr uint64_t kNoFileOffset = 1;

size_t RoundUp(size_t bytes, size_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

// Writes the tables of a flatbuffer from front to back. The builder of the
// flatbuffers library cannot be used, because it begins with the last bytes of
// a file, which are here those of the old file.
class ForwardWriter {
 public:
  size_t size() const { return bytes_.size(); }
  void Align(size_t alignment) {
    bytes_.resize(RoundUp(bytes_.size(), alignment));
  }

  template <typename T>
  size_t Put(T value) {
    Align(sizeof(T));
    const size_t at = bytes_.size();
    bytes_.append(sizeof(T), '\0');
    Set(at, value);
    return at;
  }

  template <typename T>
  void Set(size_t at, T value) {
    flatbuffers::WriteScalar(&bytes_[at], value);
  }

  // Makes the reference at position `at` point to position `target`.
  void Refer(size_t at, size_t target) {
    Set(at, static_cast<uint32_t>(target - at));
  }

  void PutBytes(absl::string_view bytes) {
    bytes_.append(bytes.data(), bytes.size());
  }

  // Writes a table in which every field has four bytes. present[i] states
  // whether the table has field i. Returns the position of the table, and the
  // position of each field.
  std::pair<size_t, std::vector<size_t>> PutTable(
      const std::vector<bool>& present) {
    Align(sizeof(uint32_t));
    const auto count =
        static_cast<size_t>(std::count(present.begin(), present.end(), true));
    const size_t start = bytes_.size();
    Put(static_cast<uint16_t>(sizeof(uint16_t) * (2 + present.size())));
    Put(static_cast<uint16_t>(sizeof(uint32_t) * (1 + count)));
    uint16_t next = sizeof(uint32_t);
    for (const bool is_present : present) {
      Put(is_present ? next : uint16_t{0});
      if (is_present) next = static_cast<uint16_t>(next + sizeof(uint32_t));
    }
    const size_t table = Put(int32_t{0});
    Set(table, static_cast<int32_t>(table - start));
    std::vector<size_t> fields;
    fields.reserve(present.size());
    for (const bool is_present : present) {
      fields.push_back(is_present ? Put(uint32_t{0}) : 0);
    }
    return {table, fields};
  }

  std::string Take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Computes the positions of the tables of a model, counted from the beginning
// of its file.
class Places {
 public:
  explicit Places(const ModelFile& file, absl::string_view bytes)
      : root_(flatbuffers::ReadScalar<uint32_t>(bytes.data())),
        model_(reinterpret_cast<const uint8_t*>(&file.model())) {}

  // Returns the position of a part of the model. Returns 0 for null, because no
  // part has position 0.
  size_t Of(const void* part) const {
    if (part == nullptr) return 0;
    return static_cast<size_t>(static_cast<const uint8_t*>(part) - model_) +
           root_;
  }

 private:
  size_t root_;
  const uint8_t* model_;
};

bool HasUnknownFields(const tflite::Model& model) {
  const auto* table = reinterpret_cast<const flatbuffers::Table*>(&model);
  const auto fields_end =
      flatbuffers::ReadScalar<flatbuffers::voffset_t>(table->GetVTable());
  for (flatbuffers::voffset_t field = tflite::Model::VT_SIGNATURE_DEFS + 2;
       field < fields_end; field = static_cast<uint16_t>(field + 2)) {
    if (table->GetOptionalFieldOffset(field) != 0) return true;
  }
  return false;
}

absl::Status CheckMovable(const tflite::Model& model, absl::string_view name) {
  if (HasUnknownFields(model)) {
    return absl::InvalidArgumentError(absl::StrCat(
        name,
        ": its root has fields that are not known here and would be lost; "
        "expected none beyond the signatures"));
  }
  if (model.buffers() == nullptr) return absl::OkStatus();
  for (uint32_t i = 0; i < model.buffers()->size(); ++i) {
    if (model.buffers()->Get(i)->offset() <= kNoFileOffset) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": buffer ", i, ": its data lies outside the flatbuffer, ",
        model.buffers()->Get(i)->offset(),
        " bytes from the start of the file, which would move; expected all "
        "data inside"));
  }
  return absl::OkStatus();
}

// Returns the positions, counted from the beginning of the old file, of the
// tables in a vector for which `keep` returns true.
template <typename Vector, typename Keep>
std::vector<size_t> PlacesOf(const Vector* vector, const Places& places,
                             Keep keep) {
  std::vector<size_t> result;
  if (vector == nullptr) return result;
  for (const auto* table : *vector) {
    if (keep(*table)) result.push_back(places.Of(table));
  }
  return result;
}

class Prefix {
 public:
  Prefix(const ModelFile& file, absl::string_view bytes,
         const MetadataChange& change)
      : model_(file.model()), places_(file, bytes), change_(change) {}

  std::string Write();

 private:
  static constexpr size_t kFields = 8;  // the number of fields of the root

  size_t PutVector(const std::vector<size_t>& old, size_t added);
  void PutMetadata(uint32_t buffer);
  void PutBuffers(const std::vector<size_t>& old);
  // Sets the references from the prefix to the old file. Must be called after
  // the whole prefix has been written, because the references depend on its
  // size.
  void ReferToOld();

  const tflite::Model& model_;
  const Places places_;
  const MetadataChange& change_;
  ForwardWriter out_;
  // The references to the old file. Each pair consists of the position of a
  // reference in the prefix, and the position of its target in the old file.
  std::vector<std::pair<size_t, size_t>> to_old_;
  std::vector<size_t> root_;  // the positions of the fields of the root
};

// Writes a vector of references to the old tables, followed by `added`
// references to new tables. Returns the position of the first reference to a
// new table.
size_t Prefix::PutVector(const std::vector<size_t>& old, size_t added) {
  out_.Put(static_cast<uint32_t>(old.size() + added));
  for (const size_t place : old) to_old_.emplace_back(out_.Put(0U), place);
  const size_t next = out_.size();
  for (size_t i = 0; i < added; ++i) out_.Put(0U);
  return next;
}

void Prefix::PutMetadata(uint32_t buffer) {
  const std::vector<size_t> old =
      PlacesOf(model_.metadata(), places_, [&](const tflite::Metadata& entry) {
        return !IsNamed(entry, change_.name);
      });
  out_.Align(sizeof(uint32_t));
  out_.Refer(root_[6], out_.size());
  const size_t entry = PutVector(old, change_.data ? 1 : 0);
  if (!change_.data) return;
  const auto [table, fields] = out_.PutTable({true, true});
  out_.Refer(entry, table);
  out_.Set(fields[1], buffer);
  out_.Align(sizeof(uint32_t));
  out_.Refer(fields[0], out_.size());
  out_.Put(static_cast<uint32_t>(change_.name.size()));
  out_.PutBytes(change_.name);
  out_.PutBytes(absl::string_view("\0", 1));
}

// Writes the vector of buffers, which contains the buffers of the old file and
// a new buffer. The data of the new buffer comes last, directly before the old
// file.
void Prefix::PutBuffers(const std::vector<size_t>& old) {
  out_.Align(sizeof(uint32_t));
  out_.Refer(root_[4], out_.size());
  // Buffer 0 is used for tensors without data. If the old file has no buffers,
  // buffer 0 is added as well.
  const size_t added = old.empty() ? 2 : 1;
  size_t entry = PutVector(old, added);
  if (added == 2) {
    const auto [empty, none] = out_.PutTable({false});
    out_.Refer(entry, empty);
    entry += sizeof(uint32_t);
  }
  const auto [table, fields] = out_.PutTable({true});
  out_.Refer(entry, table);
  while ((out_.size() + sizeof(uint32_t)) % kDataAlignment != 0) {
    out_.PutBytes(absl::string_view("\0", 1));
  }
  out_.Refer(fields[0], out_.size());
  out_.Put(static_cast<uint32_t>(change_.data->size()));
  out_.PutBytes({reinterpret_cast<const char*>(change_.data->data()),
                 change_.data->size()});
}

void Prefix::ReferToOld() {
  out_.Align(kPrefixAlignment);
  const size_t size = out_.size();
  for (const auto& [from, place] : to_old_) out_.Refer(from, size + place);
}

std::string Prefix::Write() {
  const size_t to_root = out_.Put(0U);
  out_.PutBytes(tflite::ModelIdentifier());
  const bool has_buffers = model_.buffers() != nullptr || change_.data;
  const auto [table, fields] = out_.PutTable(
      {true, model_.operator_codes() != nullptr, model_.subgraphs() != nullptr,
       model_.description() != nullptr, has_buffers,
       model_.metadata_buffer() != nullptr, true,
       model_.signature_defs() != nullptr});
  out_.Refer(to_root, table);
  root_ = fields;
  out_.Set(root_[0], model_.version());
  const void* const kept[kFields] = {nullptr,
                                     model_.operator_codes(),
                                     model_.subgraphs(),
                                     model_.description(),
                                     change_.data ? nullptr : model_.buffers(),
                                     model_.metadata_buffer(),
                                     nullptr,
                                     model_.signature_defs()};
  for (size_t i = 0; i < kFields; ++i) {
    if (kept[i] != nullptr) to_old_.emplace_back(root_[i], places_.Of(kept[i]));
  }
  const std::vector<size_t> buffers = PlacesOf(
      model_.buffers(), places_, [](const tflite::Buffer&) { return true; });
  PutMetadata(std::max(1U, static_cast<uint32_t>(buffers.size())));
  if (change_.data) PutBuffers(buffers);
  ReferToOld();
  return out_.Take();
}

}  // namespace

absl::StatusOr<std::string> PrefixOf(absl::string_view model,
                                     absl::string_view name,
                                     const MetadataChange& change) {
  const absl::StatusOr<ModelFile> file = ModelFile::Open(model, name);
  if (!file.ok()) return file.status();
  if (absl::Status s = CheckMovable(file->model(), name); !s.ok()) return s;
  std::string prefix = Prefix(*file, model, change).Write();
  if (model.size() + prefix.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    return absl::InvalidArgumentError(absl::StrCat(
        name, ": with ", prefix.size(),
        " bytes more it is larger than a flatbuffer can be; expected at most ",
        FLATBUFFERS_MAX_BUFFER_SIZE - 1, " bytes in all"));
  }
  return prefix;
}

size_t PrefixBytes(absl::string_view model, absl::string_view name) {
  const absl::StatusOr<ModelFile> file = ModelFile::Open(model, "model");
  if (!file.ok() || file->model().metadata() == nullptr ||
      file->model().buffers() == nullptr) {
    return 0;
  }
  const Places places(*file, model);
  for (const tflite::Metadata* entry : *file->model().metadata()) {
    if (!IsNamed(*entry, name) ||
        entry->buffer() >= file->model().buffers()->size()) {
      continue;
    }
    const auto* data = file->model().buffers()->Get(entry->buffer())->data();
    if (data == nullptr) continue;
    const size_t bytes =
        RoundUp(places.Of(data->data()) + data->size(), kPrefixAlignment);
    if (bytes >= model.size() || !IsModel(model.substr(bytes))) continue;
    // These bytes are a prefix from PrefixOf only if PrefixOf would write
    // exactly the same prefix for the rest of the file.
    const absl::StatusOr<std::string> again =
        PrefixOf(model.substr(bytes), "model",
                 {name, absl::Span<const uint8_t>(data->data(), data->size())});
    if (again.ok() && *again == model.substr(0, bytes)) return bytes;
  }
  return 0;
}

}  // namespace stowage
