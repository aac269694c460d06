import { ServiceApiError } from "../../errors/base.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { causeOf } from "../../shared/error-code.ts";
import { string } from "../../shared/options.ts";
import { JournalError } from "../errors.ts";

/** Returns the error of a built-in journal whose database or file fails. */
export function journalFailed(owner: string, message: string, error: unknown): JournalError {
  return new JournalError({ message: `${owner}: ${message}`, cause: causeOf(error) });
}

/** Returns the advice for a failed journal. The error of a built-in journal has its own. */
export function adviceIn(cause: unknown): string {
  return ServiceApiError.isInstance(cause) ? cause.message : "See `cause`.";
}

/** Refuses a key that is not a string, which no row could match. */
export function checkKey(owner: string, named: Readonly<Record<string, unknown>>): string {
  const [[name, value] = []] = Object.entries(named);
  if (typeof value === "string") return value;
  throw new ConfigurationError(`${owner}: \`${name}\` ${string(value, `${name}`)}.`);
}
