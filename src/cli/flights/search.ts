import { type Command, InvalidArgumentError } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import type { CheckoutParams } from "../../flights/checkout/options.ts";
import { field } from "../../shared/json.ts";
import { readJsonFlag } from "../shared/input.ts";
import { type ClientFlags, type FlagsOf, option } from "../shared/options.ts";

/** The options that name a flight of a search result, beside the arguments. */
export const searchOptions = [
  option("--trace-id <text>", "trace_id of the flight search"),
  option("--token <text>", "token of the flight in the search result"),
  option("--search <file>", "JSON file with trace_id and token, or - for standard input"),
] as const;

export const resultOption = (defaults: string) =>
  option("--result <index>", `result of the quote, counted from 0 (default: ${defaults})`, readResultIndex);

export const deadlineZoneOption = option(
  "--deadline-zone <zone>",
  "time zone of the ticket deadline (default: Asia/Kolkata)",
);

function readResultIndex(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be an integer, counted from 0.");
}

/** Adds the arguments that name a flight of a search result. */
export function addSearchArguments(command: Command): Command {
  return command
    .argument("[trace_id]", "trace_id of the flight search")
    .argument("[token]", "token of the flight in the search result");
}

/**
 * Returns the flight that the arguments, the flags or the file name.
 *
 * @param saved - A saved quote, whose flight is taken if there is no other.
 * @throws ConfigurationError if one is missing or named twice, or the file has none.
 */
export async function readSearch(
  traceId: string | undefined,
  token: string | undefined,
  flags: FlagsOf<typeof searchOptions>,
  saved?: unknown,
): Promise<CheckoutParams> {
  const named = { trace_id: traceId ?? flags.traceId, token: token ?? flags.token };
  const twice = (traceId !== undefined && flags.traceId !== undefined) || (token !== undefined && flags.token);
  const besideFile = flags.search !== undefined && (named.trace_id !== undefined || named.token !== undefined);
  if (twice || besideFile) throw new ConfigurationError("The flight is named twice. Pass its trace_id and token once.");
  const file = flags.search === undefined ? saved : await readJsonFlag("--search", flags.search);
  const isSaved = named.trace_id === undefined && named.token === undefined;
  const trace_id = isSaved ? field(file, "trace_id") : named.trace_id;
  const found = isSaved ? field(file, "token") : named.token;
  if (isNamed(trace_id) && isNamed(found)) return { trace_id, token: found };
  throw new ConfigurationError(
    flags.search === undefined
      ? "The flight is missing. Pass the trace_id of the search and the token of the flight in it, or --search <file>."
      : "--search: the JSON must have trace_id and token, as non-empty strings.",
  );
}

function isNamed(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}

/** The flags that may read standard input. */
type InputFlags = Pick<ClientFlags, "secretStdin"> & {
  readonly [Flag in "search" | "passengers" | "extraBody" | "agreed"]?: string;
};

/** Refuses several flags that read standard input: the first one would leave nothing for the others. */
export function refuseStdinTwice(flags: InputFlags): void {
  const { search, secretStdin, passengers, extraBody, agreed } = flags;
  const files = { "--search": search, "--passengers": passengers, "--extra-body": extraBody, "--agreed": agreed };
  const readers = Object.entries(files).flatMap(([name, file]) => (file === "-" ? [name] : []));
  if (secretStdin) readers.push("--secret-stdin");
  if (readers.length < 2) return;
  throw new ConfigurationError(`${readers.join(" and ")} cannot both read standard input: pass a file.`);
}
