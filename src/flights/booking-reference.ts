/** What a booking can be found by. */
export interface BookingReference {
  /** The airline's confirmation number; empty where the answer has none. */
  readonly pnr: string;
  /** The service's own number; empty where the answer has none. */
  readonly bookingId: string;
  /** The part of the answer that names it: `data.result` of §2.8 where all is as documented. */
  readonly booking: object;
}

/**
 * Finds a PNR or a booking id in whatever `book` was answered with, under any status and of any shape (policy 30):
 * in `data.result` as §2.8 shows it, in `data`, in `result`, at the root, and where any of these is a list.
 *
 * A reservation that exists must never be lost because the answer around it is odd.
 *
 * @returns The reference, or undefined where the answer names no booking (no PNR, and a `booking_id` that is absent or 0).
 */
export function findBookingReference(body: unknown): BookingReference | undefined {
  const data = field(body, "data");
  for (const place of [field(data, "result"), data, field(body, "result"), body]) {
    for (const booking of Array.isArray(place) ? place : [place]) {
      const pnr = name(field(booking, "pnr"));
      const bookingId = name(field(booking, "booking_id"));
      if (pnr !== "" || bookingId !== "") return { pnr, bookingId, booking };
    }
  }
  return undefined;
}

/** A text or a number that names something: not empty, not nought. */
function name(value: unknown): string {
  const text = typeof value === "string" ? value.trim() : typeof value === "number" ? String(value) : "";
  return /^0*$/.test(text) ? "" : text;
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
}
