// SPDX-License-Identifier: BSD-3-Clause
//
// The calls of the two vendors have the same parameters under other names, so one class makes them
// all, by a table of names. They are looked for in the libraries at run time.
#include <apps/stencil2d/device_kernel.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/memory/device/device_list.hpp>

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <vector>

namespace stencil2d {
namespace {

using atl::memory::memory_kind;

constexpr const char* source = R"(
extern "C" __global__ void heat_step(const double* in, double* out, long pitch, int width,
                                     int height, const double* weights, int radius, int fused) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  double sum = 0;
  for (int dy = -radius; dy <= radius; ++dy)
    for (int dx = -radius; dx <= radius; ++dx) {
      const double value = in[(y + dy) * pitch + x + dx];
      sum = fused ? fma(*weights, value, sum) : sum + *weights * value;
      ++weights;
    }
  out[y * pitch + x] = sum;
}
)";

/// A vendor's names of the calls and of its libraries, newest first.
struct vendor {
  const char* compiler;
  std::array<const char*, 4> compiler_libraries;
  std::array<const char*, 4> driver_libraries;
  const char* no_contraction;  // products are not added in one rounding unless the source says so
  const char *create, *compile, *log_bytes, *log, *code_bytes, *code, *destroy;
  const char *load, *unload, *find, *launch, *make_stream, *end_stream;
};

constexpr vendor nvidia{"NVRTC",
                        {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"},
                        {"libcuda.so.1", nullptr},
                        "--fmad=false",
                        "nvrtcCreateProgram",
                        "nvrtcCompileProgram",
                        "nvrtcGetProgramLogSize",
                        "nvrtcGetProgramLog",
                        "nvrtcGetPTXSize",
                        "nvrtcGetPTX",
                        "nvrtcDestroyProgram",
                        "cuModuleLoadData",
                        "cuModuleUnload",
                        "cuModuleGetFunction",
                        "cuLaunchKernel",
                        "cuStreamCreate",
                        "cuStreamDestroy_v2"};
constexpr vendor amd{"hipRTC",
                     {"libhiprtc.so.7", "libhiprtc.so.6", "libhiprtc.so.5", "libhiprtc.so"},
                     {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"},
                     "-ffp-contract=off",
                     "hiprtcCreateProgram",
                     "hiprtcCompileProgram",
                     "hiprtcGetProgramLogSize",
                     "hiprtcGetProgramLog",
                     "hiprtcGetCodeSize",
                     "hiprtcGetCode",
                     "hiprtcDestroyProgram",
                     "hipModuleLoadData",
                     "hipModuleUnload",
                     "hipModuleGetFunction",
                     "hipModuleLaunchKernel",
                     "hipStreamCreateWithFlags",
                     "hipStreamDestroy"};

void* open_first(const std::array<const char*, 4>& names) noexcept {
  for (const char* const name : names)
    if (name != nullptr)
      if (void* const opened = ::dlopen(name, RTLD_NOW); opened != nullptr) return opened;
  return nullptr;
}

const vendor& names_of(const atl::memory::device_description& device) noexcept {
  return device.kind == memory_kind::hip ? amd : nvidia;
}

/// The libraries that are found; they stay open.
struct libraries {
  void* driver = nullptr;
  void* compiler = nullptr;
  bool is_test_device = false;
  bool can_make() const noexcept {
    return driver != nullptr && (is_test_device || compiler != nullptr);
  }
};

libraries find_libraries(const atl::memory::device_description& device) noexcept {
  const vendor& names = names_of(device);
  libraries found{.driver = open_first(names.driver_libraries)};
  found.is_test_device =
      found.driver != nullptr && ::dlsym(found.driver, "testdev_launch") != nullptr;
  if (!found.is_test_device) found.compiler = open_first(names.compiler_libraries);
  return found;
}

template <class... Parameters>
int call(void* library, const char* name, Parameters... parameters) {
  using function = int (*)(Parameters...);
  const auto found = reinterpret_cast<function>(::dlsym(library, name));
  if (found == nullptr)
    throw atl::error(name, "the library has no such call", "install a newer one");
  return found(parameters...);
}

template <class... Parameters>
void need(void* library, const char* name, Parameters... parameters) {
  if (const int code = call(library, name, parameters...); code != 0)
    throw atl::error(name, atl::text("error ", code), "see what the vendor says of this code");
}

/// The device's context on this thread.
class thread_context {
 public:
  thread_context(void* driver, memory_kind kind, int index)
      : driver_(driver), kind_(kind), index_(index) {
    if (kind == memory_kind::hip) {
      need(driver, "hipSetDevice", index);
    } else {
      void* context = nullptr;
      need(driver, "cuDevicePrimaryCtxRetain", &context, index);
      need(driver, "cuCtxPushCurrent_v2", context);
    }
  }
  thread_context(const thread_context&) = delete;
  thread_context& operator=(const thread_context&) = delete;
  ~thread_context() {
    if (kind_ == memory_kind::hip) return;
    void* context = nullptr;
    call(driver_, "cuCtxPopCurrent_v2", &context);
    call(driver_, "cuDevicePrimaryCtxRelease_v2", index_);
  }

 private:
  void* driver_;
  memory_kind kind_;
  int index_;
};

/// A stream of the program's own on the device.
class own_stream {
 public:
  own_stream(void* driver, const vendor& names) : driver_(driver), names_(names) {
    constexpr unsigned non_blocking = 1;
    need(driver, names.make_stream, &handle_, non_blocking);
  }
  own_stream(const own_stream&) = delete;
  own_stream& operator=(const own_stream&) = delete;
  ~own_stream() { call(driver_, names_.end_stream, handle_); }
  void* handle() const noexcept { return handle_; }

 private:
  void* driver_;
  const vendor& names_;
  void* handle_ = nullptr;
};

std::vector<char> compile(void* library, const vendor& names) {
  void* program = nullptr;
  need(library, names.create, &program, source, "heat_step", 0, static_cast<const char**>(nullptr),
       static_cast<const char**>(nullptr));
  const char* option = names.no_contraction;
  if (call(library, names.compile, program, 1, &option) != 0) {
    std::size_t bytes = 0;
    need(library, names.log_bytes, program, &bytes);
    std::vector<char> log(bytes + 1);
    need(library, names.log, program, log.data());
    throw atl::error(std::string("the kernel, by ") + names.compiler, log.data(),
                     "use another release of the library");
  }
  std::size_t bytes = 0;
  need(library, names.code_bytes, program, &bytes);
  std::vector<char> code(bytes);
  need(library, names.code, program, code.data());
  call(library, names.destroy, &program);
  return code;
}

class compiled_kernel final : public device_kernel {
 public:
  compiled_kernel(const libraries& opened, const atl::memory::device_description& device,
                  const setting& given, const double* weights)
      : names_(names_of(device)),
        driver_(opened.driver),
        context_(driver_, device.kind, device.index),
        stream_(driver_, names_),
        given_(given),
        weights_(weights) {
    const std::vector<char> code = compile(opened.compiler, names_);
    need(driver_, names_.load, &module_, static_cast<const void*>(code.data()));
    need(driver_, names_.find, &function_, module_, "heat_step");
  }
  compiled_kernel(const compiled_kernel&) = delete;
  compiled_kernel& operator=(const compiled_kernel&) = delete;
  ~compiled_kernel() override { call(driver_, names_.unload, module_); }

  void start(const double* in, double* out, const rect& region) override {
    if (region.empty()) return;
    constexpr unsigned across = 64, down = 4;
    const std::ptrdiff_t offset = given_.local.offset(region.x0, region.y0);
    const double* from = in + offset;
    double* to = out + offset;
    long pitch = given_.local.pitch;
    int width = region.width(), height = region.height();
    int radius = given_.domain.radius, fused = given_.compute->fused ? 1 : 0;
    std::array<void*, 8> parameters{&from,   &to,       &pitch,  &width,
                                    &height, &weights_, &radius, &fused};
    const auto blocks = [](int points, unsigned side) {
      return (static_cast<unsigned>(points) + side - 1) / side;
    };
    need(driver_, names_.launch, function_, blocks(width, across), blocks(height, down), 1U, across,
         down, 1U, 0U, stream_.handle(), parameters.data(), static_cast<void**>(nullptr));
  }
  atl::memory::program_stream stream() const noexcept override { return stream_.handle(); }
  std::string maker() const override { return names_.compiler; }

 private:
  const vendor& names_;
  void* driver_;
  thread_context context_;
  own_stream stream_;
  const setting& given_;
  const double* weights_;
  void* module_ = nullptr;
  void* function_ = nullptr;
};

/// The host's kernel, on a stream of the device of the tests.
class host_stand_in final : public device_kernel {
 public:
  using launch = void (*)(void* stream, void (*run)(void*), void* context);
  using reach = void* (*)(const void* memory, std::size_t bytes);

  host_stand_in(void* driver, const atl::memory::device_description& device, const setting& given)
      : launch_(reinterpret_cast<launch>(::dlsym(driver, "testdev_launch"))),
        reach_(reinterpret_cast<reach>(::dlsym(driver, "testdev_reach"))),
        context_(driver, device.kind, device.index),
        stream_(driver, names_of(device)),
        given_(given) {}

  void start(const double* in, double* out, const rect& region) override {
    launch_(
        stream_.handle(),
        [](void* context) {
          const std::unique_ptr<work> todo(static_cast<work*>(context));
          const std::size_t bytes = todo->given.local.elements * sizeof(double);
          todo->given.apply(static_cast<const double*>(todo->find(todo->in, bytes)),
                            static_cast<double*>(todo->find(todo->out, bytes)), todo->region);
        },
        new work{given_, reach_, in, out, region});
  }
  atl::memory::program_stream stream() const noexcept override { return stream_.handle(); }
  std::string maker() const override { return "the device of the tests"; }

 private:
  struct work {
    const setting& given;
    reach find;
    const double* in;
    double* out;
    rect region;
  };

  launch launch_;
  reach reach_;
  thread_context context_;
  own_stream stream_;
  const setting& given_;
};

}  // namespace

void check_kernel_maker(const atl::memory::device& device) {
  if (find_libraries(device.description()).can_make()) return;
  const vendor& names = names_of(device.description());
  throw atl::error(atl::memory::text_of(device.description()),
                   std::string("no library compiles its kernel: ") + names.compiler_libraries[1],
                   std::string("install ") + names.compiler + ", or leave out --memory");
}

std::unique_ptr<device_kernel> make_device_kernel(const atl::memory::device& device,
                                                  const setting& given, const double* weights) {
  check_kernel_maker(device);
  const atl::memory::device_description& found = device.description();
  const libraries opened = find_libraries(found);
  if (opened.is_test_device) return std::make_unique<host_stand_in>(opened.driver, found, given);
  return std::make_unique<compiled_kernel>(opened, found, given, weights);
}

}  // namespace stencil2d
