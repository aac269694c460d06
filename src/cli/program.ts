import { Command } from "commander";
import { version } from "../version.ts";
import { exitCodeHelp, explainUsageErrors } from "./shared/errors.ts";
import { formatLists, wrapLists } from "./shared/layout.ts";
import { endWithoutReader } from "./shared/process.ts";

/** The commands in the order of the help: a run loads that of its first word. */
const commands: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  doctor: async () => (await import("./doctor/doctor.ts")).registerDoctorCommand,
  verify: async () => (await import("./verify/verify.ts")).registerVerifyCommand,
  ask: async () => (await import("./ai/ask.ts")).registerAskCommand,
  chat: async () => (await import("./ai/chat.ts")).registerChatCommand,
  quote: async () => (await import("./flights/look-up.ts")).registerQuoteCommand,
  rules: async () => (await import("./flights/look-up.ts")).registerRulesCommand,
  fees: async () => (await import("./flights/look-up.ts")).registerFeesCommand,
  book: async () => (await import("./flights/book.ts")).registerBookCommand,
  bookings: async () => (await import("./flights/bookings.ts")).registerBookingsCommands,
  webhook: async () => (await import("./webhook/webhook.ts")).registerWebhookCommands,
  schema: async () => (await import("./schema.ts")).registerSchemaCommand,
  emulator: async () => (await import("./emulator/emulator.ts")).registerEmulatorCommand,
};

/** Returns the program: with the command of a name, or with all of them. */
export async function createProgram(name = ""): Promise<Command> {
  const program = new Command("serviceapi")
    .description("UPI verification, AI responses, flights and payout webhooks, in the terminal")
    .version(version)
    .addHelpText("after", () => `\n${formatLists(wrapLists([exitCodeHelp]))}`);
  const loads = Object.hasOwn(commands, name) ? [commands[name]] : Object.values(commands);
  for (const load of loads) (await load?.())?.(program);
  explainUsageErrors(program);
  return program;
}

/** Runs the command line of this process. */
export async function runProgram(): Promise<void> {
  endWithoutReader();
  const program = await createProgram(process.argv[2]);
  await program.parseAsync();
}
