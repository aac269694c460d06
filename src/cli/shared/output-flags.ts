import type { Command } from "commander";

/** The flags that say how a command prints. */
export interface OutputFlags {
  readonly json?: boolean;
  readonly showPii?: boolean;
  /** Of commands that print the events of a stream: a line of JSON for each. */
  readonly events?: boolean;
}

/** Adds `--json` for a command whose output has no personal data. */
export function addJsonFlag(command: Command, description = "print JSON"): Command {
  return command.option("--json", description);
}

/** Adds `--json` and `--show-pii`. */
export function addOutputFlags(command: Command, description?: string): Command {
  return addJsonFlag(command, description).option(
    "--show-pii",
    "print names, numbers and addresses of people unmasked",
  );
}
