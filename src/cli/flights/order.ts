import { ConfigurationError } from "../../errors/request.ts";
import type { CheckoutBookRequest, CheckoutParams } from "../../flights/checkout/options.ts";
import { type Money, readMoney } from "../../flights/quote/money.ts";
import { field, isObject } from "../../shared/json.ts";
import { readJsonFlag } from "../shared/input.ts";
import { type ClientFlags, type FlagsOf, option, required } from "../shared/options.ts";
import { readSearch, refuseStdinTwice, resultOption, searchOptions } from "./search.ts";

/** The options that say what to book. */
export const orderOptions = [
  ...searchOptions,
  required(option("--passengers <file>", "JSON file with the passengers, or - for standard input")),
  required(option("--max-total <amount...>", 'the most that it may cost, such as 7600 INR or "7600 INR"')),
  option("--yes", "book it; without this flag, it only prints what it would book"),
  option("--reference <text>", "your client_referenceId of the booking (default: a new one)"),
  resultOption("the only one"),
  option("--agreed <file>", "quote that was agreed to, printed by quote --json; refuses other flights and terms"),
  option("--accept-issues <code...>", "passenger checks whose errors do not stop the booking"),
  option("--extra-body <file>", "JSON file with fields to add to the request, such as passport details"),
  option("--force", "book although an earlier booking of it exists or may exist"),
] as const;

/** A booking as it was ordered. */
export interface Order {
  readonly search: CheckoutParams;
  readonly request: CheckoutBookRequest & { readonly maxTotal: Money };
  readonly extraBody: Record<string, unknown> | undefined;
}

/** The price is compared with a quote of this run, which is younger. */
const maxQuoteAge = 60_000;

/**
 * Reads what to book from the flags and their files.
 *
 * @throws ConfigurationError for a missing or invalid one. Nothing was sent.
 */
export async function readOrder(
  traceId: string | undefined,
  token: string | undefined,
  flags: FlagsOf<typeof orderOptions> & Pick<ClientFlags, "secretStdin">,
): Promise<Order> {
  refuseStdinTwice(flags);
  const maxTotal = readMaxTotal(flags.maxTotal);
  const agreed = flags.agreed === undefined ? undefined : await readJsonFlag("--agreed", flags.agreed);
  const search = await readSearch(traceId, token, flags, agreed);
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
  return { search, request: request as Order["request"], extraBody: await readExtraBody(flags.extraBody) };
}

/** Reads a list of passengers, alone or as `passengers` of an object. The checkout checks their fields. */
async function readPassengers(file: string): Promise<CheckoutBookRequest["passengers"]> {
  const content = await readJsonFlag("--passengers", file);
  const list = field(content, "passengers") ?? content;
  const other = Array.isArray(list) ? list.findIndex((passenger) => !isObject(passenger)) : undefined;
  if (other === -1) return list as CheckoutBookRequest["passengers"];
  throw new ConfigurationError(
    `--passengers: ${other === undefined ? "the JSON must be a list with an object for each passenger" : `passenger ${other + 1} in the JSON must be an object`}; see npx serviceapi book --help.`,
  );
}

async function readExtraBody(file: string | undefined): Promise<Record<string, unknown> | undefined> {
  if (file === undefined) return undefined;
  const content = await readJsonFlag("--extra-body", file);
  if (isObject(content)) return content;
  throw new ConfigurationError("--extra-body: the JSON must be an object.");
}

/**
 * Reads `--max-total`, as one word or two: `7600 INR` or `INR 7600`. The digits stay text.
 *
 * @throws ConfigurationError for anything else, such as an amount without a currency.
 */
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
