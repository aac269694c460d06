import { Command } from "commander";
import { version } from "../version.ts";
import { registerAiCommands } from "./ai/ai.ts";
import { registerDoctorCommand } from "./doctor/doctor.ts";
import { registerEmulatorCommand } from "./emulator/emulator.ts";
import { registerFlightCommands } from "./flights/flights.ts";
import { endWithoutReader } from "./shared/action.ts";
import { exitCodes } from "./shared/exit-codes.ts";
import { formatTables, type Table } from "./shared/format-table.ts";
import { registerVerifyCommand } from "./verify/verify.ts";
import { registerWebhookCommands } from "./webhook/webhook.ts";

/** The groups of commands, in the order of the help. */
const register: readonly ((program: Command) => void)[] = [
  registerDoctorCommand,
  registerVerifyCommand,
  registerAiCommands,
  registerFlightCommands,
  registerWebhookCommands,
  registerEmulatorCommand,
];

const exitCodeHelp: Table = {
  title: "Exit codes",
  rows: [
    [`${exitCodes.done}`, "done"],
    [`${exitCodes.failed}`, "a check did not pass, or another error"],
    [`${exitCodes.usage}`, "an option, the environment or the input is wrong; nothing was sent"],
    [`${exitCodes.refused}`, "refused; nothing was done"],
    [`${exitCodes.notFound}`, "the service has nothing for this request"],
    [`${exitCodes.unknown}`, "outcome unknown: look it up before you retry"],
    [`${exitCodes.unavailable}`, "not reached or busy; retry later"],
    [`${exitCodes.interrupted}`, "Ctrl-C"],
  ],
};

/** Returns the command with all its parts. */
export function createProgram(): Command {
  const program = new Command("serviceapi")
    .description("UPI verification, AI responses, flights and payout webhooks, in the terminal")
    .version(version)
    .showHelpAfterError("(see serviceapi help <command>)")
    .addHelpText("after", () => `\n${formatTables([exitCodeHelp])}`)
    // Commander's own errors are errors of usage. Commands that are registered later inherit this.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? exitCodes.done : exitCodes.usage));
  for (const add of register) add(program);
  return program;
}

/** Runs the command line of this process. */
export async function runProgram(): Promise<void> {
  endWithoutReader();
  await createProgram().parseAsync();
}
