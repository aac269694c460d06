import { randomUUID } from "node:crypto";
import { html } from "hono/html";
import {
  type CheckoutBooking,
  type FareQuote,
  fareBreakdown,
  itinerary,
  type PassengerIssue,
} from "serviceapi/flights";

/** HTML whose values are escaped. */
export type Html = ReturnType<typeof html>;

const page = (title: string, content: Html) => html`<!doctype html>
<html lang="en">
<meta charset="utf-8" />
<meta name="viewport" content="width=device-width" />
<title>${title}</title>
<style>
body { font: 16px/1.5 system-ui; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; color-scheme: light dark }
label { display: block; margin: .5rem 0 } input, select { font: inherit; width: 100%; box-sizing: border-box }
button { font: inherit; padding: .5rem 1.5rem; margin-top: 1rem } .issue { color: #b00 }
</style>
<h1>${title}</h1>
${content}
</html>`;

/** A quote that a page shows. The form sends the ID back: it says which quote its reader agrees to. */
export interface ShownQuote {
  readonly id: string;
  readonly quote: FareQuote;
}

/** Returns a quote with a new ID, for the page that shows it. */
export const showQuote = (quote: FareQuote): ShownQuote => ({ id: randomUUID(), quote });

/** The quote, and a form whose button pays for exactly this quote. */
export function quotePage({ id, quote }: ShownQuote, notice = "", issues: readonly PassengerIssue[] = []): Html {
  const [offer] = quote.data.result;
  if (offer === undefined) return messagePage("Sold out", "Nothing is left of this flight.");
  const segments = itinerary(offer).legs.flatMap((leg) => leg.segments);
  return page(
    "Your flight",
    html`
<p role="status">${notice}</p>
<ul>${segments.map(
      ({ airline_code, flight_number, origin, destination }) =>
        html`<li>${airline_code} ${flight_number}: ${origin.airport_code} ${origin.departure_time} to
${destination.airport_code} ${destination.arrival_time}</li>`,
    )}</ul>
<p>${fareBreakdown(offer).types.map(({ count, passengerType }) => `${count} ${passengerType} `)}
<strong id="price">${offer.fare.currency} ${offer.fare.total_fare}</strong></p>
${issues.map(({ path, message }) => html`<p class="issue">${labels[String(path.at(-1))] ?? ""}: ${message}</p>`)}
<form method="post" action="/pay">
<input type="hidden" name="quote" value="${id}" />
${["fname", "lname", "email", "mobile", "dob", "address", "city"].map(
  (name) =>
    html`<label>${labels[name]} <input name="${name}" ${name === "dob" ? html`type="date"` : ""} required /></label>`,
)}
<label>Title and gender <select name="title"><option>Ms</option><option>Mr</option></select></label>
<button>Pay ${offer.fare.currency} ${offer.fare.total_fare}</button>
</form>`,
  );
}

const labels: Readonly<Record<string, string>> = {
  fname: "First name",
  lname: "Last name",
  email: "E-mail",
  mobile: "Mobile",
  dob: "Date of birth",
  address: "Address",
  city: "City",
};

/** `nextStep.message` also says what differs from the quote. */
export const bookedPage = ({ pnr, nextStep }: CheckoutBooking): Html => messagePage(`Booked: ${pnr}`, nextStep.message);

export const messagePage = (title: string, message: string): Html => page(title, html`<p>${message}</p>`);
