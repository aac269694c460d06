import { field, stringOf } from "../../shared/json.ts";
import { capitals } from "../quote/spelling.ts";
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
  const open = new Set(booked.keys());
  const take = (fits: (place: number) => boolean) => {
    const place = [...open].find(fits);
    if (place !== undefined) open.delete(place);
    return place;
  };
  // Those who are booked exactly as sent first, so that of two namesakes each finds their own.
  const exact = sent.map((one) => take((place) => differences(one, booked[place]).length === 0));
  const changes = sent.flatMap((one, passenger): PassengerChange[] => {
    if (exact[passenger] !== undefined) return [];
    const place = take((other) => nameOf(booked[other]) === nameOf(one));
    if (place === undefined) return [{ kind: "missing", passenger }];
    return [{ kind: "changed", passenger, booked: place, fields: differences(one, booked[place]) }];
  });
  return [...changes, ...[...open].map((place): PassengerChange => ({ kind: "added", booked: place }))];
}

/** Fields that both have and that differ. */
function differences(sent: unknown, booked: unknown): string[] {
  return compared.filter((name) => {
    const [a, b] = [stringOf(field(sent, name)), stringOf(field(booked, name))];
    return b !== "" && read(name, a) !== read(name, b);
  });
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
