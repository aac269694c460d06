import type { Command } from "commander";
import { action } from "../shared/action.ts";
import { callNotes } from "../shared/call-notes.ts";
import { addClientFlags, type ClientFlags, createClient, environmentHelp } from "../shared/client.ts";
import { emulatorExports, helpText } from "../shared/help.ts";
import { interruptible } from "../shared/interrupt.ts";
import { addJsonFlag } from "../shared/output-flags.ts";
import { print, printJson } from "../shared/print.ts";
import { addSearchFlags, readSearch, refuseStdinTwice, type SearchFlags } from "./search.ts";

interface RulesFlags extends ClientFlags, SearchFlags {
  readonly json?: boolean;
}

/** The examples of the help, which follow the export line of the emulator. */
const examples = `
  $ npx serviceapi rules "$TRACE_ID" "$TOKEN"
  $ npx serviceapi rules "$TRACE_ID" "$TOKEN" --json  # the HTML of the airline, too
`;

/** `serviceapi rules`: the fare rules as the airline words them (§4.5). */
export function registerRulesCommand(program: Command): void {
  const rules = program.command("rules").description("show the fare rules of a flight from a search, as plain text");
  addJsonFlag(addClientFlags(addSearchFlags(rules)))
    .addHelpText("after", helpText(examples, [environmentHelp], emulatorExports))
    .action(action(run));
}

async function run(traceId: string | undefined, token: string | undefined, flags: RulesFlags): Promise<undefined> {
  refuseStdinTwice(flags);
  const search = await readSearch(traceId, token, flags);
  const api = await createClient(flags, callNotes(flags));
  const { formatRule, readRule } = await import("./show/rule.ts");
  const body = await interruptible(async (signal) => api.flights.fareRule(search, { signal }));
  const rules = body.data.result.map(readRule);
  if (flags.json) printJson({ rules, body });
  else print(rules.length === 0 ? "The service has no rules for this flight." : rules.map(formatRule).join("\n\n"));
}
