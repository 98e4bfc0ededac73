// SPDX-License-Identifier: Apache-2.0
#include "src/cli/verify_report.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "src/cli/json.h"
#include "src/cli/plan_verdict.h"
#include "src/cli/text.h"
#include "stowage/assignment.h"
#include "stowage/trace.h"
#include "stowage/verify.h"

namespace stowage::cli {
namespace {

Json ViolationJson(const Trace& trace, const Violation& violation) {
  const std::string& first = trace.ids[violation.first_tensor];
  Json json = {{"kind", "other"}, {"tensors", {first}}};
  switch (violation.kind) {
    case Violation::Kind::kOverlappingBytes:
      json["kind"] = "overlapping_bytes";
      json["tensors"].push_back(trace.ids[violation.second_tensor]);
      json["task"] = violation.task;
      json["begin"] = violation.begin;
      json["end"] = violation.end;
      break;
    case Violation::Kind::kSharedObject:
      json["kind"] = "shared_object";
      json["tensors"].push_back(trace.ids[violation.second_tensor]);
      json["task"] = violation.task;
      json["object"] = violation.object;
      break;
    case Violation::Kind::kMisaligned:
      json["kind"] = "misaligned";
      json["begin"] = violation.begin;
      json["alignment"] = violation.limit;
      break;
    case Violation::Kind::kMoved:
      json["kind"] = "moved";
      json["begin"] = violation.begin;
      json["fixed"] = violation.limit;
      break;
    default:  // no file can say it; the message does
      break;
  }
  json["message"] = Describe(violation, trace.ids);
  return json;
}

}  // namespace

std::string VerdictText(const Trace& trace, const PlanVerdict& verdict) {
  if (verdict.violation) {
    return absl::StrCat(
        "unsafe: ", OneLine(Describe(*verdict.violation, trace.ids)), "\n");
  }
  const absl::string_view checked =
      verdict.kind == PlanKind::kObjects
          ? "every tensor has an object, and no two live at one task have the "
            "same"
      : trace.fixed_offsets().empty()
          ? "every tensor has an aligned offset, and no two live at one task "
            "share a byte"
          : "every tensor has an aligned offset, its fixed one if it has one, "
            "and no two live at one task share a byte";
  return absl::StrCat("safe: ", Count(verdict.records, "tensor"), " in ",
                      FormatBytes(verdict.total_size), "\nchecked: ", checked,
                      "\n");
}

Json VerdictJson(const Trace& trace, const PlanVerdict& verdict) {
  Json document = {{"kind", std::string(PlanKindName(verdict.kind))},
                   {"records", verdict.records},
                   {"total_size", verdict.total_size},
                   {"safe", !verdict.violation}};
  if (verdict.violation) {
    document["violation"] = ViolationJson(trace, *verdict.violation);
  }
  return document;
}

}  // namespace stowage::cli
