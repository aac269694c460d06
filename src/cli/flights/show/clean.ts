import { cleanLine } from "../../shared/clean-text.ts";

/** Returns a part of a response whose strings are safe to show, each on one line. */
export function cleanStrings<T>(part: T): T {
  const text = JSON.stringify(part, (_, value: unknown) => (typeof value === "string" ? cleanLine(value) : value));
  return text === undefined ? part : JSON.parse(text);
}
