import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { createEmulator, type EmulatorOptions, type ResponseName, type Rule } from "../../../src/emulator/emulator.ts";
import { behaviours } from "../../../src/emulator/service/operations.ts";
import { State } from "../../../src/emulator/state/state.ts";
import { ConfigurationError } from "../../../src/errors/index.ts";
import { operations } from "../../support/service-operations.ts";
import { aiPath, ask, bodyOf, lookUp, post } from "../helpers.ts";

const path = "verification/upimobile_multiple";
const request = lookUp("6000000002");

describe("rules", () => {
  it("are used for a number of requests and then no more", async () => {
    const emulator = createEmulator();
    emulator.on("*", "unavailable", { times: 2 });
    const statuses = [];
    for (let count = 0; count < 3; count++) statuses.push((await post(emulator, path, request)).status);
    expect(statuses).toEqual([503, 503, 200]);
  });

  it("are not used up by requests that are not accepted", async () => {
    const emulator = createEmulator();
    emulator.on("*", "unavailable", { times: 1 });
    const refused = [
      await emulator.fetch(`https://emulator.example/${path}`),
      await post(emulator, path, "{}", { "content-type": "text/plain" }),
      await post(emulator, path, request, { "client-secret": "wrong-secret" }),
      await post(emulator, path, request),
      await post(emulator, path, request),
    ];
    expect(refused.map(({ status }) => status)).toEqual([405, 415, 401, 503, 200]);
  });

  it("are met until they are withdrawn, for one operation or for all", async () => {
    const emulator = createEmulator();
    const all = emulator.on("*", "unavailable");
    const booking = emulator.on("flights.book", "unavailable");
    emulator.on("*", "rate_limited", { times: 3 }).withdraw();
    const status = async (to: string) => (await post(emulator, to, request)).status;
    expect([await status(path), await status("flight/book")]).toEqual([503, 503]);
    const gateway = emulator.on("verification.findVpas", "html-502");
    booking.withdraw();
    expect([await status(path), await status("flight/book")]).toEqual([502, 503]);
    gateway.withdraw();
    all.withdraw();
    expect([await status(path), await status("flight/book")]).toEqual([200, 422]);
    expect(emulator.active).toEqual([]);
    expect(all.remaining).toBe(0);
  });

  it("are withdrawn at the end of the block that declared them with `using`, with a name or without", async () => {
    const emulator = createEmulator();
    const status = async () => (await post(emulator, path, request)).status;
    {
      using outage = emulator.on("*", "unavailable");
      using booked = emulator.on("flights.book", { message: "Booked" });
      expect(emulator.active).toMatchObject([
        { name: "unavailable", operation: "*", remaining: Number.POSITIVE_INFINITY },
        { name: undefined, operation: "flights.book", remaining: Number.POSITIVE_INFINITY },
      ]);
      expect(await status()).toBe(503);
      expect(outage.id).not.toBe(booked.id);
    }
    expect([emulator.active, emulator.unused, await status()]).toEqual([[], [], 200]);
  });

  it("are withdrawn alone, also after a reset and while a request leaves them to others", async () => {
    const emulator = createEmulator();
    const early = emulator.on("*", "unavailable", { times: 1 });
    emulator.reset();
    const later = emulator.on("*", "unavailable", { times: 1 });
    early.withdraw();
    expect(emulator.active).toEqual([later]);
    later.withdraw();
    later.withdraw();
    const held: { rule?: Rule } = {};
    const leave = () => held.rule?.withdraw() as undefined;
    const rule = emulator.on("verification.findVpas", leave, { times: 1 });
    held.rule = rule;
    expect([(await post(emulator, path, request)).status, (await post(emulator, path, request)).status]).toEqual([
      200, 200,
    ]);
    expect([rule.remaining, emulator.active, emulator.unused]).toEqual([0, [], []]);
  });

  it("are the same object wherever they are returned, with a name or without", () => {
    const emulator = createEmulator();
    const outage = emulator.on("*", "unavailable");
    const script = emulator.on("flights.book", { message: "Booked" });
    for (const list of [emulator.active, emulator.unused]) {
      expect(list).toHaveLength(2);
      expect(list[0]).toBe(outage);
      expect(list[1]).toBe(script);
    }
  });

  it("show their own state, and nothing else, to a log, a copy and JSON", async () => {
    const emulator = createEmulator();
    const named = emulator.on("flights.book", "unavailable", { times: 2 });
    const other = emulator.on("verification.findVpas", { name: "ASHA" });
    const shown = { id: named.id, operation: "flights.book", name: "unavailable", remaining: 2 };
    const unlimited = { id: other.id, operation: "verification.findVpas", name: undefined };
    expect({ ...named }).toStrictEqual(shown);
    expect({ ...other }).toStrictEqual({ ...unlimited, remaining: Number.POSITIVE_INFINITY });
    expect(inspect(named, { breakLength: Number.POSITIVE_INFINITY })).toBe(`Rule ${inspect(shown)}`);
    // Neither the body of a rule nor `Infinity`, which would be `null`.
    expect(JSON.parse(JSON.stringify([named, other]))).toEqual([shown, unlimited]);
    await post(emulator, "flight/book", request);
    expect({ ...named }).toStrictEqual({ ...shown, remaining: 1 });
  });

  it("are active while a request can meet them, with a name or without", async () => {
    const emulator = createEmulator();
    const outage = emulator.on("*", "unavailable", { times: 2 });
    emulator.on("flights.book", { message: "Booked" });
    await post(emulator, path, request);
    expect(emulator.active).toMatchObject([
      { name: "unavailable", operation: "*", remaining: 1 },
      { name: undefined, operation: "flights.book", remaining: Number.POSITIVE_INFINITY },
    ]);
    expect(outage.remaining).toBe(1);
    await post(emulator, path, request);
    expect(emulator.active.map(({ operation }) => operation)).toEqual(["flights.book"]);
    emulator.reset();
    expect(emulator.active).toEqual([]);
  });

  it("are used for one operation alone", async () => {
    const emulator = createEmulator();
    emulator.on("flights.book", "unavailable");
    expect((await post(emulator, path, request)).status).toBe(200);
    expect((await post(emulator, "flight/book", {})).status).toBe(503);
  });

  it("are used one after the other", async () => {
    const emulator = createEmulator();
    emulator.on("*", "unavailable", { times: 1 });
    emulator.on("*", "html-502", { times: 1 });
    expect((await post(emulator, path, request)).status).toBe(503);
    expect((await post(emulator, path, request)).status).toBe(502);
  });

  it("leave out the operations that do not know them", async () => {
    const emulator = createEmulator();
    emulator.on("*", "success-price-changed");
    expect((await post(emulator, path, request)).status).toBe(200);
    const body = await (
      await post(emulator, "flight/fare_quote", { ...emulator.seedSearch(), client_referenceId: "r" })
    ).json();
    expect(body.status).toBe("SUCCESS");
  });

  it("apply to every request, except those that name their own", async () => {
    const emulator = createEmulator();
    emulator.on("*", "html-502");
    expect((await post(emulator, path, request)).status).toBe(502);
    expect((await post(emulator, path, request, { "X-Emulator-Response": "empty-504" })).status).toBe(504);
  });

  it.each([
    ["html-503", "Did you mean html-502"],
    ["slow:soon", "Did you mean slow"],
    ["unavailible", "Did you mean unavailable"],
    ["failed_pending", "Did you mean failed-pending"],
    ["zz", "Every operation knows reset, reset-after, "],
    ["", "Every operation knows reset, reset-after, "],
    ["x", "Every operation knows reset, reset-after, "],
  ])("are refused with similar names if no operation knows them: %j", (name, hint) => {
    expect(() => createEmulator().on("*", name as ResponseName)).toThrow(`no response "${name}". ${hint}`);
  });

  it("are refused if no operation knows them", async () => {
    expect(() => createEmulator().on("*", "nonsense" as ResponseName)).toThrow(
      'The emulator knows no response "nonsense"',
    );
    for (const name of ["nonsense", "slow:soon", "slow:", "constructor", "reset reset"]) {
      expect(() => createEmulator().on("*", name as ResponseName)).toThrow(ConfigurationError);
    }
    const response = await post(createEmulator(), path, request, { "X-Emulator-Response": "success-price-changed" });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      message: 'The emulator knows no response "success-price-changed" of verification.findVpas.',
    });
  });

  it("are forgotten by reset()", async () => {
    const emulator = createEmulator();
    emulator.on("*", "reset");
    emulator.reset();
    expect((await post(emulator, path, request)).status).toBe(200);
  });

  const paths: Record<string, (emulator: ReturnType<typeof createEmulator>) => [string, object]> = {
    "verification.findVpas": () => [path, request],
    "ai.createResponse": () => [aiPath, ask("Hi")],
    "ai.stream": () => [aiPath, ask("Hi", { stream: true })],
    "flights.fareQuote": (emulator) => ["flight/fare_quote", { ...emulator.seedSearch(), client_referenceId: "r" }],
    "flights.fareRule": (emulator) => ["flight/fare_rule", { ...emulator.seedSearch(), client_referenceId: "r" }],
  };

  it.each(
    Object.entries(behaviours)
      .filter(([operation]) => operation in paths)
      .flatMap(([operation, { samples }]) => samples.map((name) => [operation, name] as const)),
  )("%s sends every sample it knows: %s", async (operation, name) => {
    const emulator = createEmulator({ pace: 0 });
    const [where, body] = paths[operation]?.(emulator) ?? ["", {}];
    const response = await post(emulator, where, body, { "X-Emulator-Response": name });
    const text = await response.text();
    const isFailure = /"status":"(FAILED|failed|BAD_REQUEST_ERROR|pending)"/.test(text);
    expect(isFailure).toBe(name.includes("failed") && name !== "success-seats-failed");
  });

  it("put every failure under HTTP 200 if the option says so", async () => {
    const emulator = createEmulator({ failureStatus: 200 });
    const response = await post(emulator, path, lookUp("6000000404"));
    expect([response.status, await response.json()]).toMatchObject([200, { statusCode: "404" }]);
  });

  it.each(["authentication", "permission", "rate_limited", "unavailable", "invalid", "not_found"] as const)(
    "put %s under the HTTP status that the option says",
    async (name) => {
      const answer = (options: EmulatorOptions) => {
        const emulator = createEmulator(options);
        emulator.on("*", name);
        return post(emulator, path, request);
      };
      expect((await answer({ failureStatus: 200 })).status).toBe(200);
      const response = await answer({ failureStatus: "asCode" });
      const { statusCode, status_code } = await response.json();
      expect(response.status).toBe(Number(statusCode ?? status_code));
    },
  );

  it("put what comes under HTTP 200 under its code only if the option says so", async () => {
    const search = { trace_id: "t", token: "never issued", client_referenceId: "r" };
    const answer = (options: EmulatorOptions) => post(createEmulator(options), "flight/fare_quote", search);
    expect((await answer({})).status).toBe(200);
    expect((await answer({ failureStatus: "asCode" })).status).toBe(400);
  });

  it("leave the responses of a gateway as they are", async () => {
    const answer = async (name: ResponseName) =>
      (await post(createEmulator({ failureStatus: 200 }), path, request, { "X-Emulator-Response": name })).status;
    expect([await answer("html-502"), await answer("empty-504"), await answer("http-500")]).toEqual([502, 504, 500]);
  });
});

describe("the operations", () => {
  it("are those of the package, under their names", () => {
    const known = Object.entries(behaviours).map(([name, { operation }]) => [name, operation.name]);
    expect(known.sort()).toEqual(operations.map(({ name }) => [name, name]).sort());
  });
});

describe("requests (§1)", () => {
  it.each(["application/json", "application/JSON; charset=utf-8"])("may have the content type %s", async (type) => {
    expect((await post(createEmulator(), path, request, { "content-type": type })).status).toBe(200);
  });

  it.each(["text/json", "application/json-patch+json", "application/jsonl"])(
    "must not have the content type %s",
    async (type) => {
      expect((await post(createEmulator(), path, request, { "content-type": type })).status).toBe(415);
    },
  );

  it.each(["{", "", '"text"'])("have an object as their body: not %s", async (body) => {
    const responses = [await post(createEmulator(), path, body), await post(createEmulator(), aiPath, body)];
    for (const response of responses) {
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ message: "The body must be a JSON object" });
    }
  });

  it.each(["[]", "null"])("name the body that is not an object: %s", async (body) => {
    const verification = await bodyOf(createEmulator(), path, body);
    expect(verification.message).toMatch(/^body must be an object, is /);
    const { errors } = await bodyOf(createEmulator(), aiPath, body);
    expect(errors.body).toEqual([expect.stringMatching(/^The body field must be an object, is /)]);
  });
});

describe("paths", () => {
  it("are those of the document below the configured prefix, and a refusal says where the operation is", async () => {
    const wrong = await post(createEmulator(), `v1/${path}`, request);
    const { error } = (await wrong.json()) as { error: string };
    const advice = "Compare `baseUrl` and `pathPrefixes`.";
    expect([wrong.status, error]).toEqual([
      404,
      expect.stringContaining(`no operation at /v1/${path}. verification.findVpas is at /${path}. ${advice}`),
    ]);
    expect(error.length).toBeLessThanOrEqual(200); // the client's error shows no more
    for (const verification of ["v1", "/v1/", "v1/"]) {
      const emulator = createEmulator({ pathPrefixes: { verification } });
      expect((await post(emulator, `v1/${path}`, request)).status).toBe(200);
      expect((await post(emulator, path, request)).status).toBe(404);
      expect((await post(emulator, `extra/v1/${path}`, request)).status).toBe(404);
    }
  });

  it("need the prefix of the AI operations, which is an option as in the client", async () => {
    expect((await post(createEmulator(), "ai/create-response", ask("Hi"))).status).toBe(404);
    const emulator = createEmulator({ pathPrefixes: { ai: "" } });
    expect((await post(emulator, "ai/create-response", ask("Hi"))).status).toBe(200);
  });

  it("that belong to nothing are not found, and remembered", async () => {
    const emulator = createEmulator();
    expect((await post(emulator, "flight/search", {})).status).toBe(404);
    expect(emulator.requests).toMatchObject([{ operation: undefined, path: "/flight/search" }]);
  });
});

describe("the list of received requests", () => {
  it("is kept for tests, without the secret", async () => {
    const emulator = createEmulator({ now: 1_000 });
    await post(emulator, path, request, { "x-own": "1" });
    await post(emulator, aiPath, ask("Hi", { stream: true }));
    expect(emulator.requests).toMatchObject([
      { operation: "verification.findVpas", method: "POST", path: `/${path}`, body: request, receivedAt: 1_000 },
      { operation: "ai.stream" },
    ]);
    expect(emulator.requests[0]?.headers).toMatchObject({ "client-id": "demo-client", "x-own": "1" });
    expect(JSON.stringify(emulator.requests)).not.toContain("demo-secret");
    emulator.reset();
    expect(emulator.requests).toEqual([]);
  });

  it("is bounded", async () => {
    const state = new State();
    for (let count = 0; count < 10_001; count++) {
      const request = { operation: undefined, method: "GET", path: `/${count}`, headers: {}, body: "", receivedAt: 0 };
      state.requests.add(request, 0);
    }
    expect([state.requests.entries.length, state.requests.entries[0]?.path]).toEqual([10_000, "/1"]);
  });

  it("is bounded by its text too", async () => {
    const emulator = createEmulator();
    const megabytes = { text: "x".repeat(4_000_000) };
    for (let count = 0; count < 12; count++) await post(emulator, `nowhere/${count}`, megabytes);
    expect(emulator.requests.map((request) => request.path).at(0)).toBe("/nowhere/4");
    emulator.reset();
    await post(emulator, "nowhere", { text: "x".repeat(40_000_000) });
    expect(emulator.requests).toHaveLength(1);
    await post(emulator, path, request);
    expect(emulator.requests).toHaveLength(1);
  });

  it("starts again from the same identifiers after reset()", async () => {
    const emulator = createEmulator();
    const search = emulator.seedSearch();
    emulator.reset();
    expect(emulator.seedSearch()).toEqual(search);
  });

  it("refuses a `now` that is not a time", () => {
    expect(() => createEmulator({ now: "soon" })).toThrow(ConfigurationError);
  });
});
