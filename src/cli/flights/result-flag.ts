import { InvalidArgumentError } from "commander";

/** Reads `--result`, the index of a result of the quote. */
export function readResultIndex(text: string): number {
  if (/^\d{1,6}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("It must be an integer, counted from 0.");
}
