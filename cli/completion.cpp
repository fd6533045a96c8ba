#include <fmt/format.h>

#include "cli/context.hpp"
#include "model/layout.hpp"

namespace qpcast::cli {

namespace {

std::vector<std::string> options_of(const CLI::App& app) {
  std::vector<std::string> names;
  for (const auto* option : app.get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> keys() {
  std::vector<std::string> out;
  for (const auto& f : fields()) out.push_back(std::string{f.name} + "=");
  return out;
}

std::vector<std::string> names_of(const CLI::App& app) {
  std::vector<std::string> out;
  for (const auto* sub : app.get_subcommands({})) out.push_back(sub->get_name());
  return out;
}

void bash(const CLI::App& app) {
  fmt::print(
      "_qpcast() {{\n  local word=${{COMP_WORDS[COMP_CWORD]}} words\n"
      "  if [ \"$COMP_CWORD\" -eq 1 ]; then words=\"{}\"\n  else case ${{COMP_WORDS[1]}} in\n",
      fmt::join(names_of(app), " "));
  for (const auto* sub : app.get_subcommands({}))
    fmt::print("    {}) words=\"{} {}\" ;;\n", sub->get_name(), fmt::join(options_of(*sub), " "),
               fmt::join(keys(), " "));
  fmt::print(
      "  esac; fi\n  COMPREPLY=($(compgen -W \"$words\" -- \"$word\") $(compgen -f -- \"$word\"))\n"
      "  [[ ${{COMPREPLY[0]}} == *= ]] && compopt -o nospace\n}}\ncomplete -F _qpcast qpcast\n");
}

void zsh(const CLI::App& app) {
  fmt::print(
      "#compdef qpcast\nif (( CURRENT == 2 )); then compadd {}; return; fi\ncase $words[2] in\n",
      fmt::join(names_of(app), " "));
  for (const auto* sub : app.get_subcommands({}))
    fmt::print("  {}) compadd -- {}; compadd -S '' -- {}; _files ;;\n", sub->get_name(),
               fmt::join(options_of(*sub), " "), fmt::join(keys(), " "));
  fmt::print("esac\n");
}

void fish(const CLI::App& app) {
  for (const auto* sub : app.get_subcommands({})) {
    fmt::print("complete -c qpcast -n __fish_use_subcommand -a {} -d '{}'\n", sub->get_name(),
               sub->get_description());
    for (const auto* option : sub->get_options())
      for (const auto& name : option->get_lnames())
        fmt::print("complete -c qpcast -n '__fish_seen_subcommand_from {}' -l {} -d '{}'\n",
                   sub->get_name(), name, option->get_description());
  }
  fmt::print("complete -c qpcast -n 'not __fish_use_subcommand' -a '{}'\n", fmt::join(keys(), " "));
}

}  // namespace

void add_completion(CLI::App& app, int&) {
  auto* sub = app.add_subcommand("completion", "Print shell completion");
  const auto shell = std::make_shared<std::string>();
  sub->add_option("shell", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  sub->footer(
      "Examples:\n  source <(qpcast completion bash)\n  qpcast completion fish > "
      "~/.config/fish/completions/qpcast.fish");
  sub->callback([&app, shell] {
    if (*shell == "bash") bash(app);
    if (*shell == "zsh") zsh(app);
    if (*shell == "fish") fish(app);
  });
}

}  // namespace qpcast::cli
