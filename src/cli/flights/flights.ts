import type { Command } from "commander";
import { registerBookCommand } from "./book.ts";
import { registerBookingsCommands } from "./bookings.ts";
import { registerFeesCommand } from "./fees.ts";
import { registerQuoteCommand } from "./quote.ts";
import { registerRulesCommand } from "./rules.ts";

/** `serviceapi quote | rules | fees | book | bookings`: from a search result to a PNR (§4.3 to §4.5). */
export function registerFlightCommands(program: Command): void {
  registerQuoteCommand(program);
  registerRulesCommand(program);
  registerFeesCommand(program);
  registerBookCommand(program);
  registerBookingsCommands(program);
}
