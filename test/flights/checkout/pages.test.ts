import fc from "fast-check";
import { expect, it } from "vitest";
import { ServiceApiError } from "../../../src/errors/base.ts";
import {
  adviceFor,
  BookingIncompleteError,
  type BookingJournal,
  type Checkout,
  checkout,
  JournalError,
  memoryJournal,
  quoteToken,
} from "../../../src/flights/index.ts";
import { isDeep, timeout } from "../../support/explorer/explore.ts";
import { inbound, outbound, quoteWith } from "./round-trip.ts";
import { booked, clientOf, day, inr, passengers, refused } from "./support.ts";

type Answer = "booked" | "refused" | "lost" | "lostAfter";

/** The fate of a step of the journal: it works, is never done, or is done and its result is lost. */
type Fate = "works" | "fails" | "lost";

/** A page that books an order; each has another search. */
interface Page {
  readonly isCorrected: boolean;
  /** Whether its quote has the way back first. */
  readonly isReversed: boolean;
}

const ways = { out: outbound, back: inbound };
const corrected = passengers.map((one) => ({ ...one, lname: "SIMPLE" }));

const answers = fc.array(fc.constantFrom<Answer>("booked", "refused", "lost", "lostAfter"), { maxLength: 6 });
const fates = fc.array(fc.constantFrom<Fate>(...Array.from({ length: 12 }, () => "works" as const), "fails", "lost"), {
  maxLength: 30,
});
const page = fc.record<Page>({ isCorrected: fc.boolean(), isReversed: fc.boolean() });

it("two pages of an order book no way twice and for nobody else, and say what is true, in whatever order their steps come", {
  timeout,
}, async () => {
  const holds = async (
    scheduler: fc.Scheduler,
    given: readonly Answer[],
    fates: readonly Fate[],
    pages: readonly Page[],
  ) => {
    const [rest, restOfFates] = [[...given], [...fates]];
    /** The references of what is booked, by way, and the names for which it is. */
    const [made, names] = [new Map<string, string>(), new Set<string>()];
    const steps = Object.entries(memoryJournal()).map(([name, step]) => {
      const later = async (...given: readonly never[]) => {
        await scheduler.schedule(Promise.resolve(), name);
        const fate = restOfFates.shift() ?? "works";
        if (fate === "fails") throw new Error(`${name} was not done.`);
        const result = await (step as (...given: readonly never[]) => unknown)(...given);
        if (fate === "lost") throw new Error(`The result of ${name} was lost.`);
        await scheduler.schedule(Promise.resolve(), `the result of ${name}`);
        return result;
      };
      return [name, later];
    });
    const journal: BookingJournal = Object.fromEntries(steps);

    async function book({ token, client_referenceId, passengers: people }: Record<string, unknown>) {
      await scheduler.schedule(Promise.resolve(), "the booking arrives");
      const answer = rest.shift() ?? "booked";
      const [way = ""] = String(token).split(" ");
      if (answer === "refused") return refused("The flight is no longer available");
      if (answer === "lost") return new Response("", { status: 502 });
      expect([way, made.get(way)]).toEqual([way, undefined]);
      made.set(way, String(client_referenceId));
      names.add(JSON.stringify(people));
      expect(names.size).toBe(1);
      await scheduler.schedule(Promise.resolve(), "the response arrives");
      return answer === "booked" ? booked(way === "out" ? "PNR001" : "PNR002") : new Response("", { status: 502 });
    }

    async function visit({ isCorrected, isReversed }: Page, i: number): Promise<void> {
      const order = isReversed ? (["back", "out"] as const) : (["out", "back"] as const);
      const offers = order.map((way) => ({ ...ways[way], token: quoteToken(`${way} ${i}`) }));
      const { api } = clientOf({ quote: () => quoteWith(...offers), book });
      const search = { trace_id: `T${i}`, token: `S${i}` };
      const trip = checkout(api, search, { journal, orderId: "order-17", now: () => day });
      const quote = (): Promise<unknown> =>
        trip.quote().catch((error) => (JournalError.isInstance(error) ? quote() : Promise.reject(error)));
      await quote();
      const asked = { passengers: isCorrected ? corrected : passengers, maxTotal: inr("99999") };
      await click(trip, asked, order[0]);
      await click(trip, asked, order[0]);
    }

    async function click(trip: Checkout, asked: Parameters<Checkout["bookAll"]>[0], first: string): Promise<void> {
      const failure = await trip.bookAll(asked).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure === undefined) return expect(made.size).toBe(2);
      const advice = adviceFor(failure);
      if (!ServiceApiError.isInstance(failure) || advice === null) throw failure;
      if (advice.next === "booked") expect([...made.keys()]).toContain(first);
      const standing = BookingIncompleteError.isInstance(failure) ? failure.booked : [];
      expect([...made.values()]).toEqual(expect.arrayContaining(standing.map((row) => row.clientReferenceId)));
    }

    await scheduler.waitFor(Promise.all(pages.map(visit)));
  };
  const orders = fc.asyncProperty(fc.scheduler(), answers, fates, fc.tuple(page, page), holds);
  await fc.assert(orders, { numRuns: isDeep ? 10_000 : 200, seed: 1 });
});
