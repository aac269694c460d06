import type { Checkout, FareQuoteResult, Passenger, PassengerIssue, PassengerIssueCode } from "serviceapi/flights";
import type { Terminal } from "./terminal.ts";

type Field = Exclude<keyof Passenger, "seat" | "baggage" | "meal" | "gst" | "passenger_type">;

/** The questions in order. A field with a preset can be skipped. */
const questions: readonly (readonly [Field, string, string?])[] = [
  ["title", "Title (Mr, Mrs, Ms, Mstr)"],
  ["fname", "First name"],
  ["lname", "Last name"],
  ["gender", "Gender (M, F)"],
  ["dob", "Date of birth (YYYY-MM-DD)"],
  ["mobile", "Mobile", "6000000001"],
  ["email", "E-mail", "traveller@example.in"],
  ["address", "Address", "11 Placeholder Road"],
  ["city", "City", "Samplepur"],
  ["country", "Country", "India"],
  ["country_code", "Country code", "IN"],
];

/** Asks for the passengers of the quote, and again for each field until the checkout accepts it. */
export async function askPassengers(
  terminal: Terminal,
  trip: Checkout,
  offer: FareQuoteResult,
  offerIndex: number,
): Promise<readonly Passenger[]> {
  const passengers: Passenger[] = [];
  for (const { passenger_type, passenger_count } of offer.fare_breakdown) {
    for (let n = 1; n <= passenger_count; n++) {
      terminal.say(`\n${passenger_type} ${n} of ${passenger_count}`);
      let passenger = await fill(terminal, { passenger_type });
      for (let wrong = firstError(trip, [...passengers, passenger], offerIndex); wrong; ) {
        terminal.say(`  ${wrong.message}${wrong.guidance ? `\n  ${wrong.guidance.replaceAll("\n", "\n  ")}` : ""}`);
        const field = String(wrong.path[2]);
        passenger = { ...passenger, [field]: await terminal.ask(`  ${field}`, wrong.suggestion) };
        wrong = firstError(trip, [...passengers, passenger], offerIndex);
      }
      passengers.push(passenger);
    }
  }
  const [lead, ...others] = passengers;
  return lead && offer.gst_mandatory ? [{ ...lead, gst: await askGst(terminal) }, ...others] : passengers;
}

async function fill(terminal: Terminal, start: { readonly passenger_type: string }): Promise<Passenger> {
  const answers: Record<string, string> = { ...start };
  for (const [field, question, preset] of questions) answers[field] = await terminal.ask(`  ${question}`, preset);
  // Strings of a form: the checkout says which fields are not of the type.
  return answers as unknown as Passenger;
}

/** Returns the first error in a field of the last passenger. */
function firstError(trip: Checkout, passengers: readonly Passenger[], offerIndex: number): PassengerIssue | undefined {
  return trip
    .validate(passengers, { offerIndex })
    .find(
      ({ severity, path }) =>
        severity === "error" && path[1] === passengers.length - 1 && path.length === 3 && path[2] !== "gst",
    );
}

async function askGst(terminal: Terminal): Promise<NonNullable<Passenger["gst"]>> {
  terminal.say("\nThis fare is sold to companies: GST details");
  return {
    gst_company_name: await terminal.ask("  Company", "Example Travel Private Limited"),
    gst_number: await terminal.ask("  GST number", "29AAAAA0000A1Z5"),
    gst_company_address: await terminal.ask("  Address", "1 Placeholder Park, Samplepur"),
    gst_company_mobile: await terminal.ask("  Mobile", "6000000009"),
    gst_company_email: await terminal.ask("  E-mail", "accounts@example.com"),
  };
}

/** Shows the remaining issues and asks once whether to accept all errors. Returns undefined if not. */
export async function settleIssues(
  terminal: Terminal,
  trip: Checkout,
  passengers: readonly Passenger[],
  offerIndex: number,
): Promise<readonly PassengerIssueCode[] | undefined> {
  const issues = trip.validate(passengers, { offerIndex });
  if (issues.length > 0) terminal.say("\nBefore you book");
  for (const { severity, path, message } of issues) terminal.say(`  ${severity}: ${path.join(".")}: ${message}`);
  const codes = [...new Set(issues.filter(({ severity }) => severity === "error").map(({ code }) => code))];
  if (codes.length === 0) return [];
  return (await terminal.confirm("Book all the same?")) ? codes : undefined;
}
