import { Command } from "commander";
import { version } from "../version.ts";
import { type DescriptionList, formatLists, wrapLists } from "./shared/description-list.ts";
import { exitCodes } from "./shared/exit-codes.ts";
import { explainUsageErrors } from "./shared/usage-error.ts";
import { endWithoutReader } from "./shared/without-reader.ts";

/** The groups of commands, in the order of the help, with their names: a run loads the group of its first word. */
const groups: readonly (readonly [names: string, load: () => Promise<(program: Command) => void>])[] = [
  ["doctor", async () => (await import("./doctor/doctor.ts")).registerDoctorCommand],
  ["verify", async () => (await import("./verify/verify.ts")).registerVerifyCommand],
  ["ask chat", async () => (await import("./ai/ai.ts")).registerAiCommands],
  ["quote rules fees book bookings", async () => (await import("./flights/flights.ts")).registerFlightCommands],
  ["webhook", async () => (await import("./webhook/webhook.ts")).registerWebhookCommands],
  ["schema", async () => (await import("./schema.ts")).registerSchemaCommand],
  ["emulator", async () => (await import("./emulator/emulator.ts")).registerEmulatorCommand],
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

/** Returns the command: with the group of a name, or with all of them. */
export async function createProgram(name = ""): Promise<Command> {
  const program = new Command("serviceapi")
    .description("UPI verification, AI responses, flights and payout webhooks, in the terminal")
    .version(version)
    .addHelpText("after", () => `\n${formatLists(wrapLists([exitCodeHelp]))}`);
  const named = groups.filter(([names]) => names.split(" ").includes(name));
  for (const [, load] of named.length > 0 ? named : groups) (await load())(program);
  explainUsageErrors(program);
  return program;
}

/** Runs the command line of this process. */
export async function runProgram(): Promise<void> {
  endWithoutReader();
  const program = await createProgram(process.argv[2]);
  await program.parseAsync();
}
