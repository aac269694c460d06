/** What a booking can be found by. */
export interface BookingReference {
  /** The airline's confirmation number; empty if the response has none. */
  readonly pnr: string;
  /** The service's own number; empty if the response has none. */
  readonly bookingId: string;
  /** The part of the response that names it: `data.result` of §2.8 if all is as documented. */
  readonly booking: object;
}

/**
 * Finds a PNR or a booking ID in whatever `book` was answered with, under any status and of any shape: first where §2.8
 * shows it and beside that, then anywhere in the body, in any spelling (`PNR`, `bookingId`).
 *
 * A reservation that exists must never be lost because the response around it is odd.
 *
 * @param body - The parsed body.
 * @returns The reference, or undefined if the response names no booking: placeholders such as "NA", "pending", zeros and
 *   negative numbers name nothing.
 */
export function findBookingReference(body: unknown): BookingReference | undefined {
  const data = field(body, "data");
  // From the documented place outwards, then level by level. A loop: JSON may nest deeper than a stack.
  const places: unknown[] = [field(data, "result"), data, field(body, "result"), body];
  const seen = new Set<unknown>();
  for (let i = 0; i < places.length && seen.size < maxPlaces; i++) {
    const place = places[i];
    if (typeof place !== "object" || place === null || seen.has(place)) continue;
    seen.add(place);
    const found = Array.isArray(place) ? undefined : namedBy(place);
    if (found !== undefined) return found;
    places.push(...children(place));
  }
  return undefined;
}

/** More objects than any booking has: what lies beyond is no booking but a flood. */
const maxPlaces = 20_000;

function children(place: object): readonly unknown[] {
  return Object.values(place).filter((value) => typeof value === "object" && value !== null);
}

function namedBy(booking: object): BookingReference | undefined {
  let pnr = "";
  let bookingId = "";
  for (const [key, value] of Object.entries(booking)) {
    const name = key.toLowerCase().replaceAll(/[_\- ]/g, "");
    if (name === "pnr") pnr ||= nameIn(value);
    if (name === "bookingid") bookingId ||= nameIn(value);
  }
  return pnr === "" && bookingId === "" ? undefined : { pnr, bookingId, booking };
}

/** What stands where a name should, and says that there is none; with zeros, dashes and negative numbers. */
const placeholders = new Set(
  "na n/a n.a. n.a nil null none undefined nan false true pending awaited awaiting processing inprocess unknown failed error tbd tba tbc notavailable notapplicable notassigned notgenerated".split(
    " ",
  ),
);

/** A string or number that names something, else an empty string. */
function nameIn(value: unknown): string {
  const text = typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  if (/^[-–—_.?*#0\s]*$/.test(text) || /^-\s*\d/.test(text)) return "";
  return placeholders.has(text.toLowerCase().replaceAll(/[\s_-]+/g, "")) ? "" : text;
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
