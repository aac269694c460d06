import { Command } from "commander";
import { version } from "../version.ts";
import { exitCodeHelp, explainUsageErrors } from "./shared/errors.ts";
import { formatLists } from "./shared/layout.ts";
import { endWithoutReader } from "./shared/process.ts";

/** The commands in the order of the help: a run loads that of its first word. */
const commands: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  doctor: async () => (await import("./doctor/doctor.ts")).addDoctor,
  verify: async () => (await import("./verify/verify.ts")).addVerify,
  ask: async () => (await import("./ai/ask.ts")).addAsk,
  chat: async () => (await import("./ai/chat.ts")).addChat,
  quote: async () => (await import("./flights/look-up.ts")).addQuote,
  rules: async () => (await import("./flights/look-up.ts")).addRules,
  fees: async () => (await import("./flights/look-up.ts")).addFees,
  book: async () => (await import("./flights/book.ts")).addBook,
  bookings: async () => (await import("./flights/bookings.ts")).addBookings,
  webhook: async () => (await import("./webhook/webhook.ts")).addWebhook,
  schema: async () => (await import("./schema.ts")).addSchema,
  emulator: async () => (await import("./emulator/emulator.ts")).addEmulator,
};

export async function createProgram(name = ""): Promise<Command> {
  const program = new Command("serviceapi")
    .description("UPI verification, AI responses, flights and payout webhooks, in the terminal")
    .version(version)
    .addHelpText("after", () => `\n${formatLists(exitCodeHelp)}`);
  const loads = Object.hasOwn(commands, name) ? [commands[name]] : Object.values(commands);
  for (const load of loads) (await load?.())?.(program);
  explainUsageErrors(program);
  return program;
}

export async function runProgram(): Promise<void> {
  endWithoutReader();
  const given = process.argv.slice(2);
  // Commander's own `help` knows the first word of `help webhook fire` alone, and shows all for one that is unknown.
  const words = given[0] === "help" && given.length > 1 ? given.slice(1) : undefined;
  const program = await createProgram((words ?? given)[0]);
  await program.parseAsync(words === undefined ? given : [...words, ...(isKnown(program, words) ? ["--help"] : [])], {
    from: "user",
  });
}

/** Whether each word names a command; behind one without commands below it, further words are its arguments. */
function isKnown({ commands }: Command, [word, ...rest]: readonly string[]): boolean {
  if (word === undefined || commands.length === 0) return true;
  const command = commands.find((each) => each.name() === word);
  return command !== undefined && isKnown(command, rest);
}
