import type { Command } from "commander";
import { createClient, environmentHelp } from "../shared/client.ts";
import { action, emulatorExports, helpText } from "../shared/command.ts";
import { callNotes } from "../shared/notes.ts";
import { addOptions, clientOptions, type FlagsOf, jsonOption } from "../shared/options.ts";
import { print, printJson, printNote } from "../shared/print.ts";
import { interruptible } from "../shared/process.ts";
import { addSearchArguments, deadlineZoneOption, readSearch, refuseStdinTwice, searchOptions } from "./search.ts";

const examples = `
  $ npx serviceapi quote "$TRACE_ID" "$TOKEN"
  $ npx serviceapi quote "$TRACE_ID" "$TOKEN" --json > quote.json  # for book --agreed
  $ curl -s --json '{}' "$SERVICEAPI_BASE_URL/__emulator/searches" |
      npx serviceapi quote --search -                          # another search
`;

const options = [...searchOptions, deadlineZoneOption, ...clientOptions, jsonOption()] as const;
type QuoteFlags = FlagsOf<typeof options>;

/** `serviceapi quote`: the price and the conditions of a flight in a search result (§4.4). */
export function registerQuoteCommand(program: Command): void {
  const quote = program.command("quote").description("show the price and the conditions of a flight from a search");
  addOptions(addSearchArguments(quote), options)
    .addHelpText("after", helpText(examples, [environmentHelp], emulatorExports))
    .action(action(run));
}

async function run(traceId: string | undefined, token: string | undefined, flags: QuoteFlags): Promise<undefined> {
  refuseStdinTwice(flags);
  const search = await readSearch(traceId, token, flags);
  const api = await createClient(flags, callNotes(flags));
  const { checkout } = await import("../../flights/checkout/checkout.ts");
  const { formatOffer, summarizeOffer } = await import("./show/offer.ts");
  const { itinerary } = await import("../../flights/quote/itinerary.ts");
  const { deadlineZone } = flags;
  const body = await interruptible((signal) => checkout(api, search, { deadlineZone }).quote({ signal }));
  const offers = body.data.result;
  if (flags.json) {
    const results = offers.map((offer, result) => ({
      result,
      ...summarizeOffer(offer, deadlineZone),
      itinerary: itinerary(offer),
    }));
    printJson({ ...search, results, body });
    return;
  }
  const several = offers.length > 1;
  print(offers.map((offer, i) => formatOffer(several ? `Result ${i}` : "Quote", offer, deadlineZone)).join("\n\n\n"));
  if (several) printNote("Each result is booked on its own: book --result 0, then book --result 1.");
}
