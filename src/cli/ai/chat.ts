import { rename, rm, writeFile } from "node:fs/promises";
import { isImageUrl } from "../../ai/schemas.ts";
import { isServiceApiError } from "../../errors/any.ts";
import { ConfigurationError } from "../../errors/request.ts";
import type { ServiceApi } from "../../service-api.ts";
import { createClient, environmentHelp } from "../shared/client.ts";
import { clientOptions, declareCommand, jsonOption, option } from "../shared/command.ts";
import { type ExitCode, exitCodes, reportError } from "../shared/errors.ts";
import { readTextFile } from "../shared/input.ts";
import { formatLists } from "../shared/layout.ts";
import { type OutputFlags, printJsonLine, printNote } from "../shared/print.ts";
import { type ChatInput, PipedInput, TerminalInput } from "./input.ts";
import { contextOption, printContext, showStream } from "./view.ts";

const commandHelp = {
  Commands: {
    "/image [url]": "ask the next question about an image; without a URL, about none",
    "/new": "start a new conversation",
    "/save <file>": "write the conversation to a file",
    "/load <file>": "continue a conversation that was saved",
    "/help": "list the commands",
    "/quit": "end, as Ctrl-D does",
    "//…": "a question that begins with a slash",
  },
};

export const addChat = declareCommand("chat", {
  description: "have a conversation; Ctrl-C stops a response, Ctrl-D ends",
  options: [
    option("--load <file>", "continue a conversation that /save wrote"),
    contextOption,
    jsonOption("print each complete response as a line of JSON"),
    ...clientOptions,
  ],
  examples: `
  $ npx serviceapi chat
  $ npx serviceapi chat --load trip.json
  $ printf '%s\\n' "Plan a day in Pune" "Now say it in Hindi" | npx serviceapi chat --json
`,
  lists: { ...commandHelp, ...environmentHelp },
  unused: ({ load }) => [load !== undefined && ["with --load", "context"]],
  async run(flags) {
    if (flags.secretStdin) {
      throw new ConfigurationError("--secret-stdin: chat reads its questions there. Set SERVICEAPI_CLIENT_SECRET.");
    }
    const api = await createClient(flags, () => {});
    return converse(api, flags, process.stdin.isTTY ? new TerminalInput() : new PipedInput());
  },
});

type ChatFlags = OutputFlags & { readonly context?: string; readonly load?: string };

/** Reads and responds until the end. Without a person who could decide, the first failure is the end. */
async function converse(api: ServiceApi, flags: ChatFlags, input: ChatInput): Promise<ExitCode> {
  let conversation = api.ai.conversation();
  let start = flags.context;
  let images: readonly string[] = [];
  let file: string | undefined;
  let isOver = false;

  const begin = (saved?: string, from?: string) => {
    conversation = api.ai.conversation(saved);
    start = undefined;
    file = from;
  };
  const turnCount = () => (conversation.turns.length === 1 ? "1 turn" : `${conversation.turns.length} turns`);
  const load = (from: string) => {
    begin(readTextFile(from), from);
    printNote(`${turnCount()} loaded from ${from}.`);
  };

  /** Only its owner may read the file. It replaces no other file. */
  async function save(to: string): Promise<void> {
    // An earlier one stays as it is until the new one is whole.
    const whole = to === file ? `${to}.${process.pid}` : to;
    const text = `${JSON.stringify(conversation)}\n`;
    const written = writeFile(whole, text, { mode: 0o600, flag: "wx" }).then(() => rename(whole, to));
    await written.catch(async (error) => {
      const isTaken = error?.code === "EEXIST";
      if (!isTaken) await rm(whole, { force: true }).catch(() => {});
      throw new ConfigurationError(
        `The file ${to} ${isTaken ? "exists already. Choose another name." : "could not be written."}`,
      );
    });
    file = to;
    printNote(`${turnCount()} saved to ${to}.`);
  }

  const commands: Readonly<Record<string, (argument: string) => unknown>> = {
    quit() {
      isOver = true;
    },
    help: () => printNote(formatLists(commandHelp)),
    new() {
      begin();
      images = [];
      printNote("A new conversation.");
    },
    // An image that the request cannot have would fail each question from now on.
    image(url) {
      const isNone = url === "" || url === "none";
      if (!isNone && !isImageUrl(url)) {
        throw new ConfigurationError(
          "/image needs an http or https URL whose path ends in .jpg, .jpeg, .png, .webp or .gif.",
        );
      }
      images = isNone ? [] : [...images, url];
      const about = ["no image", "this image"][images.length] ?? `these ${images.length} images`;
      printNote(`The next question is about ${about}.`);
    },
    save,
    load,
  };

  async function ask(question: string, signal: AbortSignal): Promise<ExitCode> {
    const context_token = conversation.contextToken === undefined ? start : undefined;
    const extraBody = context_token === undefined ? undefined : { context_token };
    try {
      const given = images.length === 0 ? undefined : images;
      const stream = conversation.stream(question, { images: given, extraBody, signal });
      if (flags.json) printJsonLine(await stream.finalResponse());
      else await showStream(stream);
      images = [];
      return exitCodes.done;
    } catch (error) {
      if (!isServiceApiError(error)) throw error;
      const code = signal.aborted ? exitCodes.interrupted : reportError(error, flags);
      if (!flags.json) {
        const happened = signal.aborted ? "Stopped. " : "";
        printNote(`${happened}This turn does not count: the next question continues from the response before it.`);
      }
      return code;
    }
  }

  /** Asks a question, or runs a command. After what fails, the conversation is as it was. */
  async function enter(text: string): Promise<ExitCode> {
    const [, command, given = ""] = /^\/(?!\/)(\S*)(?:\s+(.*))?$/s.exec(text) ?? [];
    if (text === "") return exitCodes.done;
    if (command === undefined) return input.during((signal) => ask(text.replace(/^\/\//, "/"), signal));
    try {
      if (!Object.hasOwn(commands, command)) {
        const advice = "/help lists them; // begins a question with a slash.";
        throw new ConfigurationError(`There is no command /${command}. ${advice}`);
      }
      const argument = given.trim();
      if (argument === "" && (command === "save" || command === "load")) {
        throw new ConfigurationError(`/${command} needs the name of a file.`);
      }
      await commands[command]?.(argument);
      return exitCodes.done;
    } catch (error) {
      return reportError(error, flags);
    }
  }

  if (flags.load !== undefined) load(flags.load);
  if (input.isInteractive) printNote("/help lists the commands. Ctrl-C stops a response, Ctrl-D ends.");
  let code: ExitCode = exitCodes.done;
  while (!isOver && (code === exitCodes.done || input.isInteractive)) {
    const text = await input.read();
    isOver = typeof text !== "string";
    code = typeof text === "string" ? await enter(text) : text;
  }
  if (!flags.json) printContext(conversation.contextToken);
  return code;
}
