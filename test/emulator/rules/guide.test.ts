import { describe, expect, it } from "vitest";
import { createEmulator } from "../../../src/emulator/emulator.ts";
import { checkout, memoryJournal } from "../../../src/flights/index.ts";
import { caught, clientOf, sample } from "../helpers.ts";

const passengers = sample("flight/book/request-oneway-adult").passengers;

async function quoted() {
  const emulator = createEmulator({ pace: 0 });
  const trip = checkout(clientOf(emulator), emulator.seedSearch(), { journal: memoryJournal() });
  await trip.quote();
  return { emulator, book: () => caught(trip.book({ passengers, requoteIfOlderThan: 0 })) };
}

describe("docs/testing.md shows how to see", () => {
  it.each([
    ["PriceAboveLimitError", "success-higher-than-search"],
    ["OfferChangedError", "success-domestic-oneway-lcc"],
  ] as const)("%s", async (name, scenario) => {
    const { emulator, book } = await quoted();
    emulator.on("flights.fareQuote", scenario);
    expect(await book()).toMatchObject({ name });
    expect(emulator.bookings).toEqual([]);
  });

  it("BookingOutcomeUnknownError", async () => {
    const { emulator, book } = await quoted();
    emulator.on("flights.book", "reset-after");
    expect(await book()).toMatchObject({ name: "BookingOutcomeUnknownError" });
    expect(emulator.bookings).toHaveLength(1);
  });
});
