import { writeFile } from "node:fs/promises";
import type { Conversation } from "../../ai/conversation/conversation.ts";
import { isImageUrl } from "../../ai/rules.ts";
import { isServiceApiError } from "../../errors/any.ts";
import { ConfigurationError } from "../../errors/request.ts";
import type { ServiceApi } from "../../service-api.ts";
import { readCredentials } from "../../transport/endpoint.ts";
import { createClient, environmentHelp, readClientOptions } from "../shared/client.ts";
import { declareCommand } from "../shared/command.ts";
import { type ExitCode, exitCodes, reportError } from "../shared/errors.ts";
import { readTextFile } from "../shared/input.ts";
import { type DescriptionList, formatLists, wrapLists } from "../shared/layout.ts";
import { clientOptions, type FlagsOf, jsonOption, option } from "../shared/options.ts";
import { printError, printJsonLine, printNote } from "../shared/print.ts";
import type { ChatInput } from "./input.ts";
import { contextOption, plainOption, printContext, showStream } from "./view.ts";

const commandHelp: DescriptionList = {
  title: "Commands",
  items: [
    ["/image [url]", "ask the next question about an image; without a URL, about none"],
    ["/new", "start a new conversation"],
    ["/save <file>", "write the conversation to a file"],
    ["/load <file>", "continue a conversation that was saved"],
    ["/help", "list the commands"],
    ["/quit", "end, as Ctrl-D does"],
    ["//…", "a question that begins with a slash"],
  ],
};

const options = [
  option("--load <file>", "continue a conversation that /save wrote"),
  contextOption,
  plainOption,
  jsonOption("print each complete response as a line of JSON"),
  ...clientOptions,
] as const;
type ChatFlags = FlagsOf<typeof options>;

export const addChat = declareCommand("chat", {
  description: "have a conversation; Ctrl-C stops a response, Ctrl-D ends",
  options,
  examples: `
  $ npx serviceapi chat
  $ npx serviceapi chat --load trip.json
  $ printf '%s\\n' "Plan a day in Pune" "Now say it in Hindi" | npx serviceapi chat --json
`,
  lists: [commandHelp, environmentHelp],
  jsonLines: true,
  async run(flags) {
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
    if (flags.load !== undefined) session.load(flags.load);
    const { PipedInput, TerminalInput } = await import("./input.ts");
    const input = process.stdin.isTTY ? new TerminalInput() : new PipedInput();
    if (input.isInteractive) printNote("/help lists the commands. Ctrl-C stops a response, Ctrl-D ends.");
    const code = await converse(session, input);
    if (!flags.json) printContext(session.contextToken);
    return code;
  },
});

/** Reads and responds until the end. Without a person who could decide, the first failure is the end. */
async function converse(session: ChatSession, input: ChatInput): Promise<ExitCode> {
  for (;;) {
    const text = await input.read();
    if (typeof text !== "string") return text;
    const code = await session.enter(text, input);
    if (code === "quit") return exitCodes.done;
    if (code !== exitCodes.done && !input.isInteractive) return code;
  }
}

/** A conversation, and what the next question brings along. */
class ChatSession {
  readonly #api: ServiceApi;
  readonly #flags: ChatFlags;
  #conversation: Conversation;
  /** The token from which the first turn continues. */
  #start: string | undefined;
  #images: readonly string[] = [];
  /** The file of this conversation, which may be overwritten. */
  #file: string | undefined;

  constructor(api: ServiceApi, flags: ChatFlags) {
    this.#api = api;
    this.#flags = flags;
    this.#start = flags.context;
    this.#conversation = api.ai.conversation();
  }

  get contextToken(): string | undefined {
    return this.#conversation.contextToken;
  }

  /**
   * Asks a question or runs a command, and reports what failed. The conversation then is what it was. Two slashes begin
   * a question that begins with one.
   */
  async enter(text: string, input: ChatInput): Promise<ExitCode | "quit"> {
    const line = text.startsWith("//") ? null : /^\/(\S*)(?:\s+(.*))?$/s.exec(text);
    const [, command, argument = ""] = line ?? [];
    if (command !== undefined) return this.#run(command, argument.trim());
    if (text === "") return exitCodes.done;
    return input.during((signal) => this.#ask(text.replace(/^\/\//, "/"), signal));
  }

  /** Continues a saved conversation. */
  load(file: string): void {
    this.#begin(readTextFile(file), file);
    printNote(`${this.#turnCount()} loaded from ${file}.`);
  }

  #begin(saved?: string, file?: string): void {
    this.#conversation = this.#api.ai.conversation(saved);
    this.#start = undefined;
    this.#file = file;
  }

  async #ask(question: string, signal: AbortSignal): Promise<ExitCode> {
    const images = this.#images.length === 0 ? undefined : this.#images;
    const start = this.contextToken === undefined ? this.#start : undefined;
    const extraBody = start === undefined ? undefined : { context_token: start };
    try {
      const stream = this.#conversation.stream(question, { images, extraBody, signal });
      if (this.#flags.json) printJsonLine(await stream.finalResponse());
      else await showStream(stream, this.#flags);
      this.#images = [];
      return exitCodes.done;
    } catch (error) {
      if (!isServiceApiError(error)) throw error;
      const code = signal.aborted ? exitCodes.interrupted : reportError(error, this.#flags, true);
      if (!this.#flags.json) {
        const happened = signal.aborted ? "Stopped. " : "";
        printNote(`${happened}This turn does not count: the next question continues from the response before it.`);
      }
      return code;
    }
  }

  async #run(command: string, argument: string): Promise<ExitCode | "quit"> {
    const work = Object.hasOwn(this.#commands, command) ? this.#commands[command] : undefined;
    if (work === undefined) {
      printError(`There is no command /${command}. /help lists them; // begins a question with a slash.`);
      return exitCodes.usage;
    }
    try {
      return (await work(argument)) === "quit" ? "quit" : exitCodes.done;
    } catch (error) {
      return reportError(error, this.#flags, true);
    }
  }

  readonly #commands: Readonly<Record<string, (argument: string) => unknown>> = {
    quit: () => "quit",
    help: () => printNote(formatLists(wrapLists([commandHelp]))),
    new: () => {
      this.#begin();
      this.#images = [];
      printNote("A new conversation.");
    },
    image: (url) => this.#changeImages(url),
    save: (file) => this.#save(requireFile("save", file)),
    load: (file) => this.load(requireFile("load", file)),
  };

  /** An image that the request cannot have would fail each question from now on. */
  #changeImages(url: string): void {
    const isNone = url === "" || url === "none";
    if (!isNone && !isImageUrl(url)) {
      throw new ConfigurationError(
        "/image needs an http or https URL whose path ends in .jpg, .jpeg, .png, .webp or .gif.",
      );
    }
    this.#images = isNone ? [] : [...this.#images, url];
    const { length } = this.#images;
    const images = ["no image", "this image"][length] ?? `these ${length} images`;
    printNote(`The next question is about ${images}.`);
  }

  /** Only its owner may read the file. It replaces no other file. */
  async #save(file: string): Promise<void> {
    const flag = file === this.#file ? "w" : "wx";
    await writeFile(file, `${JSON.stringify(this.#conversation)}\n`, { mode: 0o600, flag }).catch((error) => {
      throw new ConfigurationError(
        error?.code === "EEXIST"
          ? `The file ${file} exists already. Choose another name.`
          : `The file ${file} could not be written.`,
      );
    });
    this.#file = file;
    printNote(`${this.#turnCount()} saved to ${file}.`);
  }

  #turnCount(): string {
    const { length } = this.#conversation.turns;
    return length === 1 ? "1 turn" : `${length} turns`;
  }
}

function requireFile(command: string, file: string): string {
  if (file !== "") return file;
  throw new ConfigurationError(`/${command} needs the name of a file.`);
}
