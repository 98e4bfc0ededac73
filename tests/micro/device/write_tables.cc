// SPDX-License-Identifier: Apache-2.0
// The program `write_tables VECTORS FOLDER` converts recorded vectors into
// tables for the tests on devices. Into FOLDER, it writes plan_vectors.inc and
// arena_vectors.inc in C and one C++ file for each planner of TensorFlow Lite
// Micro.
#include <cstdint>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "nlohmann/json.hpp"
#include "tests/micro/arena_replay.h"
#include "tests/micro/arena_vectors.h"

namespace {

using nlohmann::json;

// Returns a number as 32 bits. The number -1, which represents a buffer without
// a given offset, becomes STOWAGE_MICRO_UNPLACED.
uint32_t Word(const json& number) {
  return static_cast<uint32_t>(number.get<int64_t>());
}

// Returns the tables for vectors_tflm_public.jsonl.
std::string PlanTables(std::istream& lines) {
  std::ostringstream records, offsets, vectors;
  size_t first = 0;
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const json vector = json::parse(line);
    const json& expected = vector.at("expected");
    const size_t size = vector.at("records").size();
    for (size_t i = 0; i < size; ++i) {
      const json& record = vector.at("records")[i];
      records << "    {" << Word(record[0]) << "u, " << Word(record[1]) << "u, "
              << Word(record[2]) << "u, "
              << Word(vector.at("offline_offsets")[i]) << "u},\n";
      offsets << "    " << Word(expected.at("offsets")[i]) << "u,\n";
    }
    vectors << "    {" << first << ", " << size << ", "
            << Word(expected.at("max_size")) << "u, "
            << expected.at("overlap").get<bool>() << "},\n";
    first += size;
  }
  return "// Places in the two tables below.\n"
         "typedef struct {\n"
         "  uint32_t first, count, total, overlap;\n"
         "} plan_vector;\n"
         "static const stowage_micro_buffer kPlanRecords[] = {\n" +
         records.str() + "};\nstatic const uint32_t kPlanOffsets[] = {\n" +
         offsets.str() + "};\nstatic const plan_vector kPlanVectors[] = {\n" +
         vectors.str() +
         "};\nenum { kPlanVectorCount = " + std::to_string(count) + " };\n";
}

// Returns the tables for vectors_micro_arena_public.jsonl.
std::string ArenaTables(std::istream& lines) {
  std::ostringstream calls, sequences;
  size_t first = 0;
  const auto vectors = stowage::micro::ReadArenaVectors(&lines);
  for (const stowage::micro::ArenaVector& vector : vectors) {
    for (const arena_call& it : vector.calls) {
      calls << "    {(arena_op)" << it.op << ", " << it.offset << "u, "
            << it.size << "u, " << it.alignment << "u, " << it.answer << "u, "
            << it.head << "u, " << it.tail << "u},\n";
    }
    const arena_sequence& it = vector.sequence;
    sequences << "    {(stowage_micro_arena_kind)" << it.kind << ", " << it.size
              << "u, " << it.base_mod64 << "u, " << it.first_unsound
              << "u, kArenaCalls + " << first << ", " << it.count << "u},\n";
    first += vector.calls.size();
  }
  return "#include \"tests/micro/arena_replay.h\"\n"
         "static const arena_call kArenaCalls[] = {\n" +
         calls.str() +
         "};\nstatic const arena_sequence kArenaSequences[] = {\n" +
         sequences.str() +
         "};\nenum { kArenaSequenceCount = " + std::to_string(vectors.size()) +
         " };\n";
}

// Returns the text as a C string literal, split after each line of the text.
std::string Literal(const std::string& text) {
  std::string literal = "\"";
  for (const char letter : text) {
    if (letter == '\n') {
      literal += "\\n\"\n    \"";
    } else {
      literal += letter;
    }
  }
  return literal + "\"";
}

// Returns the answer of a call as an int. Success is 1, and a missing offset is
// kNone. Only the low 32 bits of a number are kept, because upstream's unsigned
// numbers may have wrapped around.
std::string AnswerText(const json& ret) {
  if (ret.is_null()) return "kNone";
  if (ret.is_boolean()) return ret.get<bool>() ? "1" : "0";
  return std::to_string(static_cast<int32_t>(
      ret.is_number_unsigned() ? ret.get<uint64_t>()
                               : static_cast<uint64_t>(ret.get<int64_t>())));
}

std::string CallText(const json& call) {
  std::ostringstream text;
  const json& ret = call.at("ret");
  text << "    {k_" << call.at("op").get<std::string>() << ", "
       << call.value("workspace", 0) << ", " << call.value("buffer", 0) << ", "
       << call.value("size", 0) << ", " << call.value("first", 0) << ", "
       << call.value("last", 0) << ", " << call.value("offset", 0) << ", ";
  if (ret.is_string()) {
    text << "0,\n     " << Literal(ret) << "},\n";
  } else {
    text << AnswerText(ret) << ", nullptr},\n";
  }
  return text.str();
}

// Returns the rows of a table for the table planner, one for each offset in the
// vector. A row has this offset, and the size and the tasks of the
// corresponding added buffer. If the vector adds fewer buffers than it has
// offsets, each remaining row has 16 bytes at task 0.
std::string RowsText(const json& vector) {
  std::ostringstream text;
  const json& offsets = vector.at("buffer_plan");
  auto call = vector.at("calls").begin();
  const auto end = vector.at("calls").end();
  for (const json& offset : offsets) {
    while (call != end && call->at("op") != "add") ++call;
    text << "    {";
    if (call == end) {
      text << "16u, 0u, 0u";
    } else {
      text << Word(call->at("size")) << "u, " << Word(call->at("first"))
           << "u, " << Word(call->at("last")) << 'u';
      ++call;
    }
    text << ", " << Word(offset) << "u},\n";
  }
  return text.str();
}

// Returns the tables of the calls of one planner in
// vectors_micro_planner_public.jsonl. The names of the tables begin with
// `name`.
std::string PlannerTables(std::istream& lines, const std::string& planner,
                          const std::string& name) {
  std::ostringstream calls, rows, sequences;
  size_t first = 0;
  size_t first_row = 0;
  for (std::string line; std::getline(lines, line);) {
    const json vector = json::parse(line);
    if (vector.at("planner") != planner) continue;
    for (const json& call : vector.at("calls")) calls << CallText(call);
    const size_t size = vector.at("calls").size();
    size_t row_count = 0;
    if (vector.contains("buffer_plan")) {
      row_count = vector.at("buffer_plan").size();
      rows << RowsText(vector);
    }
    sequences << "    {" << first << ", " << size << ", "
              << (vector.value("overlap", false) ? "true" : "false") << ", "
              << first_row << ", " << row_count << "},\n";
    first += size;
    first_row += row_count;
  }
  std::string text = "const Call k" + name + "Calls[] = {\n" + calls.str() +
                     "};\nconst Sequence k" + name + "Sequences[] = {\n" +
                     sequences.str() + "};\n";
  if (first_row > 0) {
    text += "const uint32_t k" + name + "Rows[][4] = {\n" + rows.str() + "};\n";
  }
  return text;
}

std::string GreedyTables(std::istream& lines) {
  return PlannerTables(lines, "greedy", "Greedy");
}

std::string ShimTables(std::istream& lines) {
  return PlannerTables(lines, "shim", "Shim");
}

std::string LinearTables(std::istream& lines) {
  return PlannerTables(lines, "linear", "Linear");
}

// Returns whether all vectors were read and all tables were written.
bool WriteTables(const std::string& vectors, const std::string& file,
                 std::string (*tables_of)(std::istream&)) {
  std::ifstream lines(vectors);
  std::ofstream tables(file);
  tables << tables_of(lines);
  tables.close();
  return lines.eof() && tables;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: write_tables VECTORS FOLDER\n";
    return 2;
  }
  const std::string vectors = argv[1];
  const std::string folder = argv[2];
  const std::string planners = vectors + "/vectors_micro_planner_public.jsonl";
  return WriteTables(vectors + "/vectors_tflm_public.jsonl",
                     folder + "/plan_vectors.inc", PlanTables) &&
                 WriteTables(vectors + "/vectors_micro_arena_public.jsonl",
                             folder + "/arena_vectors.inc", ArenaTables) &&
                 WriteTables(planners, folder + "/greedy_vectors.inc",
                             GreedyTables) &&
                 WriteTables(planners, folder + "/shim_vectors.inc",
                             ShimTables) &&
                 WriteTables(planners, folder + "/linear_vectors.inc",
                             LinearTables)
             ? 0
             : 1;
}
