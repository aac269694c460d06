import type { Delivery, DeliveryAttempt } from "../deliveries/types.ts";
import type { EmulatorControls } from "../http/control.ts";
import type { Watchers } from "../service/watchers.ts";
import type { EmulatedBooking } from "../state/types.ts";
import { showText } from "./masks.ts";
import type { ShownAttempt, ShownBooking, ShownDelivery, ShownState } from "./messages.ts";
import { cutText } from "./shorten.ts";

/** The emulator that a console watches. */
export interface WatchedEmulator {
  readonly controls: EmulatorControls;
  readonly watchers: Watchers;
}

/** The number of entries of each list that the page shows. */
const maxEntries = 50;

/** Returns the active rules, and the latest entries of each list. */
export function currentState({ controls }: WatchedEmulator, showsPersonalData: boolean): ShownState {
  const { active, requests, bookings, deliveries } = controls;
  return {
    active: latest(active).map(({ id, name, operation, remaining }) => ({
      ...{ id, name, operation },
      remaining: Number.isFinite(remaining) ? remaining : undefined,
    })),
    bookings: latest(bookings).map((booking) => showBooking(booking, showsPersonalData)),
    deliveries: latest(deliveries).map(showDelivery),
    counts: { requests: requests.length, bookings: bookings.length, deliveries: deliveries.length },
  };
}

function latest<T>(list: readonly T[]): readonly T[] {
  return list.slice(-maxEntries).reverse();
}

function showBooking(
  { client_referenceId, pnr, booking_id }: EmulatedBooking,
  showsPersonalData: boolean,
): ShownBooking {
  return {
    client_referenceId: cutText(client_referenceId, 200),
    pnr: showText(cutText(pnr, 200), showsPersonalData),
    booking_id: showText(`${booking_id}`, showsPersonalData),
  };
}

function showDelivery({ client_referenceId, event, state, attempts, nextAttemptAt }: Delivery): ShownDelivery {
  return {
    client_referenceId: cutText(client_referenceId, 200),
    status: cutText(`${event.status}`, 50),
    state,
    nextAttemptAt: nextAttemptAt === undefined ? undefined : new Date(nextAttemptAt).toISOString(),
    attempts: attempts.map(showAttempt),
  };
}

function showAttempt({ at, httpStatus, status, problems, duration }: DeliveryAttempt): ShownAttempt {
  return { at: new Date(at).toISOString(), httpStatus, status, problems, duration };
}
