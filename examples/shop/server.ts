import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { BookingOutcomeUnknownError, DuplicateRequestError, type ServiceApi } from "serviceapi";
import {
  BookingAlreadySentError,
  type BookingJournal,
  type Checkout,
  type CheckoutParams,
  checkout,
  isPassenger,
  OfferChangedError,
  type PassengerIssue,
  PassengerValidationError,
  PriceAboveLimitError,
  resumeCheckout,
} from "serviceapi/flights";
import { formIssues, passengerForm, readPassengerForm } from "serviceapi/flights/forms";
import { bookedPage, type Html, messagePage, quotePage, type ShownQuote, showQuote } from "./pages.ts";

/** The part of a session that this shop keeps on the server: it contains tokens. */
interface Session {
  trip: string;
  shown: ShownQuote;
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
    const trip = checkout(api, await search(), { journal });
    const shown = showQuote(await trip.quote());
    const id = randomUUID();
    sessions.set(id, { trip: JSON.stringify(trip), shown });
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

/** Books what the page showed, at no higher price. */
async function pay(trip: Checkout, session: Session, sent: FormData): Promise<Html> {
  const { shown } = session;
  const agreedQuote = shown.quote;
  const [offer] = agreedQuote.data.result;
  if (offer === undefined) return quotePage(shown);
  const again = (found: readonly PassengerIssue[]) =>
    quotePage(shown, "Please correct:", { sent, issues: formIssues(found) });
  const passengers = readPassengerForm(passengerForm(offer), sent);
  if (!passengers.every(isPassenger)) return again(trip.validate(passengers));
  try {
    const { currency, total_fare } = offer.fare;
    return bookedPage(await trip.book({ passengers, maxTotal: { amount: String(total_fare), currency }, agreedQuote }));
  } catch (error) {
    if (PassengerValidationError.isInstance(error)) return again(error.issues);
    if (PriceAboveLimitError.isInstance(error) || OfferChangedError.isInstance(error)) {
      session.shown = showQuote(error.quote); // has its own ID, so the same click again does not agree to it
      return quotePage(session.shown, "The offer has changed. Nothing is booked yet.", { sent });
    }
    if (!mayExist(error)) throw error;
    return messagePage("We are checking", "Your booking may exist already. Do not book again; we will write to you.");
  }
}

function mayExist(error: unknown): boolean {
  const isOpen = BookingOutcomeUnknownError.isInstance(error) || DuplicateRequestError.isInstance(error);
  return isOpen || BookingAlreadySentError.isInstance(error);
}
