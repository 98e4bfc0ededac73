// SPDX-License-Identifier: Apache-2.0
// Implements the stack machine that executes pickles of plain data.
#include "src/recordings/pickle.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "src/recordings/pickle_opcodes.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {
namespace {

// The maximum nesting depth. The pickler of Python itself stops at about this
// depth.
constexpr size_t kMaxMarks = 1000;
// Numbers below 2^55 are stored in the value itself. For any other number, the
// payload of the value is this bit and the position of the opcode in the file.
constexpr uint64_t kNumberIsInFile = uint64_t{1} << 55;

}  // namespace

class PickleMachine {
 public:
  PickleMachine(string_view bytes, const std::string& name,
                Span<const string_view> keys)
      : bytes_(bytes),
        name_(name),
        limit_(Pickle::MemoryLimit(bytes.size())),
        pickle_(bytes, {keys.begin(), keys.end()}) {}

  StatusOr<Pickle> Run();

 private:
  absl::Status Error(string_view what) const {
    return absl::InvalidArgumentError(
        absl::StrCat(name_, ": byte ", at_, ": ", what));
  }
  absl::Status Refuse() const;
  // Returns an error if using `more` additional bytes would exceed the memory
  // limit.
  absl::Status CheckMemory(size_t more) const;
  absl::Status NeedValues(size_t count) const;
  absl::Status NeedMark() const;

  // Reads the opcode at next_ and its argument.
  absl::Status Fetch();
  absl::Status Step();
  absl::Status Structure();
  absl::Status Frame() const;
  absl::Status Stop();

  void Push(PickleValue value) { stack_.push_back(value); }
  void PushInt();
  void PushContainer();
  void CutTo(size_t size) {
    stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(size),
                 stack_.end());
  }
  // Returns the position on the stack of the first value above the innermost
  // mark.
  size_t Base() const { return marks_.empty() ? 0 : marks_.back(); }
  absl::Status Pop();
  // Moves the values from `begin` to the top of the stack to the list directly
  // below them.
  absl::Status Append(size_t begin);
  // Moves the keys and values from `begin` to the top of the stack to the
  // dictionary directly below them.
  absl::Status SetItems(size_t begin);
  absl::Status Marked(absl::Status (PickleMachine::*run)(size_t begin));
  void AddItem(Pickle::Container* container, PickleValue value);
  bool IsKept(PickleValue key) const;
  absl::Status Get();
  absl::Status Put(uint64_t index);

  string_view bytes_;
  const std::string& name_;
  size_t limit_;
  Pickle pickle_;
  std::deque<PickleValue> stack_;
  std::vector<size_t> marks_;  // the size of the stack at each mark
  std::deque<PickleValue> memo_;
  // The current opcode, its position, its argument, and the next position.
  const PickleOpcode* opcode_ = nullptr;
  size_t at_ = 0;
  string_view argument_;
  size_t next_ = 0;
  bool is_over_ = false;
};

absl::Status PickleMachine::Refuse() const {
  if (opcode_->action == PickleAction::kUnknown) {
    return Error(absl::StrCat(
        "has no opcode (0x",
        absl::Hex(static_cast<uint8_t>(bytes_[at_]), absl::kZeroPad2),
        "); expected a pickle of protocol 2 to 5"));
  }
  return Error(absl::StrCat(
      "is the opcode ", opcode_->name,
      opcode_->action == PickleAction::kRefuseCode
          ? ", by which a pickle runs code of Python; expected plain data "
            "alone, since nothing in a pickle is executed"
          : "; expected dictionaries, lists, tuples, texts, bytes and numbers "
            "of protocols 2 to 5 alone"));
}

absl::Status PickleMachine::CheckMemory(size_t more) const {
  const size_t used = (stack_.size() + memo_.size()) * sizeof(PickleValue) +
                      pickle_.containers_.size() * sizeof(Pickle::Container) +
                      pickle_.items_.size() * sizeof(Pickle::Word);
  if (used <= limit_ && more <= limit_ - used) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat(name_, ": byte ", at_, ": has values that take more than ",
                   limit_, " bytes of memory; expected at most this for ",
                   bytes_.size(), " bytes of a pickle"));
}

absl::Status PickleMachine::NeedValues(size_t count) const {
  const size_t found = stack_.size() - Base();
  if (found >= count) return absl::OkStatus();
  return Error(absl::StrCat(opcode_->name, " finds ", found,
                            " values on the stack; expected at least ", count));
}

absl::Status PickleMachine::NeedMark() const {
  if (!marks_.empty()) return absl::OkStatus();
  return Error(absl::StrCat(opcode_->name, " finds no mark; expected a MARK"));
}

absl::Status PickleMachine::Fetch() {
  at_ = next_;
  if (at_ >= bytes_.size()) {
    return Error("is the end of the file; expected a STOP before it");
  }
  opcode_ = &PickleOpcodeAt(bytes_, at_);
  next_ = at_ + 1;
  const auto take = [this](uint64_t count, string_view* taken) {
    const size_t left = bytes_.size() - next_;
    if (count > left) {
      return Error(absl::StrCat(opcode_->name, " has ", left,
                                " bytes up to the end of the file; expected ",
                                count));
    }
    *taken = bytes_.substr(next_, count);
    next_ += count;
    return absl::OkStatus();
  };
  absl::Status status = take(opcode_->number_bytes, &argument_);
  if (!status.ok() || !opcode_->is_counted) return status;
  return take(PickleNumber(argument_), &argument_);
}

void PickleMachine::PushInt() {
  const optional<uint64_t> number = PickleUnsigned(*opcode_, argument_);
  const bool fits = number && *number < kNumberIsInFile;
  Push({PickleKind::kInt, fits ? *number : kNumberIsInFile | at_});
}

void PickleMachine::PushContainer() {
  Push({opcode_->kind, pickle_.containers_.size()});
  pickle_.containers_.emplace_back();
}

absl::Status PickleMachine::Pop() {
  if (stack_.size() > Base()) {
    stack_.pop_back();
    return absl::OkStatus();
  }
  // As in Python, POP removes the innermost mark if there is no value above it.
  absl::Status status = NeedMark();
  if (status.ok()) marks_.pop_back();
  return status;
}

void PickleMachine::AddItem(Pickle::Container* container, PickleValue value) {
  std::deque<Pickle::Word>& items = pickle_.items_;
  const bool is_at_end =
      container->last != 0 &&
      container->last + items[container->last].chunk.count + 1 == items.size();
  if (!is_at_end) {
    const auto chunk = static_cast<uint32_t>(items.size());
    items.emplace_back(Pickle::Chunk());
    if (container->last == 0) {
      container->first = chunk;
    } else {
      items[container->last].chunk.next = chunk;
    }
    container->last = chunk;
  }
  items.emplace_back(value);
  ++items[container->last].chunk.count;
}

bool PickleMachine::IsKept(PickleValue key) const {
  const optional<string_view> text = pickle_.Text(key);
  return text && std::find(pickle_.keys_.begin(), pickle_.keys_.end(), *text) !=
                     pickle_.keys_.end();
}

absl::Status PickleMachine::Append(size_t begin) {
  if (begin <= Base() || stack_[begin - 1].kind() != PickleKind::kList) {
    return Error(absl::StrCat(opcode_->name,
                              " finds no list on the stack; expected one "
                              "below the items"));
  }
  const PickleValue list = stack_[begin - 1];
  Pickle::Container* const container =
      &pickle_.containers_[static_cast<size_t>(list.payload())];
  // A text directly below the list is treated as the key of the list. (The text
  // and the list may also be adjacent items of an outer list.)
  const bool has_key = begin >= Base() + 2;
  const PickleValue key = has_key ? stack_[begin - 2] : PickleValue();
  const size_t count = stack_.size() - begin;
  if (key.kind() == PickleKind::kText && !IsKept(key)) {
    container->is_whole = container->is_whole && count == 0;
  } else {
    absl::Status status = CheckMemory((count + 1) * sizeof(Pickle::Word));
    if (!status.ok()) return status;
    for (size_t i = begin; i < stack_.size(); ++i) {
      AddItem(container, stack_[i]);
    }
  }
  CutTo(begin);
  return absl::OkStatus();
}

absl::Status PickleMachine::SetItems(size_t begin) {
  if (begin <= Base() || stack_[begin - 1].kind() != PickleKind::kDict) {
    return Error(absl::StrCat(opcode_->name,
                              " finds no dictionary on the stack; expected "
                              "one below the keys and values"));
  }
  const size_t count = stack_.size() - begin;
  if (count % 2 != 0) {
    return Error(absl::StrCat(opcode_->name, " finds ", count,
                              " values; expected a value for each key"));
  }
  absl::Status status = CheckMemory((count + 1) * sizeof(Pickle::Word));
  if (!status.ok()) return status;
  Pickle::Container* const container =
      &pickle_.containers_[static_cast<size_t>(stack_[begin - 1].payload())];
  for (size_t i = begin; i < stack_.size(); i += 2) {
    const PickleValue key = stack_[i];
    if (key.kind() == PickleKind::kList || key.kind() == PickleKind::kDict) {
      return Error(absl::StrCat(opcode_->name,
                                " finds a list or a dictionary as a key; "
                                "expected a value that can be hashed"));
    }
    if (!IsKept(key)) continue;
    AddItem(container, key);
    AddItem(container, stack_[i + 1]);
  }
  CutTo(begin);
  return absl::OkStatus();
}

absl::Status PickleMachine::Marked(
    absl::Status (PickleMachine::*run)(size_t begin)) {
  absl::Status status = NeedMark();
  if (!status.ok()) return status;
  const size_t begin = marks_.back();
  marks_.pop_back();
  return (this->*run)(begin);
}

absl::Status PickleMachine::Get() {
  const uint64_t index = PickleNumber(argument_);
  if (index >= memo_.size() ||
      memo_[static_cast<size_t>(index)].kind() == PickleKind::kUnset) {
    return Error(absl::StrCat(opcode_->name, " asks for value ", index,
                              ", which was not stored; expected a value that "
                              "was stored before"));
  }
  Push(memo_[static_cast<size_t>(index)]);
  return absl::OkStatus();
}

absl::Status PickleMachine::Put(uint64_t index) {
  absl::Status status = NeedValues(1);
  if (!status.ok()) return status;
  // Each value needs at least one byte in the file, so no value can have a
  // number above at_.
  if (index > at_) {
    return Error(absl::StrCat(opcode_->name, " stores value ", index,
                              "; expected at most the number of values, ",
                              memo_.size()));
  }
  if (index >= memo_.size()) {
    const auto size = static_cast<size_t>(index) + 1;
    status = CheckMemory((size - memo_.size()) * sizeof(PickleValue));
    if (!status.ok()) return status;
    memo_.resize(size);
  }
  memo_[static_cast<size_t>(index)] = stack_.back();
  return absl::OkStatus();
}

absl::Status PickleMachine::Frame() const {
  const uint64_t length = PickleNumber(argument_);
  if (length <= bytes_.size() - next_) return absl::OkStatus();
  return Error(absl::StrCat("FRAME has ", bytes_.size() - next_,
                            " bytes up to the end of the file; expected ",
                            length));
}

absl::Status PickleMachine::Stop() {
  if (stack_.size() != 1 || !marks_.empty()) {
    return Error(absl::StrCat("STOP finds ", stack_.size(), " values and ",
                              marks_.size(),
                              " marks on the stack; expected one value"));
  }
  is_over_ = true;
  pickle_.root_ = stack_.back();
  pickle_.size_ = next_;
  return absl::OkStatus();
}

// Executes an opcode that pushes a value or moves values into other values.
absl::Status PickleMachine::Structure() {
  absl::Status status;
  switch (opcode_->action) {
    case PickleAction::kTuple:
      status = NeedValues(opcode_->argument);
      if (!status.ok()) return status;
      CutTo(stack_.size() - opcode_->argument);
      Push({PickleKind::kTuple, 0});
      return absl::OkStatus();
    case PickleAction::kMarkedTuple:
    case PickleAction::kPopMark:
      status = NeedMark();
      if (!status.ok()) return status;
      CutTo(Base());
      marks_.pop_back();
      if (opcode_->kind == PickleKind::kTuple) Push({PickleKind::kTuple, 0});
      return absl::OkStatus();
    case PickleAction::kMark:
      if (marks_.size() == kMaxMarks) {
        return Error(absl::StrCat("nests values deeper than ", kMaxMarks,
                                  "; expected at most this"));
      }
      marks_.push_back(stack_.size());
      return absl::OkStatus();
    case PickleAction::kPop:
      return Pop();
    case PickleAction::kDup:
      status = NeedValues(1);
      if (status.ok()) Push(stack_.back());
      return status;
    case PickleAction::kAppend:
      status = NeedValues(2);
      return status.ok() ? Append(stack_.size() - 1) : status;
    case PickleAction::kAppends:
      return Marked(&PickleMachine::Append);
    case PickleAction::kSetItem:
      status = NeedValues(3);
      return status.ok() ? SetItems(stack_.size() - 2) : status;
    default:
      return Marked(&PickleMachine::SetItems);
  }
}

absl::Status PickleMachine::Step() {
  switch (opcode_->action) {
    case PickleAction::kUnknown:
    case PickleAction::kRefuseCode:
    case PickleAction::kRefuseOther:
      return Refuse();
    case PickleAction::kPush:
      Push({opcode_->kind, at_});
      return absl::OkStatus();
    case PickleAction::kPushBool:
      Push({opcode_->kind, opcode_->argument});
      return absl::OkStatus();
    case PickleAction::kPushInt:
      PushInt();
      return absl::OkStatus();
    case PickleAction::kPushContainer:
      PushContainer();
      return absl::OkStatus();
    case PickleAction::kGet:
      return Get();
    case PickleAction::kPut:
      return Put(PickleNumber(argument_));
    case PickleAction::kMemoize:
      return Put(memo_.size());
    case PickleAction::kFrame:
      return Frame();
    case PickleAction::kProto:
      if (argument_[0] >= 2 && argument_[0] <= 5) return absl::OkStatus();
      return Error(absl::StrCat("has protocol ",
                                static_cast<uint8_t>(argument_[0]),
                                "; expected 2 to 5"));
    case PickleAction::kStop:
      return Stop();
    default:
      return Structure();
  }
}

StatusOr<Pickle> PickleMachine::Run() {
  while (!is_over_) {
    absl::Status status = Fetch();
    if (status.ok() && at_ == 0 && opcode_->action != PickleAction::kProto) {
      status = Error("has no PROTO; expected a pickle of protocol 2 to 5");
    }
    if (status.ok()) status = Step();
    if (status.ok()) status = CheckMemory(0);
    if (!status.ok()) return status;
  }
  return std::move(pickle_);
}

StatusOr<Pickle> Pickle::Read(string_view bytes, const std::string& name,
                              Span<const string_view> keys) {
  return PickleMachine(bytes, name, keys).Run();
}

size_t Pickle::MemoryLimit(size_t file_bytes) {
  constexpr size_t kLeast = size_t{128} << 20;
  // Positions of words have 32 bits, which is sufficient for this number of
  // bytes.
  constexpr size_t kMost = size_t{16} << 30;
  // An event of an allocator has at least four entries with kept keys. It takes
  // 100 bytes of memory (a container, an entry of the memo, the head of a
  // chunk, four keys with values, and an item of a list) and at least 20 bytes
  // of the file, so no snapshot has a ratio above 5. A file made of opcodes
  // without arguments has a ratio of 8 to 20.
  constexpr size_t kRatio = 6;
  return file_bytes > kMost / kRatio ? kMost
                                     : std::max(kLeast, kRatio * file_bytes);
}

optional<uint64_t> Pickle::Unsigned(PickleValue value) const {
  if (value.kind() != PickleKind::kInt) return nullopt;
  if ((value.payload() & kNumberIsInFile) == 0) return value.payload();
  const auto at = static_cast<size_t>(value.payload() & ~kNumberIsInFile);
  return PickleUnsigned(PickleOpcodeAt(bytes_, at),
                        PickleArgumentAt(bytes_, at));
}

optional<string_view> Pickle::Text(PickleValue value) const {
  if (value.kind() != PickleKind::kText) return nullopt;
  return PickleArgumentAt(bytes_, static_cast<size_t>(value.payload()));
}

bool Pickle::IsWhole(PickleValue list) const {
  return list.kind() == PickleKind::kList &&
         containers_[static_cast<size_t>(list.payload())].is_whole;
}

template <typename Visit>
void Pickle::ForEach(PickleValue container, Visit visit) const {
  size_t chunk = containers_[static_cast<size_t>(container.payload())].first;
  while (chunk != 0) {
    const Chunk head = items_[chunk].chunk;
    for (size_t i = 1; i <= head.count; ++i) visit(items_[chunk + i].value);
    chunk = head.next;
  }
}

std::vector<PickleValue> Pickle::Items(PickleValue list) const {
  std::vector<PickleValue> items;
  if (list.kind() != PickleKind::kList) return items;
  ForEach(list, [&items](PickleValue item) { items.push_back(item); });
  return items;
}

optional<PickleValue> Pickle::Find(PickleValue dict, string_view key) const {
  if (dict.kind() != PickleKind::kDict) return nullopt;
  optional<PickleValue> found;
  bool is_key = true;
  bool is_wanted = false;
  // If a key has several entries, the last entry is used.
  ForEach(dict, [&](PickleValue item) {
    if (is_key) {
      is_wanted = Text(item) == key;
    } else if (is_wanted) {
      found = item;
    }
    is_key = !is_key;
  });
  return found;
}

}  // namespace stowage::recordings
