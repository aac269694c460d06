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
  type FareQuote,
  isPassenger,
  OfferChangedError,
  PassengerValidationError,
  PriceAboveLimitError,
  resumeCheckout,
} from "serviceapi/flights";
import { formIssues, passengerForm, readPassengerForm } from "serviceapi/flights/forms";
import { bookedPage, type Html, messagePage, quotePage } from "./pages.ts";

/** The part of a session that this shop keeps on the server: it contains tokens. */
interface Session {
  trip: string;
  agreed: FareQuote;
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
    const agreed = await trip.quote();
    const id = randomUUID();
    sessions.set(id, { trip: JSON.stringify(trip), agreed });
    setCookie(context, "trip", id, { httpOnly: true, sameSite: "Lax" });
    return context.html(quotePage(agreed));
  });

  app.post("/pay", async (context) => {
    const session = sessions.get(getCookie(context, "trip") ?? "");
    if (session === undefined) return context.html(messagePage("Too late", "Search again."), 410);
    const trip = resumeCheckout(api, session.trip, { journal });
    try {
      return context.html(await pay(trip, session, await context.req.formData()));
    } finally {
      session.trip = JSON.stringify(trip); // also after an error: the trip may refer to a new quote, or to an open booking
    }
  });

  return app;
}

/** Books what the page showed, at no higher price. `agreed` stops a second click from booking something else. */
async function pay(trip: Checkout, session: Session, sent: FormData): Promise<Html> {
  const { agreed } = session;
  const [offer] = agreed.data.result;
  if (offer === undefined) return quotePage(agreed);
  try {
    const passengers = readPassengerForm(passengerForm(offer), sent);
    const issues = formIssues(trip.validate(passengers));
    if (issues.hasErrors || !passengers.every(isPassenger)) return quotePage(agreed, "Please correct:", issues);
    const maxTotal = { amount: String(offer.fare.total_fare), currency: offer.fare.currency };
    return bookedPage(await trip.book({ passengers, maxTotal, agreed }));
  } catch (error) {
    if (PassengerValidationError.isInstance(error))
      return quotePage(agreed, "Please correct:", formIssues(error.issues));
    if (PriceAboveLimitError.isInstance(error) || OfferChangedError.isInstance(error)) {
      session.agreed = error.quote; // what the page shows now; the button agrees to it
      return quotePage(error.quote, "The offer has changed. Nothing is booked yet.");
    }
    if (!mayExist(error)) throw error;
    return messagePage("We are checking", "Your booking may exist already. Do not book again; we will write to you.");
  }
}

function mayExist(error: unknown): boolean {
  const isOpen = BookingOutcomeUnknownError.isInstance(error) || DuplicateRequestError.isInstance(error);
  return isOpen || BookingAlreadySentError.isInstance(error);
}
