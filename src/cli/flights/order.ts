import { ConfigurationError } from "../../errors/request.ts";
import type { CheckoutBookRequest, CheckoutParams } from "../../flights/checkout/options.ts";
import { type Money, readMoney } from "../../flights/quote/money.ts";
import { field, isObject } from "../../shared/json.ts";
import { type FlagsOf, numberParser, option } from "../shared/command.ts";
import { readJsonFlag } from "../shared/input.ts";

export const searchOptions = [
  option("--search <file>", "JSON file with trace_id and token, or - for standard input"),
] as const;

export const resultOption = (defaults: string) =>
  option(
    "--result <index>",
    `result of the quote, counted from 0 (default: ${defaults})`,
    numberParser(/^\d{1,6}$/, "an integer, counted from 0"),
  );

export const deadlineZoneOption = option(
  "--deadline-zone <zone>",
  "time zone of the ticket deadline (default: Asia/Kolkata)",
);

export const searchArguments = {
  "[trace_id]": "trace_id of the flight search",
  "[token]": "token of the flight in the search result",
};

/** Returns the flight that the arguments or the file name, or else that of a saved quote. */
export async function readSearch(
  [traceId, word]: readonly string[],
  flags: FlagsOf<typeof searchOptions>,
  saved?: unknown,
): Promise<CheckoutParams> {
  const { search } = flags;
  const isNamed = traceId !== undefined;
  if (isNamed && search !== undefined) {
    throw new ConfigurationError("The flight is named twice. Pass its trace_id and token once.");
  }
  const file = search === undefined ? saved : await readJsonFlag("--search", search);
  const { trace_id, token } = isNamed ? { trace_id: traceId, token: word } : Object(file);
  if ([trace_id, token].every((value) => typeof value === "string" && value.trim() !== "")) return { trace_id, token };
  throw new ConfigurationError(
    search === undefined
      ? "The flight is missing. Pass the trace_id of the search and the token of the flight in it, or --search <file>."
      : "--search: the JSON must have trace_id and token, as non-empty strings.",
  );
}

export const orderOptions = [
  ...searchOptions,
  option("--passengers <file>", "JSON file with the passengers, or - for standard input").makeOptionMandatory(),
  option("--max-total <amount...>", 'the most that it may cost, such as 7600 INR or "7600 INR"').makeOptionMandatory(),
  option("--yes", "book it; without this flag, it only prints what it would book"),
  option("--reference <text>", "your client_referenceId of the booking (default: a new one)"),
  resultOption("the only one"),
  option("--agreed <file>", "quote that was agreed to, printed by quote --json; refuses other flights and terms"),
  option("--accept-issues <code...>", "passenger checks whose errors do not stop the booking"),
  option("--extra-body <file>", "JSON file with fields to add to the request, such as passport details"),
  option("--force", "book although an earlier booking of it exists or may exist"),
] as const;

export type Order = Awaited<ReturnType<typeof readOrder>>;

/** The price is compared with a quote of this run, which is younger. */
const maxQuoteAge = 60_000;

export async function readOrder(words: readonly string[], flags: FlagsOf<typeof orderOptions>) {
  const maxTotal = readMaxTotal(flags.maxTotal);
  const agreed = await readJsonFlag("--agreed", flags.agreed);
  const search = await readSearch(words, flags, agreed);
  const request = {
    passengers: await readPassengers(flags.passengers),
    maxTotal,
    requoteIfOlderThan: maxQuoteAge,
    offerIndex: flags.result,
    acceptIssues: flags.acceptIssues,
    allowDuplicate: flags.force,
    // `book` checks that it is a quote.
    ...(agreed !== undefined && { agreedQuote: field(agreed, "body") ?? agreed }),
  };
  const extraBody = await readJsonFlag("--extra-body", flags.extraBody);
  if (extraBody !== undefined && !isObject(extraBody)) {
    throw new ConfigurationError("--extra-body: the JSON must be an object.");
  }
  return { search, request: request as CheckoutBookRequest & typeof request, extraBody };
}

/** Reads a list of passengers, alone or as `passengers` of an object. The checkout checks their fields. */
async function readPassengers(file: string): Promise<CheckoutBookRequest["passengers"]> {
  const content = await readJsonFlag("--passengers", file);
  const list = field(content, "passengers") ?? content;
  const other = Array.isArray(list) ? list.findIndex((passenger) => !isObject(passenger)) : undefined;
  if (other === -1) return list as CheckoutBookRequest["passengers"];
  const rule =
    other === undefined
      ? "the JSON must be a list with an object for each passenger"
      : `passenger ${other + 1} in the JSON must be an object`;
  throw new ConfigurationError(`--passengers: ${rule}; see npx serviceapi book --help.`);
}

/** Reads `--max-total`, as one word or two: `7600 INR` or `INR 7600`. The digits stay text. */
function readMaxTotal(words: readonly string[]): Money {
  const text = words.join(" ").trim();
  const { amount, currency } =
    /^(?<amount>[\d.]+) ?(?<currency>[a-z]{3})$/i.exec(text)?.groups ??
    /^(?<currency>[a-z]{3}) ?(?<amount>[\d.]+)$/i.exec(text)?.groups ??
    {};
  const money = readMoney(amount, currency);
  if (money !== null) return money;
  throw new ConfigurationError(
    'The limit --max-total must be an amount with its currency, such as "7600 INR" or "7600.50 INR". It comes after the trace_id and token.',
  );
}
