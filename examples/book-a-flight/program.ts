import { ServiceApiError } from "serviceapi";
import type { SearchName } from "serviceapi/emulator";
import {
  type Checkout,
  checkout,
  type FareQuoteResult,
  memoryJournal,
  OfferChangedError,
  type Passenger,
  PriceAboveLimitError,
  readMoney,
} from "serviceapi/flights";
import { connect } from "../connect.ts";
import { askPassengers, settleIssues } from "./form.ts";
import { showBooking, showFees, showOffer } from "./show.ts";
import type { Terminal } from "./terminal.ts";

/** The searches of the emulator to choose from. */
export const searches = [
  "domestic-oneway-full-service",
  "domestic-oneway-lcc",
  "domestic-roundtrip-one-token",
  "international-roundtrip-family",
  "gst-and-hold-mandatory",
  "senior-fare",
] as const satisfies readonly SearchName[];

/** Everything that can be set before the program starts. */
export interface Settled {
  readonly search?: SearchName | undefined;
  readonly passengers?: readonly Passenger[] | undefined;
  readonly priceChange?: boolean | undefined;
}

/** Books a flight, from a search to a PNR. Returns the exit code: 0 booked, 1 not booked, 2 unknown. */
export async function bookAFlight(terminal: Terminal, settled: Settled = {}): Promise<number> {
  const isReal = process.env.SERVICEAPI_BASE_URL !== undefined;
  const name = isReal ? undefined : (settled.search ?? (await chooseSearch(terminal)));
  const { api, search, emulator } = connect(name);
  // For this run. A `fileJournal` or `postgresJournal` also knows the bookings of earlier ones.
  const trip = checkout(api, search, { journal: memoryJournal() });

  const { data } = await trip.quote();
  const offerIndex = data.result.length > 1 ? await chooseResult(terminal, data.result) : 0;
  const offer = data.result[offerIndex];
  if (offer === undefined) return 1;
  showOffer(terminal, offer);
  showFees(terminal, offer);
  if (settled.priceChange) emulator?.on("flights.fareQuote", "success-higher-than-search");

  const passengers = settled.passengers ?? (await askPassengers(terminal, trip, offer, offerIndex));
  const acceptIssues = await settleIssues(terminal, trip, passengers, offerIndex);
  if (acceptIssues === undefined) return notBooked(terminal);
  return await book(terminal, trip, offer, { passengers, acceptIssues, offerIndex });
}

type Request = Parameters<Checkout["book"]>[0] & { readonly offerIndex: number };

/** Books at the price that was shown, and asks again if it changes. */
async function book(terminal: Terminal, trip: Checkout, offer: FareQuoteResult, request: Request): Promise<number> {
  const maxTotal = readMoney(offer.fare.total_fare, offer.fare.currency);
  if (maxTotal === null || !(await terminal.confirm(`Book for ${maxTotal.currency} ${maxTotal.amount}?`))) {
    return notBooked(terminal);
  }
  try {
    showBooking(terminal, await trip.book({ ...request, maxTotal }));
    return 0;
  } catch (error) {
    const quote =
      PriceAboveLimitError.isInstance(error) || OfferChangedError.isInstance(error) ? error.quote : undefined;
    const renewed = quote?.data.result[request.offerIndex];
    if (renewed !== undefined) {
      terminal.say("\nThe offer has changed since you saw it. Nothing is booked yet.");
      showOffer(terminal, renewed);
      return await book(terminal, trip, renewed, request);
    }
    if (!ServiceApiError.isInstance(error)) throw error;
    terminal.say(`\n${error.message}`);
    // A quote books nothing, whatever its outcome.
    const isUnknown = error.operation === "flights.book" && error.outcome === "unknown";
    return isUnknown ? 2 : notBooked(terminal);
  }
}

async function chooseSearch(terminal: Terminal): Promise<SearchName> {
  terminal.say("Which search?");
  const choice = await terminal.choose("Search", searches);
  return searches.find((search) => search === choice) ?? searches[0];
}

async function chooseResult(terminal: Terminal, offers: readonly FareQuoteResult[]): Promise<number> {
  const names = offers.map((offer, i) => `${i + 1}: ${offer.source} ${offer.fare.currency} ${offer.fare.total_fare}`);
  return names.indexOf(await terminal.choose("Which of the two is booked first", names));
}

function notBooked(terminal: Terminal): number {
  terminal.say("\nNothing is booked.");
  return 1;
}
