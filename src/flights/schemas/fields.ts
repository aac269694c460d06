import * as z from "zod/mini";
import type { QuoteToken, SearchToken } from "../types/index.ts";
import { isToken } from "./rules.ts";

/** The message of a rule, or "is missing" if there is no value. */
export const says = (message: string) => ({
  error: (issue: { readonly input?: unknown }) => (issue.input === undefined ? "is missing" : message),
});

const filled = (message: string) => z.string(says(message)).check(z.minLength(1, message));

/** A non-empty string. */
export const text = filled("must be a non-empty string");

/** §1: airport codes are 3-letter codes. */
export const airportCode = z
  .string(says("must be a 3-letter airport code"))
  .check(z.regex(/^[A-Za-z]{3}$/, "must be a 3-letter airport code"));

export const email = z
  .string(says("must be an e-mail address"))
  .check(z.regex(/^[^\s@]+@[^\s@]+$/, "must be an e-mail address"));

/** A day that the calendar has: 29 February in leap years alone. */
export const calendarDate = z
  .string(says("must be a calendar date as YYYY-MM-DD"))
  .check(z.regex(z.regexes.date, "must be a calendar date as YYYY-MM-DD"));

export const reference = z.optional(filled("must be a non-empty string; leave it out to have one generated"));

export const traceId = filled("must be the trace_id of the flight search");

export const searchToken = z.custom<SearchToken>(isToken, says("must be the token of a search result"));

export const quoteToken = z.custom<QuoteToken>(isToken, says("must be the token of a fare quote result"));
