import { createResponse, streamResponse } from "../../ai/operations.ts";
import { book, fareQuote, fareRule } from "../../flights/operations.ts";
import { defaults } from "../../options.ts";
import { findVpas } from "../../verification/operations.ts";

/** The operations that commands call. */
export const operations = [findVpas, createResponse, streamResponse, fareQuote, fareRule, book];

/** Returns the milliseconds that an attempt of an operation may take, unless `--timeout` says otherwise. */
export function attemptTimeout(name: string): number {
  return operations.find((operation) => operation.name === name)?.timeout ?? defaults.timeout;
}
