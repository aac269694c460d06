/** The code of an application, on any runtime. Each `sure` fails if its type becomes `any` or changes. */

import {
  Ai,
  type AiEvent,
  ApiError,
  BookingOutcomeUnknownError,
  defineOperation,
  findVpas,
  NotFoundError,
  ServiceApi,
  ServiceApiError,
  type ServiceApiOptions,
  type VpaResult,
} from "serviceapi";
import { checkCallbackUrl } from "serviceapi/callback-url";
import { Client } from "serviceapi/core";
import { createEmulator, type Emulator, refusal } from "serviceapi/emulator";
import { type BookingJournal, checkout, type Fee, Flights, memoryJournal, parseCharge } from "serviceapi/flights";
import type { fareRuleText } from "serviceapi/flights/rule-text";
import { type PostgresLike, postgresJournal, postgresStore, redisStore } from "serviceapi/stores";
import { journalSuite, storeSuite } from "serviceapi/testing";
import { isUsable, normalizeMobile } from "serviceapi/verification";
import { hmac, memoryStore, type WebhookEvent, type WebhookStore, Webhooks } from "serviceapi/webhooks";
import { ipAllowList } from "serviceapi/webhooks/ip";
import { type Same, sure } from "./any.js";

const options: ServiceApiOptions = { baseUrl: "https://api.example.com", clientId: "id", clientSecret: () => "secret" };
const api = new ServiceApi(options);

export async function verify(): Promise<readonly string[]> {
  const result = await api.verification.findVpas({ vpa_mobile: normalizeMobile("60000 00001"), consent: "Y" });
  sure<Same<typeof result, VpaResult>>();
  sure<Same<typeof result.vpaList, readonly string[]>>();
  // @ts-expect-error: the consent is missing
  await api.verification.findVpas({ vpa_mobile: "6000000001" });
  const usable: boolean = isUsable(result);
  const { attempts, data } = await api.verification.findVpas({ vpa_mobile: "1", consent: "Y" }).withResponse();
  sure<Same<typeof attempts, number>>();
  const viaCore = await new Client({ baseUrl: "https://api.example.com" }).send(findVpas, {
    vpa_mobile: "6000000001",
    consent: "Y",
  });
  sure<Same<typeof viaCore, VpaResult>>();
  return usable ? data.vpaList : [];
}

export async function read(): Promise<string> {
  let text = "";
  for await (const event of api.ai.stream({ user: { text: "Hello" } })) {
    sure<Same<typeof event, AiEvent>>();
    // @ts-expect-error: an event is not any
    event.nonsense;
    if (event.event === "response_output") {
      const chunk = event.system.text_chunk;
      sure<Same<typeof chunk, string>>();
      text += chunk;
    }
  }
  for await (const chunk of new Ai(new Client()).stream({ user: { text: "Hello" } }).textStream) {
    sure<Same<typeof chunk, string>>();
  }
  const { system, context_token } = await api.ai.createResponse({ user: { text: "Hello" } });
  sure<Same<typeof system.text, string>>();
  await api.ai.createResponse({ user: { text: "More" }, context_token });
  return text;
}

export async function fly(journal: BookingJournal): Promise<string> {
  const emulator: Emulator = createEmulator({ pace: 0 });
  emulator.on("flights.book", refusal("insufficient_balance", { message: "No." }), { times: 1 });
  // @ts-expect-error: a refusal is made by `refusal()`
  emulator.on("flights.book", { reason: "insufficient_balance" });
  const search = emulator.seedSearch("domestic-oneway-lcc");
  const quote = await new Flights(new Client()).fareQuote(search);
  const [offer] = quote.data.result;
  const total = offer?.fare.total_fare;
  // @ts-expect-error: a fare is not any
  const wrong: symbol = total;
  const trip = checkout(api, search, { journal });
  await trip.quote();
  const { fee } = trip.fees({ type: "Cancellation", at: new Date(), zone: "Asia/Kolkata" });
  sure<Same<typeof fee, Fee>>();
  const suite = journalSuite(() => memoryJournal());
  sure<Same<(typeof suite)[number]["name"], string>>();
  sure<Same<ReturnType<typeof fareRuleText>, string>>();
  parseCharge("INR 3000");
  try {
    const { pnr } = await trip.book({ passengers: [] });
    sure<Same<typeof pnr, string>>();
    return pnr;
  } catch (error) {
    if (BookingOutcomeUnknownError.isInstance(error)) return error.clientReferenceId ?? "";
    if (NotFoundError.isInstance(error) || ApiError.isInstance(error)) return String(error.httpStatus);
    if (!ServiceApiError.isInstance(error)) throw error;
    sure<Same<typeof error.outcome, "notSent" | "rejected" | "unknown">>();
    return error.kind + String(wrong);
  }
}

export function receive(client: PostgresLike): {
  readonly POST: (request: Request) => Promise<Response>;
  readonly stores: readonly WebhookStore[];
} {
  const webhooks = new Webhooks({
    auth: [hmac({ header: "x-signature", secrets: ["s"] }), ipAllowList(["203.0.113.0/24"])],
    store: memoryStore(),
    findOrder: (reference) => (reference === "" ? undefined : 100),
  });
  const handler = webhooks.handler({
    SUCCESS: (event) => {
      // @ts-expect-error: an event is not any
      event.nonsense;
      sure<Same<typeof event.client_referenceId, string>>();
    },
    FAILED: () => {},
    REJECTED: () => {},
    onFailure: (error, { event, phase }) => {
      sure<Same<typeof error, unknown>>();
      sure<Same<typeof event, WebhookEvent | undefined>>();
      sure<Same<typeof phase, "refused" | "failed" | "late">>();
    },
  });
  storeSuite(() => postgresStore((text, values) => client.query(text, values)));
  postgresJournal((text, values) => client.query(text, values)).withTransaction(client);
  const redis = redisStore({ eval: async (_script: string, _options: { keys: string[]; arguments: string[] }) => 1 });
  return { POST: handler, stores: [postgresStore((text, values) => client.query(text, values)), redis] };
}

export function callbackUrlProblems(): readonly string[] {
  const { ok, problems } = checkCallbackUrl("https://hooks.example.in/payouts", { brandDomain: "example.in" });
  sure<Same<typeof ok, boolean>>();
  return problems.map(({ message }) => message);
}

interface StatusParams {
  readonly transactionId: string;
}
/** A schema of one's own, as the Standard Schema wants it, without a library. */
const schemaOf = <T>() => ({
  "~standard": {
    version: 1 as const,
    vendor: "application",
    validate: (value: unknown) => ({ value: value as T }),
    types: undefined as { readonly input: T; readonly output: T } | undefined,
  },
});
const payoutStatus = defineOperation({
  name: "payouts.status",
  area: "verification",
  path: "payout/status",
  params: schemaOf<StatusParams>(),
  body: schemaOf<{ readonly utr: string }>(),
});

export async function ownOperation(): Promise<string> {
  const { utr } = await api.send(payoutStatus, { transactionId: "TXN1" });
  sure<Same<typeof utr, string>>();
  // @ts-expect-error: the params are typed too
  await api.send(payoutStatus, { transactionId: 1 });
  return utr;
}
