import { ConfigurationError } from "../../src/errors/index.ts";

/** The message of the `ConfigurationError` with which this is refused, or "accepted". */
export function refusalOf(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    if (error instanceof ConfigurationError) return error.message;
    throw error;
  }
  return "accepted";
}
