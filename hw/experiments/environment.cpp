#include "hw/experiments/environment.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <filesystem>
#include <fstream>
#include <thread>

namespace qpcast::hw {

namespace {

std::string first_line(const std::string& path) {
  std::ifstream file{path};
  std::string line;
  std::getline(file, line);
  return line;
}

/// The value of the first "name : value" line of a file in /proc.
std::string proc_value(const std::string& path, const std::string& name) {
  std::ifstream file{path};
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(name)) continue;
    const auto colon = line.find(':');
    if (colon == line.npos) continue;
    const auto value = line.find_first_not_of(" \t", colon + 1);
    return value == line.npos ? "" : line.substr(value);
  }
  return "";
}

void put(Environment& environment, const std::string& key, const std::string& value) {
  if (!value.empty()) environment[key] = value;
}

void describe_gpu(Environment& environment) {
  const std::filesystem::path folder{"/proc/driver/nvidia/gpus"};
  std::error_code none;
  for (const auto& gpu : std::filesystem::directory_iterator{folder, none}) {
    put(environment, "gpu", proc_value(gpu.path() / "information", "Model"));
    put(environment, "gpu.firmware", proc_value(gpu.path() / "information", "GPU Firmware"));
    break;
  }
  if (!environment.contains("gpu")) environment["gpu"] = "none";
  put(environment, "gpu.driver", first_line("/sys/module/nvidia/version"));
}

}  // namespace

Environment machine_environment() {
  Environment environment;
  utsname system{};
  if (::uname(&system) == 0) put(environment, "kernel", system.release);
  put(environment, "cpu", proc_value("/proc/cpuinfo", "model name"));
  environment["cpu.count"] = std::to_string(std::thread::hardware_concurrency());
  const auto flags = proc_value("/proc/cpuinfo", "flags");
  if (flags.find(" hypervisor") != flags.npos) environment["virtual_machine"] = "yes";
  describe_gpu(environment);
  environment["compiler"] = __VERSION__;
  environment["qpcast"] = QPCAST_VERSION;
  return environment;
}

Environment processor_state() {
  Environment state;
  const std::string folder = "/sys/devices/system/cpu/cpu0/cpufreq/";
  put(state, "cpu.governor", first_line(folder + "scaling_governor"));
  const auto khz = first_line(folder + "scaling_cur_freq");
  if (!khz.empty()) state["cpu.mhz"] = fmt::format("{:.0f}", std::stod(khz) / 1000);
  return state;
}

}  // namespace qpcast::hw
