import { relayTurn } from "serviceapi/ai";
import { checkCallbackUrl, checkCallbackUrlLive } from "serviceapi/callback-url";
import { createEmulator, refusal, signedDelivery } from "serviceapi/emulator";
import {
  checkout,
  fees,
  memoryJournal,
  reconcile,
  reconcileOverdue,
  resumeCheckout,
  validatePassengers,
} from "serviceapi/flights";
import { formIssues } from "serviceapi/flights/forms";
import { fareRuleText } from "serviceapi/flights/rule-text";
import { emulatorHandlers } from "serviceapi/msw";
import { fileJournal, nodeFetch } from "serviceapi/node";
import { postgresJournal, postgresStore, redisStore } from "serviceapi/stores";
import { findMany } from "serviceapi/verification";
import {
  basic,
  checkAcknowledgement,
  freshness,
  hmac,
  memoryStore,
  sign,
  standardWebhooks,
  Webhooks,
} from "serviceapi/webhooks";
import { Client, defineOperation, findVpas, quoteToken, ServiceApi, ServiceApiError } from "../../src/index.ts";
import { passengers, quoteOf } from "../flights/checkout/support.ts";
import { unknownRow } from "./unknown-row.ts";

/** A public function or method that takes an object of options. */
interface Taker {
  /** Calls it with these options. A refusal comes before the call has any effect. */
  readonly call: (options: never) => unknown;
  /** Required options. */
  readonly base?: object;
  /** Options that may be `NaN` or `null`, with the reason. */
  readonly lenient?: Readonly<Record<string, string>>;
}

const emulator = createEmulator({ pace: 0 });
const settings = {
  baseUrl: "https://emulator.example",
  clientId: "any",
  clientSecret: "any-secret",
  fetch: emulator.fetch,
};
const api = new ServiceApi(settings);
const client = new Client(settings);
const journal = memoryJournal();
const query = async () => ({ rows: [] });
const secrets = ["a secret of the panel"];
const webhooks = new Webhooks({ auth: "none", store: memoryStore(), findOrder: "none" });
const work = { SUCCESS: () => {}, FAILED: () => {}, REJECTED: () => {} };
const event = { status: "REJECTED", client_referenceId: "order-1" };
const question = { type: "Cancellation", at: "2027-01-01 00:00:00" };
const search = { trace_id: "T", token: "S" };
const person = { user: { text: "Hello" } };
const turn = { text: "Hello", turns: 0, load: () => undefined, save: () => true };

/** A quoted trip on a separate service: each call may book. */
async function trip() {
  const quoted = checkout(api, emulator.seedSearch(), { journal: memoryJournal() });
  await quoted.quote();
  return quoted;
}

const [offer] = quoteOf().data.result;
const request = { consent: "Y", vpa_mobile: "6000000001" } as const;
const booking = { ...search, token: quoteToken("Q"), passengers };
const schema = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };

/** An emulator whose deliveries somebody takes. */
function deliverable() {
  const receiving = createEmulator();
  receiving.deliverTo(async () => new Response("{}"));
  return receiving;
}

/** Ignores the service's error for the made-up booking; passes on a refusal of the options. */
function ignoreAnswer(error: unknown): void {
  if (ServiceApiError.isInstance(error) && error.kind !== "configuration") return;
  throw error;
}

/** By entry point and name, as they are exported; methods by the object that has them. */
export const takers: Readonly<Record<string, Taker>> = {
  "serviceapi Client": { call: (options) => new Client(options), lenient: { webhooks: "is not one of its options" } },
  "serviceapi/core Client": {
    call: (options) => new Client(options),
    lenient: { webhooks: "is not one of its options" },
  },
  "serviceapi/core defineOperation": {
    call: (options) => defineOperation(options),
    base: { name: "n", area: "flights", path: "p", params: schema, body: schema },
  },
  "client.send": { call: (options) => client.send(findVpas, request, options) },
  "client.withOptions": { call: (options) => client.withOptions(options) },
  "serviceapi ServiceApi": { call: (options) => new ServiceApi(options) },
  "serviceapi defineOperation": {
    call: (options) => defineOperation(options),
    base: { name: "n", area: "flights", path: "p", params: schema, body: schema },
  },
  "api.withOptions": { call: (options) => api.withOptions(options) },
  "api.verification.findVpas": { call: (options) => api.verification.findVpas(request, options) },
  "serviceapi/verification findMany": {
    call: (options) => findMany(api, [request], options).return(),
  },
  "api.ai.createResponse": { call: (options) => api.ai.createResponse(person, options) },
  "api.ai.stream": { call: (options) => api.ai.stream(person, options).finalText() },
  "api.flights.fareQuote": { call: (options) => api.flights.fareQuote(emulator.seedSearch(), options) },
  "api.flights.fareRule": { call: (options) => api.flights.fareRule(emulator.seedSearch(), options) },
  "api.flights.book": { call: (options) => api.flights.book(booking, options).then(undefined, ignoreAnswer) },
  "stream.toReadableStream": { call: (options) => api.ai.stream(person).toReadableStream(options) },
  "serviceapi/ai relayTurn": { call: (options) => relayTurn(api.ai, turn, options) },
  "stream.toUiMessageStream": { call: (options) => api.ai.stream(person).toUiMessageStream(options) },
  "serviceapi/flights/forms formIssues": { call: (options) => formIssues([], options) },
  "stream.toResponse": { call: (options) => api.ai.stream(person).toResponse(options) },
  "conversation.send": { call: (options) => api.ai.conversation().send("Hello", options) },
  "conversation.stream": { call: (options) => api.ai.conversation().stream("Hello", options).finalText() },
  "serviceapi/flights checkout": { call: (options) => checkout(api, search, options), base: { journal } },
  "serviceapi/flights resumeCheckout": {
    call: (options) => resumeCheckout(api, JSON.stringify(checkout(api, search, { journal })), options),
    base: { journal },
  },
  "serviceapi/flights fees": { call: (options) => fees(offer as never, options), base: question },
  "serviceapi/flights validatePassengers": {
    call: (options) => validatePassengers(offer as never, passengers, options),
  },
  "serviceapi/flights reconcile": {
    call: (options) => reconcile(memoryJournal([unknownRow]), unknownRow, "notBooked", options),
  },
  "serviceapi/flights reconcileOverdue": {
    call: (options) => reconcileOverdue(memoryJournal([unknownRow]), async () => null, options),
  },
  "serviceapi/flights/rule-text fareRuleText": { call: (options) => fareRuleText("", options) },
  "serviceapi/node fileJournal": { call: (options) => fileJournal("nowhere/bookings.jsonl", options) },
  "serviceapi/stores postgresJournal": { call: (options) => postgresJournal(query, options) },
  "trip.quote": { call: async (options) => (await trip()).quote(options) },
  "trip.rules": { call: async (options) => (await trip()).rules(options) },
  "trip.validate": { call: async (options) => (await trip()).validate(passengers, options) },
  "trip.fees": { call: async (options) => (await trip()).fees(options), base: question },
  "trip.bookAll": { call: async (options) => (await trip()).bookAll(options), base: { passengers } },
  "trip.book": { call: async (options) => (await trip()).book(options), base: { passengers } },
  "serviceapi/webhooks Webhooks": { call: (options) => new Webhooks(options) },
  "serviceapi/webhooks hmac": { call: (options) => hmac(options), base: { header: "x-signature", secrets } },
  "serviceapi/webhooks basic": {
    call: (options) => basic(options),
    base: { credentials: [{ username: "u", password: "a password" }] },
  },
  "serviceapi/webhooks freshness": { call: (options) => freshness(options), base: { timestampHeader: "x-sent-at" } },
  "serviceapi/webhooks standardWebhooks": {
    call: (options) => standardWebhooks(options),
    base: { secrets: ["whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz"] },
  },
  "serviceapi/webhooks memoryStore": { call: (options) => memoryStore(options) },
  "serviceapi/webhooks sign": { call: (options) => sign(event, "none", options) },
  "serviceapi/webhooks checkAcknowledgement": {
    call: (options) => checkAcknowledgement(options, "order-1"),
    base: { status: 200, body: "{}" },
    lenient: { body: "what a receiver sends is judged, not refused" },
  },
  "serviceapi/stores redisStore": { call: (options) => redisStore({ eval: query } as never, options) },
  "serviceapi/stores postgresStore": { call: (options) => postgresStore(query, options) },
  "webhooks.handler": { call: (options) => webhooks.handler(options), base: work },
  "webhooks.process": { call: (options) => webhooks.process(event, options), base: work },
  "webhooks.sign": { call: (options) => webhooks.sign(event, "none", options) },
  "serviceapi/node nodeFetch": { call: (options) => nodeFetch(options) },
  "serviceapi/callback-url checkCallbackUrl": {
    call: (options) => checkCallbackUrl("https://example.in/hook", options),
    base: { brandDomain: "example.in" },
  },
  "serviceapi/callback-url checkCallbackUrlLive": {
    call: (options) => checkCallbackUrlLive("http://example.in/hook", options),
    base: { brandDomain: "example.in" },
  },
  "serviceapi/emulator createEmulator": { call: (options) => createEmulator(options) },
  "serviceapi/msw emulatorHandlers": {
    call: (options) => emulatorHandlers(emulator, options),
    base: { baseUrl: "https://api.example.com" },
  },
  "emulator.listen": { call: async (options) => (await createEmulator().listen(options)).close() },
  "emulator.on": { call: (options) => createEmulator().on("verification.findVpas", {}, options) },
  "serviceapi/emulator signedDelivery": { call: (options) => signedDelivery(options), base: { auth: "none" } },
  "serviceapi/emulator refusal": { call: (options) => refusal(404, options) },
  "emulator.deliverTo": { call: (options) => createEmulator().deliverTo(async () => new Response(), options) },
  "emulator.payout": {
    call: (options) => {
      const receiving = deliverable();
      // Its receiver does not acknowledge: another delivery is scheduled.
      return receiving.payout(options).finally(() => receiving.reset());
    },
  },
  "emulator.fire": { call: (options) => deliverable().fire("SUCCESS", options) },
};

/** The objects whose methods are public, by the name under which the tables list their methods. */
export const ownersOfMethods: Readonly<Record<string, () => object | Promise<object>>> = {
  client: () => client,
  api: () => api,
  "api.verification": () => api.verification,
  "api.ai": () => api.ai,
  "api.flights": () => api.flights,
  stream: () => api.ai.stream(person),
  conversation: () => api.ai.conversation(),
  trip,
  webhooks: () => webhooks,
  emulator: () => createEmulator(),
};
