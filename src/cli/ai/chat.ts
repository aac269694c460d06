import type { Command } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { readCredentials } from "../../transport/endpoint.ts";
import { action } from "../shared/action.ts";
import {
  addClientFlags,
  type ClientFlags,
  createClient,
  environmentHelp,
  readClientOptions,
} from "../shared/client.ts";
import { type ExitCode, exitCodes } from "../shared/exit-codes.ts";
import { helpText } from "../shared/help.ts";
import { printNote } from "../shared/print.ts";
import { commandHelp } from "./chat-commands.ts";
import { ChatSession, type SessionFlags } from "./chat-session.ts";
import type { ChatInput } from "./input/chat-input.ts";
import { printContext } from "./show.ts";

interface ChatFlags extends ClientFlags, SessionFlags {
  readonly load?: string;
}

const examples = `
  $ npx serviceapi chat
  $ npx serviceapi chat --load trip.json
  $ printf '%s\\n' "Plan a day in Pune" "Now say it in Hindi" | npx serviceapi chat --json
`;

/** `serviceapi chat`: a conversation, each question of which continues from the response before it. */
export function registerChatCommand(program: Command): void {
  const chat = program
    .command("chat")
    .description("have a conversation; Ctrl-C stops a response, Ctrl-D ends")
    .option("--load <file>", "continue a conversation that /save wrote")
    .option("--context <token>", "continue from the response with this context token")
    .option("--plain", "print the text as it is written, not as rendered Markdown; the default in a pipe")
    .option("--json", "print each complete response as a line of JSON");
  addClientFlags(chat)
    .addHelpText("after", helpText(examples, [commandHelp, environmentHelp]))
    .action(action(run, { jsonLines: true }));
}

async function run(flags: ChatFlags): Promise<ExitCode> {
  if (flags.secretStdin) {
    throw new ConfigurationError("--secret-stdin: chat reads its questions there. Set SERVICEAPI_CLIENT_SECRET.");
  }
  if (flags.load !== undefined && flags.context !== undefined) {
    throw new ConfigurationError("--load and --context both say where to continue. Remove one.");
  }
  const api = await createClient(flags);
  // Otherwise the first question would be the one that fails.
  await readCredentials(await readClientOptions(flags));
  const session = new ChatSession(api, flags);
  if (flags.load !== undefined) await session.load(flags.load);
  const input = await openInput();
  if (input.isInteractive) printNote("/help lists the commands. Ctrl-C stops a response, Ctrl-D ends.");
  const code = await converse(session, input);
  if (!flags.json) printContext(session.contextToken);
  return code;
}

/** Reads and responds until the end. Without a person who could decide, the first failure is the end. */
async function converse(session: ChatSession, input: ChatInput): Promise<ExitCode> {
  for (;;) {
    const entry = await input.read();
    if (entry.kind === "end") return exitCodes.done;
    if (entry.kind === "interrupt") return exitCodes.interrupted;
    const code = await session.enter(entry.text, input);
    if (code === "quit") return exitCodes.done;
    if (code !== exitCodes.done && !input.isInteractive) return code;
  }
}

async function openInput(): Promise<ChatInput> {
  if (process.stdin.isTTY) return new (await import("./input/terminal-input.ts")).TerminalInput();
  return new (await import("./input/piped-input.ts")).PipedInput();
}
