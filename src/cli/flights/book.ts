import { checkPrice, checkQuote, pickOffer, shownQuote } from "../../flights/checkout/book.ts";
import { type Checkout, checkout } from "../../flights/checkout/checkout.ts";
import { PassengerValidationError } from "../../flights/errors.ts";
import type { JournalRow } from "../../flights/journal/journal.ts";
import type { PassengerIssue } from "../../flights/passengers/index.ts";
import { moneyText, priceOf } from "../../flights/quote/money.ts";
import { createReference } from "../../shared/ulid.ts";
import { createClient, environmentHelp } from "../shared/client.ts";
import { clientOptions, declareCommand, emulatorExports, outputOptions } from "../shared/command.ts";
import { type ExitCode, exitCodes, reportError } from "../shared/errors.ts";
import { cleanLine, commandName, type OutputFlags, printError, printNote, printToReader } from "../shared/print.ts";
import { finishWithoutReader, ignoreInterrupts, interruptible } from "../shared/process.ts";
import { journalHelp, journalOption, openJournal } from "./journal.ts";
import { deadlineZoneOption, type Order, orderOptions, readOrder, searchArguments } from "./order.ts";
import { adviceToAccept, formatBooking, formatIssues, formatNames, printPreview } from "./show/booking.ts";
import { adviceFor } from "./show/bookings.ts";

const passengersHelp = {
  "passengers.json, with an object for each passenger": {
    "title, gender": "Mr, Mrs, Ms or Mstr; M or F",
    "fname, lname, dob": "as on the ID; 1988-07-14",
    passenger_type: "adult, child or infant",
    "mobile, email": "6000000001; traveller@example.in",
    "address, city": "of home",
    "country, country_code": "India, IN",
    "gst, seat, baggage, meal": "if they apply",
  },
};

export const addBook = declareCommand("book", {
  description: "book a flight from a search, once, at a price that you name",
  args: searchArguments,
  options: [...orderOptions, deadlineZoneOption, journalOption, ...clientOptions, ...outputOptions()],
  examples: `
  $ npx serviceapi book "$TRACE_ID" "$TOKEN" \\
      --passengers passengers.json --max-total 7600 INR           # what it would book
  $ npx serviceapi book "$TRACE_ID" "$TOKEN" \\
      --passengers passengers.json --max-total 7600 INR --yes     # books it
  $ npx serviceapi quote "$TRACE_ID" "$TOKEN" --json > quote.json
  $ npx serviceapi book --agreed quote.json \\
      --passengers passengers.json --max-total 7600 INR --yes     # as it was quoted
`,
  after: emulatorExports,
  lists: { ...passengersHelp, ...journalHelp, ...environmentHelp },
  async run(flags, words) {
    const order = await readOrder(words, flags);
    const api = await createClient(flags);
    const opened = openJournal(flags, { create: true });
    // A journal that cannot be read is refused before the quote.
    const open = await opened.journal.pending();
    if (open.length > 0 && !flags.json) printNote(formatOpen(open));
    const reference = flags.reference ?? createReference();
    finishWithoutReader();
    let isSending = false;

    async function send(trip: Checkout, signal: AbortSignal): Promise<ExitCode> {
      const { request, extraBody } = order;
      try {
        const asked = { ...request, clientReferenceId: reference };
        const booking = await trip.book(asked, { signal, extraBody, timeout: flags.timeout });
        if (!(await printToReader(formatBooking(booking, opened.path, flags))))
          printError(`The output could not be written. ${formatNames(booking)}`);
        if (booking.isAboveLimit === false) return exitCodes.done;
        const price = booking.isAboveLimit ? "It was booked above" : "The price of the booking cannot be compared with";
        printError(`${price} --max-total of ${moneyText(request.maxTotal)}: decide before you have it ticketed.`);
        return exitCodes.failed;
      } catch (error) {
        const code = reportError(error, flags);
        const advice = await adviceFor(error, opened);
        if (advice !== undefined) printNote(advice);
        return code;
      }
    }

    return await interruptible(
      async (signal) => {
        const trip = checkout(api, order.search, { journal: opened.journal, deadlineZone: flags.deadlineZone });
        await trip.quote({ signal });
        const preview = checkOrder(trip, order, flags);
        if (!flags.yes) {
          printPreview(preview, order, opened.path, flags);
          printNote("Nothing was booked. Add --yes to book it.");
          return exitCodes.preview;
        }
        signal.addEventListener("abort", () => printNote("Interrupted. The journal records what is known."));
        isSending = true;
        const code = await send(trip, signal);
        // What happened has been printed: a late signal must not replace the exit code.
        ignoreInterrupts();
        return code;
      },
      () => {
        if (!isSending) process.exit(exitCodes.interrupted);
        const advice = `${commandName} bookings says what the journal knows of it.`;
        printNote(`Stopped. The booking ${reference} may exist: ${advice}`);
        process.exit(exitCodes.unknown);
      },
    );
  },
});

/** The journal compares names: it does not know that of a person who was misspelt. */
function formatOpen(rows: readonly JournalRow[]): string {
  const references = rows.map((row) => row.clientReferenceId);
  const shown = [...references.slice(0, 3), ...(references.length > 3 ? ["…"] : [])].map(cleanLine).join(", ");
  const count = rows.length === 1 ? "an open booking" : `${rows.length} open bookings`;
  return (
    `The journal has ${count}, which may have been made: ${shown}. ` +
    `If it is for these passengers, look it up before you book again: ${commandName} bookings.`
  );
}

/** Checks an order against the quote as `book` will, so that the preview of it is refused for the same reasons. */
function checkOrder(trip: Checkout, { request, extraBody }: Order, flags: OutputFlags) {
  const quote = shownQuote(trip);
  const { offer, index: result } = pickOffer(quote.body, request.offerIndex);
  const { passengers, acceptIssues, agreedQuote, maxTotal } = request;
  const found = trip.validate(passengers, { offerIndex: result, acceptIssues, extraBody });
  // Suggestions are names and dates of people.
  const issues = flags.showPii ? found : found.map(({ suggestion, values, ...issue }): PassengerIssue => issue);
  if (issues.length > 0 && !flags.json) printNote(formatIssues(issues));
  const errors = issues.filter(({ severity }) => severity === "error");
  if (errors.length > 0) {
    const advice = adviceToAccept(errors);
    if (advice !== undefined && !flags.json) printNote(advice);
    const error = new PassengerValidationError({
      message: `The passengers cannot be booked as they are: ${errors.length} of the checks failed. Nothing was booked.`,
      operation: "flights.book",
      issues: errors,
    });
    // The error itself would print no suggestions, not even with --show-pii.
    throw Object.assign(error, { issues: errors });
  }
  const fresh = { trip: { shown: quote }, quote, operation: "flights.fareQuote" } as const;
  if (agreedQuote !== undefined) checkQuote(fresh, pickOffer(agreedQuote, result).offer, result, maxTotal);
  checkPrice(fresh, priceOf(offer), result, maxTotal);
  return { offer, result };
}
