// SPDX-License-Identifier: Apache-2.0
#include "src/views/page_data.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/numeric/int128.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "src/views/columns.h"
#include "src/views/page_links.h"
#include "src/views/page_reasons.h"
#include "src/views/web_text.h"
#include "stowage/explain/explain.h"
#include "stowage/explain/plan_view.h"
#include "stowage/labels.h"
#include "stowage/problem.h"
#include "stowage/usage_record.h"
#include "stowage/verify/violation_details.h"
#include "stowage/write_text.h"

namespace stowage::views {
namespace {

using Json = nlohmann::ordered_json;
using Texts = std::vector<absl::string_view>;

Texts TextsOf(const std::vector<std::string>& strings) {
  return {strings.begin(), strings.end()};
}

// Returns a number as a decimal string, because JavaScript represents integers
// exactly only up to 2^53.
std::string Decimal(size_t number) { return absl::StrCat(number); }

// Formats the excess of `total` over `bound` as a rounded percentage: "+9.9 %".
std::string ExcessText(size_t total, size_t bound) {
  if (total <= bound || bound == 0) return "";
  const absl::uint128 tenths =
      (absl::uint128(total - bound) * 1000 + bound / 2) / bound;
  const auto whole = static_cast<uint64_t>(tenths / 10);
  return absl::StrCat("+", whole, ".", static_cast<uint64_t>(tenths % 10),
                      " %");
}

// Returns the cost of the plan with the lower bound of the cost, such as "cost
// 9, at least 7", or "" if plans of the problem have no cost.
std::string CostText(const PlanView& view) {
  if (!view.cost) return "";
  return *view.cost <= view.cost_bound
             ? absl::StrCat("cost ", *view.cost, ", the least")
             : absl::StrCat("cost ", *view.cost, ", at least ",
                            view.cost_bound);
}

// Writes blocks. Keeps the first error, and writes nothing after an error.
class PageBlocks {
 public:
  explicit PageBlocks(const WriteText* write) : write_(*write) {}

  void Add(absl::string_view id, absl::string_view bytes) {
    if (!status_.ok()) return;
    status_ = write_(absl::StrCat(R"(<script type="text/plain" id=")", id,
                                  R"(">)", PackBlock(bytes), "</script>\n"));
  }

  // Adds the column and returns its description for the header.
  Json AddNumbers(absl::string_view id, absl::Span<const size_t> values,
                  ColumnCoding coding) {
    Add(id, EncodeColumn(values, coding));
    const size_t* const max = std::max_element(values.begin(), values.end());
    return {{"count", values.size()},
            {"max", Decimal(max == values.end() ? 0 : *max)},
            {"delta", coding == ColumnCoding::kDelta}};
  }

  const absl::Status& status() const { return status_; }

 private:
  const WriteText& write_;
  absl::Status status_;
};

// Adds the concatenated texts and their lengths. If many texts are equal, adds
// each distinct text only once, and also adds a column that holds, for each
// position, the number of the text at that position.
Json AddTexts(const std::string& id, const Texts& texts, PageBlocks* blocks) {
  absl::flat_hash_map<absl::string_view, size_t> number_of;
  Texts different;
  std::vector<size_t> numbers;
  for (const absl::string_view text : texts) {
    const auto [entry, is_new] = number_of.emplace(text, different.size());
    if (is_new) different.push_back(text);
    numbers.push_back(entry->second);
  }
  Json header = {{"count", texts.size()}};
  const bool is_dictionary = different.size() <= texts.size() / 2;
  if (is_dictionary) {
    header["index"] = blocks->AddNumbers(absl::StrCat(id, ".index"), numbers,
                                         ColumnCoding::kPlain);
  }
  std::vector<size_t> lengths;
  std::string bytes;
  for (const absl::string_view text : is_dictionary ? different : texts) {
    lengths.push_back(text.size());
    absl::StrAppend(&bytes, text);
  }
  header["length"] = blocks->AddNumbers(absl::StrCat(id, ".length"), lengths,
                                        ColumnCoding::kPlain);
  blocks->Add(absl::StrCat(id, ".bytes"), bytes);
  return header;
}

// Returns the number if `id` is the canonical decimal form of a number of at
// most 2^53, and nullopt otherwise. The canonical form has no leading zeros, so
// "007" yields nullopt.
absl::optional<size_t> NumberOf(const std::string& id) {
  uint64_t number = 0;
  if (id.size() > 16 || !absl::SimpleAtoi(id, &number)) return absl::nullopt;
  if (number > (uint64_t{1} << 53) || absl::StrCat(number) != id) {
    return absl::nullopt;
  }
  return number;
}

Json AddIds(const std::string& key, const ProblemSpec& problem,
            PageBlocks* blocks) {
  std::vector<size_t> numbers;
  for (const std::string& id : problem.names) {
    const absl::optional<size_t> number = NumberOf(id);
    if (!number) break;
    numbers.push_back(*number);
  }
  const std::string block = absl::StrCat(key, ".ids");
  if (numbers.size() < problem.names.size()) {
    return {{"text", AddTexts(block, TextsOf(problem.names), blocks)}};
  }
  // Tensors without ids are numbered by their index.
  for (size_t i = numbers.size(); i < problem.records.size(); ++i) {
    numbers.push_back(i);
  }
  return {
      {"numbers", blocks->AddNumbers(block, numbers, ColumnCoding::kDelta)}};
}

// Adds one text for each tensor. If all texts are empty, adds nothing and
// returns null.
template <typename Text>
Json AddTensorTexts(const std::string& id, const ProblemSpec& problem,
                    Text text, PageBlocks* blocks) {
  Texts texts;
  bool has_any = false;
  for (const TensorInfo& tensor : problem.labels.tensors) {
    texts.push_back(text(tensor));
    has_any = has_any || !texts.back().empty();
  }
  return has_any ? AddTexts(id, texts, blocks) : Json();
}

void AddTensors(const std::string& key, const ProblemSpec& problem,
                Json* header, PageBlocks* blocks) {
  using Info = const TensorInfo&;
  (*header)["names"] = AddTensorTexts(
      key + ".names", problem,
      [](Info t) -> absl::string_view { return t.name; }, blocks);
  (*header)["types"] = AddTensorTexts(
      key + ".types", problem,
      [](Info t) -> absl::string_view { return t.type; }, blocks);
  (*header)["shapes"] = AddTensorTexts(
      key + ".shapes", problem,
      [](Info t) -> absl::string_view { return t.shape; }, blocks);
  // The producer of each tensor plus 1, or 0 if the tensor has no producer.
  std::vector<size_t> producers;
  std::vector<size_t> counts;
  std::vector<size_t> consumers;
  for (const TensorInfo& tensor : problem.labels.tensors) {
    // For the producer 2^64 - 1, the sum wraps around to 0, which would mean
    // that the tensor has no producer. This is harmless, because no record in a
    // picture has this task.
    producers.push_back(tensor.producer ? *tensor.producer + 1 : 0);
    counts.push_back(tensor.consumers.size());
    consumers.insert(consumers.end(), tensor.consumers.begin(),
                     tensor.consumers.end());
  }
  const bool has_producers = std::any_of(producers.begin(), producers.end(),
                                         [](size_t p) { return p > 0; });
  if (has_producers) {
    (*header)["producers"] =
        blocks->AddNumbers(key + ".producers", producers, ColumnCoding::kDelta);
  }
  if (!consumers.empty()) {
    (*header)["consumer_counts"] = blocks->AddNumbers(
        key + ".consumer_counts", counts, ColumnCoding::kPlain);
    (*header)["consumers"] =
        blocks->AddNumbers(key + ".consumers", consumers, ColumnCoding::kDelta);
  }
}

// Adds the marginal value of each record, which is the amount of memory that
// the record costs.
void AddMarginalValues(const std::string& key, const PlanView& view,
                       const BreadthExplanation& breadth, Json* header,
                       PageBlocks* blocks) {
  std::vector<size_t> values;
  values.reserve(breadth.values.size());
  for (const RecordValue& value : breadth.values) {
    values.push_back(value.marginal);
  }
  (*header)["value"] =
      blocks->AddNumbers(key + ".value", values, ColumnCoding::kPlain);
  (*header)["value_of"] = WhyBoundDiffers(view.problem, view.kind).empty()
                              ? "the lower bound"
                              : "the number of bytes live at the peak";
}

Json AddTrace(const std::string& key, const PlanView& view,
              PageBlocks* blocks) {
  const ProblemSpec& problem = view.problem;
  std::vector<size_t> firsts;
  std::vector<size_t> lives;
  std::vector<size_t> sizes;
  for (const TensorUsageRecord<size_t>& record : problem.records) {
    firsts.push_back(record.first_task);
    lives.push_back(record.last_task - record.first_task);
    sizes.push_back(record.tensor_size);
  }
  Json header = {{"records", problem.records.size()},
                 {"tasks", Decimal(view.task_count)},
                 {"peak", Decimal(view.peak_breadth)}};
  header["first"] =
      blocks->AddNumbers(key + ".first", firsts, ColumnCoding::kDelta);
  header["life"] =
      blocks->AddNumbers(key + ".life", lives, ColumnCoding::kPlain);
  header["size"] =
      blocks->AddNumbers(key + ".size", sizes, ColumnCoding::kPlain);
  header["peaks"] =
      blocks->AddNumbers(key + ".peaks", view.peak_tasks, ColumnCoding::kDelta);
  header["ids"] = AddIds(key, problem, blocks);
  AddMarginalValues(key, view, ExplainBreadth(problem.records), &header,
                    blocks);
  AddTensors(key, problem, &header, blocks);
  const bool has_operators = std::any_of(
      problem.labels.operators.begin(), problem.labels.operators.end(),
      [](const std::string& name) { return !name.empty(); });
  if (has_operators) {
    header["operators"] =
        AddTexts(key + ".operators", TextsOf(problem.labels.operators), blocks);
  }
  return header;
}

// Returns the records of the violation that are drawn as rectangles in the
// picture.
std::vector<size_t> WitnessRecords(const PlanView& view) {
  std::vector<size_t> records;
  for (const size_t i : DetailsOf(*view.violation).tensors) {
    const bool is_drawn = i < view.offsets.size();
    if (is_drawn && (records.empty() || records[0] != i)) records.push_back(i);
  }
  return records;
}

// Returns the bytes and tasks that are common to the rectangles of two records,
// or nullopt if the rectangles do not overlap.
absl::optional<Json> SharedRectangle(const PlanView& view, size_t a, size_t b) {
  const TensorUsageRecord<size_t>& x = view.problem.records[a];
  const TensorUsageRecord<size_t>& y = view.problem.records[b];
  const size_t begin = std::max(view.offsets[a], view.offsets[b]);
  const size_t end = std::min(view.offsets[a] + x.tensor_size,
                              view.offsets[b] + y.tensor_size);
  const TaskId first = std::max(x.first_task, y.first_task);
  const TaskId last = std::min(x.last_task, y.last_task);
  if (begin >= end || first > last) return absl::nullopt;
  return Json{{"begin", Decimal(begin)},
              {"end", Decimal(end)},
              {"first", Decimal(first)},
              {"last", Decimal(last)}};
}

Json WitnessOf(const PagePlan& plan) {
  const PlanView& view = *plan.view;
  if (!view.violation) return Json();
  const std::vector<size_t> records = WitnessRecords(view);
  // The page refers to a record by its index in the trace of the plan.
  std::vector<size_t> index_of(records.size());
  for (size_t i = 0; i < view.offsets.size(); ++i) {
    for (size_t k = 0; k < records.size(); ++k) {
      if (plan.Row(i) == records[k]) index_of[k] = i;
    }
  }
  Json json = {{"text", VisibleText(view.violation_text)},
               {"records", index_of}};
  if (records.size() == 2) {
    const auto shared = SharedRectangle(view, records[0], records[1]);
    if (shared) json["shared"] = *shared;
  }
  return json;
}

Json JsonOfBands(const PlanView& view) {
  Json bands = Json::array();
  for (const Band& band : view.bands) {
    Json json = {{"name", VisibleText(band.name)},
                 {"begin", Decimal(band.begin)},
                 {"size", Decimal(band.size)}};
    if (band.capacity) json["capacity"] = Decimal(*band.capacity);
    bands.push_back(std::move(json));
  }
  return bands;
}

Json AddPlan(const std::string& key, const PagePlan& plan, PageBlocks* blocks) {
  const PlanView& view = *plan.view;
  std::vector<size_t> offsets;
  offsets.reserve(view.offsets.size());
  for (size_t i = 0; i < view.offsets.size(); ++i) {
    offsets.push_back(view.offsets[plan.Row(i)]);
  }
  Json header = {{"title", VisibleText(view.caption.title)},
                 {"strategy", VisibleText(view.caption.strategy)},
                 {"kind", std::string(PlanKindName(view.kind))},
                 {"trace", plan.trace},
                 {"total", Decimal(view.total_size)},
                 {"bound", Decimal(view.lower_bound)},
                 {"reason", VisibleText(view.bound_reason)},
                 {"excess", ExcessText(view.total_size, view.lower_bound)},
                 {"cost", CostText(view)},
                 {"optimal", view.is_optimal()},
                 {"bands", JsonOfBands(view)},
                 {"violation", WitnessOf(plan)},
                 {"why", PageReasons(plan, ExplainPlan(view))},
                 {"offset", blocks->AddNumbers(key + ".offset", offsets,
                                               ColumnCoding::kPlain)}};
  if (view.problem.capacity) {
    header["capacity"] = Decimal(*view.problem.capacity);
  }
  if (!view.plan.chosen_pools.empty()) {
    std::vector<size_t> pools;
    for (size_t i = 0; i < view.offsets.size(); ++i) {
      pools.push_back(view.plan.chosen_pools[plan.Row(i)]);
    }
    header["band"] =
        blocks->AddNumbers(key + ".band", pools, ColumnCoding::kPlain);
  }
  return header;
}

}  // namespace

absl::Status WritePageData(const PagePlans& plans, const std::string& title,
                           const std::string& slider, const WriteText& write) {
  PageBlocks blocks(&write);
  Json header = {{"version", 1},
                 {"title", VisibleText(title)},
                 {"traces", Json::array()},
                 {"plans", Json::array()}};
  if (!slider.empty()) header["slider"] = VisibleText(slider);
  for (size_t t = 0; t < plans.traces.size(); ++t) {
    const std::string key = absl::StrCat("t", t);
    Json trace = AddTrace(key, *plans.traces[t].view, &blocks);
    if (t > 0) {
      const ProblemSpec& base = plans.traces[0].view->problem;
      const ProblemSpec& other = plans.traces[t].view->problem;
      trace["links"] = blocks.AddNumbers(
          key + ".links", LinkRecords(base, other), ColumnCoding::kDelta);
      const TaskAlignment tasks = AlignTasks(base, other);
      trace["aligned_from"] = blocks.AddNumbers(
          key + ".aligned_from", tasks.from, ColumnCoding::kDelta);
      trace["aligned_to"] = blocks.AddNumbers(key + ".aligned_to", tasks.to,
                                              ColumnCoding::kDelta);
    }
    header["traces"].push_back(std::move(trace));
  }
  for (size_t p = 0; p < plans.plans.size(); ++p) {
    header["plans"].push_back(
        AddPlan(absl::StrCat("p", p), plans.plans[p], &blocks));
  }
  blocks.Add("header", header.dump());
  return blocks.status();
}

}  // namespace stowage::views
