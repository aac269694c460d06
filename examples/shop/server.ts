import { randomUUID } from "node:crypto";
import { Hono } from "hono";
import { getCookie, setCookie } from "hono/cookie";
import { BookingOutcomeUnknownError, DuplicateRequestError, type Passenger, type ServiceApi } from "serviceapi";
import {
  BookingAlreadySentError,
  type BookingJournal,
  type Checkout,
  type CheckoutParams,
  checkout,
  OfferChangedError,
  PassengerValidationError,
  PriceAboveLimitError,
  resumeCheckout,
} from "serviceapi/flights";
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
      return context.html(await pay(trip, session, passengerOf(form)));
    } finally {
      session.trip = JSON.stringify(trip); // also after an error: the trip may refer to a new quote, or to an open booking
    }
  });

  return app;
}

const outdated = "The page was out of date. This is the current offer; your last click booked nothing.";

/** Books what the page showed, at no higher price. */
async function pay(trip: Checkout, session: Session, passenger: Passenger): Promise<Html> {
  const { shown } = session;
  const agreed = shown.quote;
  try {
    const { currency, total_fare } = agreed.data.result[0]?.fare ?? { currency: "", total_fare: 0 };
    const maxTotal = { amount: String(total_fare), currency };
    return bookedPage(await trip.book({ passengers: [passenger], maxTotal, agreed }));
  } catch (error) {
    if (PassengerValidationError.isInstance(error)) return quotePage(shown, "Please correct:", error.issues);
    if (PriceAboveLimitError.isInstance(error) || OfferChangedError.isInstance(error)) {
      session.shown = showQuote(error.quote); // has its own ID, so the same click again does not agree to it
      return quotePage(session.shown, "The offer has changed. Nothing is booked yet.");
    }
    if (!mayExist(error)) throw error;
    return messagePage("We are checking", "Your booking may exist already. Do not book again; we will write to you.");
  }
}

function mayExist(error: unknown): boolean {
  const isOpen = BookingOutcomeUnknownError.isInstance(error) || DuplicateRequestError.isInstance(error);
  return isOpen || BookingAlreadySentError.isInstance(error);
}

function passengerOf(form: FormData): Passenger {
  const field = (name: string) => String(form.get(name) ?? "").trim();
  const title = field("title") === "Mr" ? "Mr" : "Ms";
  return {
    title,
    gender: title === "Mr" ? "M" : "F",
    fname: field("fname").toUpperCase(),
    lname: field("lname").toUpperCase(),
    email: field("email"),
    mobile: field("mobile"),
    dob: field("dob"),
    passenger_type: "adult",
    address: field("address"),
    city: field("city"),
    country: "India",
    country_code: "IN",
  };
}
