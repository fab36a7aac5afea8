// SPDX-License-Identifier: BSD-3-Clause
//
// The run of Clang's preprocessor. The macros that UPC predefines are set here (section 6.11 of the
// specification of UPC 1.3). THREADS is a macro only when it is known, so that #if can use it.
#include <front/upc/translator/preprocess.hpp>

#include <front/upc/translator/clang.hpp>

#include <set>

namespace atl::upc {
namespace {

// Notes each macro of the program that a system header looks up.
class macro_watch : public clang::PPCallbacks {
 public:
  macro_watch(clang::Preprocessor& preprocessor, std::vector<std::string>& definitions)
      : preprocessor_(preprocessor), definitions_(definitions) {}

  void MacroExpands(const clang::Token& name, const clang::MacroDefinition& definition,
                    clang::SourceRange range, const clang::MacroArgs*) override {
    look_up(name, definition, range.getBegin());
  }
  void Defined(const clang::Token& name, const clang::MacroDefinition& definition,
               clang::SourceRange range) override {
    look_up(name, definition, range.getBegin());
  }
  void Ifdef(clang::SourceLocation place, const clang::Token& name,
             const clang::MacroDefinition& definition) override {
    look_up(name, definition, place);
  }
  void Ifndef(clang::SourceLocation place, const clang::Token& name,
              const clang::MacroDefinition& definition) override {
    look_up(name, definition, place);
  }

 private:
  void look_up(const clang::Token& name, const clang::MacroDefinition& definition,
               clang::SourceLocation place) {
    const clang::MacroInfo* macro = definition.getMacroInfo();
    if (macro == nullptr || macro->isBuiltinMacro()) return;
    const clang::SourceManager& sources = preprocessor_.getSourceManager();
    if (!sources.isInSystemHeader(sources.getExpansionLoc(place))) return;
    const clang::SourceLocation origin = macro->getDefinitionLoc();
    if (sources.isInSystemHeader(origin) || sources.isWrittenInBuiltinFile(origin)) return;
    if (sources.isWrittenInCommandLineFile(origin) &&
        is_of_clang(name.getIdentifierInfo()->getName()))
      return;
    note(name.getIdentifierInfo()->getName().str(), *macro);
  }

  static bool is_of_clang(llvm::StringRef name) {
    return name.starts_with("__UPC") || name == "UPC_MAX_BLOCK_SIZE";
  }

  void note(const std::string& name, const clang::MacroInfo& macro) {
    if (!seen_.insert(name).second) return;
    std::string line = name;
    if (macro.isFunctionLike()) line += parameters(macro);
    for (const clang::Token& token : macro.tokens()) {
      line += ' ';
      line += preprocessor_.getSpelling(token);
    }
    definitions_.push_back(line);
  }

  static std::string parameters(const clang::MacroInfo& macro) {
    std::string text = "(";
    for (const clang::IdentifierInfo* each : macro.params()) {
      if (text.size() > 1) text += ',';
      text += each->getName() == "__VA_ARGS__" ? "..." : each->getName().str();
    }
    return text + ")";
  }

  clang::Preprocessor& preprocessor_;
  std::vector<std::string>& definitions_;
  std::set<std::string> seen_;
};

class preprocess_action : public clang::PreprocessorFrontendAction {
 public:
  explicit preprocess_action(preprocessed& result) : result_(result) {}

 protected:
  void ExecuteAction() override {
    clang::Preprocessor& preprocessor = getCompilerInstance().getPreprocessor();
    preprocessor.addPPCallbacks(std::make_unique<macro_watch>(preprocessor, result_.definitions));
    clang::PreprocessorOutputOptions shown;
    shown.ShowCPP = true;
    shown.ShowLineMarkers = true;
    shown.ShowIncludeDirectives = true;
    llvm::raw_string_ostream stream(result_.text);
    clang::DoPrintPreprocessedInput(preprocessor, &stream, shown);
  }

 private:
  preprocessed& result_;
};

void predefine(clang::PreprocessorOptions& macros, const translator_options& options) {
  for (const char* each :
       {"__UPC__=1", "__UPC_VERSION__=201311L", "__UPC_COLLECTIVE__=1", "__UPC_TICK__=1",
        "__UPC_ATOMIC__=1", "__UPC_CASTABLE__=1", "__UPC_IO__=2", "__UPC_NB__=1",
        "UPC_MAX_BLOCK_SIZE=2147483647",
        // The version of Berkeley UPC whose functions bupc_extensions.h has.
        "__BERKELEY_UPC__=2", "__BERKELEY_UPC_MINOR__=22", "__BERKELEY_UPC_PATCHLEVEL__=0"}) {
    macros.addMacroDef(each);
  }
  if (options.static_threads == 0) {
    macros.addMacroDef("__UPC_DYNAMIC_THREADS__=1");
  } else {
    macros.addMacroDef("__UPC_STATIC_THREADS__=1");
    macros.addMacroDef("THREADS=" + std::to_string(options.static_threads));
  }
}

}  // namespace

std::shared_ptr<clang::CompilerInvocation> make_invocation(const translator_options& options,
                                                           clang::DiagnosticConsumer& consumer) {
  const std::string resources = resource_folder();
  const std::string headers = "-I" + header_folder();
  std::vector<const char*> arguments{"clang", "-fsyntax-only", "-std=gnu17"};
  for (const std::string& each : options.for_clang) arguments.push_back(each.c_str());
  for (const char* each :
       {headers.c_str(), "-resource-dir", resources.c_str(), "-Wno-unused-command-line-argument",
        // Clang 19 crashes where it corrects spelling inside '?:'.
        "-fno-spell-checking", "-xc", options.input.c_str()}) {
    arguments.push_back(each);
  }
  clang::CreateInvocationOptions creation;
  creation.Diags =
      clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions, &consumer, false);
  std::shared_ptr<clang::CompilerInvocation> result = clang::createInvocation(arguments, creation);
  if (result == nullptr) return nullptr;
  clang::DiagnosticOptions& diagnostics = result->getDiagnosticOpts();
  diagnostics.IgnoreWarnings = true;
  diagnostics.ShowCarets = false;  // no count of errors at the end
  // Old programs call functions that they do not declare; the host's compiler gets the same
  // options.
  for (const char* each :
       {"no-implicit-function-declaration", "no-implicit-int", "no-int-conversion",
        "no-incompatible-function-pointer-types", "no-return-type", "no-return-mismatch"}) {
    diagnostics.Warnings.push_back(each);
  }
  predefine(result->getPreprocessorOpts(), options);
  return result;
}

preprocessed preprocess(const translator_options& options, clang::DiagnosticConsumer& diagnostics) {
  preprocessed result;
  clang::CompilerInstance compiler;
  std::shared_ptr<clang::CompilerInvocation> invocation = make_invocation(options, diagnostics);
  if (invocation == nullptr) {
    result.has_failed = true;
    return result;
  }
  compiler.setInvocation(std::move(invocation));
  compiler.createDiagnostics(&diagnostics, false);
  preprocess_action action(result);
  result.has_failed = !compiler.ExecuteAction(action) || diagnostics.getNumErrors() > 0;
  return result;
}

}  // namespace atl::upc
