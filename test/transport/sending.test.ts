import { describe, expect, it, vi } from "vitest";
import { RequestValidationError } from "../../src/errors/index.ts";
import { quoteToken } from "../../src/flights/types/index.ts";
import type { ServiceApi } from "../../src/index.ts";
import { merge } from "../../src/shared/objects.ts";
import { createReference } from "../../src/shared/ulid.ts";
import { clientOf, errorOf, failureOf, nowhere, sample } from "../support/client.ts";
import { type Fields, made, never, safe, schemaOf } from "../support/operations.ts";
import { passenger } from "../support/passenger.ts";
import { serve } from "../support/serve.ts";
import { answers, succeeds, type TestServer } from "../support/server.ts";

const sentTo = (server: TestServer, n = 0): Fields => JSON.parse(server.requests[n]?.body ?? "null");
describe("§4: every operation is a POST with a JSON body", () => {
  it("unchanged, with the wire's own names", async () => {
    const { server, api } = await serve();
    const params = {
      vpa_mobile: "6000000001",
      nested: { "e-ticket_available": true, list: [1, null] },
      empty: "",
      zero: 0,
    };
    await api.send(safe, { ...params, client_referenceId: "r" });
    expect(server.requests[0]).toMatchObject({ method: "POST", path: "/made/up" });
    expect(sentTo(server)).toEqual({ ...params, client_referenceId: "r" });
  });

  it("omits what is undefined", async () => {
    const { server, api } = await serve();
    await api.send(safe, { a: undefined, client_referenceId: "r" });
    expect(server.requests[0]?.body).toBe('{"client_referenceId":"r"}');
  });

  it.each([
    ["a BigInt", { n: 1n }],
    [
      "an object that holds itself",
      (() => {
        const loop: Fields = {};
        loop.loop = loop;
        return loop;
      })(),
    ],
  ])("refuses what JSON cannot hold with one of our errors: %s", async (_case, params) => {
    const error = await failureOf(clientOf(nowhere).send(never, params), RequestValidationError);
    expect(error).toMatchObject({ outcome: "notSent", issues: [{ code: "not_json" }] });
    await failureOf(clientOf(nowhere).send(never, {}, { extraBody: params }), RequestValidationError);
  });
});

describe("params whose fields JSON leaves out", () => {
  class Search {
    get trace_id() {
      return "t";
    }
    get token() {
      return "k";
    }
  }
  const hidden = Object.defineProperty({ trace_id: "t" }, "token", { value: "k" });

  it.each([
    ["the getters of a class", new Search(), ["trace_id", "token"]],
    ["a field that is not enumerable", hidden, ["token"]],
  ])("are refused, not sent without them: %s", async (_case, params, fields) => {
    const { server, api } = await serve();
    const call = api.flights.fareQuote(params as { trace_id: string; token: string });
    const error = await failureOf(call, RequestValidationError);
    expect(error.issues).toMatchObject(fields.map((field) => ({ path: [field], message: "is missing" })));
    expect(server.requests).toEqual([]);
  });
});

it("a getter is read once: what is checked is what would be sent", async () => {
  const { server, api } = await serve();
  const values = ["no token of the service", "svc_a1"];
  const params = {
    user: { text: "Hello" },
    get context_token() {
      return values.shift();
    },
  };
  const error = await failureOf(api.ai.createResponse(params), RequestValidationError);
  expect(error.issues).toMatchObject([{ path: ["context_token"] }]);
  expect([values, server.requests]).toEqual([["svc_a1"], []]);
});

describe("references", () => {
  it("one is generated if the caller passes none: a ULID of 26 characters", async () => {
    const { server, api } = await serve();
    const { clientReferenceId } = await api.send(safe, {}).withResponse();
    expect(clientReferenceId).toMatch(/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/);
    expect(sentTo(server).client_referenceId).toBe(clientReferenceId);
  });

  it("sorts by time, whatever the random part", () => {
    const times = [0, 1, 31, 32, 1_000, 1_700_000_000_000, 1_700_000_000_001, 281_474_976_710_655];
    const least = new Uint8Array(16);
    const most = new Uint8Array(16).fill(255);
    const made = times.map((time, i) => createReference(time, i % 2 === 0 ? most : least));
    expect([...made].sort()).toEqual(made);
    expect(made[0]).toBe(`0000000000${"Z".repeat(16)}`);
    expect(made.at(-1)).toBe(`7ZZZZZZZZZ${"0".repeat(16)}`);
  });

  it("draws new randomness after a second, as a machine that wakes from a snapshot needs it", () => {
    const draw = vi.spyOn(crypto, "getRandomValues");
    const now = Date.UTC(2100, 0);
    for (const time of [now, now + 1_000, now + 1_001, now - 1]) createReference(time);
    expect(draw).toHaveBeenCalledTimes(3);
  });

  it("is unique", () => {
    expect(new Set(Array.from({ length: 10_000 }, () => createReference(0))).size).toBe(10_000);
  });

  it.each(["order-17", "x".repeat(200), "ref with blanks & ünicode", ""])(
    "never changes the caller's: %j",
    async (client_referenceId) => {
      const { server, api } = await serve();
      const answer = await api.send(safe, { client_referenceId }).withResponse();
      expect(sentTo(server).client_referenceId).toBe(client_referenceId);
      expect(answer.clientReferenceId).toBe(client_referenceId);
    },
  );

  it.each(["params", "extraBody"] as const)("%s that JSON cannot hold are refused by name", async (where) => {
    const api = clientOf(nowhere);
    const call = where === "params" ? api.send(safe, { a: 1n }) : api.send(safe, {}, { extraBody: { a: 1n } });
    const error = await failureOf(call, RequestValidationError);
    expect(error.message).toMatch(new RegExp(`^test\\.safe: ${where} cannot be serialized: `));
    expect(error).toMatchObject({ operation: "test.safe", outcome: "notSent", issues: [{ code: "not_json" }] });
  });

  it("`createReference` makes it instead", async () => {
    const { server, api } = await serve(succeeds, { createReference: () => "mine-1" });
    const { clientReferenceId } = await api.send(safe, {}).withResponse();
    expect([clientReferenceId, sentTo(server).client_referenceId]).toEqual(["mine-1", "mine-1"]);
  });

  it("`createReference` is not asked, nor blamed, for a reference of the caller", async () => {
    const schema = schemaOf<Fields>(({ at, client_referenceId: own }) =>
      [
        at instanceof Date ? [] : [{ message: "no date", path: ["at"] }],
        own === "" ? [{ message: "is empty", path: ["client_referenceId"] }] : [],
      ].flat(),
    );
    const createReference = vi.fn(() => "mine-1");
    const { server, api } = await serve(succeeds, { createReference });
    await api.send(made({ params: schema }), { at: new Date(0), client_referenceId: "own" });
    expect(createReference).not.toHaveBeenCalled();
    await api.send(made({ params: schema }), { at: new Date(0) });
    expect(server.requests.map((_, n) => sentTo(server, n).client_referenceId)).toEqual(["own", "mine-1"]);
  });

  it("is on errors, even on those before anything was sent", async () => {
    const { server, api } = await serve(answers(500, {}), { maxRetries: 0 });
    await expect(api.send(safe, { client_referenceId: "order-17" })).rejects.toMatchObject({
      clientReferenceId: "order-17",
    });
    const refusing = made({
      params: { "~standard": { version: 1, vendor: "t", validate: () => ({ issues: [{ message: "no" }] }) } },
    });
    await expect(api.send(refusing, { client_referenceId: "order-18" })).rejects.toMatchObject({
      clientReferenceId: "order-18",
    });
    const error = await errorOf(api.send(safe, {}));
    expect(error.clientReferenceId).toBe(sentTo(server, 1).client_referenceId);
  });

  it("is not sent by an operation that does not know it", async () => {
    const { server, api } = await serve();
    const { clientReferenceId } = await api.send(made({ autofill: [] }), {}).withResponse();
    expect(clientReferenceId).toBeUndefined();
    expect(server.requests[0]?.body).toBe("{}");
  });
});

describe("§5: clientData.client_id of verification", () => {
  it("defaults to the credential's client ID, and can be passed", async () => {
    const { server, api } = await serve(answers(200, sample("verification/success-multiple")), {
      clientId: async () => "rotating",
    });
    await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" });
    await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y", clientData: { client_id: "other" } });
    expect(sentTo(server, 0)).toEqual({
      vpa_mobile: "6000000001",
      consent: "Y",
      clientData: { client_id: "rotating" },
    });
    expect(sentTo(server, 1).clientData).toEqual({ client_id: "other" });
  });
});

describe("extraBody", () => {
  it.each<[string, Fields, Fields, Fields]>([
    ["adds fields", { a: 1 }, { b: 2 }, { a: 1, b: 2 }],
    ["wins over a field", { a: 1 }, { a: 2 }, { a: 2 }],
    ["reaches into objects", { user: { text: "x" } }, { user: { lang: "hi" } }, { user: { text: "x", lang: "hi" } }],
    [
      "merges lists by position",
      { passengers: [{ fname: "A" }, { fname: "B" }] },
      { passengers: [{}, { passport_no: "P1" }] },
      { passengers: [{ fname: "A" }, { fname: "B", passport_no: "P1" }] },
    ],
    ["makes a list longer", { list: [1] }, { list: [1, 2] }, { list: [1, 2] }],
    ["leaves the rest of a longer list", { list: [1, 2, 3] }, { list: [9] }, { list: [9, 2, 3] }],
    [
      "replaces what is of another kind",
      { a: { b: 1 }, c: [1], d: 1 },
      { a: [1], c: { b: 1 }, d: null },
      { a: [1], c: { b: 1 }, d: null },
    ],
  ])("%s", async (_case, params, extraBody, sent) => {
    const { server, api } = await serve();
    await api.send(made({ autofill: [] }), params, { extraBody });
    expect(sentTo(server)).toEqual(sent);
  });

  it("is merged after the fields that the library fills in, and can override them", async () => {
    const { server, api } = await serve();
    const answer = await api.send(safe, {}, { extraBody: { client_referenceId: "from-extra" } }).withResponse();
    expect(sentTo(server)).toEqual({ client_referenceId: "from-extra" });
    expect(answer.clientReferenceId).toBe("from-extra");
  });

  it.each([null, undefined])("leaves a generated reference where its own is %s", async (client_referenceId) => {
    const { server, api } = await serve();
    const call = api.send(safe, {}, { extraBody: { client_referenceId } });
    const { clientReferenceId } = await call.withResponse();
    expect(clientReferenceId).toMatch(/^[0-9A-Z]{26}$/);
    expect(sentTo(server)).toEqual({ client_referenceId: clientReferenceId });
  });

  it("a key named __proto__ is safe", () => {
    const merged = merge(
      { a: 1 },
      JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}'),
    );
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
    expect(({} as Fields).polluted).toBeUndefined();
  });

  it("leaves both objects untouched, holes in a list included", () => {
    const base = { list: [{ a: 1 }, { b: 2 }] };
    const holes: unknown[] = [];
    holes[1] = { c: 3 };
    expect(merge(base, { list: holes })).toEqual({ list: [{ a: 1 }, { b: 2, c: 3 }] });
    expect(base).toEqual({ list: [{ a: 1 }, { b: 2 }] });
  });

  it("is not checked: it is for fields that the document does not show", async () => {
    const { server, api } = await serve(answers(200, sample("verification/success-multiple")));
    await api.verification.findVpas({ vpa_mobile: "6000000001", consent: "Y" }, { extraBody: { odd: true } });
    expect(sentTo(server).odd).toBe(true);
  });
});

describe("half a surrogate pair is not text: nothing is sent", () => {
  const half = "cut \ud83d";
  const quote = { trace_id: "t", token: quoteToken("q"), client_referenceId: "r" };
  const mobile = { vpa_mobile: "6000000001", consent: "Y" } as const;
  const calls: Record<string, [path: string, call: (api: ServiceApi) => PromiseLike<unknown>]> = {
    "ai.createResponse": ["user.text", (api) => api.ai.createResponse({ user: { text: half } })],
    "ai.stream": ["user.text", (api) => api.ai.stream({ user: { text: half } }).finalText()],
    "a turn of a conversation": ["user.text", (api) => api.ai.conversation().stream(half).finalText()],
    "a client_referenceId": [
      "client_referenceId",
      (api) => api.ai.createResponse({ user: { text: "x" }, client_referenceId: half }),
    ],
    "flights.book": [
      "passengers.0.address",
      (api) => api.flights.book({ ...quote, passengers: [passenger({ address: half }) as never] }),
    ],
    "flights.fareRule": [
      "trace_id",
      (api) => api.flights.fareRule({ trace_id: half, token: "s", client_referenceId: "r" }),
    ],
    "verification.findVpas": [
      "clientData.client_id",
      (api) => api.verification.findVpas({ ...mobile, clientData: { client_id: half } }),
    ],
    "an operation of one's own": ["deep.0.list.1", (api) => api.send(never, { deep: [{ list: ["fine", half] }] })],
    extraBody: ["a.b", (api) => api.send(safe, {}, { extraBody: { a: { b: half } } })],
    "the name of a field": ["a", (api) => api.send(safe, {}, { extraBody: { a: { [half]: 1 } } })],
    "without checks of the request": [
      "user.text",
      (api) => api.ai.createResponse({ user: { text: half } }, { validation: { request: "off" } }),
    ],
  };

  it.each(Object.entries(calls))("%s", async (_name, [path, call]) => {
    const { server, api } = await serve(answers(200, {}));
    const error = await failureOf(call(api), RequestValidationError);
    const parts = path.split(".").map((part) => (/^\d+$/.test(part) ? Number(part) : part));
    expect(error).toMatchObject({ outcome: "notSent", issues: [{ path: parts, code: "unpaired_surrogate" }] });
    expect(error.message).toContain("half a surrogate pair");
    expect(error.message).toContain("Nothing was sent.");
    expect(server.requests).toEqual([]);
  });

  it.each(["\ude00\ud83d", "\udfff", "a\ud800b"])("whichever half, and wherever: %j", async (text) => {
    const { server, api } = await serve();
    await failureOf(api.send(never, { text }), RequestValidationError);
    expect(server.requests).toEqual([]);
  });

  it.each(["😀", "\\ud83d", "\\\\ud83d 😀", "\uffff"])("whole text passes: %j", async (text) => {
    const { server, api } = await serve();
    await api.send(made({ autofill: [] }), { text });
    expect(JSON.parse(server.requests[0]?.body ?? "")).toEqual({ text });
  });
});
