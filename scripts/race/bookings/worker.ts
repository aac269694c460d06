/** One process of the shop: makes an attempt for each message, and may be killed at any moment. */
import { setTimeout as sleep } from "node:timers/promises";
import { ServiceApiError } from "../../../src/errors/base.ts";
import { BookingAlreadySentError, type BookingJournal, checkout } from "../../../src/flights/index.ts";
import { ServiceApi } from "../../../src/service-api.ts";
import { type JournalName, openJournal } from "./journals.ts";
import { passengersOf, searchOf } from "./orders.ts";
import type { Attempted, Task } from "./race.ts";

const [, , name, place = "", baseUrl] = process.argv;
/** Chance in a thousand that a process dies right after a claim, and right before it records a booking. */
const perMille = 6;
const tick = 250;

const { journal } = await openJournal(name as JournalName, place);
const mortal: BookingJournal = {
  ...journal,
  async claim(row, options) {
    // On the same tick of the clock in every process, so that claims on one order collide.
    await sleep(tick - (Date.now() % tick));
    const other = await journal.claim(row, options);
    if (other == null) perhapsDie();
    return other;
  },
  settle(row, from) {
    perhapsDie();
    return journal.settle(row, from);
  },
};
// Short deadlines make rows old soon.
const deadlines = { timeout: 1_500, totalTimeout: 2_000 };
const api = new ServiceApi({ baseUrl, clientId: "race", clientSecret: "race", ...deadlines });

process.on("message", (task: Task) => void attempt(task).then((result) => process.send?.({ id: task.id, ...result })));
process.once("disconnect", () => process.exit());
process.send?.({});

async function attempt({ order, client }: Task): Promise<Attempted> {
  try {
    const trip = checkout(api, searchOf(order, client), { journal: mortal });
    await trip.quote();
    const maxTotal = { amount: "8000", currency: "INR" };
    const { pnr, warnings } = await trip.book({ passengers: passengersOf(order), maxTotal });
    const isWarned = warnings.some(({ path }) => path[0] === "journal");
    return { what: isWarned ? "booked, with a warning" : "booked", isBooked: pnr !== "" };
  } catch (error) {
    if (!ServiceApiError.isInstance(error)) throw error;
    const isBooked = BookingAlreadySentError.isInstance(error) && error.row.state === "booked";
    return { what: error.name, isBooked };
  }
}

function perhapsDie(): void {
  if (Math.random() * 1_000 < perMille) process.kill(process.pid, "SIGKILL");
}
