import { describe, expect, it, vi } from "vitest";
import * as z from "zod";
import { type ClientEvent, type ClientOptions, defineOperation, type Logger, type LogLevel } from "../../src/index.ts";
import { maskPersonalData } from "../../src/transport/log.ts";
import { initiated } from "../ai/events.ts";
import { errorOf, sample } from "../support/client.ts";
import { stopClock } from "../support/clock.ts";
import { allowLeaks } from "../support/leaks/found.ts";
import { made, safe, schemaOf } from "../support/operations.ts";
import { everyPrintOf, expectNoSecret, secret } from "../support/secrets.ts";
import { serve } from "../support/serve.ts";
import { answers, inTurn, reply, succeeds } from "../support/server.ts";
import { throws } from "../support/throws.ts";

interface Line {
  readonly level: keyof Logger;
  readonly message: string;
  readonly fields: object | undefined;
}

function collectingLogger(): Logger & { readonly lines: Line[] } {
  const lines: Line[] = [];
  const at = (level: keyof Logger) => (message: string, fields?: object) => void lines.push({ level, message, fields });
  return { lines, error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug") };
}

/** One call with a retry, a drift and a response, then one that fails. */
async function run(options: ClientOptions, beforeResponse = () => {}): Promise<void> {
  allowLeaks("personal data", /NotFoundError/, "the message of an error quotes that of the service");
  const drifting = made({
    name: "test.logged",
    retry: "safe",
    body: schemaOf(() => [{ message: "odd", path: ["data", "n"] }]),
  });
  const { api } = await serve((response, _request, n) => {
    beforeResponse();
    if (n === 1) reply(response, 503, {}, { "retry-after": "0" });
    else if (n === 2) reply(response, 200, { status: "SUCCESS", name: "ASHA EXAMPLE", data: { n: 1 } });
    else reply(response, 404, { status: "FAILED", message: "nothing for 6000000001" });
  }, options);
  await api.send(drifting, { client_referenceId: "order-17", mobile: "6000000001" });
  await api.send(drifting, { client_referenceId: "order-18" }).catch(() => {});
}

describe("onEvent receives every step: names, durations and sizes, never a body", () => {
  it("in order", async () => {
    const events: ClientEvent[] = [];
    stopClock("performance");
    vi.advanceTimersByTime(100);
    await run({ onEvent: (event) => events.push(event) }, () => vi.advanceTimersByTime(7));
    const [callId, otherId] = [...new Set(events.map((event) => event.callId))];
    const requestId = undefined;
    const common = { callId, operation: "test.logged", clientReferenceId: "order-17" };
    const other = { ...common, callId: otherId, clientReferenceId: "order-18" };
    const duration = 7;
    const url = expect.stringMatching(/^http:\/\/[\w.]+:\d+\/made\/up$/);
    const bytes = '{"client_referenceId":"order-17","mobile":"6000000001"}'.length;
    expect(events).toEqual([
      { ...common, type: "request", attempt: 1, url, bytes },
      { ...common, type: "response", attempt: 1, httpStatus: 503, requestId, duration, bytes: 2 },
      { ...common, type: "retry", attempt: 1, delay: 0, reason: "unavailable" },
      { ...common, type: "request", attempt: 2, url, bytes },
      { ...common, type: "response", attempt: 2, httpStatus: 200, requestId, duration, bytes: 57 },
      { ...common, type: "drift", paths: ["data.n"] },
      { ...common, type: "resolved", attempts: 2, duration: 14 },
      { ...other, type: "request", attempt: 1, url, bytes: 33 },
      { ...other, type: "response", attempt: 1, httpStatus: 404, requestId, duration, bytes: 54 },
      { ...other, type: "error", kind: "not_found", outcome: "rejected", requestId, attempts: 1, duration },
    ]);
    expect(everyPrintOf(events)).not.toMatch(/ASHA|\b6000000001\b/);
    expectNoSecret(events);
  });

  it("a drift names no field that may be a person", async () => {
    const events: ClientEvent[] = [];
    const body = z.object({ users: z.record(z.string(), z.object({ age: z.number() })) });
    const users = { "asha@example.in": { age: "?" }, "6000000001": { age: "?" } };
    const drifting = defineOperation({ name: "x", path: "x", body });
    const { api } = await serve(answers(200, { status: "SUCCESS", users }), { onEvent: (event) => events.push(event) });
    await api.send(drifting, {});
    const { message } = await errorOf(api.send(drifting, {}, { validation: { response: "strict" } }));
    expect(message).toContain(": users.[name of 15 characters].age ");
    const names = ["[name of 15 characters]", "[name of 10 characters]"];
    expect(events.find(({ type }) => type === "drift")).toMatchObject({
      paths: names.map((name) => `users.${name}.age`),
    });
  });

  it("sizes are bytes, not characters", async () => {
    const events: ClientEvent[] = [];
    const text = '{"status":"SUCCESS","name":"आशा"}';
    const { api } = await serve(answers(200, text), { onEvent: (event) => events.push(event) });
    await api.send(made({ autofill: [] }), { name: "आशा" });
    expect(events.flatMap((event) => ("bytes" in event ? [event.bytes] : []))).toEqual([
      Buffer.byteLength('{"name":"आशा"}'),
      Buffer.byteLength(text),
    ]);
  });

  it("asResponse() and redirects are reported too, without a size", async () => {
    const events: ClientEvent[] = [];
    const { api } = await serve(inTurn(answers(503, "x"), answers(200, "x"), answers(302, "x")), {
      onEvent: (event) => events.push(event),
    });
    await (await api.send(safe, {}).asResponse()).text();
    await api.send(safe, {}).catch(() => {});
    const responses = events.filter((event) => event.type === "response");
    expect(responses.map(({ httpStatus, bytes }) => [httpStatus, bytes])).toEqual([
      [503, undefined],
      [200, undefined],
      [302, undefined],
    ]);
  });

  it("ties the events of one call by `callId`, also of calls at the same time and with the same reference", async () => {
    const events: ClientEvent[] = [];
    const { api } = await serve(succeeds, { onEvent: (event) => events.push(event) });
    const calls = Array.from({ length: 5 }, () => api.send(safe, { client_referenceId: "order-1" }));
    await Promise.all([...calls, api.send(safe, "refused" as never).catch(() => {})]);
    const typesOf = (id: string) => events.filter(({ callId }) => callId === id).map(({ type }) => type);
    const ids = [...new Set(events.map(({ callId }) => callId))];
    expect(ids.map(typesOf).sort((a, b) => b.length - a.length)).toEqual([
      ...Array.from({ length: 5 }, () => ["request", "response", "resolved"]),
      ["error"],
    ]);
    expect(ids).toEqual(ids.map(() => expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/)));
  });

  it("ends each call with one event: `resolved`, `error`, or `stream`", async () => {
    const ends: string[] = [];
    const { api } = await serve((response, _request, n) => reply(response, n === 2 ? 404 : 200, { status: "X" }), {
      onEvent: ({ type }) => ends.push(type),
    });
    await api.send(safe, {});
    await api.send(safe, {}).catch(() => {});
    await (await api.send(safe, {}).asResponse()).text();
    await api.ai
      .stream({ user: { text: "x" } })
      .finalText()
      .catch(() => {});
    expect(ends.filter((type) => !["request", "response", "drift"].includes(type))).toEqual([
      "resolved",
      "error",
      "resolved",
      "stream",
    ]);
  });

  it("one that throws does not disturb the call", async () => {
    const fails = throws(new Error("listener"));
    const logger: Logger = { error: fails, warn: fails, info: fails, debug: fails };
    const { api } = await serve(succeeds, { onEvent: fails, log: { logger, level: "debug" } });
    expect(await api.send(safe, {})).toEqual({ status: "SUCCESS" });
  });
});

describe("the log", () => {
  const levelsOf = async (log: ClientOptions["log"]) => {
    const logger = collectingLogger();
    await run({ log: { logger, ...log } });
    return [...new Set(logger.lines.map(({ level }) => level))].sort();
  };

  it.each<[LogLevel | undefined, string[]]>([
    ["off", []],
    ["error", ["error"]],
    ["warn", ["error", "warn"]],
    ["info", ["error", "info", "warn"]],
    ["debug", ["debug", "error", "info", "warn"]],
    [undefined, ["error", "warn"]],
  ])("the level %j writes %j", async (level, levels) => {
    expect(await levelsOf({ level })).toEqual(levels);
  });

  it.each<[string, ClientOptions["log"], string[]]>([
    ["debug", {}, ["debug", "error", "info", "warn"]],
    ["off", {}, []],
    ["error", {}, ["error"]],
    ["debug", { level: "error" }, ["error"]],
    ["verbose", {}, ["error", "warn"]],
    ["toString", {}, ["error", "warn"]],
  ])("SERVICEAPI_LOG=%s with %j writes %j", async (value, log, levels) => {
    vi.stubEnv("SERVICEAPI_LOG", value);
    expect(await levelsOf(log)).toEqual(levels);
  });

  it.each([
    ["a call that was sent, and may have been carried out", "warn"],
    ["a call before it was sent", "info"],
    ["a stream that has begun", "info"],
  ])("whoever leaves is not a failure: %s is logged as %s", async (what, level) => {
    const logger = collectingLogger();
    const controller = new AbortController();
    const { signal } = controller;
    const { server, api } = await serve(
      (response) => {
        if (what === "a stream that has begun")
          response
            .writeHead(200, { "content-type": "text/event-stream" })
            .write(`data: ${JSON.stringify(initiated())}\n\n`);
      },
      { log: { logger, level: "info" } },
    );
    if (what === "a stream that has begun") {
      const reading = api.ai.stream({ user: { text: "Hello" } }, { signal })[Symbol.asyncIterator]();
      await reading.next();
      controller.abort();
      await errorOf(reading.next());
    } else {
      if (what === "a call before it was sent") controller.abort();
      const failure = errorOf(api.send(safe, {}, { signal }));
      if (!signal.aborted) await server.received(1);
      controller.abort();
      await failure;
    }
    expect(logger.lines.at(-1)).toMatchObject({ level, fields: { kind: "abort" } });
  });

  it("is silent by default: a library writes nothing to the console", async () => {
    const names = ["log", "error", "warn", "info", "debug"] as const;
    const spies = names.map((name) => vi.spyOn(console, name).mockImplementation(() => {}));
    await run({});
    for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  });

  it("goes to the console once a level is set", async () => {
    const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
    const error = vi.spyOn(console, "error").mockImplementation(() => {});
    await run({ log: { level: "warn" } });
    expect(warn).toHaveBeenCalledTimes(2);
    expect(warn.mock.calls[0]?.[0]).toBe("serviceapi test.logged retry");
    expect(error).toHaveBeenCalledOnce();
  });

  it("names the operation and the step, with the event's fields", async () => {
    const logger = collectingLogger();
    await run({ log: { logger, level: "info" } });
    expect(logger.lines[0]).toEqual({
      level: "info",
      message: "serviceapi test.logged response",
      fields: expect.objectContaining({ clientReferenceId: "order-17", httpStatus: 503 }),
    });
  });

  it("masks personal data at debug, and shows the shape", async () => {
    const logger = collectingLogger();
    await run({ log: { logger, level: "debug" } });
    const bodies = logger.lines.filter(({ message }) => /sends|received/.test(message));
    expect(bodies[0]?.fields).toEqual({
      callId: expect.any(String),
      clientReferenceId: "order-17",
      body: { client_referenceId: "order-17", mobile: "[10 characters]" },
    });
    expect(bodies.map(({ message }) => message.split(" ").at(-1))).toEqual([
      "sends",
      "received",
      "sends",
      "received",
      "sends",
      "received",
    ]);
    expect(everyPrintOf(logger.lines)).not.toMatch(/ASHA|\b6000000001\b/);
    expectNoSecret(logger.lines);
  });

  it("shows it on request, and never a credential", async () => {
    const logger = collectingLogger();
    await run({ log: { logger, level: "debug", personalData: true } });
    expect(everyPrintOf(logger.lines)).toMatch(/ASHA EXAMPLE/);
    expectNoSecret(logger.lines);
  });
});

describe("rule 2: personal data is masked in logs", () => {
  const personal: Record<string, RegExp> = {
    "verification/success-multiple": /ASHA|6000000001|examplebank|demoupi/i,
    "flight/book/request-international-family-ssr-gst": /@|EXAMPLE|\d{4}-\d{2}-\d{2}|600000/,
    "flight/book/success-full-service-held": /@|600000|\d{4}-\d{2}-\d{2}/,
    "ai/response-whole-markdown": /#|\*\*/,
  };

  it.each(Object.entries(personal))("%s", (name, pattern) => {
    const body = sample(name);
    expect(JSON.stringify(body)).toMatch(pattern);
    const masked = maskPersonalData(body);
    expect(JSON.stringify(masked)).not.toMatch(pattern);
    expect(JSON.stringify(masked).match(/"[\w-]+":/g)).toEqual(JSON.stringify(body).match(/"[\w-]+":/g));
  });

  it("masks the PNR of a booking", () => {
    const booking = sample("flight/book/success-full-service-held") as { data: { result: { pnr: string } } };
    expect(JSON.stringify(maskPersonalData(booking))).not.toContain(booking.data.result.pnr);
  });

  it("shows impersonal data: codes, references and amounts in their form", () => {
    const plain = {
      status: "SUCCESS",
      status_code: "200",
      statusCode: 101,
      client_referenceId: "shop/order-20261129",
      trace_id: "00000000-aaaa-4bbb-8ccc-000000000005",
      currency: "INR",
      fare_type: "RegularFare",
      airline_code: "6E",
      ok: true,
      none: null,
      amount: 7600.5,
      total_fare: 196_421.25,
      tax_and_surcharges: 41_220.75,
      count: -999_999,
      event: "response_output",
    };
    expect(maskPersonalData(plain)).toEqual(plain);
    const short = { trace_id: "t", event: "e".repeat(64) };
    expect(maskPersonalData(short)).toEqual(short);
    const long = { count: 1_000_000, event: "e".repeat(65) };
    expect(maskPersonalData(long)).toEqual({ count: "[number]", event: "[65 characters]" });
  });

  it.each<[string, unknown, string]>([
    ["zip", 411_001, "[number]"],
    ["pin", 4_829, "[number]"],
    ["account", 411_001, "[number]"],
    ["passenger_type", "Asha Rao", "[8 characters]"],
    ["flight_status", "asha@okaxis", "[11 characters]"],
    ["currency", "9876543210", "[10 characters]"],
    ["status", "98765-43210", "[11 characters]"],
    ["client_referenceId", "asha@okaxis", "[11 characters]"],
    ["trace_id", "of Asha Rao", "[11 characters]"],
  ])("%s is masked if it is %j, which is not its form", (name, value, masked) => {
    expect(maskPersonalData({ [name]: value })).toEqual({ [name]: masked });
  });

  it("numbers as long as a telephone number are masked, lists element by element, and other fields by default", () => {
    expect(
      maskPersonalData({ mobile: 6000000001, vpaList: ["a@b", "cc@d"], n: [1, -6000000001], new_field: "ASHA" }),
    ).toEqual({
      mobile: "[number]",
      vpaList: ["[3 characters]", "[4 characters]"],
      n: [1, "[number]"],
      new_field: "[4 characters]",
    });
  });

  it("a gateway's echo of a credential or a person is not shown, in plain fields, names and numbers either", () => {
    const body = {
      status: `key ${secret}`,
      client_referenceId: `key:${secret}`,
      [secret]: 1,
      trace_id: "x".repeat(65),
      pin: 482_913,
      "asha@example.com": 1,
      "+91 6000000001": 2,
      order_6000000001: 3,
    };
    const masked = maskPersonalData(body, [secret, "482913"]);
    expectNoSecret(masked);
    expect(masked).toMatchObject({
      client_referenceId: "key:[redacted]",
      trace_id: "[65 characters]",
      pin: "[number]",
    });
    expect(JSON.stringify(masked)).not.toMatch(/asha|6000000001|482913/);
  });
});
