// SPDX-License-Identifier: Apache-2.0
// Reads ExecuTorch programs (.pte) and bundles (.bpte) of a program and its
// tests. A program has methods. Each method has values, instructions and a
// plan, which assigns a memory and an offset to most tensors. Each part of the
// recording has the tensors of one method in one memory.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "flatbuffers/flatbuffers.h"
#include "recordings_schema/executorch_generated.h"
#include "src/recordings/executorch_lifetimes.h"
#include "src/recordings/executorch_tensor.h"
#include "src/recordings/recording_format.h"
#include "src/recordings/recording_input.h"
#include "src/recordings/rounded_size.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/io/other_format.h"
#include "stowage/problem.h"
#include "stowage/recordings/recording.h"

namespace stowage::recordings {
namespace {

constexpr string_view kProgramMark = "ET12";
constexpr string_view kBundleMark = "BP08";

// The default alignment of the ExecuTorch planner (source:
// exir/memory_planning.py of ExecuTorch).
constexpr size_t kExecutorchAlignment = 16;

// The length in bytes to which the name of a method is truncated.
constexpr size_t kMaxMethodName = 128;

// The maximum number of instruction names in all parts of a method together.
// The names are repeated in every part. If the parts would need more names than
// this, they have no names.
constexpr size_t kMaxOperators = size_t{1} << 20;

bool HasMark(string_view start) {
  // A flatbuffer begins with the offset of its root. The high bytes of this
  // offset are 0, whereas text contains no zero bytes.
  return start.size() >= 8 && start[3] == '\0' &&
         (absl::StartsWith(start.substr(4), "ET") ||
          absl::StartsWith(start.substr(4), "BP")) &&
         absl::ascii_isdigit(static_cast<unsigned char>(start[6])) &&
         absl::ascii_isdigit(static_cast<unsigned char>(start[7]));
}

bool IsExecutorch(string_view start, const std::string& path) {
  if (HasMark(start)) return true;
  // If the mark is corrupt, use the extension of the path, unless the file is
  // text or has a different format.
  return (absl::EndsWith(path, ".pte") || absl::EndsWith(path, ".bpte")) &&
         absl::StrContains(start, '\0') && OtherFormat(start).empty();
}

// Provides the bytes of a file at an address that is a multiple of eight,
// because the accessors of flatbuffers read eight bytes at once. Copies the
// bytes if they are at any other address.
class AlignedBytes {
 public:
  explicit AlignedBytes(string_view bytes) : bytes_(bytes) {
    if (reinterpret_cast<uintptr_t>(bytes.data()) % sizeof(uint64_t) == 0) {
      return;
    }
    copy_.resize(bytes.size() / sizeof(uint64_t) + 1);
    std::memcpy(copy_.data(), bytes.data(), bytes.size());
  }

  const uint8_t* data() const {
    return copy_.empty() ? reinterpret_cast<const uint8_t*>(bytes_.data())
                         : reinterpret_cast<const uint8_t*>(copy_.data());
  }
  size_t size() const { return bytes_.size(); }

 private:
  string_view bytes_;
  std::vector<uint64_t> copy_;
};

// Returns the root of a flatbuffer, or null if the flatbuffer is corrupt.
template <typename Root>
const Root* VerifiedRoot(const AlignedBytes& bytes, string_view mark) {
  const size_t size = std::min(
      bytes.size(), static_cast<size_t>(FLATBUFFERS_MAX_BUFFER_SIZE - 1));
  flatbuffers::Verifier::Options options;
  // A table has at least eight bytes. A file with more tables than bytes would
  // have to use the same table in many places, which no writer does.
  options.max_tables = static_cast<flatbuffers::uoffset_t>(size);
  flatbuffers::Verifier verifier(bytes.data(), size, options);
  const std::string identifier(mark);
  if (!verifier.VerifyBuffer<Root>(identifier.c_str())) return nullptr;
  return flatbuffers::GetRoot<Root>(bytes.data());
}

std::string MethodName(const executorch::ExecutionPlan& method, size_t index) {
  if (method.name() == nullptr || method.name()->size() == 0) {
    return absl::StrCat("method ", index);
  }
  const string_view name(method.name()->c_str(), method.name()->size());
  return OneLine(FileText(name.substr(0, kMaxMethodName)));
}

void AddClause(const std::string& clause, std::string* note) {
  absl::StrAppend(note, note->empty() ? "" : "; ", clause);
}

std::string TensorCount(size_t count) {
  return absl::StrCat(count, count == 1 ? " tensor" : " tensors");
}

// Returns the largest power of two that divides all offsets, but at most the
// default alignment of ExecuTorch. The alignment must be derived from the
// offsets, because a program does not state the alignment that its planner
// used.
size_t AlignmentOf(const std::vector<size_t>& offsets) {
  size_t alignment = kExecutorchAlignment;
  for (const size_t offset : offsets) {
    while (offset % alignment != 0) alignment /= 2;
  }
  return alignment;
}

// Reads the parts of one method.
class MethodReader {
 public:
  // Sizes are rounded up to multiples of `tensor_alignment`.
  MethodReader(const executorch::ExecutionPlan& method, std::string name,
               size_t tensor_alignment)
      : method_(method),
        name_(std::move(name)),
        tensor_alignment_(tensor_alignment) {}

  // Appends one part for each memory that has records, by rising memory number.
  // A method has no parts if none of its tensors is in a memory.
  absl::Status Read(std::vector<RecordingPart>* parts) {
    absl::Status planned = ReadTensors();
    if (!planned.ok()) return planned;
    if (memories_.empty()) return absl::OkStatus();
    StatusOr<ExecutorchLives> lives = LivesOf(method_);
    if (!lives.ok()) return lives.status();
    lives_ = *std::move(lives);
    FindViews();
    for (const auto& [id, tensors] : memories_) {
      StatusOr<RecordingPart> part = PartOf(id, tensors);
      if (!part.ok()) return part.status();
      if (part->file.problem.records.empty()) continue;
      parts->push_back(*std::move(part));
    }
    return absl::OkStatus();
  }

 private:
  size_t ValueCount() const {
    return method_.values() == nullptr ? 0 : method_.values()->size();
  }

  // Returns the tensor of a value, or null if the value is not a tensor or the
  // tensor has no place.
  const executorch::Tensor* PlannedTensor(size_t value) const {
    const auto* const entry =
        method_.values()->Get(static_cast<uint32_t>(value));
    const executorch::Tensor* const tensor = entry->val_as_Tensor();
    return tensor == nullptr || tensor->allocation_info() == nullptr ? nullptr
                                                                     : tensor;
  }

  absl::Status ReadTensors() {
    const auto* const sizes = method_.non_const_buffer_sizes();
    const size_t memories = sizes == nullptr ? 0 : sizes->size();
    for (size_t v = 0; v < ValueCount(); ++v) {
      const executorch::Tensor* const tensor = PlannedTensor(v);
      if (tensor == nullptr) continue;
      StatusOr<ExecutorchTensor> read = ReadExecutorchTensor(v, *tensor);
      if (!read.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat("value ", v, ": ", read.status().message()));
      }
      const uint32_t id = read->memory_id;
      if (id == 0 || id >= memories) {
        return absl::InvalidArgumentError(absl::StrCat(
            "value ", v, ": is in memory ", id, "; expected one of the ",
            memories, " memories of the method but memory 0"));
      }
      memories_[id].push_back(*std::move(read));
    }
    return absl::OkStatus();
  }

  // Finds the views that have the same place in the plan as the viewed tensor.
  // At run time, every view uses the bytes of the viewed tensor, even if the
  // plan assigns a different place to the view.
  void FindViews() {
    for (const auto& [source, alias] : lives_.aliases) {
      const executorch::Tensor* const of = PlannedTensor(source);
      const executorch::Tensor* const view = PlannedTensor(alias);
      if (source == alias || of == nullptr || view == nullptr) continue;
      const auto& a = *of->allocation_info();
      const auto& b = *view->allocation_info();
      if (a.memory_id() == b.memory_id() &&
          a.memory_offset_low() == b.memory_offset_low() &&
          a.memory_offset_high() == b.memory_offset_high()) {
        views_.insert(alias);
      }
    }
  }

  StatusOr<RecordingPart> PartOf(uint32_t id,
                                 const std::vector<ExecutorchTensor>& tensors) {
    const int64_t arena = method_.non_const_buffer_sizes()->Get(id);
    if (arena < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("memory ", id, ": has ", arena,
                       " bytes; expected no negative number"));
    }
    RecordingPart part;
    part.name = memories_.size() == 1 ? name_ : absl::StrCat(name_, "/", id);
    part.file.plan.arena_size = static_cast<size_t>(arena);
    size_t bounds = 0;
    size_t unused = 0;
    for (const ExecutorchTensor& tensor : tensors) {
      if (views_.count(tensor.value) > 0) continue;
      const ExecutorchLife& life = lives_.lives[tensor.value];
      if (!life.is_used && !tensor.has_content) {
        ++unused;
        continue;
      }
      if (tensor.has_bound) ++bounds;
      AddRecord(tensor, life, &part);
    }
    ProblemSpec& problem = part.file.problem;
    problem.alignment = AlignmentOf(part.file.plan.offsets);
    if (lives_.operators.size() <= kMaxOperators / memories_.size()) {
      problem.labels.operators = lives_.operators;
    }
    part.file.note = NoteOf(part, bounds, unused);
    if (!KeepsPlan(tensors, part)) {
      part.file.plan.offsets.clear();
      AddClause("its plan is left out, since sizes are rounded up",
                &part.file.note);
    }
    return part;
  }

  // Returns whether the offsets in the program are a valid plan for the
  // records. Because sizes are rounded up, records may overlap even if the plan
  // of the program is safe. They cannot overlap if all offsets and the end of
  // the memory are multiples of `tensor_alignment`, too.
  bool KeepsPlan(const std::vector<ExecutorchTensor>& tensors,
                 const RecordingPart& part) const {
    if (tensor_alignment_ <= part.file.problem.alignment &&
        part.file.plan.arena_size.value_or(0) % tensor_alignment_ == 0) {
      return true;
    }
    return absl::c_all_of(tensors, [this](const ExecutorchTensor& tensor) {
      return RoundedSize(tensor.bytes, tensor_alignment_) == tensor.bytes;
    });
  }

  void AddRecord(const ExecutorchTensor& tensor, const ExecutorchLife& life,
                 RecordingPart* part) const {
    ProblemSpec& problem = part->file.problem;
    if (tensor.has_content) part->kept.push_back(problem.records.size());
    problem.records.emplace_back(RoundedSize(tensor.bytes, tensor_alignment_),
                                 life.first,
                                 life.is_used ? life.last : lives_.end());
    problem.names.push_back(absl::StrCat(tensor.value));
    TensorInfo info = tensor.info;
    info.consumers = life.tasks;
    const bool is_written =
        !life.is_input && !tensor.has_content && !life.tasks.empty();
    if (is_written) {
      info.producer = life.tasks.front();
      info.consumers.erase(info.consumers.begin());
    }
    problem.labels.tensors.push_back(std::move(info));
    part->file.plan.offsets.push_back(tensor.offset);
  }

  // Returns a note for planners about the memory that the records do not cover.
  std::string NoteOf(const RecordingPart& part, size_t bounds,
                     size_t unused) const {
    std::string note;
    if (lives_.delegate_calls > 0) {
      AddClause(absl::StrCat("delegates run ", lives_.delegate_calls, " of ",
                             lives_.operators.size(),
                             " instructions and are opaque: the memory that "
                             "they plan themselves is not included"),
                &note);
    }
    if (bounds > 0) {
      AddClause(absl::StrCat(TensorCount(bounds),
                             " of dynamic shape, whose sizes are upper bounds"),
                &note);
    }
    if (!part.kept.empty()) {
      AddClause(absl::StrCat(TensorCount(part.kept.size()),
                             " with content before the first instruction, "
                             "which lifetimes do not cover"),
                &note);
    }
    if (unused > 0) {
      AddClause(absl::StrCat(TensorCount(unused),
                             " that no instruction uses, left out"),
                &note);
    }
    return note;
  }

  const executorch::ExecutionPlan& method_;
  const std::string name_;
  const size_t tensor_alignment_;
  // The tensors that have a place, keyed by the number of their memory.
  std::map<uint32_t, std::vector<ExecutorchTensor>> memories_;
  ExecutorchLives lives_;
  std::set<size_t> views_;
};

bool HasDelegates(const executorch::Program& program) {
  for (const executorch::ExecutionPlan* method : *program.execution_plan()) {
    if (method->delegates() != nullptr && method->delegates()->size() > 0) {
      return true;
    }
  }
  return false;
}

StatusOr<std::vector<RecordingPart>> ReadProgram(string_view bytes,
                                                 const std::string& name,
                                                 size_t tensor_alignment) {
  const AlignedBytes aligned(bytes);
  const auto* const program =
      VerifiedRoot<executorch::Program>(aligned, kProgramMark);
  if (program == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        name,
        ": an ExecuTorch program that is truncated or damaged: not a valid "
        "flatbuffer; expected a program as `to_executorch` makes it"));
  }
  std::vector<RecordingPart> parts;
  const size_t methods = program->execution_plan() == nullptr
                             ? 0
                             : program->execution_plan()->size();
  std::set<std::string> names;
  for (size_t m = 0; m < methods; ++m) {
    const auto* const method =
        program->execution_plan()->Get(static_cast<uint32_t>(m));
    const std::string method_name = MethodName(*method, m);
    const std::string place =
        absl::StrCat(name, ": method ", m, ", '", method_name, "'");
    const size_t before = parts.size();
    const absl::Status read =
        MethodReader(*method, method_name, tensor_alignment).Read(&parts);
    if (!read.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat(place, ", ", read.message()));
    }
    for (size_t i = before; i < parts.size(); ++i) {
      if (names.insert(parts[i].name).second) continue;
      return absl::InvalidArgumentError(
          absl::StrCat(place, ": has a second plan of the name '",
                       parts[i].name, "'; expected each name once"));
    }
  }
  if (!parts.empty()) return parts;
  return absl::InvalidArgumentError(absl::StrCat(
      name, ": an ExecuTorch program without a planned tensor in its ", methods,
      methods == 1 ? " method" : " methods",
      methods > 0 && HasDelegates(*program)
          ? ", since delegates plan their own memory"
          : "",
      "; expected a method with tensors that memory planning has placed"));
}

StatusOr<std::vector<RecordingPart>> ReadBundle(string_view bytes,
                                                const std::string& name,
                                                size_t tensor_alignment) {
  const AlignedBytes aligned(bytes);
  const auto* const bundle =
      VerifiedRoot<executorch::BundledProgram>(aligned, kBundleMark);
  if (bundle == nullptr || bundle->program() == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        name,
        ": a bundled program of ExecuTorch that is truncated or damaged; "
        "expected a valid flatbuffer with a program inside"));
  }
  const string_view program(
      reinterpret_cast<const char*>(bundle->program()->data()),
      bundle->program()->size());
  return ReadProgram(program, absl::StrCat(name, ": its program"),
                     tensor_alignment);
}

StatusOr<std::vector<RecordingPart>> ReadExecutorch(
    RecordingInput* input, const RecordingOptions& options) {
  const StatusOr<string_view> bytes = input->Contents();
  if (!bytes.ok()) return bytes.status();
  const string_view mark =
      bytes->size() < 8 ? string_view() : bytes->substr(4, 4);
  if (mark == kProgramMark) {
    return ReadProgram(*bytes, input->name(), options.tensor_alignment);
  }
  if (mark == kBundleMark) {
    return ReadBundle(*bytes, input->name(), options.tensor_alignment);
  }
  return absl::InvalidArgumentError(absl::StrCat(
      input->name(),
      ": not an ExecuTorch program that can be read: bytes 4 to 7 are ",
      Quoted(mark), "; expected \"", kProgramMark, "\", or \"", kBundleMark,
      "\" for a bundled program"));
}

}  // namespace

const RecordingFormat kExecutorch = {
    {"executorch", "a program (.pte) or bundled program (.bpte) of ExecuTorch",
     ""},
    IsExecutorch,
    ReadExecutorch,
};

}  // namespace stowage::recordings
