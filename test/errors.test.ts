import { globSync } from "node:fs";
import { inspect } from "node:util";
import { describe, expect, it, vi } from "vitest";
import { isServiceApiError } from "../src/errors/any.ts";
import { createApiError } from "../src/errors/api.ts";
import type { ApiErrorKind } from "../src/errors/base.ts";
import * as errors from "../src/errors/index.ts";
import {
  AbortError,
  ApiError,
  AuthenticationError,
  BookingOutcomeUnknownError,
  ConfigurationError,
  ConnectionError,
  RequestValidationError,
  ResponseValidationError,
  ServiceApiError,
  StreamError,
  StreamFailedError,
  StreamStalledError,
  StreamTruncatedError,
  TimeoutError,
  UnexpectedResponseError,
  WebhookAuthError,
  WebhookError,
  WebhookPayloadError,
  WebhookProcessingError,
} from "../src/errors/index.ts";
import * as flightErrors from "../src/flights/errors.ts";

const personal = "ASHA EXAMPLE 6000000001";
const common = { message: "m", operation: "flights.book", clientReferenceId: "order-17", attempts: 2 };
const answer = {
  httpStatus: 400,
  statusCode: "400",
  serviceMessage: "no",
  body: { name: personal },
  headers: new Headers({ "set-cookie": personal }),
};
const issues = [{ path: ["a"], message: "is missing", code: "invalid_type" }];
const stream = { ...common, partialText: personal, contextToken: personal, events: 3 };

const kinds: Record<ApiErrorKind, string> = {
  authentication: "AuthenticationError",
  permission: "PermissionError",
  not_found: "NotFoundError",
  invalid: "InvalidRequestError",
  session_expired: "SessionExpiredError",
  offer_unavailable: "OfferUnavailableError",
  trace_mismatch: "TraceMismatchError",
  duplicate: "DuplicateRequestError",
  in_progress: "RequestInProgressError",
  insufficient_balance: "InsufficientBalanceError",
  rate_limited: "RateLimitError",
  unavailable: "ServiceUnavailableError",
  unknown: "ApiError",
};

/** One of each class that is thrown, with everything in it that could be a person's. */
const one: Record<string, ServiceApiError> = {
  ...Object.fromEntries(
    (Object.keys(kinds) as ApiErrorKind[]).map((kind) => [
      kinds[kind],
      createApiError(kind, { ...common, ...answer, retryAfter: 5 }),
    ]),
  ),
  ConfigurationError: new ConfigurationError("m", common),
  RequestValidationError: new RequestValidationError({ ...common, issues }),
  ConnectionError: new ConnectionError({ ...common, code: "ECONNRESET" }),
  TimeoutError: new TimeoutError({ ...common, deadline: "attempt", phase: "body", timeout: 5 }),
  AbortError: new AbortError({
    ...common,
    phase: "stream",
    reason: personal,
    partialText: personal,
    contextToken: personal,
    events: 1,
  }),
  UnexpectedResponseError: new UnexpectedResponseError({
    ...common,
    reason: "html",
    httpStatus: 502,
    contentType: "text/html",
    preview: personal,
    body: personal,
    headers: answer.headers,
  }),
  ResponseValidationError: new ResponseValidationError({ ...common, issues, body: answer.body }),
  StreamTruncatedError: new StreamTruncatedError(stream),
  StreamStalledError: new StreamStalledError({ ...stream, deadline: "idle", timeout: 5 }),
  StreamFailedError: new StreamFailedError({
    ...stream,
    reason: "failed",
    statusCode: "500",
    serviceMessage: "no",
    body: personal,
  }),
  BookingOutcomeUnknownError: new BookingOutcomeUnknownError({
    ...common,
    traceId: "t",
    token: personal,
    sentAt: 1,
    body: answer.body,
  }),
  WebhookAuthError: new WebhookAuthError({ ...common, reason: "signatureMismatch" }),
  WebhookPayloadError: new WebhookPayloadError({ ...common, reason: "missingField", issues }),
  WebhookProcessingError: new WebhookProcessingError({ ...common, reason: "inFlight" }),
};

const classes = Object.entries(errors).filter(([name]) => /^[A-Z].*Error$/.test(name)) as [
  string,
  typeof ServiceApiError,
][];

describe("the table of design §5", () => {
  it("lists one instance of every exported class except the bases", () => {
    const bases = ["ServiceApiError", "StreamError", "WebhookError"];
    expect(Object.keys(one).sort()).toEqual(
      classes
        .map(([name]) => name)
        .filter((name) => !bases.includes(name))
        .sort(),
    );
  });

  it("exports every class of its folder that is an error", async () => {
    const modules = await Promise.all(globSync("src/errors/*.ts").map((file) => import(`../${file}`)));
    const all = modules.flatMap((module) => Object.values<unknown>(module));
    const written = all.filter((each) => typeof each === "function" && each.prototype instanceof ServiceApiError);
    expect(written.length).toBeGreaterThanOrEqual(Object.keys(one).length);
    expect(written.filter((each) => !Object.values<unknown>(errors).includes(each))).toEqual([]);
  });

  it.each(Object.entries(one))("%s: its name, its kind and what every error carries", (name, error) => {
    expect(error).toBeInstanceOf(ServiceApiError);
    expect(error).toBeInstanceOf(Error);
    expect(error.name).toBe(name);
    expect(error.constructor.name).toBe(name);
    expect(String(error)).toBe(`${name}: m`);
    expect(error.stack).toMatch(new RegExp(`^${name}: m\n`));
    expect(error).toMatchObject({
      operation: "flights.book",
      clientReferenceId: "order-17",
      attempts: 2,
      message: "m",
    });
    expect(error.kind).toMatch(/^[a-z_]+$/);
    expect(["rejected", "notSent", "unknown"]).toContain(error.outcome);
    expect(error.isRetryable).toBe(false);
  });

  it.each(Object.entries(kinds) as [ApiErrorKind, string][])("the kind %s has the class %s", (kind, name) => {
    expect(createApiError(kind, { ...common, ...answer })).toMatchObject({ kind, name });
  });

  it("each kind leads to one class", () => {
    const named = Object.values(one).map(({ kind }) => kind);
    expect(new Set(named).size).toBe(named.length);
  });
});

describe("outcomes if nothing else is known", () => {
  it("an error of the service is a refusal, one of this machine was not sent, a stream or a booking is open", () => {
    const outcome = (name: string) => one[name]?.outcome;
    expect(["NotFoundError", "WebhookAuthError"].map(outcome)).toEqual(["rejected", "rejected"]);
    expect(["ConfigurationError", "RequestValidationError"].map(outcome)).toEqual(["notSent", "notSent"]);
    expect(["StreamTruncatedError", "BookingOutcomeUnknownError"].map(outcome)).toEqual(["unknown", "unknown"]);
  });

  it("a refusal is `unknown` if what was asked for may exist, also one that a test of an application makes", () => {
    const open = (Object.keys(kinds) as ApiErrorKind[]).filter(
      (kind) => createApiError(kind, { ...common, ...answer }).outcome === "unknown",
    );
    expect(open).toEqual(["duplicate", "in_progress", "unavailable"]);
  });

  it("a booking with an unknown outcome is never retryable, however it is created", () => {
    const error = new BookingOutcomeUnknownError({
      ...common,
      isRetryable: true,
      outcome: "notSent",
      traceId: "t",
      token: "k",
      sentAt: 1,
    });
    expect(error).toMatchObject({ isRetryable: false, outcome: "unknown" });
    expect(error.httpStatus).toBeUndefined();
  });

  it("an error that is created from a message alone has defaults", () => {
    expect(new WebhookPayloadError({ message: "m", reason: "empty" }).issues).toEqual([]);
    expect(new ConfigurationError("m")).toMatchObject({
      operation: undefined,
      clientReferenceId: undefined,
      attempts: 0,
      outcome: "notSent",
    });
    expect(new ServiceApiError("configuration", { message: "m" }).cause).toBeUndefined();
    expect("cause" in new ServiceApiError("configuration", { message: "m" })).toBe(false);
  });
});

describe("printing an error never shows a body, header, text or token", () => {
  it.each(Object.entries(one))("%s", (name, error) => {
    const prints = `${inspect(error)}${JSON.stringify(error)}${error}${error.stack}`;
    expect(prints).not.toContain("ASHA");
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({
      name,
      message: "m",
      kind: error.kind,
      clientReferenceId: "order-17",
    });
  });

  it("programs can read hidden properties", () => {
    expect(one.NotFoundError).toMatchObject({ body: { name: personal } });
    expect((one.NotFoundError as ApiError).headers.get("set-cookie")).toBe(personal);
    expect(one.UnexpectedResponseError).toMatchObject({ preview: personal, body: personal });
    expect(one.AbortError).toMatchObject({ reason: personal, partialText: personal });
    expect(one.StreamFailedError).toMatchObject({ partialText: personal });
    expect(one.BookingOutcomeUnknownError).toMatchObject({ token: personal, body: answer.body });
    expect(Object.keys(one.NotFoundError ?? {})).not.toContain("body");
  });

  it("printed errors help to diagnose a failure", () => {
    expect(JSON.parse(JSON.stringify(one.RateLimitError))).toMatchObject({
      kind: "rate_limited",
      httpStatus: 400,
      retryAfter: 5,
      outcome: "rejected",
    });
    expect(JSON.parse(JSON.stringify(one.TimeoutError))).toMatchObject({
      deadline: "attempt",
      phase: "body",
      timeout: 5,
    });
  });
});

describe("isInstance", () => {
  it.each(classes)("%s.isInstance agrees with instanceof for every error", (_name, errorClass) => {
    for (const error of Object.values(one)) expect(errorClass.isInstance(error)).toBe(error instanceof errorClass);
  });

  it("holds across two copies of the package", async () => {
    vi.resetModules();
    const copy = await import("../src/errors/index.ts");
    const foreign = new copy.AuthenticationError("authentication", { ...common, ...answer });
    expect(foreign instanceof AuthenticationError).toBe(false);
    expect(AuthenticationError.isInstance(foreign)).toBe(true);
    expect(ApiError.isInstance(foreign)).toBe(true);
    expect(ServiceApiError.isInstance(foreign)).toBe(true);
    expect(errors.NotFoundError.isInstance(foreign)).toBe(false);
    expect(StreamError.isInstance(foreign)).toBe(false);
    expect(WebhookError.isInstance(new copy.WebhookAuthError({ message: "m", reason: "refusedByCheck" }))).toBe(true);
  });

  it("of a user's class is that of the class itself", () => {
    class Mine extends ConnectionError {}
    expect(Mine.isInstance(new Mine(common))).toBe(true);
    expect(Mine.isInstance(new ConnectionError(common))).toBe(false);
    expect(ConnectionError.isInstance(new Mine(common))).toBe(true);
  });

  it.each([undefined, null, "ConnectionError", 7, {}, new Error("x"), { name: "ConnectionError" }])(
    "is false for %j",
    (value) => {
      expect(ServiceApiError.isInstance(value)).toBe(false);
      expect(ConnectionError.isInstance(value)).toBe(false);
    },
  );

  it("throws if it was detached from its class, rather than be false for every error", () => {
    const errors: readonly unknown[] = [new ConnectionError(common)];
    expect(() => errors.filter(ConnectionError.isInstance)).toThrow("must be called on its class");
  });

  it("is false for an object that throws when it is looked at", () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(ServiceApiError.isInstance(proxy)).toBe(false);
    expect(ConnectionError.isInstance(proxy)).toBe(false);
  });

  it("narrows a union in a catch block", () => {
    const error: unknown = one.TimeoutError;
    expect(TimeoutError.isInstance(error) && error.timeout).toBe(5);
  });
});

describe("isServiceApiError", () => {
  it("holds for every error of the package, even of another copy, and for nothing else", async () => {
    vi.resetModules();
    const copy = await import("../src/errors/index.ts");
    const foreign = new copy.TimeoutError({ ...common, deadline: "total", phase: "body", timeout: 1 });
    for (const error of [...Object.values(one), foreign]) {
      expect(isServiceApiError(error)).toBe(true);
    }
    for (const value of [undefined, null, "x", {}, new Error("x"), { kind: "timeout" }]) {
      expect(isServiceApiError(value)).toBe(false);
    }
  });

  it("holds for those of a checkout and a journal, whose kinds are their own", async () => {
    vi.resetModules();
    for (const flights of [flightErrors, await import("../src/flights/errors.ts")]) {
      const details: never = { ...common, flights: [], issues: [], result: 0 } as never;
      const { PassengerValidationError: Refused, adviceFor: _, ...classes } = flights;
      const own = Object.values(classes).map((Own) => new Own(details));
      expect(new Set([new Refused(details), ...own].map(({ kind }) => kind)).size).toBe(8);
      for (const error of own) expect(isServiceApiError(error)).toBe(true);
    }
  });
});
