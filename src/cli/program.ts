import { Command } from "commander";
import { version } from "../version.ts";
import { registerAiCommands } from "./ai/ai.ts";
import { registerDoctorCommand } from "./doctor/doctor.ts";
import { registerEmulatorCommand } from "./emulator/emulator.ts";
import { registerFlightCommands } from "./flights/flights.ts";
import { type DescriptionList, formatLists, wrapLists } from "./shared/description-list.ts";
import { exitCodes } from "./shared/exit-codes.ts";
import { explainUsageErrors } from "./shared/usage-error.ts";
import { endWithoutReader } from "./shared/without-reader.ts";
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

const exitCodeHelp: DescriptionList = {
  title: "Exit codes",
  items: [
    [`${exitCodes.done}`, "done"],
    [`${exitCodes.failed}`, "a check did not pass, or another error"],
    [`${exitCodes.usage}`, "an option, the environment or the input is wrong; nothing was sent"],
    [`${exitCodes.refused}`, "refused; nothing was done"],
    [`${exitCodes.notFound}`, "the service has nothing for this request"],
    [`${exitCodes.unknown}`, "outcome unknown: look it up before you retry"],
    [`${exitCodes.unavailable}`, "not reached or busy; retry later"],
    [`${exitCodes.preview}`, "a preview: nothing was booked, because --yes is missing"],
    [`${exitCodes.interrupted}`, "interrupted (Ctrl-C)"],
  ],
};

/** Returns the command with all its parts. */
export function createProgram(): Command {
  const program = new Command("serviceapi")
    .description("UPI verification, AI responses, flights and payout webhooks, in the terminal")
    .version(version)
    .addHelpText("after", () => `\n${formatLists(wrapLists([exitCodeHelp]))}`);
  for (const add of register) add(program);
  explainUsageErrors(program);
  return program;
}

/** Runs the command line of this process. */
export async function runProgram(): Promise<void> {
  endWithoutReader();
  await createProgram().parseAsync();
}
