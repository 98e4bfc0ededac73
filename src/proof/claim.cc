// SPDX-License-Identifier: Apache-2.0
#include "src/proof/claim.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "src/base/str_cat.h"
#include "src/json/document.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"

namespace stowage::certificate {
namespace {

using json::Json;

Status KeyError(string_view key, string_view expected) {
  return InvalidArgumentError(
      StrCat("not a certificate for these records: key '", key, "'; expected ",
             expected));
}

// Limits on a certificate without its witnesses and cliques, which are counted
// separately. Such a certificate has fewer than kMaxLists lists with one entry
// for each record, and fewer than kMaxValues other values.
constexpr size_t kMaxLists = 16;
constexpr size_t kMaxValues = 64;

// The limit on the number of values of a certificate allows for kMaxCliques
// cliques for each record in the proofs of a cost, and for kMaxInClique records
// in each of these cliques.
constexpr size_t kMaxCliques = 64;
constexpr size_t kMaxInClique = 2048;

size_t MaxValuesOf(size_t records) {
  const size_t in_witnesses = std::min(records, kMaxInIrreducible);
  const size_t in_cliques =
      kMaxCliques * (kMaxValues + std::min(records, kMaxInClique));
  return kMaxValues + (kMaxLists + in_cliques) * records +
         in_witnesses * in_witnesses;
}

constexpr string_view kText = "a string";
constexpr string_view kBoolean = "true or false";
constexpr string_view kNumber = "a whole number below 2^64";
constexpr string_view kNumbers = "a list of whole numbers below 2^64";
constexpr string_view kTexts = "a list of strings";

// Returns a reader of `object` that prepends `prefix` to the name of each key
// in its errors.
json::ObjectReader ReaderOf(const Json& object, string_view prefix) {
  return json::ObjectReader(
      object, [prefix = std::string(prefix)](
                  string_view key, bool /*is_missing*/, string_view expected) {
        return KeyError(StrCat(prefix, key), expected);
      });
}

// The first characters of a certificate that covers all values of the
// parameters of a problem. Such a certificate has several lines
// (dynamic/dynamic_certificate.h).
constexpr string_view kForAllValues =
    R"({"format":"stowage certificate for all values)";

// Returns the first error of a reader. Also returns an error if the object has
// a key that was not read, because that key could be a claim that is not
// checked.
Status StatusOf(const json::ObjectReader& reader, string_view prefix) {
  const optional<std::string> unread = reader.UnreadKey();
  if (!reader.status().ok() || !unread) return reader.status();
  return InvalidArgumentError(StrCat("not a certificate: unknown key ",
                                     Quoted(StrCat(prefix, *unread))));
}

// Parses the certificate of a problem with `records` records. Duplicate keys
// are errors, because one of the two values would not be checked.
StatusOr<Json> ParseDocument(string_view text, size_t records) {
  Json document;
  const size_t max_values = MaxValuesOf(records);
  const json::Flaw flaw = json::ParseDocument(text, &document, max_values);
  switch (flaw.kind) {
    case json::Flaw::Kind::kNone:
      return document;
    case json::Flaw::Kind::kSyntax:
      if (text.substr(0, kForAllValues.size()) == kForAllValues) {
        return InvalidArgumentError(
            "a certificate of a plan for all values; expected one for a "
            "problem without parameters");
      }
      return InvalidArgumentError(
          StrCat("not JSON: ",
                 flaw.position > text.size()
                     ? StrCat("it ends after byte ", text.size())
                     : StrCat("an error at byte ", flaw.position),
                 "; expected a certificate in JSON"));
    case json::Flaw::Kind::kRepeatedKey:
      return InvalidArgumentError(StrCat("not a certificate: key ",
                                         Quoted(flaw.key),
                                         " twice; expected it once"));
    case json::Flaw::Kind::kTooManyValues:
      break;
  }
  return InvalidArgumentError(
      StrCat("not a certificate for these records: more than ", max_values,
             " values; expected fewer"));
}

StatusOr<Proof> ParseProof(const Json& object, PlanKind kind) {
  if (!object.is_object()) return KeyError("proof", "an object");
  constexpr string_view kPrefix = "proof.";
  json::ObjectReader reader = ReaderOf(object, kPrefix);
  Proof proof;
  std::string by;
  reader.Read("by", kText, &by);
  if (by == "task") {
    proof.by = Proof::By::kTask;
    reader.Read("task", kNumber, &proof.task);
  } else if (by == "positional maximums") {
    proof.by = Proof::By::kPositionalMaximums;
  } else if (by == "fixed records") {
    proof.by = Proof::By::kFixedRecords;
  } else if (by == "chain weights") {
    proof.by = Proof::By::kChainWeights;
    reader.Read("scale", kNumber, &proof.scale);
    reader.Read("tensors", kTexts, &proof.tensors);
    reader.Read("weights", kNumbers, &proof.weights);
    if (proof.weights.size() != proof.tensors.size()) {
      reader.Fail("weights", "a weight for each of the tensors");
    }
  } else if (by == "search") {
    proof.by = Proof::By::kSearch;
    reader.Read("strategy", kText, &proof.strategy);
    reader.Read("seed", kNumber, &proof.seed);
    reader.Read("nodes", kNumber, &proof.nodes);
    if (reader.Has("tensors")) {
      reader.Read("tensors", kTexts, &proof.tensors);
      reader.Read("capacity", kNumber, &proof.capacity);
      if (kind == PlanKind::kOffsets) reader.Read("unit", kNumber, &proof.unit);
    }
  } else if (by == "clique") {
    proof.by = Proof::By::kClique;
    reader.Read("bytes", kNumber, &proof.bytes);
    reader.Read("room", kNumber, &proof.room);
    reader.Read("shared", kNumber, &proof.shared);
  } else {
    reader.Fail("by",
                "task, positional maximums, fixed records, chain weights, "
                "search or clique");
  }
  if (Status s = StatusOf(reader, kPrefix); !s.ok()) return s;
  return proof;
}

// Reads the keys that every certificate has.
void ReadHead(json::ObjectReader* reader, Claim* claim) {
  std::string kind;
  reader->Read("kind", kText, &kind);
  if (kind != "offsets" && kind != "objects") {
    reader->Fail("kind", "offsets or objects");
  }
  claim->kind = kind == "objects" ? PlanKind::kObjects : PlanKind::kOffsets;
  std::string status;
  reader->Read("status", kText, &status);
  if (status == "optimal") {
    claim->status = SolutionStatus::kOptimal;
  } else if (status == "infeasible") {
    claim->status = SolutionStatus::kInfeasible;
  } else if (status != "feasible") {
    reader->Fail("status", "optimal, feasible or infeasible");
  }
  std::string reason;
  if (reader->Has("reason")) reader->Read("reason", kText, &reason);
  reader->Read("lower_bound", kNumber, &claim->lower_bound);
  reader->Read("ids", kTexts, &claim->ids);
  if (reader->Has("capacity")) {
    reader->Read("capacity", kNumber, &claim->capacity.emplace());
  }
}

bool AreRestsOf(const Claim& claim) {
  const size_t tensors = claim.conflict.size();
  return claim.irreducible && tensors <= kMaxInIrreducible &&
         claim.witnesses.size() == tensors &&
         std::all_of(claim.witnesses.begin(), claim.witnesses.end(),
                     [&](const std::vector<size_t>& rest) {
                       return rest.size() + 1 == tensors;
                     });
}

void ReadWitnesses(json::ObjectReader* reader, Claim* claim) {
  const std::string expected = StrCat(
      "of an irreducible conflict of at most ", kMaxInIrreducible,
      " tensors, for each of them a list with a whole number below 2^64 for "
      "each of the others");
  reader->Read("rests", expected, &claim->witnesses);
  if (!AreRestsOf(*claim)) reader->Fail("rests", expected);
}

void ReadBody(json::ObjectReader* reader, Claim* claim) {
  const bool is_offsets = claim->kind == PlanKind::kOffsets;
  if (is_offsets) reader->Read("alignments", kNumbers, &claim->alignments);
  if (is_offsets && reader->Has("fixed")) {
    reader->Read("fixed", "a list of whole numbers below 2^64 and null",
                 &claim->fixed);
  }
  if (claim->status == SolutionStatus::kInfeasible) {
    reader->Read("conflict", kTexts, &claim->conflict);
    if (reader->Has("irreducible")) {
      reader->Read("irreducible", kBoolean, &claim->irreducible);
    }
    if (is_offsets && reader->Has("rests")) ReadWitnesses(reader, claim);
    return;
  }
  reader->Read("total_size", kNumber, &claim->total_size);
  if (is_offsets) {
    reader->Read("offsets", kNumbers, &claim->offsets);
  } else {
    reader->Read("object_ids", kNumbers, &claim->object_ids);
    reader->Read("object_sizes", kNumbers, &claim->object_sizes);
  }
}

// Parses an object such as
// {"scale":16,"sum":3,"cliques":[{"tensors":["a","b"],"weight":3}]}.
Status ParseCliques(const Json& object, CostClaim::Cliques* cliques) {
  if (!object.is_object()) return KeyError("cost_proof.proofs", "objects");
  constexpr string_view kPrefix = "cost_proof.proofs.";
  json::ObjectReader reader = ReaderOf(object, kPrefix);
  reader.Read("scale", kNumber, &cliques->scale);
  reader.Read("sum", kNumber, &cliques->sum);
  const Json* const list = reader.Find("cliques", "a list of objects");
  if (Status s = StatusOf(reader, kPrefix); !s.ok()) return s;
  if (!list->is_array()) {
    return KeyError("cost_proof.proofs.cliques", "a list of objects");
  }
  for (const Json& entry : *list) {
    if (!entry.is_object()) {
      return KeyError("cost_proof.proofs.cliques", "a list of objects");
    }
    constexpr string_view kInner = "cost_proof.proofs.cliques.";
    json::ObjectReader inner = ReaderOf(entry, kInner);
    CostClaim::Clique& clique = cliques->cliques.emplace_back();
    inner.Read("tensors", kTexts, &clique.tensors);
    inner.Read("weight", kNumber, &clique.weight);
    if (Status s = StatusOf(inner, kInner); !s.ok()) return s;
  }
  return OkStatus();
}

Status ParseCostProof(const Json& object, CostClaim* cost) {
  if (!object.is_object()) return KeyError("cost_proof", "an object");
  constexpr string_view kPrefix = "cost_proof.";
  json::ObjectReader reader = ReaderOf(object, kPrefix);
  std::string by;
  reader.Read("by", kText, &by);
  const Json* proofs = nullptr;
  if (by == "cliques") {
    cost->by = CostClaim::By::kCliques;
    proofs = reader.Find("proofs", "a list of objects");
    if (proofs != nullptr && !proofs->is_array()) {
      reader.Fail("proofs", "a list of objects");
    }
  } else if (by == "search") {
    cost->by = CostClaim::By::kSearch;
    reader.Read("strategy", kText, &cost->strategy);
    reader.Read("seed", kNumber, &cost->seed);
    reader.Read("nodes", kNumber, &cost->nodes);
  } else {
    reader.Fail("by", "cliques or search");
  }
  if (Status s = StatusOf(reader, kPrefix); !s.ok()) return s;
  if (proofs == nullptr) return OkStatus();
  for (const Json& entry : *proofs) {
    Status parsed = ParseCliques(entry, &cost->proofs.emplace_back());
    if (!parsed.ok()) return parsed;
  }
  return OkStatus();
}

// Reads the keys that occur only in certificates of problems with constraints.
Status ReadCost(json::ObjectReader* reader, Claim* claim) {
  if (!reader->Has("cost")) return OkStatus();
  CostClaim& cost = claim->cost.emplace();
  reader->Read("cost", kNumber, &cost.cost);
  reader->Read("cost_bound", kNumber, &cost.bound);
  if (reader->Has("pools")) reader->Read("pools", kNumbers, &claim->pools);
  if (!reader->Has("cost_proof")) return OkStatus();
  const Json* const proof = reader->Find("cost_proof", "an object");
  return proof == nullptr ? OkStatus() : ParseCostProof(*proof, &cost);
}

Json JsonOf(const CostClaim& cost) {
  if (cost.by == CostClaim::By::kSearch) {
    return {{"by", "search"},
            {"strategy", cost.strategy},
            {"seed", cost.seed},
            {"nodes", cost.nodes}};
  }
  Json proofs = Json::array();
  for (const CostClaim::Cliques& proof : cost.proofs) {
    Json cliques = Json::array();
    for (const CostClaim::Clique& clique : proof.cliques) {
      cliques.push_back(
          Json{{"tensors", clique.tensors}, {"weight", clique.weight}});
    }
    proofs.push_back(
        Json{{"scale", proof.scale}, {"sum", proof.sum}, {"cliques", cliques}});
  }
  return {{"by", "cliques"}, {"proofs", proofs}};
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
    case Proof::By::kClique:
      return {{"by", "clique"},
              {"bytes", proof.bytes},
              {"room", proof.room},
              {"shared", proof.shared}};
    case Proof::By::kNothing:
      break;
  }
  return nullptr;
}

Json JsonOf(const std::vector<optional<size_t>>& fixed) {
  Json list = Json::array();
  for (const optional<size_t> offset : fixed) {
    list.push_back(offset ? Json(*offset) : Json());
  }
  return list;
}

}  // namespace

StatusOr<Claim> ParseClaim(string_view text, size_t records) {
  const StatusOr<Json> document = ParseDocument(text, records);
  if (!document.ok()) return document.status();
  const std::string expected = StrCat("'", kFormat, "'");
  if (!document->is_object()) return KeyError("format", expected);
  json::ObjectReader reader = ReaderOf(*document, "");
  const Json* const format = reader.Find("format", expected);
  if (format == nullptr || *format != std::string(kFormat)) {
    return KeyError("format", expected);
  }
  Claim claim;
  ReadHead(&reader, &claim);
  ReadBody(&reader, &claim);
  if (Status s = ReadCost(&reader, &claim); !s.ok()) return s;
  const Json* const proof =
      reader.Has("proof") ? reader.Find("proof", "an object") : nullptr;
  if (Status s = StatusOf(reader, ""); !s.ok()) return s;
  if (proof == nullptr) return claim;
  StatusOr<Proof> parsed = ParseProof(*proof, claim.kind);
  if (!parsed.ok()) return parsed.status();
  claim.proof = *std::move(parsed);
  return claim;
}

std::string FormatClaim(const Claim& claim, string_view reason) {
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
    if (!claim.witnesses.empty()) document["rests"] = claim.witnesses;
  } else {
    document["total_size"] = claim.total_size;
    if (is_offsets) {
      document["offsets"] = claim.offsets;
      if (!claim.pools.empty()) document["pools"] = claim.pools;
    } else {
      document["object_ids"] = claim.object_ids;
      document["object_sizes"] = claim.object_sizes;
    }
  }
  if (claim.cost) {
    document["cost"] = claim.cost->cost;
    document["cost_bound"] = claim.cost->bound;
    if (claim.cost->by != CostClaim::By::kNothing) {
      document["cost_proof"] = JsonOf(*claim.cost);
    }
  }
  // Bytes of a name that are not valid UTF-8 are replaced with U+FFFD.
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace stowage::certificate
