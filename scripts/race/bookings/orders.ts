/** An order: one passenger on one flight. Its name is in the trace of every search for it. */
import { readFileSync } from "node:fs";
import type { FareQuote, Passenger } from "../../../src/flights/index.ts";

const samples = new URL("../../../src/emulator/samples/flight/", import.meta.url);
const read = (name: string) => JSON.parse(readFileSync(new URL(`${name}.json`, samples), "utf8"));
const quote: FareQuote = read("fare_quote/success-domestic-oneway-full-service");
const {
  passengers: [passenger],
}: { readonly passengers: readonly [Passenger] } = read("book/request-oneway-adult");

/** The quote of a search; every order flies on the same plane. */
export function quoteOf(trace_id: string, token: string): object {
  return { ...quote, data: { ...quote.data, trace_id, result: quote.data.result.map((one) => ({ ...one, token })) } };
}

/** Names have only letters. */
export function passengersOf(order: string): readonly Passenger[] {
  const lname = order.replaceAll(/\d/g, (digit) => "ABCDEFGHIJ".charAt(Number(digit))).toUpperCase();
  return [{ ...passenger, lname: lname.replaceAll(/[^A-Z]/g, "") }];
}

/** Two of three clients have the same search open, the third has searched again. */
export function searchOf(order: string, client: number): { readonly trace_id: string; readonly token: string } {
  const search = client === 2 ? "B" : "A";
  return { trace_id: `${order} ${search}`, token: `S-${order}-${search}` };
}
