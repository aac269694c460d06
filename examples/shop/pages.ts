import { randomUUID } from "node:crypto";
import { html } from "hono/html";
import { type CheckoutBooking, type FareQuote, fareBreakdown, itinerary } from "serviceapi/flights";
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
}

/** Returns a quote with a new ID, for the page that shows it. */
export const showQuote = (quote: FareQuote): ShownQuote => ({ id: randomUUID(), quote });

/** The form as the person sent it before, and its issues. */
export interface Typed {
  readonly sent: FormData;
  readonly issues?: FormIssues;
}

/** The quote, and a form whose button pays for exactly this quote. */
export function quotePage({ id, quote }: ShownQuote, notice = "", { sent, issues }: Partial<Typed> = {}): Html {
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
${notes([...(issues?.form ?? []), ...(issues?.offer ?? [])])}
<form method="post" action="/pay">
<input type="hidden" name="quote" value="${id}" />
${passengerForm(offer).passengers.map(
  ({ type, number, count, fields }) =>
    html`<fieldset><legend>${type} ${number} of ${count}</legend>
${fields.map((field) => [input(field, sent?.get(field.name)), notes(issues?.fields[field.name])])}</fieldset>`,
)}
<button>Pay ${offer.fare.currency} ${offer.fare.total_fare}</button>
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

/** `nextStep.message` also says what differs from the quote. */
export const bookedPage = ({ pnr, nextStep }: CheckoutBooking): Html => messagePage(`Booked: ${pnr}`, nextStep.message);

export const messagePage = (title: string, message: string): Html => page(title, html`<p>${message}</p>`);
