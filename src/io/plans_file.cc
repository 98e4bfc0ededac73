// SPDX-License-Identifier: Apache-2.0
#include "stowage/io/plans_file.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/base/ascii.h"
#include "src/base/str_cat.h"
#include "stowage/assignment.h"
#include "stowage/base/optional.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/base/text.h"
#include "stowage/io/read_file.h"
#include "stowage/io/write_file.h"
#include "stowage/problem.h"
#include "stowage/solution.h"

namespace stowage {
namespace {

constexpr int kFormatVersion = 1;
// The word that replaces the name of the strategy in a plan without a strategy.
constexpr string_view kNoStrategy = "-";

std::string FirstLine() {
  return StrCat("stowage plans ", kFormatVersion, " fingerprints ",
                kFingerprintVersion);
}

// Returns whether `text` can be written to a line as the name of a strategy.
bool IsStrategyName(string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') ||
           ascii_isdigit(static_cast<unsigned char>(c)) || c == '_';
  });
}

std::string LineOf(const IdentifiedPlan& plan) {
  const Solution& solution = *plan.solution;
  std::string line = StrCat(
      Hex(plan.fingerprint.high, kZeroPad16),
      Hex(plan.fingerprint.low, kZeroPad16), " ",
      IsStrategyName(solution.strategy) ? solution.strategy : kNoStrategy);
  const auto append = [&line](string_view word, const auto& numbers) {
    StrAppend(&line, " ", word, " ", StrJoin(numbers, ","));
  };
  if (const OffsetsAssignment* offsets = solution.offsets()) {
    append("offsets", offsets->offsets);
    if (!offsets->pools.empty()) append("pools", offsets->pools);
    if (!solution.order.empty()) append("order", solution.order);
  } else if (const auto* objects = solution.objects()) {
    append("objects", objects->object_ids);
    append("sizes", objects->object_sizes);
  }
  return line + "\n";
}

// Returns the number with these hexadecimal digits, or nullopt if there is any
// other character. Letters must be in lower case. Requires at most 16 digits.
optional<uint64_t> ParseHex(string_view digits) {
  uint64_t number = 0;
  for (const char c : digits) {
    if (c >= '0' && c <= '9') {
      number = number << 4 | static_cast<uint64_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      number = number << 4 | static_cast<uint64_t>(c - 'a' + 10);
    } else {
      return nullopt;
    }
  }
  return number;
}

// Returns the numbers of a list such as "0,4096,0". An empty string is an empty
// list.
template <typename Number>
optional<std::vector<Number>> ParseNumbers(string_view text) {
  std::vector<Number> numbers;
  if (text.empty()) return numbers;
  for (bool is_last = false; !is_last;) {
    const size_t comma = text.find(',');
    const string_view word = text.substr(0, comma);
    is_last = comma == string_view::npos;
    if (!is_last) text.remove_prefix(comma + 1);
    Number number = 0;
    // Signs and spaces are refused here, because SimpleAtoi accepts them.
    if (word.empty() ||
        !ascii_isdigit(static_cast<unsigned char>(word.front())) ||
        !SimpleAtoi(word, &number) ||
        !ascii_isdigit(static_cast<unsigned char>(word.back()))) {
      return nullopt;
    }
    numbers.push_back(number);
  }
  return numbers;
}

// Reads the words of a line one at a time.
class Words {
 public:
  explicit Words(string_view line) : rest_(line) {}

  bool is_empty() const { return is_at_end_; }

  string_view Next() {
    if (is_at_end_) return {};
    const size_t space = rest_.find(' ');
    const string_view word = rest_.substr(0, space);
    is_at_end_ = space == string_view::npos;
    if (!is_at_end_) rest_.remove_prefix(space + 1);
    return word;
  }

  // If the next two words are `name` and a list of numbers, consumes both and
  // returns the numbers. Otherwise consumes nothing and returns nullopt.
  template <typename Number>
  optional<std::vector<Number>> List(string_view name) {
    Words copy = *this;
    if (copy.Next() != name || copy.is_empty()) return nullopt;
    auto numbers = ParseNumbers<Number>(copy.Next());
    if (numbers) *this = copy;
    return numbers;
  }

 private:
  string_view rest_;
  bool is_at_end_ = false;
};

// Reads the words of a plan, and returns a solution with this plan, or a
// solution without a plan if the words are damaged.
Solution ParsePlan(Words* words) {
  Solution solution;
  if (auto offsets = words->List<size_t>("offsets")) {
    OffsetsAssignment plan;
    plan.offsets = *std::move(offsets);
    if (auto pools = words->List<uint32_t>("pools")) {
      plan.pools = *std::move(pools);
      if (plan.pools.size() != plan.offsets.size()) return Solution();
    }
    solution.SetPlan(std::move(plan));
    if (auto order = words->List<TaskId>("order")) {
      solution.order = *std::move(order);
    }
    return solution;
  }
  auto objects = words->List<size_t>("objects");
  auto sizes = words->List<size_t>("sizes");
  if (objects && sizes) {
    solution.SetPlan(
        ObjectsAssignment<size_t>{*std::move(objects), *std::move(sizes)});
  }
  return solution;
}

optional<IdentifiedPlan> ParseLine(string_view line) {
  Words words(line);
  const string_view digits = words.Next();
  if (digits.size() != 32) return nullopt;
  const optional<uint64_t> high = ParseHex(digits.substr(0, 16));
  const optional<uint64_t> low = ParseHex(digits.substr(16));
  const string_view strategy = words.Next();
  if (!high || !low || (strategy != kNoStrategy && !IsStrategyName(strategy))) {
    return nullopt;
  }
  Solution solution = ParsePlan(&words);
  if (!solution.has_plan() || !words.is_empty()) return nullopt;
  if (strategy != kNoStrategy) solution.strategy = std::string(strategy);
  return IdentifiedPlan{Fingerprint{*high, *low},
                        std::make_shared<const Solution>(std::move(solution))};
}

}  // namespace

StatusOr<PlanList> ParsePlans(string_view text, string_view name) {
  const size_t first_end = std::min(text.find('\n'), text.size());
  if (text.substr(0, first_end) != FirstLine()) {
    return InvalidArgumentError(StrCat(
        name, ":1: ", Quoted(text.substr(0, std::min<size_t>(first_end, 80))),
        "; expected \"", FirstLine(), "\""));
  }
  text.remove_prefix(std::min(first_end + 1, text.size()));
  PlanList list;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    optional<IdentifiedPlan> plan;
    // A last line without a line end has been truncated, so it is not parsed.
    if (end != string_view::npos) plan = ParseLine(text.substr(0, end));
    text.remove_prefix(std::min(end, text.size() - 1) + 1);
    if (plan) {
      list.plans.push_back(*std::move(plan));
    } else {
      ++list.damaged_lines;
    }
  }
  return list;
}

std::string FormatPlans(Span<const IdentifiedPlan> plans) {
  std::string text = FirstLine() + "\n";
  for (const IdentifiedPlan& plan : plans) {
    if (plan.solution == nullptr || !plan.solution->has_plan()) continue;
    if (plan.solution->places.empty()) text += LineOf(plan);
  }
  return text;
}

StatusOr<PlanList> LoadPlans(const std::string& path) {
  const StatusOr<std::string> text = ReadFile(path, kMaxPlansBytes);
  if (!text.ok()) return text.status();
  return ParsePlans(*text, path);
}

Status SavePlans(Span<const IdentifiedPlan> plans, const std::string& path) {
  return WriteFile(path, FormatPlans(plans));
}

}  // namespace stowage
