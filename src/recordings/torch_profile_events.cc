// SPDX-License-Identifier: Apache-2.0
#include "src/recordings/torch_profile_events.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "src/recordings/json_events.h"
#include "src/recordings/recording_input.h"
#include "stowage/base/optional.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/io/byte_source.h"

namespace stowage::recordings {
namespace {

constexpr size_t kTorchDigits = 18;

// The maximum number of devices. PyTorch itself supports fewer: 128 of each
// type.
constexpr size_t kMaxProfileDevices = 8192;

// A number without a decimal point. Its value is -magnitude if it is negative.
struct TorchInteger {
  bool is_negative = false;
  uint64_t magnitude = 0;

  // Returns the number modulo 2^64.
  uint64_t Bits() const {
    return is_negative ? uint64_t{0} - magnitude : magnitude;
  }
};

// The fields of an event that are read. kTorchArgs is the object "args", which
// contains the fields that follow it in this list.
enum TorchField : uint32_t {
  kTorchName,
  kTorchPhase,
  kTorchTime,
  kTorchProcess,
  kTorchArgs,
  kTorchType,
  kTorchId,
  kTorchAddress,
  kTorchBytes,
  kTorchTotal,
  kTorchNoField,
};

constexpr string_view kProfileKeys[] = {
    "name",        "ph",        "ts",   "pid",   "args",
    "Device Type", "Device Id", "Addr", "Bytes", "Total Allocated"};

TorchField FindTorchField(string_view key, bool is_arg) {
  const size_t begin = is_arg ? kTorchType : kTorchName;
  const size_t end = is_arg ? kTorchNoField : kTorchType;
  for (size_t i = begin; i < end; ++i) {
    if (kProfileKeys[i] == key) return static_cast<TorchField>(i);
  }
  return kTorchNoField;
}

// Returns a value as an integer. Also converts text that contains an integer,
// because some versions of the profiler, and some programs that rewrite its
// files, write numbers as text.
optional<TorchInteger> IntegerOf(const JsonScalar& value) {
  if (value.kind == JsonScalar::Kind::kInteger) {
    return TorchInteger{value.is_negative, value.magnitude};
  }
  if (value.kind != JsonScalar::Kind::kDecimal &&
      value.kind != JsonScalar::Kind::kString) {
    return nullopt;
  }
  TorchInteger integer;
  const bool is_hex = absl::StartsWith(value.text, "0x");
  if (is_hex ? absl::SimpleHexAtoi(value.text, &integer.magnitude)
             : absl::SimpleAtoi(value.text, &integer.magnitude)) {
    return integer;
  }
  const optional<TorchDecimal> decimal = ParseTorchDecimal(value.text);
  if (!decimal || decimal->fraction != 0) return nullopt;
  integer.is_negative = decimal->whole < 0;
  integer.magnitude = static_cast<uint64_t>(
      integer.is_negative ? -decimal->whole : decimal->whole);
  return integer;
}

optional<TorchDecimal> DecimalOf(const JsonScalar& value) {
  if (value.kind == JsonScalar::Kind::kInteger) {
    return ParseTorchDecimal(
        absl::StrCat(value.is_negative ? "-" : "", value.magnitude));
  }
  if (value.kind != JsonScalar::Kind::kDecimal &&
      value.kind != JsonScalar::Kind::kString) {
    return nullopt;
  }
  return ParseTorchDecimal(value.text);
}

std::string ShownScalar(const JsonScalar& value) {
  switch (value.kind) {
    case JsonScalar::Kind::kNull:
      return "null";
    case JsonScalar::Kind::kBoolean:
      return value.is_true ? "true" : "false";
    case JsonScalar::Kind::kInteger:
      return absl::StrCat(value.is_negative ? "-" : "", value.magnitude);
    case JsonScalar::Kind::kDecimal:
    case JsonScalar::Kind::kString:
      break;
  }
  return Quoted(value.text);
}

// Returns the maximum magnitude of an integer field. The limit for negative
// numbers may differ from that for other numbers.
uint64_t MaxMagnitude(TorchField field, bool is_negative) {
  constexpr uint64_t kMaxInt64 = std::numeric_limits<int64_t>::max();
  if (field != kTorchAddress && field != kTorchTotal) return kMaxInt64;
  return is_negative ? kMaxInt64 : std::numeric_limits<uint64_t>::max();
}

constexpr bool IsTorchInteger(TorchField field) {
  return field == kTorchType || field == kTorchId || field == kTorchAddress ||
         field == kTorchBytes || field == kTorchTotal;
}

// The values of the event that is being read. They are stored until the end of
// the event, because only the name of the event, which may come last,
// determines whether they are needed.
struct TorchDraft {
  uint32_t seen = 0;  // a bit for each field
  bool is_memory = false;
  bool is_instant = true;
  TorchDecimal time;
  std::string process;
  TorchInteger integers[kTorchNoField];
  std::string error;

  bool Has(TorchField field) const { return (seen >> field & 1) != 0; }
};

class TorchReader final : public JsonHandler {
 public:
  explicit TorchReader(const std::string& name) : name_(name) {}

  bool Open(bool is_object) override;
  bool Close() override;
  bool Key(string_view key) override;
  bool Scalar(const JsonScalar& value) override;

  // Returns the events. Must be called after the whole text has been read.
  StatusOr<TorchEvents> Finish();

 private:
  // The nesting depths of the values of the file, the entries of "traceEvents",
  // the values of an event, and the values of its args.
  static constexpr size_t kInFile = 1;
  static constexpr size_t kInEvents = 2;
  static constexpr size_t kInEvent = 3;
  static constexpr size_t kInArgs = 4;

  bool IsField() const {
    return in_event_ && (depth_ == kInEvent || (depth_ == kInArgs && in_args_));
  }
  void Set(const JsonScalar& value);
  bool EndEvent();
  bool CheckDraft();
  bool Fail(string_view place, string_view message) {
    status_ = absl::InvalidArgumentError(
        absl::StrCat(name_, ": ", place, place.empty() ? "" : ": ", message));
    return false;
  }
  bool FailEvent(string_view message) {
    return Fail(absl::StrCat(
                    "traceEvents[", index_, "]",
                    draft_.Has(kTorchTime) && draft_.error.empty()
                        ? absl::StrCat(", ts ", FormatTorchDecimal(draft_.time))
                        : ""),
                message);
  }

  const std::string& name_;
  size_t depth_ = 0;
  bool is_events_key_ = false;  // the last key of the file is "traceEvents"
  bool has_events_ = false;
  bool in_events_ = false;
  bool in_event_ = false;
  bool in_args_ = false;
  TorchField field_ = kTorchNoField;
  size_t index_ = 0;
  TorchDraft draft_;
  TorchEvents events_;
  absl::Status status_;
};

bool TorchReader::Open(bool is_object) {
  if (depth_ == 0 && !is_object) {
    return Fail("", "is a list; expected an object with traceEvents");
  }
  if (depth_ == kInFile && is_events_key_) {
    if (is_object) return Fail("traceEvents", "is an object; expected a list");
    in_events_ = true;
  } else if (depth_ == kInEvents && in_events_) {
    in_event_ = is_object;
    draft_ = TorchDraft();
  } else if (IsField()) {
    if (depth_ == kInEvent) in_args_ = is_object && field_ == kTorchArgs;
    if (field_ != kTorchArgs && field_ != kTorchNoField) {
      draft_.error = absl::StrCat(
          kProfileKeys[field_], " is an object or a list; expected one value");
    }
  }
  ++depth_;
  return true;
}

bool TorchReader::Close() {
  --depth_;
  if (depth_ == kInFile) in_events_ = false;
  if (depth_ == kInEvent) in_args_ = false;
  if (depth_ != kInEvents || !in_events_) return true;
  const bool goes_on = !in_event_ || EndEvent();
  in_event_ = false;
  ++index_;
  return goes_on;
}

bool TorchReader::Key(string_view key) {
  if (depth_ == kInFile) {
    is_events_key_ = key == "traceEvents";
    if (is_events_key_ && has_events_) {
      return Fail("", "has traceEvents twice; expected one list");
    }
    has_events_ |= is_events_key_;
  }
  if (!IsField()) return true;
  field_ = FindTorchField(key, depth_ == kInArgs);
  if (field_ == kTorchNoField) return true;
  if (draft_.Has(field_)) {
    draft_.error =
        absl::StrCat("has ", kProfileKeys[field_], " twice; expected it once");
  }
  draft_.seen |= uint32_t{1} << field_;
  return true;
}

bool TorchReader::Scalar(const JsonScalar& value) {
  if (depth_ == 0) return Fail("", "is a single value; expected an object");
  if (depth_ == kInFile && is_events_key_) {
    return Fail("traceEvents",
                absl::StrCat("is ", ShownScalar(value), "; expected a list"));
  }
  if (depth_ == kInEvents && in_events_) ++index_;
  if (IsField() && field_ != kTorchNoField) Set(value);
  return true;
}

void TorchReader::Set(const JsonScalar& value) {
  if (field_ == kTorchName) {
    draft_.is_memory |= value.text == "[memory]";
  } else if (field_ == kTorchPhase) {
    draft_.is_instant = value.text == "i" || value.text == "I";
  } else if (field_ == kTorchProcess) {
    draft_.process = ShownScalar(value);
  } else if (field_ == kTorchTime) {
    const optional<TorchDecimal> time = DecimalOf(value);
    if (time) {
      draft_.time = *time;
    } else {
      draft_.error =
          absl::StrCat("ts is ", ShownScalar(value),
                       "; expected microseconds, as a number with at most ",
                       kTorchDigits, " digits before and after the point");
    }
  } else if (IsTorchInteger(field_)) {
    const optional<TorchInteger> integer = IntegerOf(value);
    if (integer &&
        integer->magnitude <= MaxMagnitude(field_, integer->is_negative)) {
      draft_.integers[field_] = *integer;
    } else {
      draft_.error =
          absl::StrCat(kProfileKeys[field_], " is ", ShownScalar(value),
                       "; expected an integer of 64 bits");
    }
  }
}

// Returns whether the event has all required values, and otherwise sets the
// error.
bool TorchReader::CheckDraft() {
  if (!draft_.error.empty()) return FailEvent(draft_.error);
  for (const TorchField field :
       {kTorchTime, kTorchBytes, kTorchType, kTorchId}) {
    if (draft_.Has(field)) continue;
    return FailEvent(absl::StrCat(
        "a [memory] event without ", kProfileKeys[field],
        "; expected ts, and args with Device Type, Device Id, Addr and Bytes"));
  }
  if (draft_.Has(kTorchAddress)) return true;
  return FailEvent(
      "a [memory] event without Addr, as old versions of PyTorch write them, "
      "so that frees cannot be matched with allocations; expected a profile "
      "by PyTorch 2.0 or later");
}

bool TorchReader::EndEvent() {
  // Spans to which a user has given the name "[memory]" are not memory events.
  if (!draft_.is_memory || !draft_.is_instant) return true;
  if (!CheckDraft()) return false;
  const TorchInteger& bytes = draft_.integers[kTorchBytes];
  const uint64_t total = draft_.integers[kTorchTotal].Bits();
  const uint64_t unknown = std::numeric_limits<uint64_t>::max();  // -1
  TorchMemoryEvent event;
  event.time = draft_.time;
  event.address = draft_.integers[kTorchAddress].Bits();
  event.size = bytes.magnitude;
  event.is_free = bytes.is_negative;
  event.has_total = draft_.Has(kTorchTotal) && total != unknown;
  event.total = total;
  event.index = index_;
  const auto signed_value = [this](TorchField field) {
    return static_cast<int64_t>(draft_.integers[field].Bits());
  };
  TorchDeviceEvents& device =
      events_[{signed_value(kTorchType), signed_value(kTorchId)}];
  if (events_.size() > kMaxProfileDevices) {
    return FailEvent(absl::StrCat(
        "a [memory] event of one device too many; expected at most ",
        kMaxProfileDevices));
  }
  if (device.process.empty()) device.process = draft_.process;
  if (device.process != draft_.process) device.other_process = draft_.process;
  device.events.push_back(event);
  return true;
}

StatusOr<TorchEvents> TorchReader::Finish() {
  if (!status_.ok()) return status_;
  if (!has_events_) {
    Fail("", "has no traceEvents; expected a profile of PyTorch");
  } else if (events_.empty()) {
    Fail("traceEvents",
         "has no [memory] event; expected a profile that is recorded with "
         "profile(profile_memory=True)");
  }
  if (!status_.ok()) return status_;
  return std::move(events_);
}

}  // namespace

optional<TorchDecimal> ParseTorchDecimal(string_view text) {
  const bool is_negative = !text.empty() && text[0] == '-';
  if (is_negative) text.remove_prefix(1);
  const size_t exponent_at = std::min(text.find_first_of("eE"), text.size());
  int64_t exponent = 0;
  if (exponent_at < text.size() &&
      (!absl::SimpleAtoi(text.substr(exponent_at + 1), &exponent) ||
       exponent < -99 || exponent > 99)) {
    return nullopt;
  }
  const string_view mantissa = text.substr(0, exponent_at);
  const size_t point = std::min(mantissa.find('.'), mantissa.size());
  std::string digits =
      absl::StrCat(mantissa.substr(0, point),
                   mantissa.substr(std::min(point + 1, mantissa.size())));
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), [](char c) {
        return absl::ascii_isdigit(static_cast<unsigned char>(c));
      })) {
    return nullopt;
  }
  // The zeros on both sides make room for moving the decimal point.
  constexpr size_t kRoom = 120;
  digits =
      absl::StrCat(std::string(kRoom, '0'), digits, std::string(kRoom, '0'));
  const auto split =
      static_cast<size_t>(static_cast<int64_t>(kRoom + point) + exponent);
  std::string whole = digits.substr(0, split);
  std::string fraction = digits.substr(split);
  whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
  fraction.erase(fraction.find_last_not_of('0') + 1);
  if (whole.size() > kTorchDigits || fraction.size() > kTorchDigits) {
    return nullopt;
  }
  fraction.resize(kTorchDigits, '0');
  TorchDecimal number;
  if ((!whole.empty() && !absl::SimpleAtoi(whole, &number.whole)) ||
      !absl::SimpleAtoi(fraction, &number.fraction)) {
    return nullopt;
  }
  if (is_negative) {
    number.whole = -number.whole;
    number.fraction = -number.fraction;
  }
  return number;
}

std::string FormatTorchDecimal(const TorchDecimal& number) {
  const bool is_negative = number.whole < 0 || number.fraction < 0;
  const int64_t sign = is_negative ? -1 : 1;
  std::string fraction = absl::StrCat(number.fraction * sign);
  fraction.insert(0, kTorchDigits - fraction.size(), '0');
  fraction.erase(fraction.find_last_not_of('0') + 1);
  return absl::StrCat(is_negative ? "-" : "", number.whole * sign,
                      fraction.empty() ? "" : ".", fraction);
}

StatusOr<TorchEvents> ReadTorchEvents(const RecordingInput& input) {
  TorchReader reader(input.name());
  const std::unique_ptr<ByteSource> source = input.Open();
  const absl::Status status =
      ReadJsonEvents(source.get(), input.name(), &reader);
  if (!status.ok()) return status;
  return reader.Finish();
}

}  // namespace stowage::recordings
