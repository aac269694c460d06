/** What a booking can be found by. */
export interface BookingReference {
  /** The airline's confirmation number; empty where the answer has none. */
  readonly pnr: string;
  /** The service's own number; empty where the answer has none. */
  readonly bookingId: string;
}

/**
 * Finds a PNR or a booking id in whatever `book` was answered with, under any status and of any shape (policy 30):
 * in `data.result` as §2.8 shows it, in `data`, at the root, and where any of these is a list.
 *
 * A reservation that exists must never be lost because the answer around it is odd.
 *
 * @returns The reference, or undefined where the answer names no booking (no PNR, and a `booking_id` that is absent or 0).
 */
export function findBookingReference(body: unknown): BookingReference | undefined {
  return (
    inside(body) ??
    inside(field(body, "data")) ??
    inside(field(field(body, "data"), "result")) ??
    inside(field(body, "result"))
  );
}

function inside(value: unknown): BookingReference | undefined {
  for (const candidate of Array.isArray(value) ? value : [value]) {
    const pnr = name(field(candidate, "pnr"));
    const bookingId = name(field(candidate, "booking_id"));
    if (pnr !== "" || bookingId !== "") return { pnr, bookingId };
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
