import { writeFile } from "node:fs/promises";
import type { Conversation } from "../../ai/conversation/conversation.ts";
import { isImageUrl } from "../../ai/rules.ts";
import { isServiceApiError } from "../../errors/any.ts";
import { ConfigurationError } from "../../errors/request.ts";
import type { ServiceApi } from "../../service-api.ts";
import { formatLists, wrapLists } from "../shared/description-list.ts";
import { type ExitCode, exitCodes } from "../shared/exit-codes.ts";
import { printError, printJsonLine, printNote } from "../shared/print.ts";
import { readTextFile } from "../shared/read-input.ts";
import { reportError } from "../shared/report-error.ts";
import { commandHelp, readLine } from "./chat-commands.ts";
import type { ChatInput } from "./input/chat-input.ts";
import { showStream } from "./show.ts";
import type { ViewFlags } from "./view.ts";

/** The flags of a session. */
export interface SessionFlags extends ViewFlags {
  readonly context?: string;
  readonly json?: boolean;
}

/** A conversation, and what the next question brings along. */
export class ChatSession {
  readonly #api: ServiceApi;
  readonly #flags: SessionFlags;
  #conversation: Conversation;
  /** The token from which the first turn continues. */
  #start: string | undefined;
  #images: readonly string[] = [];
  /** The file of this conversation, which may be overwritten. */
  #file: string | undefined;

  constructor(api: ServiceApi, flags: SessionFlags) {
    this.#api = api;
    this.#flags = flags;
    this.#start = flags.context;
    this.#conversation = api.ai.conversation();
  }

  /** The token of the last complete response. */
  get contextToken(): string | undefined {
    return this.#conversation.contextToken;
  }

  /** Asks a question or runs a command, and reports what failed. The conversation then is what it was. */
  async enter(text: string, input: ChatInput): Promise<ExitCode | "quit"> {
    const line = readLine(text);
    if ("command" in line) return this.#run(line.command, line.argument);
    if (text === "") return exitCodes.done;
    return input.during((signal) => this.#ask(line.question, signal));
  }

  /**
   * Continues a saved conversation.
   *
   * @throws ConfigurationError if the file cannot be read, or is not a saved conversation.
   */
  async load(file: string): Promise<void> {
    const saved = readTextFile(file);
    this.#conversation = this.#api.ai.conversation(saved);
    this.#start = undefined;
    this.#file = file;
    printNote(`${this.#turnCount()} loaded from ${file}.`);
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
      return this.#reportTurn(error, signal);
    }
  }

  #reportTurn(error: unknown, signal: AbortSignal): ExitCode {
    if (!isServiceApiError(error)) throw error;
    const code = signal.aborted ? exitCodes.interrupted : reportError(error, this.#flags, { jsonLines: true });
    if (!this.#flags.json) {
      const happened = signal.aborted ? "Stopped. " : "";
      printNote(`${happened}This turn does not count: the next question continues from the response before it.`);
    }
    return code;
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
      return reportError(error, this.#flags, { jsonLines: true });
    }
  }

  readonly #commands: Readonly<Record<string, (argument: string) => unknown>> = {
    quit: () => "quit",
    help: () => printNote(formatLists(wrapLists([commandHelp]))),
    new: () => {
      this.#conversation = this.#api.ai.conversation();
      this.#start = undefined;
      this.#images = [];
      this.#file = undefined;
      printNote("A new conversation.");
    },
    image: (url) => this.#changeImages(url),
    save: (file) => this.#save(requireArgument("save", "the name of a file", file)),
    load: (file) => this.load(requireArgument("load", "the name of a file", file)),
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

function requireArgument(command: string, what: string, argument: string): string {
  if (argument !== "") return argument;
  throw new ConfigurationError(`/${command} needs ${what}.`);
}
