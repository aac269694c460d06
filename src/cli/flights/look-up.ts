import { styleText } from "node:util";
import { InvalidArgumentError } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { pickOffer } from "../../flights/checkout/book.ts";
import { checkout } from "../../flights/checkout/checkout.ts";
import type { CheckoutParams } from "../../flights/checkout/options.ts";
import { type FeeQuery, type FeeReport, fees } from "../../flights/fees/index.ts";
import { readRules } from "../../flights/fees/rules.ts";
import { memoryJournal } from "../../flights/journal/memory.ts";
import { itinerary } from "../../flights/quote/itinerary.ts";
import { isInstant, timeOrNull, type WallClockTime } from "../../flights/quote/times.ts";
import { fareRuleText } from "../../flights/rule-text.ts";
import type { FareQuote, FareQuoteResult, FareRuleResult, MiniFareRule } from "../../flights/types/index.ts";
import type { ServiceApi } from "../../service-api.ts";
import { elementsOf, field, stringOf } from "../../shared/json.ts";
import { createClient, environmentHelp } from "../shared/client.ts";
import { clientOptions, declareCommand, emulatorExports, jsonOption, option } from "../shared/command.ts";
import { wrapText } from "../shared/layout.ts";
import { cleanLine, cleanText, printNote, printResult } from "../shared/print.ts";
import { interruptible } from "../shared/process.ts";
import { deadlineZoneOption, readSearch, resultOption, searchArguments, searchOptions } from "./order.ts";
import { formatFees } from "./show/fees.ts";
import { formatOffer, summarizeOffer } from "./show/offer.ts";

const lookUpOptions = [...searchOptions, ...clientOptions, jsonOption()] as const;
const ofFlight = { args: searchArguments, after: emulatorExports, lists: environmentHelp };

/** Requests a quote. It books nothing, so its journal stays empty. */
function quoteFor(api: ServiceApi, search: CheckoutParams, deadlineZone?: string): Promise<FareQuote> {
  const trip = checkout(api, search, { journal: memoryJournal(), deadlineZone });
  return interruptible((signal) => trip.quote({ signal }));
}

export const addQuote = declareCommand("quote", {
  description: "show the price and the conditions of a flight from a search",
  ...ofFlight,
  options: [...searchOptions, deadlineZoneOption, ...clientOptions, jsonOption()],
  examples: `
  $ npx serviceapi quote "$TRACE_ID" "$TOKEN"
  $ npx serviceapi quote "$TRACE_ID" "$TOKEN" --json > quote.json  # for book --agreed
  $ curl -s --json '{}' "$SERVICEAPI_BASE_URL/__emulator/searches" |
      npx serviceapi quote --search -                          # another search
`,
  async run(flags, words) {
    const search = await readSearch(words, flags);
    const { deadlineZone } = flags;
    const body = await quoteFor(await createClient(flags), search, deadlineZone);
    const offers = body.data.result;
    const several = offers.length > 1;
    const results = offers.map((offer, result) => {
      return { result, ...summarizeOffer(offer, deadlineZone), itinerary: itinerary(offer) };
    });
    printResult(flags, { ...search, results, body }, () =>
      offers.map((offer, i) => formatOffer(several ? `Result ${i}` : "Quote", offer, deadlineZone)).join("\n\n\n"),
    );
    if (several && !flags.json) printNote("Each result is booked on its own: book --result 0, then book --result 1.");
  },
});

export const addRules = declareCommand("rules", {
  description: "show the fare rules of a flight from a search, as plain text",
  ...ofFlight,
  options: lookUpOptions,
  examples: `
  $ npx serviceapi rules "$TRACE_ID" "$TOKEN"
  $ npx serviceapi rules "$TRACE_ID" "$TOKEN" --json  # the HTML of the airline, too
`,
  async run(flags, words) {
    const search = await readSearch(words, flags);
    const api = await createClient(flags);
    const body = await interruptible(async (signal) => api.flights.fareRule(search, { signal }));
    const rules = body.data.result.map(readRule);
    const text = () => rules.map(formatRule).join("\n\n") || "The service has no rules for this flight.";
    printResult(flags, { rules, body }, text);
  },
});

/** Reads a fare rule, whose texts come from a supplier: HTML becomes text, and nothing in it reaches the terminal. */
function readRule(rule: FareRuleResult) {
  const line = (text: unknown) => cleanLine(stringOf(text));
  return {
    origin: line(rule.origin),
    destination: line(rule.destination),
    airline: line(rule.airline),
    departure: timeOrNull(rule.departure_time),
    return: timeOrNull(rule.return_time),
    inclusions: elementsOf(rule.fare_inclusions).map(line),
    restriction: line(rule.fare_restriction) || null,
    // After the entities have become characters.
    text: cleanText(fareRuleText(rule.fare_rules)),
  };
}

function formatRule(rule: ReturnType<typeof readRule>): string {
  const { origin, destination, airline, departure, inclusions, restriction, text } = rule;
  const when = [departure, rule.return].flatMap((time) => (time === null ? [] : [time.slice(0, 16)])).join(" and ");
  const title = [`${origin}-${destination}`, airline, when].filter(Boolean).join(", ");
  const extras = [...inclusions.map((one) => `• ${one}`), restriction && `Restriction: ${restriction}`];
  const parts = [extras.filter(Boolean).join("\n"), text || "The airline has not worded its rules."].filter(Boolean);
  return [styleText("bold", title), ...parts.map((part) => wrapText(part, { indent: "  " }))].join("\n\n");
}

const feeTypes = ["Cancellation", "Reissue"];

export const addFees = declareCommand("fees", {
  description: "show what a cancellation or a reissue of a flight costs",
  ...ofFlight,
  options: [
    ...searchOptions,
    option("--at <time>", "time at the first airport, or with its offset, such as 2027-02-11T12:00Z (default: now)"),
    option("--zone <zone>", "time zone of the first airport (default: Asia/Kolkata for one in India)"),
    option("--type <type>", "Cancellation or Reissue (default: both)"),
    option("--count <type=count...>", "passengers, such as adult=2 infant=1 (default: those quoted)", readCount),
    resultOption("all"),
    ...clientOptions,
    jsonOption(),
  ],
  examples: `
  $ npx serviceapi fees "$TRACE_ID" "$TOKEN"                         # now
  $ npx serviceapi fees "$TRACE_ID" "$TOKEN" --at "2027-02-11 12:00" --type Reissue
  $ npx serviceapi fees "$TRACE_ID" "$TOKEN" --count adult=1         # for one of them
`,
  unused: ({ at }) => [at !== undefined && !isInstant(at) && ["with a time on the clock of the first airport", "zone"]],
  async run(flags, words) {
    const search = await readSearch(words, flags);
    const at = readMoment(flags.at);
    const body = await quoteFor(await createClient(flags), search);
    const all = body.data.result;
    const offers = [...(flags.result === undefined ? all.keys() : [flags.result])].map((i) => pickOffer(body, i));
    const reports = offers.map(({ offer, index: result }) => {
      const when = at instanceof Date ? { at, zone: flags.zone ?? zoneOf(offer) } : { at };
      const ask = (type: string): FeeReport => fees(offer, { ...when, type, passengers: flags.count } as FeeQuery);
      const types = flags.type === undefined ? feeTypes : [flags.type];
      return { result, ...when, fees: Object.fromEntries(types.map((type) => [type, ask(type)])) };
    });
    const quoted = offers.flatMap(({ offer }) => readRules(offer));
    requireKnownType(flags.type, quoted);
    const titleOf = (result: number) => (all.length > 1 ? `Result ${result}` : undefined);
    printResult(flags, { results: reports, body }, () =>
      reports.map((each) => formatFees(titleOf(each.result), each)).join("\n\n\n"),
    );
  },
});

/** A misspelt type would read as one that the airline has to be asked about. */
function requireKnownType(type: string | undefined, quoted: readonly MiniFareRule[]): void {
  const types = [...feeTypes, ...quoted.map((rule) => String(rule.type))];
  const known = new Set(types.map((name) => name.trim().toUpperCase()));
  if (type === undefined || known.has(type.trim().toUpperCase())) return;
  throw new ConfigurationError(`--type: the quote has no rules for "${type}", only for ${[...known].join(" and ")}.`);
}

/** Reads `--at`: a time without an offset is one at the first airport, and `fees` checks it. */
function readMoment(text: string | undefined): WallClockTime | Date {
  if (text === undefined) return new Date();
  if (!isInstant(text)) return text as WallClockTime;
  const instant = new Date(text.trim());
  if (!Number.isNaN(instant.getTime())) return instant;
  throw new ConfigurationError("--at must be a time such as 2027-02-11T12:00 or 2027-02-11T12:00+05:30.");
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
