// SPDX-License-Identifier: BSD-3-Clause
//
// The run of Clang's parser. It must know that a pointer-to-shared has 16 bytes, or sizes and
// offsets of structures that hold one would be wrong: shared_pointer_target is the host's target
// with that one difference.
#include <front/upc/translator/parse.hpp>

#include <front/upc/translator/checks.hpp>
#include <front/upc/translator/preprocess.hpp>
#include <front/upc/translator/shared_type.hpp>
#include <front/upc/translator/type_words.hpp>

#include <cstdio>
#include <cstdlib>

namespace atl::upc {
namespace {

// Clang's target of the host, except for pointers in the address space of shared data. Virtual
// functions ask the target of the host.
class shared_pointer_target : public clang::TargetInfo {
 public:
  explicit shared_pointer_target(clang::TargetInfo& host) : clang::TargetInfo(host), host_(&host) {}

  void getTargetDefines(const clang::LangOptions& dialect,
                        clang::MacroBuilder& builder) const override {
    host_->getTargetDefines(dialect, builder);
  }
  llvm::ArrayRef<clang::Builtin::Info> getTargetBuiltins() const override {
    return host_->getTargetBuiltins();
  }
  BuiltinVaListKind getBuiltinVaListKind() const override { return host_->getBuiltinVaListKind(); }
  bool isValidGCCRegisterName(llvm::StringRef name) const override {
    return host_->isValidGCCRegisterName(name);
  }
  bool validateAsmConstraint(const char*& name, ConstraintInfo& info) const override {
    return host_->validateAsmConstraint(name, info);
  }
  std::string_view getClobbers() const override { return host_->getClobbers(); }
  llvm::StringRef getConstraintRegister(llvm::StringRef constraint,
                                        llvm::StringRef expression) const override {
    return host_->getConstraintRegister(constraint, expression);
  }
  std::string convertConstraint(const char*& constraint) const override {
    return host_->convertConstraint(constraint);
  }
  bool hasInt128Type() const override { return host_->hasInt128Type(); }
  bool hasBitIntType() const override { return host_->hasBitIntType(); }
  bool hasFloat16Type() const override { return host_->hasFloat16Type(); }
  bool hasBFloat16Type() const override { return host_->hasBFloat16Type(); }
  unsigned getRegisterWidth() const override { return host_->getRegisterWidth(); }
  unsigned getUnwindWordWidth() const override { return host_->getUnwindWordWidth(); }
  bool initFeatureMap(llvm::StringMap<bool>& features, clang::DiagnosticsEngine& engine,
                      llvm::StringRef processor,
                      const std::vector<std::string>& enabled) const override {
    return host_->initFeatureMap(features, engine, processor, enabled);
  }
  llvm::StringRef getABI() const override { return host_->getABI(); }
  bool hasFeature(llvm::StringRef name) const override { return host_->hasFeature(name); }
  bool isValidFeatureName(llvm::StringRef name) const override {
    return host_->isValidFeatureName(name);
  }
  bool isValidCPUName(llvm::StringRef name) const override { return host_->isValidCPUName(name); }
  bool supportsCpuSupports() const override { return host_->supportsCpuSupports(); }
  bool supportsCpuIs() const override { return host_->supportsCpuIs(); }
  bool supportsCpuInit() const override { return host_->supportsCpuInit(); }
  bool validateCpuSupports(llvm::StringRef name) const override {
    return host_->validateCpuSupports(name);
  }
  bool validateCpuIs(llvm::StringRef name) const override { return host_->validateCpuIs(name); }
  CallingConvCheckResult checkCallingConvention(clang::CallingConv convention) const override {
    return host_->checkCallingConvention(convention);
  }
  bool hasSjLjLowering() const override { return host_->hasSjLjLowering(); }

 protected:
  static bool is_shared(clang::LangAS space) { return clang::isTargetAddressSpace(space); }
  std::uint64_t getPointerWidthV(clang::LangAS space) const override {
    return is_shared(space) ? 128 : host_->getPointerWidth(space);
  }
  std::uint64_t getPointerAlignV(clang::LangAS space) const override {
    return is_shared(space) ? 64 : host_->getPointerAlign(space);
  }
  llvm::ArrayRef<const char*> getGCCRegNames() const override { return {}; }
  llvm::ArrayRef<GCCRegAlias> getGCCRegAliases() const override { return {}; }

 private:
  llvm::IntrusiveRefCntPtr<clang::TargetInfo> host_;
};

// Collects the block sizes, and uses the program when all of it was parsed.
class consumer : public clang::ASTConsumer {
 public:
  consumer(const normalised& source, const translator_options& options, diagnostics& complaints,
           const std::function<void(program&)>& use)
      : source_(source),
        options_(options),
        complaints_(complaints),
        use_(use),
        blocks_(source.layouts.size()) {}

  void Initialize(clang::ASTContext& tree) override { tree_ = &tree; }

  // The place where the last complete declaration ends, as FILE:LINE.
  [[nodiscard]] std::string last_place() const {
    if (tree_ == nullptr || last_end_.isInvalid()) return "atoll-upc";
    const clang::PresumedLoc place = tree_->getSourceManager().getPresumedLoc(last_end_);
    return std::string(place.getFilename()) + ":" + std::to_string(place.getLine());
  }

  // When the first declaration comes, the parser has set up how its messages show types.
  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    if (!group.isNull()) last_end_ = (*std::prev(group.end()))->getEndLoc();
    if (words_ != nullptr) return true;
    words_ = std::make_unique<type_words>(*tree_, source_, options_.static_threads == 0);
    words_->show_types_in(tree_->getDiagnostics());
    return true;
  }

  void HandleTagDeclDefinition(clang::TagDecl* declaration) override {
    auto* enumeration = llvm::dyn_cast<clang::EnumDecl>(declaration);
    if (enumeration == nullptr) return;
    if (enumeration->getName().starts_with(size_prefix)) set_size(enumeration);
    if (!enumeration->getName().starts_with(layout_prefix)) return;
    unsigned number = 0;
    if (enumeration->getName()
            .drop_front(std::string(layout_prefix).size())
            .getAsInteger(10, number))
      return;
    for (const clang::EnumConstantDecl* value : enumeration->enumerators()) {
      if (value->getInitExpr() != nullptr) blocks_[number] = value->getInitVal();
    }
  }

  void HandleTranslationUnit(clang::ASTContext& tree) override {
    const clang::SourceManager& sources = tree.getSourceManager();
    for (const fault& each : source_.faults) {
      const auto offset = static_cast<clang::SourceLocation::IntTy>(each.place + prelude_size());
      complaints_.complain(
          sources, sources.getLocForStartOfFile(sources.getMainFileID()).getLocWithOffset(offset),
          "error", each.message);
    }
    program parsed{tree,
                   source_,
                   options_,
                   complaints_,
                   std::move(blocks_),
                   std::move(sizes_),
                   std::move(sizes_with_threads_)};
    if (!tree.getDiagnostics().hasFatalErrorOccurred()) check(parsed);
    if (complaints_.errors() == 0) use_(parsed);
  }

 private:
  // Gives the constant of an enumeration "__upc_size_N" the value of the operator in it. A value
  // that depends on the number of threads becomes one that no size of an array may have.
  void set_size(clang::EnumDecl* enumeration) {
    if (enumeration->enumerators().empty()) return;
    clang::EnumConstantDecl* constant = *enumeration->enumerator_begin();
    const clang::UnaryExprOrTypeTraitExpr* size = find_size(constant->getInitExpr());
    if (size == nullptr) return;
    const std::string name = enumeration->getName().str();
    const program begun{*tree_, source_, options_, complaints_, blocks_};
    const auto kind = source_.size_operators.find(begun.place(size->getOperatorLoc()));
    if (kind == source_.size_operators.end()) return;
    sizes_[name] = size;
    const auto found = shared_types(begun).value_of(size, kind->second);
    const bool has_threads = found && found->times_threads;
    if (has_threads) sizes_with_threads_.insert(name);
    llvm::APSInt value = constant->getInitVal();
    value = has_threads ? threads_stand_in * threads_stand_in : found ? found->number : 1;
    constant->setInitVal(*tree_, value);
  }

  static const clang::UnaryExprOrTypeTraitExpr* find_size(const clang::Stmt* node) {
    if (node == nullptr) return nullptr;
    if (const auto* size = llvm::dyn_cast<clang::UnaryExprOrTypeTraitExpr>(node)) return size;
    for (const clang::Stmt* child : node->children()) {
      if (const auto* found = find_size(child)) return found;
    }
    return nullptr;
  }

  const normalised& source_;
  const translator_options& options_;
  diagnostics& complaints_;
  const std::function<void(program&)>& use_;
  std::vector<llvm::APSInt> blocks_;
  std::map<std::string, const clang::UnaryExprOrTypeTraitExpr*> sizes_;
  std::set<std::string> sizes_with_threads_;
  clang::ASTContext* tree_ = nullptr;
  clang::SourceLocation last_end_;
  std::unique_ptr<type_words> words_;
};

class parse_action : public clang::ASTFrontendAction {
 public:
  explicit parse_action(std::unique_ptr<consumer> user) : user_(std::move(user)) {}

 protected:
  bool BeginInvocation(clang::CompilerInstance& compiler) override {
    compiler.setTarget(new shared_pointer_target(compiler.getTarget()));
    return true;
  }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&,
                                                        llvm::StringRef) override {
    return std::move(user_);
  }

 private:
  std::unique_ptr<consumer> user_;
};

}  // namespace

std::size_t prelude_size() {
  static const std::size_t size = normaliser_prelude().size();
  return size;
}

std::size_t program::place(clang::SourceLocation location) const {
  return sources().getFileOffset(location) - prelude_size();
}

// (0 * sizeof(enum __upc_size_N {...}) + __upc_size_N_value)
const clang::UnaryExprOrTypeTraitExpr* program::size_operator_of(
    const clang::Expr* expression) const {
  const auto* bracket = llvm::dyn_cast<clang::ParenExpr>(expression);
  if (bracket == nullptr || sizes.empty()) return nullptr;
  const auto* sum = llvm::dyn_cast<clang::BinaryOperator>(bracket->getSubExpr());
  const auto* product =
      sum == nullptr ? nullptr
                     : llvm::dyn_cast<clang::BinaryOperator>(sum->getLHS()->IgnoreImpCasts());
  const auto* size =
      product == nullptr
          ? nullptr
          : llvm::dyn_cast<clang::UnaryExprOrTypeTraitExpr>(product->getRHS()->IgnoreImpCasts());
  if (size == nullptr || !size->isArgumentType()) return nullptr;
  const auto* type = size->getArgumentType()->getAs<clang::EnumType>();
  if (type == nullptr) return nullptr;
  const auto found = sizes.find(type->getDecl()->getName().str());
  return found == sizes.end() ? nullptr : found->second;
}

bool parse(const normalised& source, const translator_options& options, diagnostics& complaints,
           const std::function<void(program&)>& use) {
  std::shared_ptr<clang::CompilerInvocation> invocation = make_invocation(options, complaints);
  if (invocation == nullptr) return false;
  const std::string text = normaliser_prelude() + source.text;
  const std::unique_ptr<llvm::MemoryBuffer> buffer =
      llvm::MemoryBuffer::getMemBuffer(text, options.input);
  clang::PreprocessorOptions& macros = invocation->getPreprocessorOpts();
  macros.Includes.clear();  // the text holds them already
  macros.MacroIncludes.clear();
  macros.Macros.clear();
  // Otherwise Clang refuses a main with parameters that host compilers only warn about; with this
  // it takes main for an ordinary function.
  invocation->getLangOpts().Freestanding = true;
  clang::FrontendOptions& inputs = invocation->getFrontendOpts();
  inputs.Inputs.clear();
  inputs.Inputs.emplace_back(buffer->getMemBufferRef(),
                             clang::InputKind(clang::Language::C).getPreprocessed());
  clang::CompilerInstance compiler;
  compiler.setInvocation(std::move(invocation));
  compiler.createDiagnostics(&complaints, false);
  auto user = std::make_unique<consumer>(source, options, complaints, use);
  const consumer& watched = *user;
  parse_action action(std::move(user));
  bool has_run = false;
  // Clang 19 crashes in some wrong programs, such as one that assigns a function to a
  // pointer-to-shared.
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  if (!recovery.RunSafely([&] { has_run = compiler.ExecuteAction(action); })) {
    std::fprintf(
        stderr,
        "%s: error: the translator fails on the declaration that follows this line; it is likely "
        "to be wrong (a function where a pointer-to-shared must stand, for instance)\n",
        watched.last_place().c_str());
    std::fflush(stderr);
    std::_Exit(1);  // the objects of the crashed parser cannot be destroyed
  }
  return has_run && complaints.errors() == 0;
}

}  // namespace atl::upc
