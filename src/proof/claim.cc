// SPDX-License-Identifier: Apache-2.0
#include "src/proof/claim.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "src/base/text.h"

namespace stowage::certificate {
namespace {

// Keeps keys in the order in which they were added.
using Json = nlohmann::ordered_json;

absl::Status KeyError(absl::string_view key, absl::string_view expected) {
  return absl::InvalidArgumentError(
      absl::StrCat("not a certificate for these records: key '", key,
                   "'; expected ", expected));
}

// Limits that no certificate reaches: the number of its lists with an entry per
// record, and the number of its other values.
constexpr size_t kMostLists = 16;
constexpr size_t kMostValues = 64;

size_t MostValuesOf(size_t records) {
  const size_t in_rests = std::min(records, kMostInIrreducible);
  return kMostValues + kMostLists * records + in_rests * in_rests;
}

// Checks a document for errors that the parser alone does not report: the
// position at which it is not JSON; a key that occurs twice in an object, since
// one of the two would not be checked; and more values than a certificate of
// its records has, since memory may not suffice for them.
class DocumentChecker final : public nlohmann::json_sax<Json> {
 public:
  DocumentChecker(size_t bytes, size_t most_values)
      : bytes_(bytes), most_values_(most_values) {}

  const absl::Status& status() const { return status_; }

  bool null() override { return Count(); }
  bool boolean(bool /*value*/) override { return Count(); }
  bool number_integer(number_integer_t /*value*/) override { return Count(); }
  bool number_unsigned(number_unsigned_t /*value*/) override { return Count(); }
  bool number_float(number_float_t /*value*/,
                    const string_t& /*text*/) override {
    return Count();
  }
  bool string(string_t& /*value*/) override { return Count(); }
  bool binary(binary_t& /*value*/) override { return Count(); }
  bool start_object(size_t /*count*/) override {
    keys_.emplace_back();
    return Count();
  }
  bool end_object() override {
    keys_.pop_back();
    return true;
  }
  bool start_array(size_t /*count*/) override { return Count(); }
  bool end_array() override { return true; }

  bool key(string_t& key) override {
    if (keys_.back().insert(key).second) return true;
    status_ = absl::InvalidArgumentError(absl::StrCat(
        "not a certificate: key ", Quoted(key), " twice; expected it once"));
    return false;
  }

  // `position` counts from 1, and is that of the last byte read.
  bool parse_error(size_t position, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    status_ = absl::InvalidArgumentError(absl::StrCat(
        "not JSON: ",
        position > bytes_ ? absl::StrCat("it ends after byte ", bytes_)
                          : absl::StrCat("an error at byte ", position),
        "; expected a certificate in JSON"));
    return false;
  }

 private:
  bool Count() {
    if (++values_ <= most_values_) return true;
    status_ = absl::InvalidArgumentError(
        absl::StrCat("not a certificate for these records: more than ",
                     most_values_, " values; expected fewer"));
    return false;
  }

  size_t bytes_;
  size_t most_values_;
  size_t values_ = 0;
  std::vector<absl::flat_hash_set<std::string>> keys_;  // one set for each open
                                                        // object
  absl::Status status_;
};

// Reads the keys of an object. It keeps the first error, after which all calls
// have no effect.
class KeyReader {
 public:
  KeyReader(const Json& object, std::string prefix)
      : object_(object), prefix_(std::move(prefix)) {}

  const absl::Status& status() const { return status_; }

  bool Has(const char* key) const { return object_.contains(key); }

  // Sets an error if the object has a key that was not read: such a key would
  // be a claim that is not checked.
  void ExpectOnlyKeysRead() {
    for (const auto& member : object_.items()) {
      if (std::find(read_.begin(), read_.end(), member.key()) != read_.end()) {
        continue;
      }
      status_.Update(absl::InvalidArgumentError(
          absl::StrCat("not a certificate: unknown key ",
                       Quoted(absl::StrCat(prefix_, member.key())))));
    }
  }

  void Fail(absl::string_view key, absl::string_view expected) {
    status_.Update(KeyError(absl::StrCat(prefix_, key), expected));
  }

  // Returns the value of a key, or null if the key is missing or an error
  // occurred before.
  const Json* Find(const char* key, absl::string_view expected) {
    read_.emplace_back(key);
    const auto found = object_.find(key);
    if (found == object_.end()) Fail(key, expected);
    return status_.ok() ? &*found : nullptr;
  }

  void Read(const char* key, std::string* value) {
    constexpr absl::string_view kText = "a string";
    const Json* const found = Find(key, kText);
    if (found == nullptr) return;
    if (!found->is_string()) return Fail(key, kText);
    *value = found->get<std::string>();
  }

  void Read(const char* key, bool* value) {
    constexpr absl::string_view kBoolean = "true or false";
    const Json* const found = Find(key, kBoolean);
    if (found == nullptr) return;
    if (!found->is_boolean()) return Fail(key, kBoolean);
    *value = found->get<bool>();
  }

  void Read(const char* key, size_t* value) {
    constexpr absl::string_view kNumber = "a whole number below 2^64";
    const Json* const found = Find(key, kNumber);
    if (found == nullptr) return;
    if (!found->is_number_unsigned()) return Fail(key, kNumber);
    *value = found->get<size_t>();
  }

  void Read(const char* key, std::vector<size_t>* values) {
    ReadList(key, "a list of whole numbers below 2^64", values,
             [](const Json& entry) { return entry.is_number_unsigned(); });
  }

  void Read(const char* key, std::vector<std::string>* values) {
    ReadList(key, "a list of strings", values,
             [](const Json& entry) { return entry.is_string(); });
  }

  void Read(const char* key, absl::string_view expected,
            std::vector<std::vector<size_t>>* lists) {
    ReadList(key, expected, lists, [](const Json& list) {
      return list.is_array() &&
             std::all_of(list.begin(), list.end(), [](const Json& entry) {
               return entry.is_number_unsigned();
             });
    });
  }

  void Read(const char* key, std::vector<absl::optional<size_t>>* values) {
    constexpr absl::string_view kList =
        "a list of whole numbers below 2^64 and null";
    const Json* const found = Find(key, kList);
    if (found == nullptr) return;
    if (!found->is_array()) return Fail(key, kList);
    for (const Json& entry : *found) {
      if (!entry.is_null() && !entry.is_number_unsigned()) {
        return Fail(key, kList);
      }
      values->push_back(entry.is_null()
                            ? absl::nullopt
                            : absl::make_optional(entry.get<size_t>()));
    }
  }

 private:
  template <typename T, typename IsEntry>
  void ReadList(const char* key, absl::string_view expected,
                std::vector<T>* values, IsEntry is_entry) {
    const Json* const found = Find(key, expected);
    if (found == nullptr) return;
    if (!found->is_array() ||
        !std::all_of(found->begin(), found->end(), is_entry)) {
      return Fail(key, expected);
    }
    for (const Json& entry : *found) values->push_back(entry.get<T>());
  }

  const Json& object_;
  std::string prefix_;
  std::vector<std::string> read_;  // keys
  absl::Status status_;
};

absl::StatusOr<Proof> ParseProof(const Json& object, PlanKind kind) {
  if (!object.is_object()) return KeyError("proof", "an object");
  KeyReader reader(object, "proof.");
  Proof proof;
  std::string by;
  reader.Read("by", &by);
  if (by == "task") {
    proof.by = Proof::By::kTask;
    reader.Read("task", &proof.task);
  } else if (by == "positional maximums") {
    proof.by = Proof::By::kPositionalMaximums;
  } else if (by == "fixed records") {
    proof.by = Proof::By::kFixedRecords;
  } else if (by == "chain weights") {
    proof.by = Proof::By::kChainWeights;
    reader.Read("scale", &proof.scale);
    reader.Read("tensors", &proof.tensors);
    reader.Read("weights", &proof.weights);
    if (proof.weights.size() != proof.tensors.size()) {
      reader.Fail("weights", "a weight for each of the tensors");
    }
  } else if (by == "search") {
    proof.by = Proof::By::kSearch;
    reader.Read("strategy", &proof.strategy);
    reader.Read("seed", &proof.seed);
    reader.Read("nodes", &proof.nodes);
    if (reader.Has("tensors")) {
      reader.Read("tensors", &proof.tensors);
      reader.Read("capacity", &proof.capacity);
      if (kind == PlanKind::kOffsets) reader.Read("unit", &proof.unit);
    }
  } else {
    reader.Fail("by",
                "task, positional maximums, fixed records, chain weights or "
                "search");
  }
  reader.ExpectOnlyKeysRead();
  if (!reader.status().ok()) return reader.status();
  return proof;
}

// Reads the keys that every certificate has.
void ReadHead(KeyReader* reader, Claim* claim) {
  std::string kind;
  reader->Read("kind", &kind);
  if (kind != "offsets" && kind != "objects") {
    reader->Fail("kind", "offsets or objects");
  }
  claim->kind = kind == "objects" ? PlanKind::kObjects : PlanKind::kOffsets;
  std::string status;
  reader->Read("status", &status);
  if (status == "optimal") {
    claim->status = SolutionStatus::kOptimal;
  } else if (status == "infeasible") {
    claim->status = SolutionStatus::kInfeasible;
  } else if (status != "feasible") {
    reader->Fail("status", "optimal, feasible or infeasible");
  }
  std::string reason;
  if (reader->Has("reason")) reader->Read("reason", &reason);
  reader->Read("lower_bound", &claim->lower_bound);
  reader->Read("ids", &claim->ids);
  if (reader->Has("capacity")) {
    reader->Read("capacity", &claim->capacity.emplace());
  }
}

bool AreRestsOf(const Claim& claim) {
  const size_t tensors = claim.conflict.size();
  return claim.irreducible && tensors <= kMostInIrreducible &&
         claim.rests.size() == tensors &&
         std::all_of(claim.rests.begin(), claim.rests.end(),
                     [&](const std::vector<size_t>& rest) {
                       return rest.size() + 1 == tensors;
                     });
}

void ReadRests(KeyReader* reader, Claim* claim) {
  const std::string expected = absl::StrCat(
      "of an irreducible conflict of at most ", kMostInIrreducible,
      " tensors, for each of them a list with a whole number below 2^64 for "
      "each of the others");
  reader->Read("rests", expected, &claim->rests);
  if (!AreRestsOf(*claim)) reader->Fail("rests", expected);
}

void ReadBody(KeyReader* reader, Claim* claim) {
  const bool is_offsets = claim->kind == PlanKind::kOffsets;
  if (is_offsets) reader->Read("alignments", &claim->alignments);
  if (is_offsets && reader->Has("fixed")) reader->Read("fixed", &claim->fixed);
  if (claim->status == SolutionStatus::kInfeasible) {
    reader->Read("conflict", &claim->conflict);
    if (reader->Has("irreducible")) {
      reader->Read("irreducible", &claim->irreducible);
    }
    if (is_offsets && reader->Has("rests")) ReadRests(reader, claim);
    return;
  }
  reader->Read("total_size", &claim->total_size);
  if (is_offsets) {
    reader->Read("offsets", &claim->offsets);
  } else {
    reader->Read("object_ids", &claim->object_ids);
    reader->Read("object_sizes", &claim->object_sizes);
  }
}

Json JsonOf(const Proof& proof, PlanKind kind) {
  switch (proof.by) {
    case Proof::By::kTask:
      return {{"by", "task"}, {"task", proof.task}};
    case Proof::By::kPositionalMaximums:
      return {{"by", "positional maximums"}};
    case Proof::By::kFixedRecords:
      return {{"by", "fixed records"}};
    case Proof::By::kChainWeights:
      return {{"by", "chain weights"},
              {"scale", proof.scale},
              {"tensors", proof.tensors},
              {"weights", proof.weights}};
    case Proof::By::kSearch: {
      Json object = {{"by", "search"},
                     {"strategy", proof.strategy},
                     {"seed", proof.seed},
                     {"nodes", proof.nodes}};
      if (proof.tensors.empty()) return object;
      object["tensors"] = proof.tensors;
      object["capacity"] = proof.capacity;
      if (kind == PlanKind::kOffsets) object["unit"] = proof.unit;
      return object;
    }
    case Proof::By::kNothing:
      break;
  }
  return nullptr;
}

Json JsonOf(const std::vector<absl::optional<size_t>>& fixed) {
  Json list = Json::array();
  for (const absl::optional<size_t> offset : fixed) {
    list.push_back(offset ? Json(*offset) : Json());
  }
  return list;
}

}  // namespace

absl::StatusOr<Claim> ParseClaim(absl::string_view text, size_t records) {
  DocumentChecker checker(text.size(), MostValuesOf(records));
  Json::sax_parse(text.begin(), text.end(), &checker);
  if (!checker.status().ok()) return checker.status();
  const Json document = Json::parse(text.begin(), text.end(), nullptr,
                                    /*allow_exceptions=*/false);
  const std::string expected = absl::StrCat("'", kFormat, "'");
  if (!document.is_object()) return KeyError("format", expected);
  KeyReader reader(document, "");
  const Json* const format = reader.Find("format", expected);
  if (format == nullptr || *format != std::string(kFormat)) {
    return KeyError("format", expected);
  }
  Claim claim;
  ReadHead(&reader, &claim);
  ReadBody(&reader, &claim);
  const Json* const proof =
      reader.Has("proof") ? reader.Find("proof", "an object") : nullptr;
  reader.ExpectOnlyKeysRead();
  if (!reader.status().ok()) return reader.status();
  if (proof == nullptr) return claim;
  absl::StatusOr<Proof> parsed = ParseProof(*proof, claim.kind);
  if (!parsed.ok()) return parsed.status();
  claim.proof = *std::move(parsed);
  return claim;
}

std::string FormatClaim(const Claim& claim, absl::string_view reason) {
  Json document = {{"format", std::string(kFormat)},
                   {"kind", std::string(PlanKindName(claim.kind))},
                   {"status", std::string(SolutionStatusName(claim.status))},
                   {"reason", std::string(reason)},
                   {"lower_bound", claim.lower_bound}};
  if (claim.proof.by != Proof::By::kNothing) {
    document["proof"] = JsonOf(claim.proof, claim.kind);
  }
  if (claim.capacity) document["capacity"] = *claim.capacity;
  document["ids"] = claim.ids;
  const bool is_offsets = claim.kind == PlanKind::kOffsets;
  if (is_offsets) document["alignments"] = claim.alignments;
  if (!claim.fixed.empty()) document["fixed"] = JsonOf(claim.fixed);
  if (claim.status == SolutionStatus::kInfeasible) {
    document["conflict"] = claim.conflict;
    document["irreducible"] = claim.irreducible;
    if (!claim.rests.empty()) document["rests"] = claim.rests;
  } else {
    document["total_size"] = claim.total_size;
    if (is_offsets) {
      document["offsets"] = claim.offsets;
    } else {
      document["object_ids"] = claim.object_ids;
      document["object_sizes"] = claim.object_sizes;
    }
  }
  // Bytes of a name that are not UTF-8 are replaced by U+FFFD.
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stowage::certificate
