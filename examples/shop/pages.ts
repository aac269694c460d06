import { randomUUID } from "node:crypto";
import { html } from "hono/html";
import {
  type Checkout,
  type CheckoutBooking,
  type FareQuote,
  fareBreakdown,
  itinerary,
  type Money,
} from "serviceapi/flights";
import { type FormField, type FormIssue, type FormIssues, passengerForm } from "serviceapi/flights/forms";

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
label::first-letter { text-transform: uppercase }
button { font: inherit; padding: .5rem 1.5rem; margin-top: 1rem } .issue { color: #b00 }
</style>
<h1>${title}</h1>
${content}
</html>`;

/** A quote that a page shows. The form sends the ID back: it says which quote its reader agrees to. */
export interface ShownQuote {
  readonly id: string;
  readonly quote: FareQuote;
  /** The price of the whole trip. */
  readonly total: Money;
  /** The fee of a cancellation, in words. */
  readonly fee: string;
}

/** Returns the quote of a trip with a new ID, for the page that shows it. */
export function showQuote(trip: Checkout): ShownQuote {
  const { shown, total } = trip;
  if (shown === null || total === null) throw new Error("The price cannot be read.");
  // The emulator's flights leave from India; a real shop knows the zone of the first airport.
  const fee = trip.fees({ type: "Cancellation", at: new Date(), zone: "Asia/Kolkata" }).text;
  return { id: randomUUID(), quote: shown.body, total, fee };
}

/** The form as the person sent it before, and its issues. */
export interface Typed {
  readonly sent: FormData;
  readonly issues?: FormIssues;
}

/** The quote, and a form whose button pays for exactly this quote. */
export function quotePage(shown: ShownQuote, notice = "", { sent, issues }: Partial<Typed> = {}): Html {
  const { id, quote, total, fee } = shown;
  const offers = quote.data.result;
  const segments = itinerary(offers).legs.flatMap((leg) => leg.segments);
  return page(
    "Your flight",
    html`
<p role="status">${notice}</p>
<ul>${segments.map(
      ({ airline_code, flight_number, origin, destination }) =>
        html`<li>${airline_code} ${flight_number}: ${origin.airport_code} ${origin.departure_time} to
${destination.airport_code} ${destination.arrival_time}</li>`,
    )}</ul>
<p>${offers.slice(0, 1).flatMap((offer) => fareBreakdown(offer).types.map(({ count, passengerType }) => `${count} ${passengerType} `))}
<strong id="price">${total.currency} ${total.amount}</strong></p>
<p>Cancelling now: ${fee}</p>
${notes([...(issues?.form ?? []), ...(issues?.offer ?? [])])}
<form method="post" action="/pay">
<input type="hidden" name="quote" value="${id}" />
${passengerForm(offers).passengers.map(
  ({ type, number, count, fields }) =>
    html`<fieldset><legend>${type} ${number} of ${count}</legend>
${fields.map((field) => [input(field, sent?.get(field.name)), notes(issues?.fields[field.name])])}</fieldset>`,
)}
<button>Pay ${total.currency} ${total.amount}</button>
</form>`,
  );
}

function input({ name, field, input, choices = [], required, autocomplete }: FormField, value: unknown = ""): Html {
  const need = required ? html`required` : "";
  const control =
    input === "select"
      ? html`<select name="${name}" autocomplete="${autocomplete}" ${need}>
<option value="">Choose</option>
${choices.map((choice) => html`<option ${choice === value ? html`selected` : ""}>${choice}</option>`)}</select>`
      : html`<input name="${name}" type="${input}" autocomplete="${autocomplete}" value="${value}" ${need} />`;
  return html`<label>${labels[field] ?? field.replaceAll("_", " ")} ${control}</label>`;
}

const notes = (issues: readonly FormIssue[] = []) => issues.map(({ text }) => html`<p class="issue">${text}</p>`);

const labels: Readonly<Record<string, string>> = { fname: "first name", lname: "last name", dob: "date of birth" };

/** The bookings of a trip, of which `made` are new. `nextStep.message` also says what differs from the quote. */
export function bookedPage(attempts: Checkout["bookingAttempts"], made: readonly CheckoutBooking[]): Html {
  const rows = attempts.filter(({ state }) => state === "booked");
  const steps = made.map(({ nextStep }) => nextStep.message).join(" ");
  const flights = rows.map((row) => `${row.flights?.join(", ")}: ${row.pnr}.`).join(" ");
  const pnrs = rows.map(({ pnr }) => pnr).join(", ");
  return messagePage(`Booked: ${pnrs}`, `${flights} ${steps || "An earlier click has booked it."}`);
}

export const messagePage = (title: string, message: string): Html => page(title, html`<p>${message}</p>`);
