// SPDX-License-Identifier: Apache-2.0
#include "stowage/views/page.h"

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "src/views/assets.h"
#include "src/views/page_data.h"
#include "src/views/web_text.h"
#include "stowage/explain/plan_view.h"
#include "stowage/write_text.h"

namespace stowage::views {
namespace {

// The placeholder in page.html. Its occurrences are replaced, in this order, by
// the policy, the title, the style, the data and the script.
constexpr absl::string_view kPlaceholder = "<!-- * -->";

std::string PageTitle(absl::Span<const PlanView> plans,
                      const PageOptions& options) {
  if (!options.title.empty()) return options.title;
  std::string title;
  for (const PlanView& plan : plans) {
    absl::StrAppend(&title, title.empty() ? "" : ", ", plan.caption.title);
  }
  return title;
}

}  // namespace

std::string ContentPolicy(const Asset& script, const Asset& style) {
  return absl::StrCat(
      R"(<meta http-equiv="Content-Security-Policy" content="default-src )"
      "'none'; script-src 'sha256-",
      absl::Base64Escape(script.sha256), "'; style-src 'sha256-",
      absl::Base64Escape(style.sha256),
      R"('; base-uri 'none'; form-action 'none'">)");
}

absl::Status WritePage(absl::Span<const PlanView> plans,
                       const PageOptions& options, const WriteText& write) {
  if (plans.empty()) {
    return absl::InvalidArgumentError("page: no plan; expected at least one");
  }
  const std::string title = PageTitle(plans, options);
  const std::vector<absl::string_view> parts =
      absl::StrSplit(PageBody().text, kPlaceholder);
  const std::string head =
      absl::StrCat(parts[0], ContentPolicy(PageScript(), PageStyle()), parts[1],
                   "<title>", EscapeHtml(VisibleText(title)), "</title>",
                   parts[2], "<style>", PageStyle().text, "</style>", parts[3]);
  if (absl::Status s = write(head); !s.ok()) return s;
  if (absl::Status s =
          WritePageData(GroupPlans(plans), title, options.slider, write);
      !s.ok()) {
    return s;
  }
  return write(absl::StrCat(parts[4], "<script>", PageScript().text,
                            "</script>", parts[5]));
}

absl::StatusOr<std::string> FormatPage(absl::Span<const PlanView> plans,
                                       const PageOptions& options) {
  std::string page;
  const absl::Status s =
      WritePage(plans, options, [&](absl::string_view piece) {
        absl::StrAppend(&page, piece);
        return absl::OkStatus();
      });
  if (!s.ok()) return s;
  return page;
}

}  // namespace stowage::views
