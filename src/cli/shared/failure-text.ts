import type { ErrorKind } from "../../errors/base.ts";

/** Says what happened, by the kind of an error, to a person who knows no API. Ends without a full stop. */
export function failureText(kind: string): string {
  return texts[kind as ErrorKind] ?? "The call failed";
}

const texts: Partial<Record<ErrorKind, string>> = {
  rate_limited: "The service received too many requests",
  unavailable: "The service was not available",
  connection: "The service could not be reached",
  timeout: "The service did not respond in time",
  unexpected_response: "The response of the service could not be read",
  response_validation: "The response of the service could not be read",
};
