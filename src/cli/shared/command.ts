import { styleText } from "node:util";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { AreaName } from "../../area.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { errorCodeOf } from "../../shared/error-code.ts";
import { type ExitCode, exitCodes, reportError } from "./errors.ts";
import { formatLists, type Lists } from "./layout.ts";

interface Declaration<Options extends readonly Option[]> {
  readonly description: string;
  /** The arguments with their descriptions, such as `{ "[number]": … }`. */
  readonly args?: Readonly<Record<string, string>>;
  readonly options: Options;
  readonly examples?: string;
  /** Set-up that the examples need first, such as an emulator. */
  readonly after?: string;
  readonly lists?: Lists;
  /** Flags that do nothing beside the others, and beside which ones: passing one is refused. */
  readonly unused?: (flags: FlagsOf<Options>) => readonly Unused[];
  /** The result is the exit code, zero by default; an error of the library is printed, and decides it. */
  readonly run: (flags: FlagsOf<Options>, args: readonly string[]) => Promise<ExitCode | undefined>;
}

/** `["without --file", "column"]`, or false if it does not apply. */
export type Unused = false | readonly [where: string, ...names: string[]];

/** Declares a command. The result adds it to a program or a group. */
export function declareCommand<const Options extends readonly Option[]>(
  name: string,
  { description, args = {}, options, examples, after, lists = {}, unused, run }: Declaration<Options>,
): (parent: Command) => Command {
  return (parent) => {
    const command = parent.command(name).description(description);
    for (const [argument, text] of Object.entries(args)) command.argument(argument, text);
    for (const option of options) command.addOption(option);
    // Styles and width depend on the output, which is known when the help is printed.
    const formatHelp = () => {
      const title = styleText("bold", "Examples") + (after === undefined ? "" : `, after ${after}`);
      return `\n${[`${title}${examples?.trimEnd()}`, formatLists(lists)].filter(Boolean).join("\n\n")}`;
    };
    if (examples !== undefined) command.addHelpText("after", formatHelp);
    return command.action(async (...given: unknown[]) => {
      // A group keeps the flags that its commands have as well.
      const flags = command.optsWithGlobals();
      try {
        refuseUnused(command, unused?.(flags as FlagsOf<Options>) ?? []);
        refuseStdinTwice(command, flags);
        process.exitCode =
          (await run(flags as FlagsOf<Options>, given.slice(0, -2).flat() as string[])) ?? exitCodes.done;
      } catch (error) {
        process.exitCode = reportError(error, flags);
      }
    });
  };
}

function refuseUnused(command: Command, unused: readonly Unused[]): void {
  const given = command.options.filter((each) => command.getOptionValueSource(each.attributeName()) === "cli");
  for (const [where, ...names] of unused.filter((each) => each !== false)) {
    const flag = given.find((each) => names.includes(each.attributeName()));
    if (flag !== undefined) throw new ConfigurationError(`${flag.long} has no effect ${where}.`);
  }
}

/** Refuses several flags that read standard input: the first one would leave nothing for the others. */
function refuseStdinTwice(command: Command, given: Readonly<Record<string, unknown>>): void {
  const readers = command.options.filter((each) => {
    const value = given[each.attributeName()];
    return each.long === "--secret-stdin" ? value === true : each.flags.endsWith("<file>") && value === "-";
  });
  if (readers.length < 2) return;
  const names = readers.map(({ long }) => long).join(" and ");
  throw new ConfigurationError(`${names} cannot both read standard input: pass a file.`);
}

export const emulatorExports = "npx serviceapi emulator and its export line";

declare const flags: unique symbol;

/** An option, with the type of what it adds to the flags of a command: `{ timeout?: number }` for `--timeout <ms>`. */
type Declared<Flags> = {
  readonly [flags]?: Flags;
  choices<const Value extends string>(values: readonly Value[]): Declared<{ readonly [Key in keyof Flags]: Value }>;
  default(value: NonNullable<Flags[keyof Flags]>): Declared<Required<Flags>>;
  makeOptionMandatory(): Declared<Required<Flags>>;
} & Option;

export type FlagsOf<List> = List extends readonly [{ readonly [flags]?: infer First }, ...infer Rest]
  ? First & FlagsOf<Rest>
  : unknown;

type CamelCase<Name> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Name;
type NameOf<Text> = Text extends `${infer Name} ${string}`
  ? NameOf<Name>
  : Text extends `no-${infer Name}`
    ? Name
    : Text;
type KeyOf<Text> = Text extends `${string}--${infer Name}` ? CamelCase<NameOf<Name>> : never;
type ValueOf<Text> = Text extends `${string}...>`
  ? readonly string[]
  : Text extends `${string}<${string}`
    ? string
    : Text extends `${string}[${string}`
      ? string | true
      : boolean;

/** Declares an option. Its text says the name and the type of its value, unless it has a parser. */
export function option<const Text extends string, Value = ValueOf<Text>>(
  text: Text,
  description: string,
  parse?: (text: string, before?: Value) => Value,
): Declared<{ readonly [Key in KeyOf<Text> & string]?: NoInfer<Value> }> {
  const declared = new Option(text, description);
  return (parse === undefined ? declared : declared.argParser(parse)) as ReturnType<typeof option<Text, Value>>;
}

/** Makes the parser of an option, which refuses a string for which `read` has no value. */
export function parser<Value>(read: (text: string) => Value | undefined, mustBe: string): (text: string) => Value {
  return (text) => {
    const value = read(text);
    if (value !== undefined) return value;
    throw new InvalidArgumentError(`It must be ${mustBe}.`);
  };
}

export function numberParser(form: RegExp, mustBe: string, least = 0, most = Number.POSITIVE_INFINITY) {
  const isInRange = (number: number) => number >= least && number <= most;
  return parser((text) => (form.test(text) && isInRange(Number(text)) ? Number(text) : undefined), mustBe);
}

/** The parsers of options of several commands, by what they read. */
export const readers = {
  port: numberParser(/^\d+$/, "an integer between 0 and 65535", 0, 65_535),
  milliseconds: numberParser(/^\d+$/, "a number of milliseconds"),
  /** `0` is refused, as by the options of the client: it would end every call at once. */
  timeout: numberParser(/^\d+$/, "a number of milliseconds of at least 1", 1),
  time: parser((text) => {
    const time = /^\d+$/.test(text) ? Number(text) : Date.parse(text);
    return Number.isNaN(time) ? undefined : time;
  }, "a time, such as 2026-11-20T06:00:00Z, or milliseconds since 1970"),
  url: parser(
    (text) => (/^https?:/i.test(text) && URL.canParse(text) ? refuseCredentials(text) : undefined),
    "an http or https URL, such as http://127.0.0.1:3000/hook",
  ),
};

/** Explains why a server cannot listen. A fault that no flag corrects stays as it is. */
export function explainListening(error: unknown, port: number, host = "127.0.0.1"): never {
  const code = errorCodeOf(error);
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") {
    throw new ConfigurationError(`${host} is not an address of this machine. Pass another with --host.`);
  }
  if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
  const reason = code === "EADDRINUSE" ? "is in use" : "is for administrators";
  throw new ConfigurationError(`Port ${port} ${reason}. Choose another with --port, or 0 to pick a free port.`);
}

export const jsonOption = (description = "print JSON") => option("--json", description);

export const outputOptions = (description?: string) =>
  [jsonOption(description), option("--show-pii", "print names, numbers and addresses of people unmasked")] as const;

/** The options that say which service it is: those of every command that calls it, and of its journal. */
export const baseUrlOption = (description = "base URL of the service") =>
  option("--base-url <url>", `${description} (default: SERVICEAPI_BASE_URL)`, refuseCredentials);
export const dotenvOption = option("--dotenv <file>", "read environment variables from a file first, such as .env");

export const prefixOption = (description: string) => option("--path-prefix <area=path...>", description, readPrefix);

/** The options that configure the client. What they leave out comes from the environment. */
export const clientOptions = [
  baseUrlOption(),
  option("--client-id <id>", "client ID (default: SERVICEAPI_CLIENT_ID)"),
  option("--secret-stdin", "read the client secret from standard input instead of SERVICEAPI_CLIENT_SECRET"),
  dotenvOption,
  option("--timeout <ms>", "timeout for a single attempt", readers.timeout),
  prefixOption("path before the operations of verification, ai or flights"),
  option("--allow-http <host...>", "hosts beside this machine that may be called without TLS"),
] as const;

export type ClientFlags = FlagsOf<typeof clientOptions>;

export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** Returns a URL unchanged. One that holds a user name or a password is refused: command lines can be read by others. */
export function refuseCredentials(text: string): string {
  const { username, password } = URL.parse(text) ?? {};
  if (!username && !password) return text;
  throw new InvalidArgumentError("It must not contain a user name or a password.");
}

/** Collects the pairs of `--path-prefix`. Their areas are checked where the prefixes are used. */
function readPrefix(text: string, before: Partial<Record<AreaName, string>> = {}): Partial<Record<AreaName, string>> {
  const [area = "", ...path] = text.split("=");
  if (path.length > 0) return { ...before, [area]: path.join("=") };
  throw new InvalidArgumentError("It must be area=path, such as flights=v1/api.");
}
