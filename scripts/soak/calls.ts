/** The calls of a worker: each is in the ledger before it is made, and again when it has ended. */
import { readFileSync } from "node:fs";
import type { SeededSearch } from "../../src/emulator/emulator.ts";
import { ServiceApiError } from "../../src/errors/base.ts";
import { BookingAlreadySentError, type BookingJournal, checkout, type Passenger } from "../../src/flights/index.ts";
import type { ServiceApi } from "../../src/service-api.ts";
import type { Chance } from "./chance.ts";
import type { JournalName } from "./journals.ts";
import type { CallEnd, CallKind, Write } from "./ledger.ts";

export interface Caller {
  readonly api: ServiceApi;
  readonly write: Write;
  readonly chance: Chance;
  /** The requests that were reported for the last call. */
  readonly sent: () => number;
  /** Unique to the process; letters and digits. */
  readonly process: string;
  now(): number;
}

/** An attempt of a client to book an order. */
export interface Attempt {
  readonly order: number;
  /** `o` and the order, the letter of the client and the number of its attempt. */
  readonly reference: string;
  readonly search: SeededSearch;
  readonly journal: JournalName;
}

/** Milliseconds from the start of an attempt in which the service makes its booking, or never. */
export const bookingLimit = 10_000;

/** Makes calls until `isStopping` returns true. */
export async function makeCalls(caller: Caller, user: number, isStopping: () => boolean): Promise<void> {
  const { chance } = caller;
  for (let n = 0; !isStopping(); n += 1) {
    const reference = `${caller.process}u${user}x${n}`;
    const kind = chance.pick(["verify", "ask", "stream", "stream"] as const);
    await record(caller, kind, reference, () => calls[kind](caller, reference).then(() => ({})));
    await new Promise((resolve) => setTimeout(resolve, chance.between(20, 250)));
  }
}

/** A quote and a booking. Returns whether the order is booked, by this attempt or another. */
export async function attemptOrder(caller: Caller, attempt: Attempt, journal: BookingJournal): Promise<boolean> {
  const { order, reference } = attempt;
  const trip = checkout(caller.api, attempt.search, { journal, now: caller.now });
  const unquoted = await record(caller, "quote", `${reference}q`, () => trip.quote().then(() => ({})));
  if (unquoted !== undefined) return false;
  const failure = await record(caller, "book", reference, async () => {
    const { pnr } = await trip.book({ passengers: passengersOf(order), clientReferenceId: reference });
    return { pnr };
  });
  return failure === undefined || (BookingAlreadySentError.isInstance(failure) && failure.row.state === "booked");
}

/** Returns the error of a call that was not done. */
async function record(
  { write, sent }: Caller,
  kind: CallKind,
  reference: string,
  call: () => Promise<Pick<CallEnd, "pnr">>,
): Promise<ServiceApiError | undefined> {
  write({ type: "call", kind, reference });
  try {
    const finished = await call();
    write({ type: "outcome", reference, outcome: "done", name: "ok", attempts: sent(), ...finished });
    return undefined;
  } catch (error) {
    if (!ServiceApiError.isInstance(error)) throw error;
    const { name, outcome, attempts } = error;
    write({ type: "outcome", reference, outcome, name, attempts });
    return error;
  }
}

const calls: Readonly<Record<"verify" | "ask" | "stream", (caller: Caller, reference: string) => Promise<void>>> = {
  async verify({ api }, reference) {
    const params = { vpa_mobile: "9876540001", consent: "Y", clientData: { client_id: reference } } as const;
    const { clientData } = await api.verification.findVpas(params);
    if (clientData.client_id !== reference) throw new Error("the response of another request");
  },
  async ask({ api }, reference) {
    const { system } = await api.ai.createResponse({ user: { text: reference }, client_referenceId: reference });
    expectWhole(system.text, reference);
  },
  async stream({ api, chance }, reference) {
    const command = chance.pick(["", "", "/framing:ndjson ", "/bytes:3 ", "/truncate ", "/fail "]);
    const text = `${command}${"a word and another ".repeat(chance.between(1, 8))}${reference}`;
    let whole = "";
    for await (const piece of api.ai.stream({ user: { text }, client_referenceId: reference }).textStream)
      whole += piece;
    expectWhole(whole, reference);
  },
};

/** An error that is not of the library ends the worker, which no account forgives. */
function expectWhole(text: string, reference: string): void {
  if (!text.includes(`${reference}\n`) || !text.endsWith("characters\n"))
    throw new Error(`${reference} was done, but its text is not whole`);
}

const sample = new URL("../../src/emulator/samples/flight/book/request-oneway-adult.json", import.meta.url);
const [passenger]: readonly [Passenger] = JSON.parse(readFileSync(sample, "utf8")).passengers;

/** One passenger on the flight of all orders, born on a day that no other order has: two names may count as one. */
function passengersOf(order: number): readonly Passenger[] {
  const bornOn = new Date(Date.UTC(1940, 0, 1 + order));
  return [{ ...passenger, dob: bornOn.toISOString().slice(0, 10) }];
}
