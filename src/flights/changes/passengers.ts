import { field, stringOf } from "../../shared/json.ts";
import { capitals } from "../../shared/names.ts";
import { parseWallClock } from "../quote/times.ts";

/** A passenger whose booking differs from the request. It has indexes and names of fields, no personal data. */
export interface PassengerChange {
  /** `missing`: sent, not booked. `added`: booked, not sent. `changed`: booked with other values of `fields`. */
  readonly kind: "missing" | "added" | "changed";
  /** Index of the passenger in the request; absent for `added`. */
  readonly passenger?: number;
  /** Index of the passenger in the booking; absent for `missing`. */
  readonly booked?: number;
  /** Names of the fields that differ, such as `["dob"]`. With `changed` only. */
  readonly fields?: readonly string[];
}

const compared = ["fname", "lname", "dob", "passenger_type", "gender", "title"] as const;

/** Compares the passengers of the request with those of the booking, in any order; null if the booking has no names. */
export function comparePassengers(sent: readonly unknown[], booked: unknown): PassengerChange[] | null {
  if (!Array.isArray(booked) || !booked.every((one) => nameOf(one) !== "")) return null;
  const people = sent.map(readFields);
  const others = booked.map(readFields);
  // Those who are booked exactly as sent first, so that of two namesakes each finds their own.
  const exact = matchExactly(people, others);
  const open = new Set(others.keys());
  for (const place of exact) if (place !== undefined) open.delete(place);
  const namesakes = new Queues();
  for (const place of open) namesakes.add(nameOf(booked[place]), place);
  const changes = sent.flatMap((one, passenger): PassengerChange[] => {
    if (exact[passenger] !== undefined) return [];
    const place = namesakes.take([nameOf(one)]);
    if (place === undefined) return [{ kind: "missing", passenger }];
    open.delete(place);
    return [{ kind: "changed", passenger, booked: place, fields: differences(people[passenger], others[place]) }];
  });
  return [...changes, ...[...open].map((place): PassengerChange => ({ kind: "added", booked: place }))];
}

/** The fields of a passenger in the order of `compared`, as they are compared; undefined for each that is missing. */
type Fields = readonly (string | undefined)[];

function readFields(passenger: unknown): Fields {
  return compared.map((name) => {
    const value = stringOf(field(passenger, name));
    return value === "" ? undefined : read(name, value);
  });
}

/** Fields that both have and that differ. */
function differences(sent: Fields = [], booked: Fields = []): string[] {
  return compared.filter((_, i) => booked[i] !== undefined && (sent[i] ?? "") !== booked[i]);
}

/**
 * The place in the booking of each who is booked without a difference; undefined for the others. The booking is read
 * once, whatever the number of passengers: by the fields that each has there.
 */
function matchExactly(sent: readonly Fields[], booked: readonly Fields[]): (number | undefined)[] {
  const queues = new Queues();
  const shapes = new Map<string, Fields>();
  for (const [place, one] of booked.entries()) {
    queues.add(keyOf(one, one), place);
    shapes.set(one.map((value) => Number(value !== undefined)).join(""), one);
  }
  return sent.map((one) => queues.take([...shapes.values()].map((shape) => keyOf(one, shape))));
}

/** The fields that the other has too. */
function keyOf(one: Fields, shape: Fields): string {
  return JSON.stringify(shape.map((value, i) => (value === undefined ? null : (one[i] ?? ""))));
}

/** Places by key, each of which is taken once. */
class Queues {
  readonly #places = new Map<string, { readonly all: number[]; taken: number }>();

  add(key: string, place: number): void {
    const queue = this.#places.get(key);
    if (queue === undefined) this.#places.set(key, { all: [place], taken: 0 });
    else queue.all.push(place);
  }

  /** Takes the first place of several keys; undefined if none is left. */
  take(keys: readonly string[]): number | undefined {
    const queues = keys.flatMap((key) => this.#places.get(key) ?? []).filter(({ all, taken }) => taken < all.length);
    const place = Math.min(...queues.map(({ all, taken }) => all[taken] ?? 0));
    const queue = queues.find(({ all, taken }) => all[taken] === place);
    if (queue === undefined) return undefined;
    queue.taken += 1;
    return place;
  }
}

function read(name: (typeof compared)[number], value: string): string {
  if (name === "dob") return parseWallClock(value)?.toString().slice(0, 10) ?? value.trim();
  return letters(value);
}

function nameOf(passenger: unknown): string {
  return letters(`${stringOf(field(passenger, "fname"))}${stringOf(field(passenger, "lname"))}`);
}

/** An airline writes JOSÉ-LUIS as JOSELUIS. */
function letters(value: string): string {
  return capitals(value).replaceAll(/[^\p{L}\p{M}\p{N}]/gu, "");
}
