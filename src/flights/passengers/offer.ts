import { needFlags } from "../quote/normalize.ts";
import { instantOf, timeOrNull } from "../quote/times.ts";
import type { Segment } from "../types/index.ts";
import type { CheckContext } from "./context.ts";
import { isBlank } from "./fields.ts";
import { issue, type PassengerIssue } from "./issues.ts";

/** Checks the quote itself: unreadable flags, flights that are not confirmed or have left, a passed ticket deadline. */
export function checkOffer(context: CheckContext): PassengerIssue[] {
  return [...checkFlags(context), ...checkStatus(context), ...checkDeparted(context), ...checkDeadline(context)];
}

function checkFlags({ offer }: CheckContext): PassengerIssue[] {
  const message = "It is not known whether the fare needs this: ask for it before you book.";
  return needFlags
    .filter((flag) => offer[flag] === undefined)
    .map((flag) => issue("quote_flag_unreadable", ["offer", flag], message));
}

function checkStatus({ offer }: CheckContext): PassengerIssue[] {
  const message = "This flight is not confirmed: there may be no seat on it.";
  return offer.segments.flatMap(({ flight_status }, i) =>
    isConfirmed(flight_status)
      ? []
      : [issue("segment_not_confirmed", ["offer", "segments", i, "flight_status"], message)],
  );
}

/** `Confirmed` in any case. */
export function isConfirmed(status: string): boolean {
  return status.trim().toLowerCase() === "confirmed";
}

function checkDeparted({ offer, now }: CheckContext): PassengerIssue[] {
  if (now === undefined) return [];
  const index = offer.segments.findIndex((segment) => (latestDeparture(segment) ?? now) < now);
  if (index < 0) return [];
  const path = ["offer", "segments", index, "origin", "departure_time"];
  return [issue("flight_departed", path, "This flight has left: search again.")];
}

const hour = 3_600_000;

/**
 * The instant by which a flight has left for certain. India has one time zone, five and a half hours ahead of UTC;
 * elsewhere the clock of the airport may be up to twelve hours behind it.
 */
function latestDeparture({ origin }: Segment): number | null {
  const departure = instantOf(origin.departure_time, "UTC");
  if (departure === null) return null;
  return departure + (origin.country_code.trim().toUpperCase() === "IN" ? -5.5 : 12) * hour;
}

function checkDeadline({ offer, now, deadlineZone }: CheckContext): PassengerIssue[] {
  const path = ["offer", "last_ticket_date"];
  const deadline = instantOf(offer.last_ticket_date, deadlineZone);
  if (deadline === null && !isNotApplicable(offer.last_ticket_date)) {
    const message = "The ticket deadline cannot be read: ask for it before you book.";
    return [issue("ticket_deadline_unreadable", path, message)];
  }
  return now !== undefined && deadline !== null && deadline <= now
    ? [issue("ticket_deadline_passed", path, "The ticket deadline has passed: search again.")]
    : [];
}

/** Nothing, or a date of the years 0 and 1 (docs/assumptions.md, F3). */
function isNotApplicable(text: unknown): boolean {
  return isBlank(text) || (typeof text === "string" && timeOrNull(text) === null && /^\s*000[01]-/.test(text));
}
