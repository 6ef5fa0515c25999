#include "tests/fuzz/fuzz_program.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/program/parse.h"
#include "engine/program/plan.h"
#include "engine/program/print.h"
#include "google/protobuf/stubs/logging.h"
#include "server/check_known.h"
#include "server/decode_program.h"
#include "tests/fuzz/fuzz_inputs.h"
#include "tests/fuzz/mutate_graph.h"
#include "tests/support/random_program.h"
#include "tests/support/shrink_program.h"

namespace layoutd {
namespace {

// Bounds of what is run, so that an input takes a few tens of milliseconds.
constexpr size_t kMaxExpandedNodes = 4000;
constexpr size_t kMaxLoopOps = 150;
constexpr size_t kMaxSteps = 8;
constexpr size_t kMaxLeaves = 20000;

std::string CheckError(const absl::Status& status) {
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kOutOfRange:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kUnimplemented:
    case absl::StatusCode::kResourceExhausted:
      break;
    default:
      return absl::StrCat("an error of ours: ", status.ToString());
  }
  if (!DetailOf(status).reason.empty()) return "";
  return absl::StrCat("an error without a reason: ", status.ToString());
}

// `program` is verified. Its text must read as the same program (but for nodes
// with several uses, which text has not) and print the same again.
std::string CheckPrint(const Program& program, bool is_tree) {
  const std::string printed = PrintProgram(program);
  if (printed.size() > static_cast<size_t>(kProgramLimits.max_text_bytes)) {
    return "";
  }
  const absl::StatusOr<Program> again = ParseProgram(printed);
  if (!again.ok()) {
    // Shared nodes and parentheses may make a text too large or too deep.
    if (DetailOf(again.status()).reason == "PROGRAM_LIMIT") return "";
    return absl::StrCat("prints as what does not parse: ",
                        again.status().ToString(), "\n", printed);
  }
  if (is_tree && !(*again == program)) {
    return absl::StrCat("prints as another program:\n", printed);
  }
  const std::string twice = PrintProgram(*again);
  if (twice == printed) return "";
  return absl::StrCat("prints as\n", printed, "and then as\n", twice);
}

// Whether running takes a bounded time; `program` is verified.
bool IsSmall(const VerifiedProgram& program, const ExecutionPlan& plan) {
  std::vector<size_t> expanded;
  for (const Node& node : program.program.nodes) {
    size_t size = 1;
    for (NodeIndex operand : node.operands) {
      size += expanded[static_cast<size_t>(operand)];
    }
    expanded.push_back(std::min(size, kMaxExpandedNodes + 1));
  }
  size_t total = 0;
  for (size_t size : expanded) total = std::max(total, size);
  size_t ops = 0;
  for (const PlanStep& step : plan.steps) {
    for (const LoopBlock& block : step.loop.blocks) ops += block.ops.size();
  }
  return total <= kMaxExpandedNodes && ops <= kMaxLoopOps &&
         plan.steps.size() <= kMaxSteps;
}

// The text of `program` must also mean the same. Shared nodes may make it too
// large to be verified, but nothing else.
std::string CheckMeaningOfPrint(const VerifiedProgram& program,
                                const ProgramCase& inputs) {
  const absl::StatusOr<Program> printed =
      ParseProgram(PrintProgram(program.program));
  if (!printed.ok()) return "";
  const absl::StatusOr<VerifiedProgram> verified =
      VerifyProgram(*printed, CatalogOf(inputs));
  if (!verified.ok()) {
    if (DetailOf(verified.status()).reason == "PROGRAM_LIMIT") return "";
    return absl::StrCat("prints as what does not verify: ",
                        verified.status().ToString());
  }
  OracleState want = StateOf(inputs);
  OracleState got = want;
  const absl::StatusOr<OracleResults> want_results =
      EvaluateProgram(program, want);
  const absl::StatusOr<OracleResults> got_results =
      EvaluateProgram(*verified, got);
  bool same = want_results.ok() == got_results.ok();
  const auto compare = [&same](const std::vector<Scalar>& a,
                               const std::vector<Scalar>& b) {
    same = same && std::equal(a.begin(), a.end(), b.begin(), b.end(), SameBits);
  };
  for (size_t r = 0; same && want_results.ok() && r < want_results->size();
       ++r) {
    compare((*want_results)[r], (*got_results)[r]);
  }
  for (const auto& [id, field] : want.fields) {
    if (same) compare(field.leaves, got.fields.at(id).leaves);
  }
  return same ? ""
              : absl::StrCat("prints as what means something else:\n",
                             PrintProgram(program.program));
}

ProgramCase ReferencedInputs(const Program& program,
                             const ProgramCase& inputs) {
  const auto is_in = [](const std::vector<std::string>& names,
                        const std::string& id) {
    return std::find(names.begin(), names.end(), id) != names.end();
  };
  const std::vector<std::string> fields = ReferencedFields(program);
  const std::vector<std::string> masks = ReferencedMasks(program);
  ProgramCase referenced;
  for (const CaseField& field : inputs.fields) {
    if (is_in(fields, field.id)) referenced.fields.push_back(field);
  }
  for (const CaseMask& mask : inputs.masks) {
    if (is_in(masks, mask.id)) referenced.masks.push_back(mask);
  }
  return referenced;
}

std::string CheckProgram(const Program& program, const ProgramCase& all_inputs,
                         bool is_tree, int vector_bits) {
  ProgramCase inputs = ReferencedInputs(program, all_inputs);
  const absl::StatusOr<VerifiedProgram> verified =
      VerifyProgram(program, CatalogOf(inputs));
  if (!verified.ok()) return CheckError(verified.status());
  std::string complaint = CheckPrint(program, is_tree);
  if (!complaint.empty()) return complaint;
  const absl::StatusOr<ExecutionPlan> plan = PlanProgram(*verified);
  if (!plan.ok()) return CheckError(plan.status());
  if (!IsSmall(*verified, *plan)) return "";
  complaint = CheckMeaningOfPrint(*verified, inputs);
  if (!complaint.empty()) return complaint;

  const WorldOptions options{1, vector_bits};
  const absl::StatusOr<std::string> difference =
      CompareWithOracle(program, inputs, SharedWorld(options));
  if (!difference.ok()) return CheckError(difference.status());
  if (difference->empty()) return "";
  inputs.text = PrintProgram(program);
  return absl::StrCat(*difference, "\n", inputs.text, "\n",
                      ReportDifference(inputs, options, "Fuzzed"));
}

int VectorBits(absl::string_view bytes) {
  constexpr int kBits[] = {128, 256, 512};
  return kBits[bytes.size() % 3];
}

}  // namespace

std::string FuzzText(absl::string_view bytes) {
  const absl::StatusOr<Program> expression = ParseExpression(bytes);
  if (!expression.ok()) {
    std::string complaint = CheckError(expression.status());
    if (!complaint.empty()) return complaint;
  }
  const absl::StatusOr<Program> program = ParseProgram(bytes);
  if (!program.ok()) return CheckError(program.status());
  return CheckProgram(*program, FuzzInputs(), /*is_tree=*/true,
                      VectorBits(bytes));
}

std::string FuzzGraph(absl::string_view bytes) {
  uint64_t seed = 0;
  for (int k = 0; k < 2 && !bytes.empty(); ++k) {
    seed |= uint64_t{static_cast<uint8_t>(bytes[0])} << (8 * k);
    bytes.remove_prefix(1);
  }
  std::optional<ProgramCase> random;
  Program program;
  if (seed != 0) {
    random = MakeRandomProgram(seed);
    size_t leaves = 0;
    for (const CaseField& field : random->fields) {
      leaves += field.leaves.size();
    }
    if (leaves > kMaxLeaves) return "";
    program = ParseProgram(random->text).value();
  }
  MutateGraph(bytes, program);
  return CheckProgram(program, random ? *random : FuzzInputs(),
                      /*is_tree=*/false, VectorBits(bytes));
}

std::string FuzzProto(absl::string_view bytes) {
  // It reports text that is not UTF-8, each time.
  static const google::protobuf::LogSilencer silencer;
  v1::Graph graph;
  if (!graph.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return "";
  }
  const absl::Status known = CheckKnown(graph, "program.graph");
  if (!known.ok()) return CheckError(known);
  const absl::StatusOr<Program> program = DecodeGraph(graph);
  if (!program.ok()) return CheckError(program.status());
  return CheckProgram(*program, FuzzInputs(), /*is_tree=*/false,
                      VectorBits(bytes));
}

}  // namespace layoutd
