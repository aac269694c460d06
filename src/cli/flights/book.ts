import type { Command } from "commander";
import type { PriceChange } from "../../flights/changes/summary.ts";
import type { Checkout } from "../../flights/checkout/checkout.ts";
import type { JournalRow } from "../../flights/journal/journal.ts";
import { compareMoney, type Money, subtractMoney } from "../../flights/quote/money.ts";
import { action } from "../shared/action.ts";
import { callNotes } from "../shared/call-notes.ts";
import { cleanLine } from "../shared/clean-text.ts";
import { addClientFlags, type ClientFlags, createClient, environmentHelp } from "../shared/client.ts";
import { type ExitCode, exitCodes } from "../shared/exit-codes.ts";
import { emulatorExports, helpText } from "../shared/help.ts";
import { ignoreInterrupts, interruptible } from "../shared/interrupt.ts";
import type { OutputFlags } from "../shared/output-flags.ts";
import { addOutputFlags } from "../shared/output-flags.ts";
import { jsonText, print, printError, printJson, printNote, printToReader } from "../shared/print.ts";
import { readResultIndex } from "../shared/read-flags.ts";
import { reportError } from "../shared/report-error.ts";
import { commandName } from "../shared/shell.ts";
import { finishWithoutReader } from "../shared/without-reader.ts";
import { addJournalFlag, type JournalFlags, journalHelp, type OpenedJournal, openJournal } from "./journal.ts";
import { formatMoney } from "./money.ts";
import { type Order, type OrderFlags, readOrder } from "./order.ts";
import { addSearchFlags } from "./search.ts";

interface BookFlags extends ClientFlags, OutputFlags, OrderFlags, JournalFlags {
  readonly reference?: string;
  readonly deadlineZone?: string;
  readonly yes?: boolean;
}

/** The examples of the help, which follow the export line of the emulator. */
const examples = `
  $ npx serviceapi book "$TRACE_ID" "$TOKEN" \\
      --passengers passengers.json --max-total 7600 INR           # what it would book
  $ npx serviceapi book "$TRACE_ID" "$TOKEN" \\
      --passengers passengers.json --max-total 7600 INR --yes     # books it
  $ npx serviceapi quote "$TRACE_ID" "$TOKEN" --json > quote.json
  $ npx serviceapi book --agreed quote.json \\
      --passengers passengers.json --max-total 7600 INR --yes     # as it was quoted
`;

const passengersHelp = {
  title: "passengers.json, with an object for each passenger",
  items: [
    ["title, gender", "Mr, Mrs, Ms or Mstr; M or F"],
    ["fname, lname, dob", "as on the ID; 1988-07-14"],
    ["passenger_type", "adult, child or infant"],
    ["mobile, email", "6000000001; traveller@example.in"],
    ["address, city", "of home"],
    ["country, country_code", "India, IN"],
    ["gst, seat, baggage, meal", "if they apply"],
  ],
} as const;

/** `serviceapi book`: takes a flight of a search result to a PNR, once (§4.3). */
export function registerBookCommand(program: Command): void {
  const book = program.command("book").description("book a flight from a search, once, at a price that you name");
  addSearchFlags(book)
    .requiredOption("--passengers <file>", "JSON file with the passengers, or - for standard input")
    .requiredOption("--max-total <amount...>", 'the most that it may cost, such as 7600 INR or "7600 INR"')
    .option("--yes", "book it; without this flag, it only prints what it would book")
    .option("--reference <text>", "your client_referenceId of the booking (default: a new one)")
    .option("--result <index>", "result of the quote, counted from 0 (default: the only one)", readResultIndex)
    .option("--agreed <file>", "quote that was agreed to, printed by quote --json; refuses other flights and terms")
    .option("--accept-issues <code...>", "passenger checks whose errors do not stop the booking")
    .option("--extra-body <file>", "JSON file with fields to add to the request, such as passport details")
    .option("--force", "book although an earlier booking of it exists or may exist")
    .option("--deadline-zone <zone>", "time zone of the ticket deadline (default: Asia/Kolkata)");
  addOutputFlags(addClientFlags(addJournalFlag(book)))
    .addHelpText("after", helpText(examples, [passengersHelp, journalHelp, environmentHelp], emulatorExports))
    .action(action(run));
}

async function run(traceId: string | undefined, token: string | undefined, flags: BookFlags): Promise<ExitCode> {
  const order = await readOrder(traceId, token, flags);
  const api = await createClient(flags, callNotes(flags));
  const opened = await openJournal(flags, flags.baseUrl, { create: true });
  // A journal that cannot be read is refused before the quote.
  const open = await opened.journal.pending();
  if (open.length > 0 && !flags.json) printNote(formatOpen(open));
  const { checkout } = await import("../../flights/checkout/checkout.ts");
  const { createReference } = await import("../../shared/ulid.ts");
  const { checkOrder } = await import("./check-order.ts");

  const reference = flags.reference ?? createReference();
  finishWithoutReader();
  let isSending = false;
  return await interruptible(
    async (signal) => {
      const trip = checkout(api, order.search, { journal: opened.journal, deadlineZone: flags.deadlineZone });
      const preview = checkOrder(trip, await trip.quote({ signal }), order, flags);
      if (!flags.yes) return await showPreview(preview, order, opened, flags);
      signal.addEventListener("abort", () => printNote("Interrupted. The journal records what is known."));
      isSending = true;
      const code = await send(trip, { ...order, reference }, { opened, signal, flags });
      // What happened has been printed: a late signal must not replace the exit code.
      ignoreInterrupts();
      return code;
    },
    () => leave(isSending ? reference : undefined),
  );
}

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

type Preview = ReturnType<typeof import("./check-order.ts").checkOrder>;

/** Prints what would be booked. Nothing is booked, so this does not count as a success. */
async function showPreview(
  preview: Preview,
  order: Order,
  { path }: OpenedJournal,
  flags: BookFlags,
): Promise<ExitCode> {
  const { describePreview, formatPreview } = await import("./show/preview.ts");
  const shown = { ...preview, order, journal: path, reference: flags.reference };
  if (flags.json) printJson(describePreview(shown, flags));
  else print(formatPreview(shown, flags));
  printNote("Nothing was booked. Add --yes to book it.");
  return exitCodes.preview;
}

interface Sending {
  readonly opened: OpenedJournal;
  readonly signal: AbortSignal;
  readonly flags: BookFlags;
}

async function send(
  trip: Checkout,
  { request, extraBody, reference }: Order & { readonly reference: string },
  { opened, signal, flags }: Sending,
): Promise<ExitCode> {
  const { adviceFor } = await import("./show/advice.ts");
  // Loaded before it is sent: an installation that is updated meanwhile may lack the file later.
  const { describeBooking, formatBooking, formatNames } = await import("./show/booking.ts");
  try {
    const booking = await trip.book({ ...request, clientReferenceId: reference }, { signal, extraBody });
    const isAboveLimit = costsMore(booking.changes.price, request.maxTotal);
    const text = flags.json
      ? jsonText({ ...describeBooking(booking, flags), isAboveLimit, journal: opened.path })
      : formatBooking(booking, opened.path);
    if (!(await printToReader(text))) printError(`The output could not be written. ${formatNames(booking)}`);
    if (!isAboveLimit) return exitCodes.done;
    printError(
      `It was booked above --max-total of ${formatMoney(request.maxTotal)}: decide before you have it ticketed.`,
    );
    return exitCodes.failed;
  } catch (error) {
    const code = reportError(error, flags);
    const advice = await adviceFor(error, opened);
    if (advice !== undefined) printNote(advice);
    return code;
  }
}

/** The service may book at a higher price than it quoted. Extras are not in the quote that the limit is for. */
function costsMore({ booked, extras }: PriceChange, limit: Money): boolean {
  const fare = booked === null || extras === null ? booked : subtractMoney(booked, extras);
  return fare !== null && (compareMoney(fare, limit) ?? 1) > 0;
}

/** Ends the command at once, on a second Ctrl-C. */
function leave(reference: string | undefined): never {
  if (reference === undefined) process.exit(exitCodes.interrupted);
  printNote(`Stopped. The booking ${reference} may exist: npx serviceapi bookings says what the journal knows of it.`);
  process.exit(exitCodes.unknown);
}
