import type { Command } from "commander";
import { action, addOutputFlags, type OutputFlags, print, printJson } from "../shared/action.ts";
import { addClientFlags, type ClientFlags, createClient, environmentHelp } from "../shared/client.ts";
import { formatTables } from "../shared/format-table.ts";
import { interruptible } from "../shared/interrupt.ts";
import { addSearchFlags, readSearch, refuseStdinTwice, type SearchFlags } from "./search.ts";

interface RulesFlags extends ClientFlags, OutputFlags, SearchFlags {}

/** The examples of the help, which follow the export line of the emulator. */
const examples = `
Examples, after npx serviceapi emulator and its export line:
  $ serviceapi rules "$TRACE_ID" "$TOKEN"
  $ serviceapi rules "$TRACE_ID" "$TOKEN" --json  # the HTML of the airline, too
`;

/** `serviceapi rules`: the fare rules as the airline words them (§4.5). */
export function registerRulesCommand(program: Command): void {
  const rules = program.command("rules").description("show the fare rules of a flight from a search, as plain text");
  addOutputFlags(addClientFlags(addSearchFlags(rules)))
    .addHelpText("after", () => `${examples}\n${formatTables([environmentHelp])}`)
    .action(action(run));
}

async function run(traceId: string | undefined, token: string | undefined, flags: RulesFlags): Promise<undefined> {
  refuseStdinTwice(flags);
  const search = await readSearch(traceId, token, flags);
  const api = await createClient(flags);
  const { formatRule, readRule } = await import("./show/rule.ts");
  const body = await interruptible(async (signal) => api.flights.fareRule(search, { signal }));
  const rules = body.data.result.map(readRule);
  if (flags.json) printJson({ rules, body });
  else print(rules.length === 0 ? "The service has no rules for this flight." : rules.map(formatRule).join("\n\n"));
}
