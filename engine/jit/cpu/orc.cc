#include "engine/jit/cpu/orc.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "engine/base/error.h"
#include "engine/base/status_macros.h"
#include "engine/jit/emit.h"
#include "llvm/ExecutionEngine/Orc/CompileUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Mem2Reg.h"

// 128-bit conversions have no instruction: the compiler's runtime has them, and
// generated code calls them by these names.
extern "C" {
double __floattidf(layoutd::Int128);
float __floattisf(layoutd::Int128);
double __floatuntidf(layoutd::Uint128);
float __floatuntisf(layoutd::Uint128);
layoutd::Int128 __fixdfti(double);
layoutd::Int128 __fixsfti(float);
layoutd::Uint128 __fixunsdfti(double);
layoutd::Uint128 __fixunssfti(float);
}

namespace layoutd::cpu {
namespace {

// Above this many instructions the register allocator takes more than linear
// time (17 s for a program over a tuple of 1000 scalars): such functions are
// compiled without it. Bits are the same, only speed is not.
constexpr unsigned kLargeFunction = 20000;

// And above this many nothing is compiled: without register allocation each
// instruction takes a vector of stack (64 bytes), and a thread's stack is 8
// MiB.
constexpr unsigned kMaxInstructions = 80000;

absl::Status FromLlvm(llvm::Error error) {
  return Error(absl::StatusCode::kInternal, "COMPILER",
               absl::StrCat("llvm: ", llvm::toString(std::move(error))));
}

// Code and the tracker that frees it; the JIT outlives every kernel because
// kernels hold it.
class OrcKernel : public Kernel {
 public:
  // Shared: the JIT goes when the compiler and all its kernels are gone.
  OrcKernel(std::shared_ptr<llvm::orc::LLJIT> jit,
            llvm::orc::ResourceTrackerSP tracker, KernelEntry kernel_entry,
            int num_lanes)
      : jit_(std::move(jit)),
        tracker_(std::move(tracker)),
        entry_(kernel_entry),
        num_lanes_(num_lanes) {}

  ~OrcKernel() override {
    // Nothing can be done about memory that cannot be unmapped.
    llvm::consumeError(tracker_->remove());
    jit_->getExecutionSession().getSymbolStringPool()->clearDeadEntries();
  }

  KernelEntry entry() const override { return entry_; }
  int num_lanes() const override { return num_lanes_; }

 private:
  std::shared_ptr<llvm::orc::LLJIT> jit_;
  llvm::orc::ResourceTrackerSP tracker_;
  KernelEntry entry_;
  int num_lanes_;
};

class OrcCompiler : public Compiler {
 public:
  OrcCompiler(std::shared_ptr<llvm::orc::LLJIT> jit,
              llvm::orc::JITTargetMachineBuilder target, int vector_bits)
      : jit_(std::move(jit)),
        target_(std::move(target)),
        vector_bits_(vector_bits) {}

  absl::StatusOr<std::unique_ptr<Kernel>> Compile(
      const LoopPlan& loop) override {
    llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
        llvm::orc::JITTargetMachineBuilder(target_).createTargetMachine();
    if (!machine) return FromLlvm(machine.takeError());

    const std::string name = absl::StrCat("loop", next_kernel_.fetch_add(1));
    llvm::LLVMContext context;
    llvm::Module module(name, context);
    module.setDataLayout((*machine)->createDataLayout());
    module.setTargetTriple((*machine)->getTargetTriple().str());
    const int num_lanes = NumLanes(loop, vector_bits_);
    // One thread runs a range, so it waits for nobody.
    const auto one_thread = [](LaneBuilder& lanes) -> ThreadScope {
      return {lanes.I64(0), lanes.I64(1), [](LaneBuilder&) {}};
    };
    EmitLoop(module, loop, num_lanes, one_thread, name);
    const std::string bits = absl::StrCat(vector_bits_);
    unsigned instructions = 0;
    for (llvm::Function& function : module) {
      if (function.isDeclaration()) continue;
      function.addFnAttr("target-cpu", (*machine)->getTargetCPU());
      function.addFnAttr("target-features",
                         (*machine)->getTargetFeatureString());
      function.addFnAttr("prefer-vector-width", bits);
      function.addFnAttr("min-legal-vector-width", bits);
      instructions = std::max(instructions, function.getInstructionCount());
    }

    if (instructions > kMaxInstructions) {
      return InvalidArgument(
          "PROGRAM_LIMIT",
          absl::StrCat("a loop of the program takes ", instructions,
                       " instructions; a kernel may have ", kMaxInstructions,
                       ": split the program or its values"));
    }
    if (std::getenv("LAYOUTD_LOG_IR") != nullptr) {
      module.print(llvm::errs(), nullptr);
    }
    std::string complaint;
    llvm::raw_string_ostream stream(complaint);
    if (llvm::verifyModule(module, &stream)) {
      return Error(absl::StatusCode::kInternal, "COMPILER",
                   absl::StrCat("generated code is not valid: ", stream.str()));
    }
    if (instructions > kLargeFunction) {
      (*machine)->setOptLevel(llvm::CodeGenOptLevel::None);
    } else {
      Optimise(module, **machine);
    }

    llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> object =
        llvm::orc::SimpleCompiler(**machine)(module);
    if (!object) return FromLlvm(object.takeError());
    llvm::orc::ResourceTrackerSP tracker =
        jit_->getMainJITDylib().createResourceTracker();
    if (llvm::Error error = jit_->addObjectFile(tracker, std::move(*object))) {
      return FromLlvm(std::move(error));
    }
    llvm::Expected<llvm::orc::ExecutorAddr> entry = jit_->lookup(name);
    if (!entry) return FromLlvm(entry.takeError());
    return std::make_unique<OrcKernel>(jit_, std::move(tracker),
                                       entry->toPtr<KernelEntry>(), num_lanes);
  }

  std::string target() const override { return target_.getCPU(); }
  int vector_bits() const override { return vector_bits_; }

 private:
  // The generator writes vectors itself, so only clean-up is needed; O2 takes
  // twice as long and gives the same run time (measured, engine/README.md).
  static void Optimise(llvm::Module& module, llvm::TargetMachine& machine) {
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager call_graph;
    llvm::ModuleAnalysisManager modules;
    llvm::PassBuilder builder(&machine);
    builder.registerModuleAnalyses(modules);
    builder.registerCGSCCAnalyses(call_graph);
    builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops);
    builder.crossRegisterProxies(loops, functions, call_graph, modules);
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::PromotePass());
    passes.addPass(llvm::EarlyCSEPass(true));
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::SimplifyCFGPass());
    passes.addPass(llvm::createFunctionToLoopPassAdaptor(
        llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
    for (llvm::Function& function : module) {
      if (!function.isDeclaration()) passes.run(function, functions);
    }
  }

  std::shared_ptr<llvm::orc::LLJIT> jit_;
  const llvm::orc::JITTargetMachineBuilder target_;
  const int vector_bits_;
  std::atomic<int64_t> next_kernel_ = 0;
};

template <typename F>
llvm::orc::ExecutorSymbolDef Runtime(F* function) {
  return {llvm::orc::ExecutorAddr::fromPtr(function),
          llvm::JITSymbolFlags::Exported | llvm::JITSymbolFlags::Callable};
}

absl::Status DefineRuntime(llvm::orc::LLJIT& jit) {
  auto name = [&](const char* symbol) { return jit.mangleAndIntern(symbol); };
  llvm::orc::SymbolMap symbols;
  symbols[name("__floattidf")] = Runtime(&__floattidf);
  symbols[name("__floattisf")] = Runtime(&__floattisf);
  symbols[name("__floatuntidf")] = Runtime(&__floatuntidf);
  symbols[name("__floatuntisf")] = Runtime(&__floatuntisf);
  symbols[name("__fixdfti")] = Runtime(&__fixdfti);
  symbols[name("__fixsfti")] = Runtime(&__fixsfti);
  symbols[name("__fixunsdfti")] = Runtime(&__fixunsdfti);
  symbols[name("__fixunssfti")] = Runtime(&__fixunssfti);
  symbols[name("memset")] = Runtime(&std::memset);
  symbols[name("memcpy")] = Runtime(&std::memcpy);
  if (llvm::Error error = jit.getMainJITDylib().define(
          llvm::orc::absoluteSymbols(std::move(symbols)))) {
    return FromLlvm(std::move(error));
  }
  return absl::OkStatus();
}

// Returns the features of x86-64-v3 that this CPU lacks.
std::vector<std::string> MissingFeatures(
    const llvm::StringMap<bool>& features) {
  std::vector<std::string> missing;
  for (const char* feature :
       {"avx2", "fma", "bmi", "bmi2", "lzcnt", "movbe", "f16c"}) {
    const auto found = features.find(feature);
    if (found == features.end() || !found->second) missing.push_back(feature);
  }
  return missing;
}

bool Has(const llvm::StringMap<bool>& features, const char* name) {
  const auto found = features.find(name);
  return found != features.end() && found->second;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Compiler>> OpenOrcCompiler(int vector_bits) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  const llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  const std::vector<std::string> missing = MissingFeatures(features);
  if (!missing.empty()) {
    return Error(absl::StatusCode::kUnavailable, "CPU_TOO_OLD",
                 absl::StrCat("this CPU is below x86-64-v3; it lacks ",
                              absl::StrJoin(missing, ", ")));
  }
  const bool has_512 = Has(features, "avx512f") && Has(features, "avx512bw") &&
                       Has(features, "avx512dq") && Has(features, "avx512vl");
  const int widest = has_512 ? 512 : 256;
  if (vector_bits == 0) vector_bits = widest;
  if ((vector_bits != 128 && vector_bits != 256 && vector_bits != 512) ||
      vector_bits > widest) {
    return InvalidArgument(
        "BAD_OPTION",
        absl::StrCat("vector width ", vector_bits,
                     " is not one of 128, 256, 512 up to this CPU's ", widest));
  }
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> target =
      llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!target) return FromLlvm(target.takeError());
  target->setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  target->getOptions().AllowFPOpFusion = llvm::FPOpFusion::Strict;
  // A kernel and its constants lie together, so that an instruction can name a
  // constant; by default every one takes a register for its address. Calls of
  // functions elsewhere go through a table of the linker.
  target->setCodeModel(llvm::CodeModel::Small);
  target->setRelocationModel(llvm::Reloc::PIC_);

  llvm::Expected<std::unique_ptr<llvm::orc::LLJIT>> jit =
      llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(*target).create();
  if (!jit) return FromLlvm(jit.takeError());
  RETURN_IF_ERROR(DefineRuntime(**jit));
  return std::make_unique<OrcCompiler>(std::move(*jit), std::move(*target),
                                       vector_bits);
}

}  // namespace layoutd::cpu
