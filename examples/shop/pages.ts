import { html } from "hono/html";
import { type CheckoutBooking, type FareQuote, fareBreakdown, itinerary } from "serviceapi/flights";
import { type FormField, type FormIssue, formIssues, passengerForm } from "serviceapi/flights/forms";

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

/** The quote, and a form whose button pays for exactly this quote. */
export function quotePage(quote: FareQuote, notice = "", issues = formIssues([])): Html {
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
${[...issues.form, ...issues.offer].map(issueText)}
<form method="post" action="/pay">
${passengerForm(offer).passengers.map(
  ({ type, number, count, fields }) => html`<fieldset><legend>${type} ${number} of ${count}</legend>
${fields.filter(({ required }) => required).map((field) => inputOf(field, issues.fields[field.name]))}</fieldset>`,
)}
<button>Pay ${offer.fare.currency} ${offer.fare.total_fare}</button>
</form>`,
  );
}

function inputOf({ name, field, input, choices, autocomplete = "" }: FormField, issues: readonly FormIssue[] = []) {
  const control = choices
    ? html`<select name="${name}" autocomplete="${autocomplete}">
${choices.map((choice) => html`<option>${choice}</option>`)}</select>`
    : html`<input name="${name}" type="${input}" autocomplete="${autocomplete}" required />`;
  return html`<label>${labels[field] ?? field} ${control}</label>${issues.map(issueText)}`;
}

const issueText = ({ text }: FormIssue) => html`<p class="issue">${text}</p>`;

const labels: Readonly<Record<string, string>> = {
  fname: "First name",
  lname: "Last name",
  email: "E-mail",
  mobile: "Mobile",
  dob: "Date of birth",
  address: "Address",
  city: "City",
  title: "Title",
  gender: "Gender",
  country: "Country",
  country_code: "Country code",
};

/** `nextStep.message` also says what differs from the quote. */
export const bookedPage = ({ pnr, nextStep }: CheckoutBooking): Html => messagePage(`Booked: ${pnr}`, nextStep.message);

export const messagePage = (title: string, message: string): Html => page(title, html`<p>${message}</p>`);
