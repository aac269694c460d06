import { styleText } from "node:util";
import { timeOrNull } from "../../../flights/quote/times.ts";
import { fareRuleText } from "../../../flights/rule-text.ts";
import type { FareRuleResult } from "../../../flights/types/index.ts";
import { elementsOf, stringOf } from "../../../shared/json.ts";
import { cleanLine, cleanText } from "../../shared/clean-text.ts";
import { wrapText } from "../../shared/wrap.ts";

/** A fare rule that can be shown. */
export interface ReadableRule {
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
export function readRule(rule: FareRuleResult): ReadableRule {
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
export function formatRule(rule: ReadableRule): string {
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
