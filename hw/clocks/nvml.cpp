#include "hw/clocks/nvml.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cerrno>

#include "hw/nic/device_error.hpp"

namespace qpcast::hw {

namespace {

constexpr int success = 0, not_supported = 3, no_permission = 4;
constexpr int memory_clock = 2;  // nvmlClockType_t

struct CloseLibrary {
  void operator()(void* library) const noexcept { ::dlclose(library); }
};
using Library = std::unique_ptr<void, CloseLibrary>;

template <class Function>
Function* symbol(const Library& library, const char* name) {
  auto* const found = reinterpret_cast<Function*>(::dlsym(library.get(), name));
  if (!found) throw DeviceError{"nvml", name, 0, "this driver's NVML lacks it; a newer driver?"};
  return found;
}

class LoadedNvml final : public NvmlCalls {
 public:
  explicit LoadedNvml(const std::string& pci)
      : library_{::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)} {
    if (!library_)
      throw DeviceError{"nvml", "dlopen libnvidia-ml.so.1", 0,
                        "it comes with the GPU's driver; is it in this container? Without it, "
                        "measure without --set-clocks"};
    text_ = symbol<const char*(int)>(library_, "nvmlErrorString");
    shutdown_ = symbol<int()>(library_, "nvmlShutdown");
    set_ = symbol<int(void*, unsigned, unsigned)>(library_, "nvmlDeviceSetGpuLockedClocks");
    reset_ = symbol<int(void*)>(library_, "nvmlDeviceResetGpuLockedClocks");
    fastest_ = symbol<int(void*, int, unsigned*)>(library_, "nvmlDeviceGetMaxClockInfo");
    clocks_ = symbol<int(void*, unsigned, unsigned*, unsigned*)>(
        library_, "nvmlDeviceGetSupportedGraphicsClocks");
    const auto find =
        symbol<int(const char*, void**)>(library_, "nvmlDeviceGetHandleByPciBusId_v2");
    check(symbol<int()>(library_, "nvmlInit_v2")(), "nvmlInit", "is the driver loaded?");
    const int code = find(pci.c_str(), &device_);
    if (code == success) return;
    shutdown_();
    check(code, "nvmlDeviceGetHandleByPciBusId", "no GPU at " + pci);
  }
  ~LoadedNvml() override { shutdown_(); }
  LoadedNvml(const LoadedNvml&) = delete;
  LoadedNvml& operator=(const LoadedNvml&) = delete;

  int supported_clocks(std::vector<std::uint32_t>& mhz) override {
    unsigned memory = 0, count = 0;
    if (const int code = fastest_(device_, memory_clock, &memory); code != success) return code;
    clocks_(device_, memory, &count, nullptr);  // says how many; its code is "too small"
    mhz.resize(count);
    return clocks_(device_, memory, &count, mhz.data());
  }
  int set_locked_clocks(std::uint32_t least, std::uint32_t most) override {
    return set_(device_, least, most);
  }
  int reset_locked_clocks() override { return reset_(device_); }
  std::string text_of(int code) const override { return text_(code); }

 private:
  void check(int code, const char* call, const std::string& advice) const {
    if (code != success) throw DeviceError{"nvml", call, 0, text_of(code) + "; " + advice};
  }
  Library library_;
  void* device_ = nullptr;
  const char* (*text_)(int) = nullptr;
  int (*shutdown_)() = nullptr;
  int (*set_)(void*, unsigned, unsigned) = nullptr;
  int (*reset_)(void*) = nullptr;
  int (*fastest_)(void*, int, unsigned*) = nullptr;
  int (*clocks_)(void*, unsigned, unsigned*, unsigned*) = nullptr;
};

}  // namespace

std::unique_ptr<NvmlCalls> load_nvml(const std::string& pci) {
  return std::make_unique<LoadedNvml>(pci);
}

std::vector<std::uint32_t> NvmlClocks::supported() {
  std::vector<std::uint32_t> mhz;
  check(calls_->supported_clocks(mhz), "nvmlDeviceGetSupportedGraphicsClocks");
  std::ranges::sort(mhz);
  return mhz;
}

void NvmlClocks::lock(std::uint32_t mhz) {
  check(calls_->set_locked_clocks(mhz, mhz), "nvmlDeviceSetGpuLockedClocks");
}

void NvmlClocks::reset() { check(calls_->reset_locked_clocks(), "nvmlDeviceResetGpuLockedClocks"); }

void NvmlClocks::check(int code, const char* call) const {
  switch (code) {
    case success:
      return;
    case no_permission:
      throw DeviceError{"gpu", call, EPERM,
                        "setting clocks needs root (in a container CAP_SYS_ADMIN as well); without "
                        "it, measure without --set-clocks"};
    case not_supported:
      throw DeviceError{"gpu", call, ENOTSUP,
                        "this GPU's clocks cannot be set (a virtual GPU or MIG slice?); measure "
                        "without --set-clocks"};
    default:
      throw DeviceError{"gpu", call, EIO, calls_->text_of(code)};
  }
}

}  // namespace qpcast::hw
