import { styleText } from "node:util";
import type { Command } from "commander";
import { timeOrNull } from "../../flights/quote/times.ts";
import { fareRuleText } from "../../flights/rule-text.ts";
import type { FareRuleResult } from "../../flights/types/index.ts";
import { elementsOf, stringOf } from "../../shared/json.ts";
import { cleanLine, cleanText } from "../shared/clean-text.ts";
import { createClient, environmentHelp } from "../shared/client.ts";
import { action, emulatorExports, helpText } from "../shared/command.ts";
import { wrapText } from "../shared/layout.ts";
import { callNotes } from "../shared/notes.ts";
import { addOptions, clientOptions, type FlagsOf, jsonOption } from "../shared/options.ts";
import { print, printJson } from "../shared/print.ts";
import { interruptible } from "../shared/process.ts";
import { addSearchArguments, readSearch, refuseStdinTwice, searchOptions } from "./search.ts";

const examples = `
  $ npx serviceapi rules "$TRACE_ID" "$TOKEN"
  $ npx serviceapi rules "$TRACE_ID" "$TOKEN" --json  # the HTML of the airline, too
`;

const options = [...searchOptions, ...clientOptions, jsonOption()] as const;

/** `serviceapi rules`: the fare rules as the airline words them (§4.5). */
export function registerRulesCommand(program: Command): void {
  const rules = program.command("rules").description("show the fare rules of a flight from a search, as plain text");
  addOptions(addSearchArguments(rules), options)
    .addHelpText("after", helpText(examples, [environmentHelp], emulatorExports))
    .action(action(run));
}

async function run(
  traceId: string | undefined,
  token: string | undefined,
  flags: FlagsOf<typeof options>,
): Promise<undefined> {
  refuseStdinTwice(flags);
  const search = await readSearch(traceId, token, flags);
  const api = await createClient(flags, callNotes(flags));
  const body = await interruptible(async (signal) => api.flights.fareRule(search, { signal }));
  const rules = body.data.result.map(readRule);
  if (flags.json) printJson({ rules, body });
  else print(rules.length === 0 ? "The service has no rules for this flight." : rules.map(formatRule).join("\n\n"));
}

/** A fare rule that can be shown. */
interface ReadableRule {
  readonly origin: string;
  readonly destination: string;
  readonly airline: string;
  /** Wall-clock times; null if they do not apply. */
  readonly departure: string | null;
  readonly return: string | null;
  readonly inclusions: readonly string[];
  readonly restriction: string | null;
  /** The rules as plain text. */
  readonly text: string;
}

/** Reads a fare rule, whose texts come from a supplier: HTML becomes text, and nothing in it reaches the terminal. */
function readRule(rule: FareRuleResult): ReadableRule {
  return {
    origin: cleanLine(stringOf(rule.origin)),
    destination: cleanLine(stringOf(rule.destination)),
    airline: cleanLine(stringOf(rule.airline)),
    departure: timeOrNull(rule.departure_time),
    return: timeOrNull(rule.return_time),
    inclusions: elementsOf(rule.fare_inclusions).map((one) => cleanLine(stringOf(one))),
    restriction: cleanLine(stringOf(rule.fare_restriction)) || null,
    // After the entities have become characters.
    text: cleanText(fareRuleText(rule.fare_rules)),
  };
}

/** Formats a fare rule for a terminal. */
function formatRule(rule: ReadableRule): string {
  const { origin, destination, airline, departure, inclusions, restriction, text } = rule;
  const when = [departure, rule.return].flatMap((time) => (time === null ? [] : [time.slice(0, 16)])).join(" and ");
  const title = [`${origin}-${destination}`, airline, when].filter((part) => part !== "").join(", ");
  const extras = [
    ...inclusions.map((one) => `• ${one}`),
    ...(restriction === null ? [] : [`Restriction: ${restriction}`]),
  ];
  const parts = [extras.join("\n"), text || "The airline has not worded its rules."].filter((part) => part !== "");
  return [styleText("bold", title), ...parts.map((part) => wrapText(part, { indent: "  " }))].join("\n\n");
}
