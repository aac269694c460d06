import { type Command, InvalidArgumentError } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import type { FeeQuery, FeeReport } from "../../flights/fees/index.ts";
import type { WallClockTime } from "../../flights/quote/times.ts";
import type { FareQuoteResult } from "../../flights/types/index.ts";
import { field } from "../../shared/json.ts";
import { createClient, environmentHelp } from "../shared/client.ts";
import { action, emulatorExports, helpText } from "../shared/command.ts";
import { callNotes } from "../shared/notes.ts";
import { addOptions, clientOptions, type FlagsOf, jsonOption, option, refuseUnused } from "../shared/options.ts";
import { print, printJson } from "../shared/print.ts";
import { interruptible } from "../shared/process.ts";
import { addSearchArguments, readSearch, refuseStdinTwice, resultOption, searchOptions } from "./search.ts";

const feeTypes = ["Cancellation", "Reissue"];

const examples = `
  $ npx serviceapi fees "$TRACE_ID" "$TOKEN"                         # now
  $ npx serviceapi fees "$TRACE_ID" "$TOKEN" --at "2027-02-11 12:00" --type Reissue
  $ npx serviceapi fees "$TRACE_ID" "$TOKEN" --count adult=1         # for one of them
`;

const options = [
  ...searchOptions,
  option("--at <time>", "time at the first airport, or with its offset, such as 2027-02-11T12:00Z (default: now)"),
  option("--zone <zone>", "time zone of the first airport (default: Asia/Kolkata for one in India)"),
  option("--type <type>", "Cancellation or Reissue (default: both)"),
  option("--count <type=count...>", "passengers, such as adult=2 infant=1 (default: those quoted)", readCount),
  resultOption("all"),
  ...clientOptions,
  jsonOption(),
] as const;
type FeesFlags = FlagsOf<typeof options>;

/** `serviceapi fees`: what a cancellation or a reissue costs, by the rules of a fare quote (§2.6). */
export function registerFeesCommand(program: Command): void {
  const command = program.command("fees").description("show what a cancellation or a reissue of a flight costs");
  addOptions(addSearchArguments(command), options)
    .addHelpText("after", helpText(examples, [environmentHelp], emulatorExports))
    .action(action(run));
}

async function run(
  traceId: string | undefined,
  token: string | undefined,
  flags: FeesFlags,
  command: Command,
): Promise<undefined> {
  refuseStdinTwice(flags);
  const search = await readSearch(traceId, token, flags);
  const at = readMoment(flags.at);
  if (!(at instanceof Date)) refuseUnused(command, ["zone"], "with a time on the clock of the first airport");
  const api = await createClient(flags, callNotes(flags));
  const { checkout } = await import("../../flights/checkout/checkout.ts");
  const { fees } = await import("../../flights/fees/index.ts");
  const { feeTypesOf } = await import("../../flights/fees/rules.ts");
  const { normalizeOffer } = await import("../../flights/quote/normalize.ts");
  const { pickOffer } = await import("../../flights/checkout/book.ts");
  const { formatFees } = await import("./show/fees.ts");
  const body = await interruptible((signal) => checkout(api, search).quote({ signal }));
  const chosen = flags.result === undefined ? [...body.data.result.keys()] : [pickOffer(body, flags.result).index];
  const reports = chosen.map((result) => {
    const { offer } = pickOffer(body, result);
    const when = at instanceof Date ? { at, zone: flags.zone ?? zoneOf(offer) } : { at };
    const ask = (type: string): FeeReport => fees(offer, { ...when, type, passengers: flags.count } as FeeQuery);
    const types = flags.type === undefined ? feeTypes : [flags.type];
    return { result, offer, ...when, fees: Object.fromEntries(types.map((type) => [type, ask(type)])) };
  });
  requireKnownType(
    flags.type,
    chosen.flatMap((result) => feeTypesOf(normalizeOffer(pickOffer(body, result).offer).mini_fare_rules)),
  );
  const several = body.data.result.length > 1;
  if (flags.json) printJson({ results: reports.map(({ offer, ...report }) => report), body });
  else print(reports.map((each) => formatFees(several ? `Result ${each.result}` : undefined, each)).join("\n\n\n"));
}

/** A misspelt type would read as one that the airline has to be asked about. */
function requireKnownType(type: string | undefined, quoted: readonly string[]): void {
  const known = new Set([...feeTypes, ...quoted].map((name) => name.trim().toUpperCase()));
  if (type === undefined || known.has(type.trim().toUpperCase())) return;
  throw new ConfigurationError(`--type: the quote has no rules for "${type}", only for ${[...known].join(" and ")}.`);
}

/** Reads `--at`: a time without an offset is one at the first airport, and `fees` checks it. */
function readMoment(text: string | undefined): WallClockTime | Date {
  if (text === undefined) return new Date();
  const isInstant = /\d{2}:\d{2}.*(?:Z|[+-]\d{2}:?\d{2})$/i.test(text.trim());
  const instant = new Date(text.trim());
  if (isInstant && Number.isNaN(instant.getTime())) {
    throw new ConfigurationError("--at must be a time such as 2027-02-11T12:00 or 2027-02-11T12:00+05:30.");
  }
  return isInstant ? instant : (text as WallClockTime);
}

/** India has one time zone. Elsewhere a guess could show the fee of another window. */
function zoneOf(offer: FareQuoteResult): string {
  const origin = field(offer.segments?.[0], "origin");
  if (field(origin, "country_code") === "IN") return "Asia/Kolkata";
  throw new ConfigurationError(
    "The flight does not begin in India. Pass --zone with the time zone of its first airport, such as Europe/London.",
  );
}

function readCount(text: string, before: Readonly<Record<string, number>> = {}): Readonly<Record<string, number>> {
  const { type, count } = /^(?<type>[^=]+)=(?<count>\d{1,3})$/.exec(text)?.groups ?? {};
  if (type !== undefined) return { ...before, [type]: Number(count) };
  throw new InvalidArgumentError("It must be type=count, such as adult=2.");
}
