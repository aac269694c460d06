import * as z from "zod/mini";
import { expected } from "../../shared/expected.ts";
import type { QuoteToken, SearchToken } from "../types/index.ts";
import { airportCode as airportForm, calendarDate as dateForm, emailAddress, type Form, filledText } from "./forms.ts";
import { isAirlineCode, isAirportCode, isDate, isNotNegative, isNumeric, isTimestamp, isToken } from "./rules.ts";

/** The message of a rule, or "is missing" if there is no value. */
export const says = (message: string) => ({
  error: (issue: { readonly input?: unknown }) => (issue.input === undefined ? "is missing" : message),
});

const filled = (message: string) => z.string(says(message)).check(z.minLength(1, message));
const formed = ({ form, reason }: Form) => z.string(says(reason)).check(z.regex(form, reason));

/** A non-empty string. */
export const text = filled(filledText.reason);
/** §1: airport codes are 3-letter codes. */
export const airportCode = formed(airportForm);
export const email = formed(emailAddress);
export const calendarDate = formed(dateForm);
export const reference = z.optional(filled("must be a non-empty string; leave it out to have one generated"));

export const traceId = filled("must be the trace_id of the flight search");

export const searchToken = z.custom<SearchToken>(isToken, says("must be the token of a search result"));

export const quoteToken = z.custom<QuoteToken>(isToken, says("must be the token of a fare quote result"));

// Values of responses. Another format is a warning.

export const timestamp = z.string().check(expected(isTimestamp, "is not a time as YYYY-MM-DD HH:mm:ss"));

export const date = z.string().check(expected(isDate, "is not a date as YYYY-MM-DD"));

export const airport = z.string().check(expected(isAirportCode, "is not a 3-letter airport code"));

export const airline = z.string().check(expected(isAirlineCode, "is not the IATA code of an airline"));

export const numeric = z.string().check(expected(isNumeric, "is not a number of digits"));

export const amount = z.number().check(expected(isNotNegative, "is negative"));
