import { ConfigurationError } from "../../errors/request.ts";
import type { CheckoutBookRequest, CheckoutParams } from "../../flights/checkout/options.ts";
import type { Money } from "../../flights/quote/money.ts";
import { field, isObject } from "../../shared/json.ts";
import type { ClientFlags } from "../shared/client.ts";
import { readJsonFlag } from "../shared/read-input.ts";
import { readMaxTotal } from "./money.ts";
import { readSearch, refuseStdinTwice, type SearchFlags } from "./search.ts";

/** The flags that say what to book. */
export interface OrderFlags extends SearchFlags, Pick<ClientFlags, "secretStdin"> {
  readonly passengers: string;
  readonly maxTotal: readonly string[];
  readonly agreed?: string;
  readonly result?: number;
  readonly acceptIssues?: CheckoutBookRequest["acceptIssues"];
  readonly extraBody?: string;
  readonly force?: boolean;
}

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
  flags: OrderFlags,
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
