import * as z from "zod/mini";
import type {
  BookParams,
  FareQuoteParams,
  FareRuleParams,
  GstDetails,
  Passenger,
  ServiceChoice,
} from "../types/index.ts";
import { airportCode, calendarDate, email, quoteToken, reference, says, searchToken, text, traceId } from "./fields.ts";
import { genders, mustBeChoices, mustBeOneOf, passengerTypes, titles } from "./forms.ts";

/** §4.4. */
export const fareQuoteParamsSchema: z.ZodMiniType<FareQuoteParams, FareQuoteParams> = z.strictObject({
  trace_id: traceId,
  token: searchToken,
  client_referenceId: reference,
});

/** §4.5. */
export const fareRuleParamsSchema: z.ZodMiniType<FareRuleParams, FareRuleParams> = z.strictObject({
  trace_id: traceId,
  token: searchToken,
  client_referenceId: reference,
});

const serviceChoice: z.ZodMiniType<ServiceChoice, ServiceChoice> = z.strictObject({
  code: text,
  origin: airportCode,
  destination: airportCode,
});

const serviceChoices = z.optional(z.array(serviceChoice, says(mustBeChoices)));

/** The document only calls them strings; `validatePassengers` checks that they are filled in if GST is mandatory. */
const gst: z.ZodMiniType<GstDetails, GstDetails> = z.strictObject({
  gst_company_name: z.string(),
  gst_number: z.string(),
  gst_company_address: z.string(),
  gst_company_mobile: z.string(),
  gst_company_email: z.string(),
});

/** §4.3, one passenger. */
export const passengerSchema: z.ZodMiniType<Passenger, Passenger> = z.strictObject({
  title: z.enum(titles, says(mustBeOneOf(titles))),
  fname: text,
  lname: text,
  mobile: text,
  email,
  passenger_type: z.enum(passengerTypes, says(mustBeOneOf(passengerTypes))),
  dob: calendarDate,
  gender: z.enum(genders, says(mustBeOneOf(genders))),
  address: text,
  city: text,
  country: text,
  country_code: text,
  seat: serviceChoices,
  baggage: serviceChoices,
  meal: serviceChoices,
  gst: z.optional(gst),
});

/** §4.3. */
export const bookParamsSchema: z.ZodMiniType<BookParams, BookParams> = z.strictObject({
  trace_id: traceId,
  token: quoteToken,
  passengers: z
    .array(passengerSchema, says("must be a list of passengers"))
    .check(z.minLength(1, "must have at least one passenger")),
  client_referenceId: reference,
});
