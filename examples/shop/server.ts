import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import type { ServiceApi } from "serviceapi";
import {
  adviceFor,
  type BookingJournal,
  type Checkout,
  type CheckoutParams,
  checkout,
  isPassenger,
  type PassengerIssue,
  resumeCheckout,
} from "serviceapi/flights";
import { formIssues, passengerForm, readPassengerForm } from "serviceapi/flights/forms";
import { bookedPage, type Html, messagePage, quotePage, type ShownQuote, showQuote } from "./pages.ts";

/** The part of a session that this shop keeps on the server: it contains tokens. */
interface Session {
  trip: string;
  shown: ShownQuote;
  /** The references of the bookings begin with it. */
  readonly orderId: string;
  /** Whether the order goes on in the next search. */
  isPartBooked: boolean;
}

/**
 * Creates a shop with a quote page and a payment page.
 *
 * @param search - The flight search, which the document of the service does not describe.
 */
export function createShop(api: ServiceApi, search: () => Promise<CheckoutParams>, journal: BookingJournal): Hono {
  const sessions = new Map<string, Session>();
  const app = new Hono();

  app.get("/", async (context) => {
    const earlier = sessions.get(getCookie(context, "trip") ?? "");
    const orderId = earlier?.isPartBooked ? earlier.orderId : randomUUID();
    const trip = checkout(api, await search(), { journal, orderId });
    try {
      await trip.quote();
    } catch (error) {
      const advice = adviceFor(error);
      if (advice === null) throw error;
      return context.html(messagePage("No offer", advice.text), 409);
    }
    const shown = showQuote(trip);
    const id = randomUUID();
    sessions.set(id, { trip: JSON.stringify(trip), shown, orderId, isPartBooked: false });
    setCookie(context, "trip", id, { httpOnly: true, sameSite: "Lax" });
    return context.html(quotePage(shown));
  });

  app.post("/pay", async (context) => {
    const session = sessions.get(getCookie(context, "trip") ?? "");
    if (session === undefined) return context.html(messagePage("Too late", "Search again."), 410);
    const form = await context.req.formData().catch(() => null);
    if (form === null) return context.html(messagePage("Not a form", "Send the form of the page."), 400);
    // The form is of another tab, or is sent again after the offer changed: whoever sent it has not agreed to this quote.
    if (form.get("quote") !== session.shown.id) return context.html(quotePage(session.shown, outdated));
    const trip = resumeCheckout(api, session.trip, { journal });
    try {
      return context.html(await pay(trip, session, form));
    } finally {
      session.trip = JSON.stringify(trip); // also after an error: the trip may refer to a new quote, or to an open booking
    }
  });

  return app;
}

const outdated = "The page was out of date. This is the current offer; your last click booked nothing.";

/** Books what the page showed, at no higher price: what an earlier click has booked is kept. */
async function pay(trip: Checkout, session: Session, sent: FormData): Promise<Html> {
  const { shown } = session;
  const { quote: agreedQuote, total: maxTotal } = shown;
  const offers = agreedQuote.data.result;
  const passengers = readPassengerForm(passengerForm(offers), sent);
  const again = (text: string, found: readonly PassengerIssue[]) =>
    quotePage(shown, text, { sent, issues: formIssues(found) });
  if (!passengers.every(isPassenger)) return again("Please correct:", trip.validate(passengers));
  try {
    const made = await trip.bookAll({ passengers, agreedQuote, maxTotal });
    session.isPartBooked = false;
    return bookedPage(trip.bookingAttempts, made);
  } catch (error) {
    const advice = adviceFor(error);
    if (advice === null) throw error;
    const { next, booked } = advice;
    session.isPartBooked = booked.length > 0;
    const text = [advice.text, ...booked.map(({ summary = "" }) => summary)].join(" ");
    if (next === "correct") return again(text, advice.issues);
    if (next === "retry") return again(text, []);
    // Nobody can agree to a price that is not known.
    if (next !== "confirm" || trip.total === null) return messagePage(titles[next], text);
    session.shown = showQuote(trip); // has its own ID, so the same click again does not agree to it
    return quotePage(session.shown, text, { sent });
  }
}

const titles = { search: "Sold out", wait: "We are checking", booked: "Booked already", confirm: "Please call us" };
