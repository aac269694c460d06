/** The calls of a worker: each is in the ledger before it is made, and again when it has ended. */

import type { SeededSearch } from "../../src/emulator/emulator.ts";
import { ServiceApiError } from "../../src/errors/base.ts";
import { type BookingJournal, checkout } from "../../src/flights/index.ts";
import type { ServiceApi } from "../../src/service-api.ts";
import { passengersOf } from "../race/bookings/orders.ts";
import type { Chance } from "./chance.ts";
import type { CallEnd, CallKind, LedgerWriter } from "./ledger.ts";

export interface Caller {
  readonly api: ServiceApi;
  readonly serviceUrl: string;
  readonly journals: readonly [BookingJournal, ...BookingJournal[]];
  readonly ledger: LedgerWriter;
  readonly chance: Chance;
  /** The requests that were reported for the last call. */
  readonly sent: () => number;
  /** Unique to the process; letters and digits. */
  readonly process: string;
  now(): number;
}

/** Makes calls until `isStopping` returns true. */
export async function makeCalls(caller: Caller, user: number, isStopping: () => boolean): Promise<void> {
  const { chance } = caller;
  for (let n = 0; !isStopping(); n += 1) {
    const reference = `${caller.process}u${user}x${n}`;
    await chance.pick([verify, ask, stream, stream, book, book])(caller, reference);
    await new Promise((resolve) => setTimeout(resolve, chance.between(20, 250)));
  }
}

/** Returns whether the call was done. */
async function record(
  { ledger, sent }: Caller,
  kind: CallKind,
  reference: string,
  call: () => Promise<Pick<CallEnd, "pnr">>,
): Promise<boolean> {
  ledger.write({ type: "call", kind, reference });
  try {
    const finished = await call();
    ledger.write({ type: "outcome", reference, outcome: "done", name: "ok", attempts: sent(), ...finished });
    return true;
  } catch (error) {
    if (!ServiceApiError.isInstance(error)) throw error;
    const { name, outcome, attempts } = error;
    ledger.write({ type: "outcome", reference, outcome, name, attempts });
    return false;
  }
}

const verify = (caller: Caller, reference: string) =>
  record(caller, "verify", reference, async () => {
    const params = { vpa_mobile: "9876540001", consent: "Y", clientData: { client_id: reference } } as const;
    const { clientData } = await caller.api.verification.findVpas(params);
    if (clientData.client_id !== reference) throw new Error("the response of another request");
    return {};
  });

const ask = (caller: Caller, reference: string) =>
  record(caller, "ask", reference, async () => {
    const params = { user: { text: reference }, client_referenceId: reference };
    const { system } = await caller.api.ai.createResponse(params);
    expectWhole(system.text, reference);
    return {};
  });

const stream = (caller: Caller, reference: string) =>
  record(caller, "stream", reference, async () => {
    const command = caller.chance.pick(["", "", "/framing:ndjson ", "/bytes:3 ", "/truncate ", "/fail "]);
    const text = `${command}${"a word and another ".repeat(caller.chance.between(1, 8))}${reference}`;
    const reading = caller.api.ai.stream({ user: { text }, client_referenceId: reference });
    let whole = "";
    for await (const piece of reading.textStream) whole += piece;
    expectWhole(whole, reference);
    return {};
  });

/** An error that is not of the library ends the worker, which no account forgives. */
function expectWhole(text: string, reference: string): void {
  if (!text.includes(`${reference}\n`) || !text.endsWith("characters\n"))
    throw new Error(`${reference} was done, but its text is not whole`);
}

/** An order: a quote and a booking, and after a failure an impatient second attempt after another search. */
async function book(caller: Caller, order: string): Promise<void> {
  const journal = caller.chance.pick(caller.journals);
  const days = new Set<string>();
  for (const reference of [`${order}a`, `${order}b`]) {
    const search = await seedSearch(caller.serviceUrl);
    const trip = checkout(caller.api, search, { journal, now: caller.now });
    const isQuoted = await record(caller, "quote", search.trace_id, async () => {
      const { data } = await trip.quote();
      days.add(data.result[0]?.segments[0]?.origin.departure_time.slice(0, 10) ?? "");
      return {};
    });
    if (!isQuoted) continue;
    // The emulator's searches are for the day of its clock: after midnight it is another trip.
    if (days.size > 1) return;
    const isBooked = await record(caller, "book", reference, async () => {
      const { pnr } = await trip.book({ passengers: passengersOf(order), clientReferenceId: reference });
      return { pnr };
    });
    if (isBooked) return;
  }
}

async function seedSearch(serviceUrl: string): Promise<SeededSearch> {
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${serviceUrl}/__emulator/searches`, { method: "POST", headers, body: "{}" });
  return (await response.json()) as SeededSearch;
}
