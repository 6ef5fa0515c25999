#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/kernels/pack.h"
#include "engine/run/execute.h"
#include "engine/run/inputs.h"
#include "engine/run/run_program.h"

// Masks from programs: a predicate is run like any program, into a field that
// is never published.

namespace layoutd {

absl::StatusOr<std::vector<uint8_t>> EvaluatePredicate(
    const Runtime& runtime, Program program,
    const std::map<std::string, std::string>& bindings, const Shape& mask_shape,
    const StopToken& stop, const std::function<void()>& pinned) {
  RETURN_IF_ERROR(stop.status());
  ASSIGN_OR_RETURN(
      const Inputs inputs,
      GatherInputs(*runtime.fields, *runtime.masks, program, bindings));
  if (ReferencedFields(program).empty()) {
    return InvalidArgument("MASK_SHAPE_MISMATCH",
                           "a mask is set from a predicate over fields; this "
                           "one reads none");
  }
  // The predicate becomes a field that is never published, under a name that
  // stands for none and that none has.
  std::string target = "predicate";
  const auto is_taken = [&](const auto& entry) {
    return entry.first == target || entry.second.id == target;
  };
  while (std::any_of(inputs.catalog.fields.begin(), inputs.catalog.fields.end(),
                     is_taken)) {
    target += "_";
  }
  auto& assignment = std::get<Assignment>(program.statements.at(0));
  assignment.kind = Assignment::Kind::kNew;
  assignment.target = target;
  ASSIGN_OR_RETURN(VerifiedProgram verified,
                   VerifyProgram(std::move(program), inputs.catalog));
  const AssignmentInfo& info = verified.statements[0].assignments[0];
  const DataLayout layout =
      verified.fields[static_cast<size_t>(info.field)].layout;
  if (!(layout.type() == ValueType(ScalarType::kBool))) {
    return InvalidArgument("TYPE_MISMATCH",
                           absl::StrCat("a mask is set from a bool; this is ",
                                        layout.type().ToString()));
  }
  if (layout.shape().v() != 1) {
    return InvalidArgument(
        "MASK_SHAPE_MISMATCH",
        absl::StrCat("a mask has one value per column; this has ",
                     layout.shape().v(),
                     " levels (choose one with at(x, 0), or fold them)"));
  }
  if (!BroadcastsTo(layout.shape(), mask_shape)) {
    return InvalidArgument(
        "MASK_SHAPE_MISMATCH",
        absl::StrCat("the predicate has shape ", ToString(layout.shape()),
                     ", the mask ", ToString(mask_shape)));
  }
  ASSIGN_OR_RETURN(const std::shared_ptr<const PlannedProgram> planned,
                   PlannedProgram::Create(std::move(verified)));
  Profiler profiler(nullptr);
  ASSIGN_OR_RETURN(
      const std::unique_ptr<FinishedRun> run,
      RunProgram(runtime, inputs, *planned, stop, pinned, profiler));

  const std::vector<NewField> created = run->memory->TakeCreated();
  const Shape& shape = layout.shape();
  std::vector<uint8_t> values(static_cast<size_t>(shape.num_columns()));
  PackPoints(layout.WholeView(), created[0].revision->buffer->data(), 0,
             absl::MakeSpan(values));
  std::vector<uint8_t> active;
  active.reserve(static_cast<size_t>(mask_shape.num_columns()));
  for (int64_t h = 0; h < mask_shape.h(); ++h) {
    for (int64_t j = 0; j < mask_shape.j(); ++j) {
      for (int64_t i = 0; i < mask_shape.i(); ++i) {
        const int64_t column =
            (shape.i() == 1 ? 0 : i) +
            shape.i() * ((shape.j() == 1 ? 0 : j) +
                         shape.j() * (shape.h() == 1 ? 0 : h));
        active.push_back(values[static_cast<size_t>(column)]);
      }
    }
  }
  return active;
}

}  // namespace layoutd
