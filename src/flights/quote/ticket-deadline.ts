import { ConfigurationError } from "../../errors/request.ts";
import { instantOf, requireTimeZone, timeOrNull } from "./times.ts";

/** The time by which a ticket must be issued (§3.4). */
export class TicketDeadline {
  /** Wall-clock time of the service, `YYYY-MM-DD HH:mm:ss`. */
  readonly text: string;
  /** Time zone of `text`. The document names none. */
  readonly zone: string;
  /** The deadline in milliseconds since 1970. */
  readonly instant: number;

  /** @internal Use {@link ticketDeadline}. */
  constructor(text: string, zone: string, instant: number) {
    this.text = text;
    this.zone = zone;
    this.instant = instant;
  }

  /**
   * Returns the time left until the deadline.
   *
   * @param now - A `Date`, or milliseconds since 1970. @default the present
   * @throws {@link ConfigurationError} if `now` is neither.
   */
  remaining(now: Date | number = Date.now()): RemainingTime {
    const isTime = now instanceof Date || typeof now === "number";
    const duration = isTime ? this.instant - Number(now) : Number.NaN;
    if (!Number.isFinite(duration)) {
      throw new ConfigurationError("remaining: `now` must be a valid Date, or milliseconds since 1970.");
    }
    return { duration, passed: duration <= 0, text: inWords(duration) };
  }
}

/** Time left until a {@link TicketDeadline}. */
export interface RemainingTime {
  /** Milliseconds; negative after the deadline. */
  readonly duration: number;
  /** Whether the deadline has passed. */
  readonly passed: boolean;
  /** The time for a person, such as `1 d 4 h`, `35 min` or `over`. */
  readonly text: string;
}

/**
 * Reads `last_ticket_date` of a quote or a booking.
 *
 * @param result - A fare quote result or a booking result.
 * @param zone - Time zone of `last_ticket_date`. @default "Asia/Kolkata" (docs/assumptions.md, F4)
 * @returns The deadline, or null if it does not apply (`0001-01-01 00:00:00`).
 * @throws {@link ConfigurationError} for a zone that the runtime does not know, or a `result` that is not an object.
 *
 * @example
 * ```ts
 * import { ticketDeadline } from "serviceapi/flights";
 *
 * const { body } = await trip.book({ passengers });
 * console.log(ticketDeadline(body.data.result)?.remaining().text ?? "no deadline");
 * ```
 */
export function ticketDeadline(
  result: { readonly last_ticket_date?: unknown },
  zone = "Asia/Kolkata",
): TicketDeadline | null {
  if (typeof result !== "object" || result === null) {
    throw new ConfigurationError("ticketDeadline: `result` must be a fare quote result or a booking result.");
  }
  requireTimeZone("ticketDeadline", zone);
  const text = timeOrNull(result.last_ticket_date);
  const instant = instantOf(text, zone);
  return text === null || instant === null ? null : new TicketDeadline(text, zone, instant);
}

function inWords(duration: number): string {
  const minutes = Math.floor(duration / 60_000);
  if (duration <= 0) return "over";
  if (minutes < 1) return "less than a minute";
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}
