import type { AnyServiceApiError } from "../../errors/any.ts";
import type { ErrorKind } from "../../errors/base.ts";

/** The exit codes of all commands. docs/cli.md lists them. */
export const exitCodes = {
  done: 0,
  /** A check did not pass, or an error that no other code stands for. */
  failed: 1,
  /** An option, the environment or the input is wrong. Nothing was sent. */
  usage: 2,
  /** The service, or a check before a booking, refused it. Nothing was done. */
  refused: 3,
  /** The service has nothing for this request. */
  notFound: 4,
  /** It may have been carried out: look it up before you retry. */
  unknown: 5,
  /** The service could not be reached or was busy. Nothing was done: retry later. */
  unavailable: 6,
  /** A preview: what it shows has not been done. */
  preview: 7,
  /** Ctrl-C. */
  interrupted: 130,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The codes of errors that are not decided by their outcome alone. */
const byKind: Partial<Record<ErrorKind, ExitCode>> = {
  configuration: exitCodes.usage,
  request_validation: exitCodes.usage,
  not_found: exitCodes.notFound,
  rate_limited: exitCodes.unavailable,
  unavailable: exitCodes.unavailable,
  connection: exitCodes.unavailable,
  timeout: exitCodes.unavailable,
  journal: exitCodes.failed,
  unexpected_response: exitCodes.failed,
  response_validation: exitCodes.failed,
};

/** Operations that change nothing. */
const lookUps: ReadonlySet<string> = new Set(["verification.findVpas", "flights.fareQuote", "flights.fareRule"]);

/** Whether an error is of an operation that changes nothing. */
export function isLookUp({ operation = "" }: Pick<AnyServiceApiError, "operation">): boolean {
  return lookUps.has(operation);
}

/** Returns the exit code for an error of the library. */
export function exitCodeOf(error: AnyServiceApiError): ExitCode {
  const { kind, outcome, isRetryable } = error;
  // A booking that Ctrl-C left behind has an error of its own.
  if (kind === "abort") return exitCodes.interrupted;
  // Nobody has to look for the outcome of what is safe to retry, or of a look-up.
  if (outcome === "unknown" && !isRetryable && !isLookUp(error)) return exitCodes.unknown;
  // A look-up that the service still works on can be asked for again.
  if (kind === "in_progress" && isLookUp(error)) return exitCodes.unavailable;
  // The page of a gateway before a service that is not there.
  if (kind === "unexpected_response" && isRetryable) return exitCodes.unavailable;
  return byKind[kind] ?? exitCodes.refused;
}
