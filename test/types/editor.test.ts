/** Types that an editor shows for the result of a call, and strings that it offers, which `npx tsc` cannot check. */
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { fileOf, openEditor } from "./editor.ts";

/** By the calls that applications make most: the type that an editor shows for the result. */
const hovers = {
  "new ServiceApi()": "ServiceApi",
  "api.verification.findVpas(vpa)": "ApiCall<VpaResult>",
  "await api.verification.findVpas(vpa)": "VpaResult",
  "await api.verification.findVpas(vpa).withResponse()": "WithResponse<VpaResult>",
  "api.ai.createResponse(question)": "ApiCall<AiResponse>",
  "await api.ai.createResponse(question)": "AiResponse",
  "api.ai.stream(question)": "AiStream",
  "await api.ai.stream(question).finalResponse()": "ResponseCompleted",
  "api.ai.conversation()": "Conversation",
  "await api.ai.conversation().send('')": "AiResponse",
  "api.flights.fareQuote(search)": "ApiCall<FareQuote>",
  "await api.flights.fareQuote(search)": "FareQuote",
  "api.flights.fareRule(search)": "ApiCall<FareRule>",
  "await api.flights.fareRule(search)": "FareRule",
  "api.flights.book(order)": "ApiCall<Booking>",
  "await api.flights.book(order)": "Booking",
  "api.withOptions({})": "ServiceApi",
  "api.webhooks": "Webhooks",
  "checkout(api, search, { journal })": "Checkout",
  "await trip.quote()": "FareQuote",
  "await trip.book({ passengers: order.passengers })": "CheckoutBooking",
  "trip.fees({ type: 'Cancellation', at: new Date() })": "FeeReport",
  "webhooks.handler(handlers)": "WebhookHandler",
  "await webhooks.verify(request)": "WebhookEvent",
  "checkCallbackUrl('https://example.com', domains)": "CallbackUrlReport<CallbackUrlProblemCode>",
  "createEmulator()": "Emulator",
  "await createEmulator().listen()": "EmulatorServer",
};

const calls = `
import { type BookParams, type CreateResponseParams, type FareQuoteParams, type FindVpasParams, ServiceApi, type StreamResponseParams } from "serviceapi";
import { checkCallbackUrl } from "serviceapi/callback-url";
import { createEmulator } from "serviceapi/emulator";
import { type BookingJournal, type Checkout, checkout } from "serviceapi/flights";
import type { WebhookHandlers, Webhooks } from "serviceapi/webhooks";

declare const api: ServiceApi;
declare const vpa: FindVpasParams;
declare const question: CreateResponseParams & StreamResponseParams;
declare const search: FareQuoteParams;
declare const order: BookParams;
declare const journal: BookingJournal;
declare const trip: Checkout;
declare const webhooks: Webhooks;
declare const handlers: WebhookHandlers;
declare const request: Request;
declare const domains: Parameters<typeof checkCallbackUrl>[1];

${Object.keys(hovers)
  .map((call, i) => `export const result${i} = ${call};`)
  .join("\n")}
`;

/** By the words of a string in the program: the strings that an editor offers in its place. */
const completions: Readonly<Record<string, readonly string[]>> = {
  "the name of an event": ["response_initiated", "response_output", "response_completed"],
  "the status of a notification": ["SUCCESS", "FAILED", "DUPLICATE", "REJECTED"],
};

const comparisons = `
import type { AiEvent } from "serviceapi";
import type { WebhookEvent } from "serviceapi/webhooks";

export const isEvent = (e: AiEvent) => e.event === "the name of an event";
export const hasStatus = (e: WebhookEvent) => e.status === "the status of a notification";
`;

const service = openEditor({ calls, comparisons });

describe("an editor shows a name, and no expansion, for the result of", () => {
  const file = fileOf("calls");

  it.each(Object.entries(hovers).map(([call, type], i) => ({ call, type, i })))(
    "$call",
    ({ type, i }) => {
      const hover = service.getQuickInfoAtPosition(file, calls.indexOf(`result${i} `));
      const shown = ts.displayPartsToString(hover?.displayParts);
      expect(shown).toBe(`const result${i}: ${type}`);
    },
    60_000,
  );

  it("calls that compile", () => {
    const problems = [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)];
    expect(problems.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "))).toEqual([]);
  });
});

it.each(Object.entries(completions))(
  "an editor offers the documented strings, and nothing else, for %s",
  (words, documented) => {
    const found = service.getCompletionsAtPosition(fileOf("comparisons"), comparisons.indexOf(words), {});
    expect(found?.entries.map(({ name }) => name).sort()).toEqual([...documented].sort());
  },
  60_000,
);
