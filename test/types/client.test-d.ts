import {
  type AiResponse,
  type ApiCall,
  ApiError,
  type ApiErrorKind,
  type ClientOptions,
  defineOperation,
  NotFoundError,
  type Outcome,
  quoteToken,
  type RequestOptions,
  ServiceApi,
  ServiceApiError,
  type StreamOptions,
  TimeoutError,
  type ValidationIssue,
  type VpaResult,
} from "serviceapi";
import { formIssues } from "serviceapi/flights/forms";
import { describe, expectTypeOf, it } from "vitest";
import * as z from "zod";

const api = new ServiceApi();

describe("§4.1 what a verification requires", () => {
  it("a number and the consent, explicitly", () => {
    expectTypeOf(api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" })).toEqualTypeOf<
      ApiCall<VpaResult>
    >();
    // @ts-expect-error the consent is missing
    api.verification.findVpas({ vpa_mobile: "6000000001" });
    // A string of a form or a column: unless it is Y, it is refused at run time.
    api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" as string });
    // @ts-expect-error a boolean is not consent
    api.verification.findVpas({ vpa_mobile: "6000000001", consent: true });
    // @ts-expect-error the number is missing
    api.verification.findVpas({ consent: "Y" });
    // @ts-expect-error a number must be a string
    api.verification.findVpas({ vpa_mobile: 6000000001, consent: "Y" });
    // @ts-expect-error an unknown field
    api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y", mobile: "6000000001" });
  });

  it("enumerations of the response are open: a future value compiles, and the known ones are suggested", () => {
    expectTypeOf<"DORMANT">().toExtend<VpaResult["accountStatus"]>();
    expectTypeOf<VpaResult["vpaList"]>().toEqualTypeOf<readonly string[]>();
    (result: VpaResult) => {
      // @ts-expect-error a response is read-only
      result.name = "x";
    };
  });
});

describe("a hook that returns its result at once", () => {
  it("does not compile as an async function: `normalize` of an operation", () => {
    const named = { name: "payouts.status", path: "payout/status" };
    defineOperation({ ...named, normalize: (params) => params });
    defineOperation({ ...named, normalize: ({ id }) => ({ id: String(id).trim() }) });
    defineOperation<{ id: string }>({ ...named, normalize: ({ id }) => ({ id: id.trim() }) });
    defineOperation<{ id?: string }>({ ...named, normalize: ({ id = "" }) => ({ id: id.trim() }) });
    defineOperation<object>({ ...named, normalize: (params) => ({ ...params, at: 1 }) });
    const params = z.object({ id: z.optional(z.string()) });
    defineOperation({ ...named, params, normalize: ({ id }) => ({ id: String(id) }) });

    // @ts-expect-error a promise
    defineOperation({ ...named, normalize: async (params) => params });
    // @ts-expect-error a promise
    defineOperation<{ id: string }>({ ...named, normalize: async (given) => given });
    // @ts-expect-error a promise
    defineOperation<{ id?: string }>({ ...named, normalize: async (given) => given });
    // @ts-expect-error a promise
    defineOperation<object>({ ...named, normalize: async (given) => given });
    // @ts-expect-error a promise
    defineOperation({ ...named, params, normalize: async (given) => given });
  });

  it("does not compile as an async function: `texts` of `formIssues`", () => {
    formIssues([], { texts: { adult_too_young: ({ message }) => message.toUpperCase() } });
    // @ts-expect-error a promise
    formIssues([], { texts: { adult_too_young: async ({ message }) => message.toUpperCase() } });
  });
});

describe("§4.3 what a booking requires", () => {
  const passenger = {
    title: "Mr",
    fname: "RAVI",
    lname: "SAMPLE",
    mobile: "6000000002",
    email: "ravi@example.com",
    passenger_type: "adult",
    dob: "1990-01-01",
    gender: "M",
    address: "1 Example Road",
    city: "Pune",
    country: "India",
    country_code: "IN",
  } as const;
  const token = quoteToken("from a quote");

  it("a quote token and passengers with the documented values", () => {
    api.flights.book({ trace_id: "t", token, passengers: [passenger] });
    // @ts-expect-error a senior is not a passenger type
    api.flights.book({ trace_id: "t", token, passengers: [{ ...passenger, passenger_type: "senior" }] });
    // @ts-expect-error nor is Dr a title
    api.flights.book({ trace_id: "t", token, passengers: [{ ...passenger, title: "Dr" }] });
    // @ts-expect-error nor X a gender of the document
    api.flights.book({ trace_id: "t", token, passengers: [{ ...passenger, gender: "X" }] });
    const { email: _, ...incomplete } = passenger;
    // @ts-expect-error the e-mail address is missing
    api.flights.book({ trace_id: "t", token, passengers: [incomplete] });
    // @ts-expect-error the passengers are missing
    api.flights.book({ trace_id: "t", token });
  });

  it("never a search token in place of a quote token, nor the other way round", () => {
    // @ts-expect-error the token of the search does not book
    api.flights.book({ trace_id: "t", token: "from a search", passengers: [passenger] });
    api.flights.fareQuote({ trace_id: "t", token: "from a search" });
    // @ts-expect-error a quote token cannot be quoted
    api.flights.fareQuote({ trace_id: "t", token });
    // @ts-expect-error nor has it rules
    api.flights.fareRule({ trace_id: "t", token });
  });

  it("the token of a quote can be booked unchanged", async () => {
    const quote = await api.flights.fareQuote({ trace_id: "t", token: "from a search" });
    const [offer] = quote.data.result;
    // @ts-expect-error there may be no offer
    offer.token;
    if (offer !== undefined)
      api.flights.book({ trace_id: quote.data.trace_id, token: offer.token, passengers: [passenger] });
  });
});

describe("§6.1 the events of a stream", () => {
  it("each has the fields of its kind, and no other's", async () => {
    for await (const event of api.ai.stream({ user: { text: "x" } })) {
      if (event.event === "response_output") {
        expectTypeOf(event.system.text_chunk).toEqualTypeOf<string>();
        // @ts-expect-error the whole text comes with response_completed
        event.system.text;
      }
      if (event.event === "response_completed") {
        expectTypeOf(event.system.text).toEqualTypeOf<string>();
        // @ts-expect-error it has no chunk
        event.system.text_chunk;
      }
      if (event.event === "response_initiated") {
        expectTypeOf(event.context_token).toEqualTypeOf<string>();
        // @ts-expect-error its system is empty
        event.system.text;
      }
    }
  });

  it("the user's text is required", () => {
    // @ts-expect-error
    api.ai.createResponse({});
    // @ts-expect-error
    api.ai.createResponse({ user: {} });
    // @ts-expect-error images are addresses
    api.ai.createResponse({ user: { text: "x", images: [1] } });
  });
});

describe("a call", () => {
  it("returns the body, or the body with more, or the bare response", async () => {
    const call = api.ai.createResponse({ user: { text: "x" } });
    expectTypeOf(await call).toEqualTypeOf<AiResponse>();
    expectTypeOf(call).toExtend<Promise<AiResponse>>();
    expectTypeOf(await call.asResponse()).toEqualTypeOf<Response>();
    const answer = await call.withResponse();
    expectTypeOf(answer.data).toEqualTypeOf<AiResponse>();
    expectTypeOf(answer.attempts).toEqualTypeOf<number>();
    expectTypeOf(answer.warnings).toEqualTypeOf<readonly ValidationIssue[]>();
    expectTypeOf(answer.clientReferenceId).toEqualTypeOf<string | undefined>();
  });
});

describe("options", () => {
  it("false disables what it can disable; other words do not compile", () => {
    ({ timeout: false, totalTimeout: 1, maxRetries: 0, userAgent: false }) satisfies ClientOptions;
    // @ts-expect-error there is no `true`
    ({ timeout: true }) satisfies ClientOptions;
    // @ts-expect-error retries are counted
    ({ maxRetries: false }) satisfies ClientOptions;
    // @ts-expect-error an unknown option
    ({ client_secret: "x" }) satisfies ClientOptions;
    // @ts-expect-error an unknown word
    ({ validation: { response: "lax" } }) satisfies ClientOptions;
  });

  it("a credential is a string or a function that returns one", () => {
    ({ clientSecret: async () => "x" }) satisfies ClientOptions;
    // @ts-expect-error
    ({ clientSecret: 7 }) satisfies ClientOptions;
  });

  it("those of a stream are not those of a call", () => {
    ({ stream: { idleTimeout: 5 } }) satisfies StreamOptions;
    // @ts-expect-error
    ({ stream: { idleTimeout: 5 } }) satisfies RequestOptions;
  });
});

describe("errors narrow what was caught", () => {
  it("by class and by kind", () => {
    const error: unknown = undefined;
    if (NotFoundError.isInstance(error)) {
      expectTypeOf(error).toEqualTypeOf<NotFoundError>();
      expectTypeOf(error.httpStatus).toEqualTypeOf<number>();
    }
    if (TimeoutError.isInstance(error)) expectTypeOf(error.deadline).toEqualTypeOf<"attempt" | "total" | "stream">();
    if (ServiceApiError.isInstance(error)) {
      expectTypeOf(error.outcome).toEqualTypeOf<Outcome>();
      // @ts-expect-error not every error has an HTTP status
      error.httpStatus;
    }
    if (ApiError.isInstance(error)) expectTypeOf(error.body).toEqualTypeOf<unknown>();
    expectTypeOf<"rate_limited">().toExtend<ApiErrorKind>();
  });
});

describe("a custom operation", () => {
  const status = defineOperation({
    name: "payouts.status",
    area: "verification",
    path: "payout/status",
    params: z.object({ client_referenceId: z.string() }),
    body: z.looseObject({ status: z.string(), utr: z.optional(z.string()) }),
  });

  it("is typed by its schemas", async () => {
    const answer = await api.send(status, { client_referenceId: "order-17" });
    expectTypeOf(answer.utr).toEqualTypeOf<string | undefined>();
    // @ts-expect-error the reference is missing
    api.send(status, {});
    // @ts-expect-error it is a string
    api.send(status, { client_referenceId: 17 });
  });

  it("is refused without what every operation has", () => {
    // @ts-expect-error an unknown class of retries
    defineOperation({ ...status, retry: "always" });
    // @ts-expect-error the path is missing
    defineOperation({ name: "x", area: "ai", params: z.object({}) });
  });

  it("is typed without schemas by type arguments, or has unknown fields", async () => {
    const named = defineOperation<{ readonly id: string }, { readonly utr?: string }>({ name: "x", path: "x" });
    expectTypeOf((await api.send(named, { id: "1" })).utr).toEqualTypeOf<string | undefined>();
    // @ts-expect-error the ID is missing
    api.send(named, {});
    const untyped = defineOperation({ name: "x", area: "payouts", path: "x" });
    expectTypeOf(await api.send(untyped, { anything: [1] })).toEqualTypeOf<Record<string, unknown>>();
  });
});

describe("a custom operation with literals", () => {
  const look = defineOperation({
    name: "look",
    area: "verification",
    path: "look",
    params: z.object({ mode: z.enum(["a", "b"]), consent: z.literal("Y"), note: z.optional(z.string()) }),
    body: z.object({ state: z.enum(["on", "off"]) }),
  });

  it("keeps the literals of its schema", () => {
    expectTypeOf(api.send(look, { mode: "a", consent: "Y" })).toEqualTypeOf<ApiCall<{ state: "on" | "off" }>>();
    // @ts-expect-error an unknown literal
    api.send(look, { mode: "c", consent: "Y" });
    // @ts-expect-error the consent is missing
    api.send(look, { mode: "a" });
  });
});
