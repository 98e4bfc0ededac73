// SPDX-License-Identifier: Apache-2.0
// Calls the C interface in any order, with valid and invalid arguments. Checks
// that every error has the code that its call returned, and that the results of
// different calls agree.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "fuzz/check.h"
#include "fuzz/engine.h"
#include "fuzz/input.h"
#include "stowage/base/text.h"
#include "stowage/c/stowage.h"

namespace stowage {
namespace {

constexpr int kMaxCalls = 64;
constexpr size_t kMaxRecords = 12;

template <typename T>
T Sized() {
  T versioned = {};
  versioned.struct_size = sizeof(T);
  return versioned;
}

int32_t Append(void* context, const char* text, size_t size) {
  static_cast<std::string*>(context)->append(text, size);
  return 0;
}

// Implements a strategy that takes its results from the input.
stowage_code PlanFromInput(void* context, const stowage_problem* problem,
                           uint64_t* places, uint32_t* pools) {
  auto& input = *static_cast<Input*>(context);
  auto info = Sized<stowage_problem_info>();
  Check(stowage_problem_get_info(problem, &info, nullptr) == STOWAGE_OK,
        "no info");
  for (uint64_t i = 0; i < info.count; ++i) {
    places[i] = input.Number();
    if (pools != nullptr) pools[i] = static_cast<uint32_t>(input.UpTo(3));
  }
  return input.Byte() < 200 ? STOWAGE_OK : input.Byte();
}

class Caller {
 public:
  explicit Caller(Input* input) : input_(*input) {}
  ~Caller() {
    Free();
    stowage_plan_cache_free(cache_);
    stowage_builder_free(builder_);
  }

  void Run() {
    Renew();
    for (int i = 0; i < kMaxCalls && !input_.is_empty(); ++i) Call();
  }

 private:
  void Call();
  void Renew();
  void Free();
  void AddRequest();
  void AddConstraint();
  void AddOrder();
  void SolveProblem();
  void VerifyPlan();
  void PlanInPlace();
  void WriteAndRead();
  void ParseText();
  void UseCache();
  void ReplanProblem();
  void Certify();
  stowage_options Options();
  void Take(stowage_solution* found);
  stowage_plan PlanOfSolution() const;

  // Called by callbacks. Depending on the input, cancels the search or frees
  // handles that the current call uses.
  int32_t KeepGoing();
  static int32_t AskCaller(void* context) {
    return static_cast<Caller*>(context)->KeepGoing();
  }

  // Checks that the error has this code and a complete message. Returns the
  // code.
  stowage_code Told(stowage_code code) {
    Check(error_.code == code, "another code in the error");
    Check(code != STOWAGE_INTERNAL, error_.message);
    const void* const end =
        std::memchr(error_.message, 0, sizeof(error_.message));
    Check(end != nullptr && IsUtf8(error_.message), "a broken message");
    Check((code == STOWAGE_OK) == (error_.message[0] == '\0'), "no message");
    return code;
  }
  uint64_t Record() { return input_.UpTo(kMaxRecords); }
  uint32_t Small() { return static_cast<uint32_t>(input_.UpTo(4)); }

  Input& input_;
  stowage_error error_ = Sized<stowage_error>();
  std::vector<stowage_record> records_;
  stowage_builder* builder_ = nullptr;
  stowage_problem* problem_ = nullptr;
  stowage_solution* solution_ = nullptr;
  stowage_plan_cache* cache_ = nullptr;
};

void Caller::Free() {
  stowage_solution_free(solution_);
  stowage_problem_free(problem_);
  solution_ = nullptr;
  problem_ = nullptr;
}

// Replaces the builder by a new builder with records from the input.
void Caller::Renew() {
  stowage_builder_free(builder_);
  builder_ = stowage_builder_new();
  records_.resize(input_.UpTo(kMaxRecords));
  for (stowage_record& record : records_) {
    const uint64_t first = input_.UpTo(20);
    record = {input_.Number(), first, first + input_.UpTo(5)};
    if (input_.Byte() > 250) record.last_task = input_.Number();
  }
  Told(stowage_builder_records(builder_, records_.data(), records_.size(),
                               &error_));
}

void Caller::Call() {
  switch (input_.UpTo(12)) {
    case 0:
      return Renew();
    case 1:
      return AddRequest();
    case 2:
      return AddConstraint();
    case 3:
      return AddOrder();
    case 4:
      Free();
      Told(stowage_problem_create(builder_, &problem_, &error_));
      return;
    case 5:
      return SolveProblem();
    case 6:
      return VerifyPlan();
    case 7:
      return PlanInPlace();
    case 8:
      return WriteAndRead();
    case 9:
      return ParseText();
    case 10:
      return UseCache();
    case 11:
      return ReplanProblem();
    default:
      return Certify();
  }
}

void Caller::AddRequest() {
  switch (input_.UpTo(4)) {
    case 0:
      Told(stowage_builder_kind(builder_, Small(), &error_));
      return;
    case 1:
      Told(stowage_builder_alignment(builder_, input_.Number(), &error_));
      return;
    case 2:
      Told(stowage_builder_capacity(builder_, input_.Number(), &error_));
      return;
    case 3:
      Told(stowage_builder_fixed(builder_, Record(), input_.Number(), &error_));
      return;
    default:
      Told(stowage_builder_groups_optional(builder_, Small(), &error_));
  }
}

void Caller::AddConstraint() {
  const uint64_t records[2] = {Record(), Record()};
  switch (input_.UpTo(8)) {
    case 0:
      Told(stowage_builder_range(builder_, records[0], input_.UpTo(64),
                                 input_.Number(), &error_));
      return;
    case 1:
      Told(stowage_builder_group(builder_, records[0], Small(), input_.Number(),
                                 &error_));
      return;
    case 2: {
      const uint64_t begin = input_.UpTo(64);
      Told(stowage_builder_hole(builder_, begin, begin + input_.UpTo(32),
                                input_.UpTo(8), input_.UpTo(16), Small(),
                                &error_));
      return;
    }
    case 3:
      Told(stowage_builder_apart(builder_, records, 2, &error_));
      return;
    case 4:
      Told(stowage_builder_never(builder_, records[0], records[1], &error_));
      return;
    case 5:
      Told(stowage_builder_prefer_apart(builder_, records[0], records[1],
                                        input_.Number(), &error_));
      return;
    case 6:
      Told(stowage_builder_same_or_apart(builder_, records[0], records[1],
                                         input_.Number(), &error_));
      return;
    case 7:
      Told(stowage_builder_pool(builder_, "pool", input_.Number(), &error_));
      return;
    default:
      Told(stowage_builder_choice(builder_, records[0], Small(),
                                  input_.Number(), &error_));
  }
}

void Caller::AddOrder() {
  const stowage_edge edges[2] = {{input_.UpTo(4), input_.UpTo(4)},
                                 {input_.UpTo(4), input_.UpTo(4)}};
  const uint64_t tasks[2] = {input_.UpTo(4), input_.UpTo(4)};
  switch (input_.UpTo(4)) {
    case 0:
      Told(stowage_builder_order(builder_, input_.UpTo(6), edges, 2, &error_));
      return;
    case 1:
      Told(stowage_builder_stream(builder_, tasks, input_.UpTo(2), &error_));
      return;
    case 2:
      Told(stowage_builder_waits(builder_, edges, input_.UpTo(2), &error_));
      return;
    case 3:
      Told(stowage_builder_free_order(builder_, input_.UpTo(6), edges,
                                      input_.UpTo(2), &error_));
      return;
    default:
      for (size_t i = 0; i < records_.size(); ++i) {
        const uint64_t users[2] = {input_.UpTo(4), input_.UpTo(4)};
        Told(stowage_builder_users(builder_, i, users, 2, &error_));
      }
  }
}

int32_t Caller::KeepGoing() {
  const uint8_t byte = input_.Byte();
  if (byte == 249) Free();
  if (byte == 250) {
    stowage_plan_cache_free(cache_);
    cache_ = nullptr;
  }
  return byte > 250 ? 1 : 0;
}

stowage_options Caller::Options() {
  auto options = Sized<stowage_options>();
  Told(stowage_options_init(&options, &error_));
  options.node_budget = 30;
  options.context = this;
  return options;
}

// Keeps the solution and checks its summary and its plan. Does nothing if it is
// null.
void Caller::Take(stowage_solution* found) {
  Check((found != nullptr) == (error_.code == STOWAGE_OK), "a handle");
  if (found == nullptr) return;
  stowage_solution_free(solution_);
  solution_ = found;
  const stowage_plan plan = PlanOfSolution();
  auto summary = Sized<stowage_summary>();
  Check(stowage_solution_summary(solution_, &summary, nullptr) == STOWAGE_OK,
        "no summary");
  // Callbacks may have freed the problem, and then the plan cannot be verified.
  if (summary.status > STOWAGE_FEASIBLE || problem_ == nullptr) return;
  Check(plan.total_size == summary.total_size, "another total");
  Check(summary.status != STOWAGE_OPTIMAL || summary.proof != 0, "no proof");
  Told(stowage_verify(problem_, &plan, nullptr, &error_));
  Check(error_.code == STOWAGE_OK, error_.message);
}

void Caller::SolveProblem() {
  stowage_options options = Options();
  options.decide = Small();
  options.relax_to_boxes = input_.Flag() ? 1 : 0;
  options.strategy = stowage_strategy_name(input_.UpTo(15));
  if (input_.Flag()) options.keep_going = &AskCaller;
  if (input_.Flag()) options.incumbent = solution_;
  stowage_solution* found = nullptr;
  if (input_.Flag()) {
    options.strategy = nullptr;
    const stowage_code code =
        stowage_solve_with(problem_, input_.UpTo(1023), &PlanFromInput, &input_,
                           &options, &found, &error_);
    // The strategy itself may return INTERNAL, or a number that is not a code.
    Check(error_.code == code, "another code in the error");
  } else {
    Told(stowage_solve(problem_, &options, &found, &error_));
  }
  Take(found);
}

// Gets a plan from a cache, which may be too small to keep the plan, or
// improves the plans in the cache.
void Caller::UseCache() {
  if (cache_ == nullptr || input_.Byte() > 240) {
    stowage_plan_cache_free(cache_);
    cache_ = stowage_plan_cache_new(input_.UpTo(8000),
                                    stowage_strategy_name(input_.UpTo(15)));
  }
  stowage_options options = Options();
  if (input_.Flag()) options.keep_going = &AskCaller;
  if (input_.Byte() < 80) {
    Told(stowage_plan_cache_improve(cache_, &options, nullptr, &error_));
    return;
  }
  stowage_solution* found = nullptr;
  Told(stowage_plan_cache_get(cache_, problem_, &options, &found, &error_));
  Take(found);
}

// Changes the sizes of some records and replans the changed problem.
void Caller::ReplanProblem() {
  stowage_builder* const changed = stowage_builder_new();
  std::vector<stowage_record> records = records_;
  for (stowage_record& record : records) {
    if (input_.Byte() < 80) record.size = input_.Number();
  }
  Told(stowage_builder_records(changed, records.data(), records.size(),
                               &error_));
  stowage_problem* problem = nullptr;
  Told(stowage_problem_create(changed, &problem, &error_));
  stowage_builder_free(changed);
  stowage_options solve = Options();
  if (input_.Flag()) solve.keep_going = &AskCaller;
  auto options = Sized<stowage_replan_options>();
  options.cost_per_moved_byte = input_.Number();
  options.solve = &solve;
  std::vector<uint64_t> movable;
  if (input_.Byte() < 80) {
    for (size_t i = input_.UpTo(3); i > 0; --i) movable.push_back(Record());
    movable.reserve(1);
    options.movable = movable.data();
    options.movable_count = movable.size();
  }
  stowage_solution* found = nullptr;
  if (Told(stowage_replan(problem, solution_, &options, &found, &error_)) ==
      STOWAGE_OK) {
    auto changes = Sized<stowage_changes>();
    Told(stowage_solution_changes(found, &changes, &error_));
    Check(movable.empty() || changes.moved_count <= movable.size(),
          "a record moved that must not");
    // From now on, the changed problem is the current one.
    stowage_problem_free(problem_);
    problem_ = problem;
    problem = nullptr;
    Take(found);
  }
  stowage_problem_free(problem);
}

// Checks the certificate of the solution twice: as written, and with one byte
// changed.
void Caller::Certify() {
  std::string text;
  if (Told(stowage_write_certificate(problem_, solution_, &Append, &text,
                                     &error_)) != STOWAGE_OK) {
    return;
  }
  auto verdict = Sized<stowage_verdict>();
  Told(stowage_check_certificate(problem_, text.data(), text.size(), &verdict,
                                 nullptr, nullptr, &error_));
  Check(error_.code == STOWAGE_OK, error_.message);
  text[input_.UpTo(text.size() - 1)] = static_cast<char>(input_.Byte());
  Told(stowage_check_certificate(problem_, text.data(), text.size(), &verdict,
                                 &Append, &text, &error_));
}

stowage_plan Caller::PlanOfSolution() const {
  auto plan = Sized<stowage_plan>();
  if (stowage_solution_plan(solution_, &plan, nullptr) != STOWAGE_OK) {
    plan = Sized<stowage_plan>();
  }
  return plan;
}

// Changes one offset and verifies the plan of the solution.
void Caller::VerifyPlan() {
  stowage_plan plan = PlanOfSolution();
  std::vector<uint64_t> offsets(plan.offsets,
                                plan.offsets + (plan.offsets ? plan.count : 0));
  if (offsets.empty()) return;
  offsets[input_.UpTo(offsets.size() - 1)] = input_.Number();
  plan.offsets = offsets.data();
  plan.total_size = input_.Flag() ? STOWAGE_NONE : input_.Number();
  auto violation = Sized<stowage_violation>();
  const stowage_code code =
      Told(stowage_verify(problem_, &plan, &violation, &error_));
  Check(code != STOWAGE_OK || violation.kind == 0, "a violation");
  stowage_solution* made = nullptr;
  Told(stowage_solution_create(problem_, &plan, &made, &error_));
  Check((made != nullptr) == (code == STOWAGE_OK), "verified otherwise");
  stowage_solution_free(made);
}

void Caller::PlanInPlace() {
  std::vector<stowage_placed_record> placed;
  for (const stowage_record& record : records_) {
    const uint64_t offset =
        input_.Byte() < 220 ? STOWAGE_NONE : input_.Number();
    placed.push_back(
        {record.size, record.first_task, record.last_task, offset});
  }
  std::vector<uint32_t> workspace(2 * placed.size());
  const uint64_t alignment = input_.Number();
  uint64_t total = 0;
  if (Told(stowage_plan_in_place(placed.data(), placed.size(), alignment,
                                 workspace.data(), 4 * workspace.size(), &total,
                                 &error_)) != STOWAGE_OK) {
    return;
  }
  std::vector<uint64_t> offsets;
  for (const stowage_placed_record& record : placed) {
    offsets.push_back(record.offset);
  }
  // OutOfRange is permitted because the sum of the sizes may exceed 64 bits
  // even if the size of the arena does not.
  const stowage_code code =
      stowage_verify_offsets(records_.data(), records_.size(), alignment,
                             offsets.data(), total, nullptr, &error_);
  Check(code == STOWAGE_OK || code == STOWAGE_OUT_OF_RANGE, error_.message);
}

void Caller::WriteAndRead() {
  const stowage_plan plan = PlanOfSolution();
  const bool has_plan = plan.count > 0;
  std::string text;
  if (Told(stowage_write_problem(problem_, has_plan ? &plan : nullptr,
                                 Small() % 3, &Append, &text, &error_)) !=
      STOWAGE_OK) {
    return;
  }
  stowage_file* file = nullptr;
  Told(stowage_file_parse(text.data(), text.size(), "text", &file, &error_));
  Check(file != nullptr, absl::StrCat(error_.message, "\n", text));
  stowage_builder* read = nullptr;
  Told(stowage_file_builder(file, &read, &error_));
  stowage_problem* again = nullptr;
  Told(stowage_problem_create(read, &again, &error_));
  Check(again != nullptr, error_.message);
  stowage_problem_free(again);
  stowage_builder_free(read);
  stowage_file_free(file);
}

void Caller::ParseText() {
  std::string text;
  for (size_t left = input_.UpTo(60); left > 0; --left) {
    text.push_back(static_cast<char>(input_.Byte()));
  }
  stowage_file* file = nullptr;
  Told(stowage_file_parse(text.data(), text.size(), text.c_str(), &file,
                          &error_));
  stowage_file_free(file);
  Told(stowage_check_certificate(problem_, text.data(), text.size(), nullptr,
                                 nullptr, nullptr, &error_));
}

}  // namespace
}  // namespace stowage

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  stowage::Input input(data, size);
  stowage::Caller(&input).Run();
  return 0;
}
