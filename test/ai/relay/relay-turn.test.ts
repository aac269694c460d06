import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import { createEmulator, type EmulatorServer } from "serviceapi/emulator";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { RelayError, readRelay, relayTurn } from "../../../src/ai/entry.ts";
import { ConfigurationError, RequestValidationError, ServiceApi, type ServiceApiError } from "../../../src/index.ts";
import { stopClock } from "../../support/clock.ts";
import { gate } from "../../support/gate.ts";

type Options = NonNullable<Parameters<typeof relayTurn>[2]>;
type Turn = Parameters<typeof relayTurn>[1];

const emulator = createEmulator({ pace: 0 });
let service: EmulatorServer;
let api: ServiceApi;
const db = new DatabaseSync(":memory:");
db.exec("CREATE TABLE chats (id TEXT PRIMARY KEY, saved TEXT NOT NULL)");
const create = db.prepare("INSERT INTO chats VALUES (?, ?)");
const find = db.prepare("SELECT saved FROM chats WHERE id = ?");
const replace = db.prepare("UPDATE chats SET saved = ? WHERE id = ? AND saved = ?");
const stored = (id: string) => String(find.get(id)?.saved);
const questions = (id: string) => api.ai.conversation(stored(id)).turns.map(({ user }) => user.text);

/** The errors that the routes of a test have seen. */
const seen: ServiceApiError[] = [];
/** An error that the application's own use of this package throws. */
const badQuestion = new RequestValidationError({
  message: "of another call",
  operation: "ai.conversation",
  issues: [],
});
let count = 0;

beforeEach(async () => {
  emulator.reset();
  seen.length = 0;
  service = await emulator.listen();
  api = new ServiceApi({ baseUrl: service.url, clientId: "demo", clientSecret: "demo-secret" });
  return () => service.close();
});
/** A server with one conversation, and a function that asks it from a tab that has seen this number of turns. */
async function serve(steps: Partial<Turn> = {}, options: Options = {}) {
  const id = `chat-${count++}`;
  create.run(id, JSON.stringify(api.ai.conversation()));
  const load = () => find.get(id)?.saved;
  const save = (next: string, previous: string) => replace.run(next, id, previous).changes;
  const errorText = (error: ServiceApiError) => {
    seen.push(error);
    return error.kind;
  };
  const fetchRoute = async (request: Request) => {
    const { text, turns } = (await request.json()) as { text: string; turns: number };
    const turn = { text, turns, load, save, ...steps };
    // As a framework does with what a route throws.
    return relayTurn(api.ai, turn, { signal: request.signal, errorText, ...options }).catch((error) => {
      seen.push(error);
      return new Response(error.kind, { status: 500 });
    });
  };
  const server = createAdaptorServer({ fetch: fetchRoute, overrideGlobalObjects: false });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const post = (text: string, turns: number, signal?: AbortSignal) =>
    fetch(url, { method: "POST", body: JSON.stringify({ text, turns }), ...(signal && { signal }) });
  /** The text of a complete response, or the error that the page gets. */
  const ask = async (text: string, turns: number): Promise<string | RelayError> => {
    try {
      for await (const event of readRelay(post(text, turns)))
        if (event.event === "response_completed") return event.system.text;
    } catch (error) {
      if (error instanceof RelayError) return error;
      throw error;
    }
    throw new Error("the relay ended without an end");
  };
  return { id, ask, post, load, save };
}

const sent = () => emulator.requests.length;
const refusedWith = (status: number, message: string) => ({ kind: "http", status, message });
const underWay = refusedWith(409, "request_validation");

describe("relayTurn", () => {
  it("saves each turn before its relay ends, and goes on from it", async () => {
    const saves = vi.fn<Turn["save"]>((...given) => save(...given));
    const { id, ask, save } = await serve({ save: saves });
    expect(await ask("one", 0)).toContain("one");
    expect(questions(id)).toEqual(["one"]);
    expect(await ask("two", 1)).toContain("two");
    expect(questions(id)).toEqual(["one", "two"]);
    expect(saves).toHaveBeenCalledTimes(4);
    const [, second] = emulator.requests;
    expect(second?.body).toMatchObject({ context_token: api.ai.conversation(stored(id)).turns[0]?.context_token });
    expect(stored(id)).not.toContain("lease");
    expect(seen).toEqual([]);
  });

  it("lets one of many tabs ask, and refuses the others with 409 and a sentence for the person", async () => {
    const { id, ask } = await serve({}, { errorText: undefined });
    const outcomes = await Promise.all(["a", "b", "c", "d"].map((text) => ask(`${text} /pace:20`, 0)));
    const refused = outcomes.filter((outcome) => outcome instanceof RelayError);
    expect(refused).toHaveLength(3);
    const texts =
      /^Another response is being written\. Wait for it\.$|^This conversation went on elsewhere\. Load it again\.$/;
    for (const { status, message } of refused) expect([status, message]).toEqual([409, expect.stringMatching(texts)]);
    expect([sent(), questions(id).length]).toEqual([1, 1]);
  });

  it("refuses a tab that has not seen the last turn, also one that asks again after it lost the response", async () => {
    const { id, ask } = await serve();
    await ask("one", 0);
    expect(await ask("one", 0)).toMatchObject(underWay);
    expect(await ask("two", 0)).toMatchObject(underWay);
    expect(await ask("two", undefined as never)).toMatchObject(refusedWith(400, "request_validation"));
    expect(seen.map((error) => Object(error).issues[0])).toEqual([
      expect.objectContaining({ path: [], code: "turn_elsewhere" }),
      expect.objectContaining({ path: [], code: "turn_elsewhere" }),
      expect.objectContaining({ path: ["turns"], code: "invalid_type" }),
    ]);
    for (const { message } of seen) expect(message).toMatch(/^relayTurn\b/);
    expect([sent(), questions(id)]).toEqual([1, ["one"]]);
  });

  it("names the type of a refusal, whatever the `Response` of the server sets", async () => {
    const api = new ServiceApi({ clientId: "a", clientSecret: "a-secret", baseUrl: "https://api.example.com" });
    const turn = { text: "one", turns: 0, load: () => undefined, save: () => true };
    const { headers } = await relayTurn(api.ai, turn, { headers: { "content-type": "text/html", "x-mine": "1" } });
    expect(Object.fromEntries(headers)).toEqual({ "content-type": "text/plain; charset=utf-8", "x-mine": "1" });
  });

  it.each([undefined, null])("responds with 404 without a conversation: %s", async (found) => {
    const { ask } = await serve({ load: () => found }, { errorText: undefined });
    expect(await ask("one", 0)).toMatchObject(refusedWith(404, "This conversation does not exist."));
    expect(sent()).toBe(0);
  });

  it.each([
    ["/fail Hello", 200, "stream_failed"],
    ["/truncate Hello", 200, "stream_truncated"],
    ["", 400, "request_validation"],
  ])(
    "has freed the conversation when the page learns of a failure, however slow the database: %j",
    async (text, status, kind) => {
      const slow: { save?: Turn["save"] } = {};
      const { id, ask, save } = await serve({
        save: async (...given) => {
          await sleep(30);
          return (await slow.save?.(...given)) ?? 0;
        },
      });
      slow.save = save;
      const before = stored(id);
      expect(await ask(text, 0)).toMatchObject(
        kind.startsWith("stream") ? { kind, status } : refusedWith(status, kind),
      );
      expect(stored(id)).toBe(before);
      expect(await ask("again", 0)).toContain("again");
      expect(questions(id)).toEqual(["again"]);
    },
  );

  it.each([
    ["", undefined],
    ["Hello", ["https://example.com/page.html"]],
  ])("tells the person to correct a question that cannot be sent: %j with %j", async (text, images) => {
    const { ask } = await serve(images && { images }, { errorText: undefined });
    const message = "The question was not sent, because a part of it is missing or invalid. Correct it, and ask again.";
    expect(await ask(text, 0)).toMatchObject(refusedWith(400, message));
  });

  it("passes the status of a refusal on, and does not retry it", async () => {
    emulator.on("ai.stream", "rate_limited", { times: 1 });
    const { ask } = await serve();
    expect(await ask("one", 0)).toMatchObject(refusedWith(429, "rate_limited"));
    expect(sent()).toBe(1);
    expect(await ask("one", 0)).toContain("one");
  });

  it("leaves the conversation as it was when the reader leaves", async () => {
    const { id, ask, post } = await serve();
    const before = stored(id);
    const controller = new AbortController();
    const response = await post("/pace:50 a long story that goes on and on", 0, controller.signal);
    await response.body?.getReader().read();
    expect(stored(id)).toContain("lease");
    controller.abort();
    await expect.poll(() => stored(id)).toBe(before);
    expect(await ask("again", 0)).toContain("again");
    expect(questions(id)).toEqual(["again"]);
  });

  it("frees the conversation of a process that died by time, and saves nothing of it if it was only slow", async () => {
    const { id, ask, post } = await serve({}, { timeout: 60_000 });
    const first = readRelay(await post("/pace:60 first", 0));
    await first.next();
    stopClock("Date");
    vi.advanceTimersByTime(119_000);
    expect(await ask("second", 0)).toMatchObject(underWay);
    vi.advanceTimersByTime(2_000);
    expect(await ask("second", 0)).toContain("second");
    const rest = (async () => {
      for await (const event of first) if (event.event === "response_completed") return "completed";
      return "ended";
    })();
    await expect(rest).rejects.toMatchObject({ kind: "stream_failed" });
    expect(questions(id)).toEqual(["second"]);
    expect(seen.at(-1)).toMatchObject({
      reason: "onFinish",
      message: expect.stringMatching(
        /, `onFinish`, or the `save` of relayTurn, failed: see `cause`\. The completed response was not passed on; it may have been saved\./,
      ),
      cause: { message: expect.stringContaining("lease") },
    });
  });

  it("abandons a response after `timeout`", async () => {
    const { id, ask } = await serve({}, { timeout: 100 });
    const before = stored(id);
    emulator.on("ai.stream", "no-response");
    expect(await ask("Hello", 0)).toMatchObject({ kind: "http", status: 504 });
    expect(stored(id)).toBe(before);
  });

  it("does not pass on as complete what it cannot record", async () => {
    emulator.on("ai.stream", Response.json([{ ...completed, response_status: "processing" }]));
    const { id, ask } = await serve();
    expect(await ask("one", 0)).toMatchObject({ kind: "stream_failed" });
    expect(questions(id)).toEqual([]);
  });

  // The first statement takes the conversation, the second saves the turn.
  it.each([0, 1].flatMap((nth) => ["before", "after"].map((when) => [nth, when] as const)))(
    "neither loses nor doubles a turn if statement %i fails %s it took effect",
    async (nth, when) => {
      let statements = 0;
      const failing: { save?: Turn["save"] } = {};
      const { id, ask, save } = await serve({
        save: async (...given) => {
          const fails = statements++ === nth;
          const changes = fails && when === "before" ? 0 : await failing.save?.(...given);
          if (fails) throw new Error("no connection, demo");
          return changes ?? 0;
        },
      });
      failing.save = save;
      const first = await ask("one", 0);
      expect(first).toMatchObject(nth === 0 ? refusedWith(500, "configuration") : { kind: "stream_failed" });
      const isSaved = nth === 1 && when === "after";
      expect(questions(id)).toEqual(isSaved ? ["one"] : []);
      expect(stored(id)).not.toContain("lease");
      expect(await ask("one", 0)).toEqual(isSaved ? expect.objectContaining(underWay) : expect.any(String));
      expect(questions(id)).toEqual(["one"]);
    },
  );

  it.each([
    ["throws", () => Promise.reject(new Error("no connection")), "`load` or `save` failed. Nothing was sent"],
    ["throws an error of this package", () => Promise.reject(badQuestion), "`load` or `save` failed. Nothing was sent"],
    ["returns an object", () => ({ version: 1, turns: [] }), "`load` must return the string that `save` stored."],
    ["returns another text", () => "Hello, secret", "is not a saved conversation: it is not JSON"],
  ])("rejects if load %s", async (_, load, message) => {
    const { ask } = await serve({ load });
    expect(await ask("one", 0)).toMatchObject(refusedWith(500, "configuration"));
    expect(seen[0]).toBeInstanceOf(ConfigurationError);
    expect(seen[0]?.message).toContain(message);
    expect(seen[0]?.message).not.toContain("secret");
    if (/failed/.test(message))
      expect(seen[0]?.cause).toMatchObject({ message: expect.stringMatching(/no connection|of another call/) });
  });

  it("rejects if `save` throws an error of this package: the question is not to blame", async () => {
    const { ask } = await serve({ save: () => Promise.reject(badQuestion) });
    expect(await ask("one", 0)).toMatchObject(refusedWith(500, "configuration"));
    expect(seen[0]?.message).toContain("`load` or `save` failed. Nothing was sent");
  });

  it.each([
    ["true and false", Boolean],
    ["numbers of rows", Number],
    ["numbers of rows as bigint", BigInt],
    ["null for no row", (rows: unknown) => (rows === 0 ? null : 1)],
  ])("takes from `save` %s", async (_, as) => {
    const { id, ask, save } = await serve({ save: async (...given) => as((await save(...given)) as number) as never });
    expect(await ask("one", 0)).toContain("one");
    expect(questions(id)).toEqual(["one"]);
    const taken = await serve({ save: () => as(0) as never });
    expect(await taken.ask("one", 0)).toMatchObject(underWay);
    expect(seen.at(-1)).toMatchObject({ issues: [{ code: "turn_under_way" }] });
  });

  it("rejects if `save` returns neither whether it replaced the string nor a number of rows", async () => {
    const { ask, load } = await serve({ save: () => ({ changes: 1 }) as never });
    expect(await ask("one", 0)).toMatchObject(refusedWith(500, "configuration"));
    expect(seen[0]?.message).toContain("`save` must return whether it replaced the string");
    expect(load()).not.toContain("lease");
  });

  it.each(["load", "save"])("rejects if %s hangs for 30 seconds", async (step) => {
    stopClock("setTimeout", "clearTimeout");
    const asked = gate();
    const hang = () => asked.open() ?? new Promise<never>(() => {});
    const call = relayTurn(api.ai, { ...turn, load: () => JSON.stringify(api.ai.conversation()), [step]: hang });
    const rejected = expect(call).rejects.toMatchObject({
      message: "relayTurn: `load` or `save` failed. Nothing was sent.",
      cause: { message: expect.stringContaining(`\`${step}\``) },
    });
    await asked.opened;
    await vi.advanceTimersByTimeAsync(32_000);
    await rejected;
    expect(sent()).toBe(0);
  });

  it("takes a lease that begins in the future, which a clock that was ahead has made", async () => {
    const { id, ask } = await serve();
    const lease = { since: 4e12, until: 4e12 + 180_000, holder: "1" };
    replace.run(JSON.stringify({ ...JSON.parse(stored(id)), lease }), id, stored(id));
    expect(await ask("one", 0)).toEqual(expect.any(String));
    expect(questions(id)).toEqual(["one"]);
  });

  it("asks nothing if its lease was written so late that another may have it, and frees it", async () => {
    const { id, ask, save } = await serve({
      save: async (...given) => {
        const changes = await late.save?.(...given);
        vi.advanceTimersByTime(31_000);
        return changes ?? 0;
      },
    });
    const late: { save?: Turn["save"] } = { save };
    stopClock("Date");
    expect(await ask("one", 0)).toMatchObject(refusedWith(500, "configuration"));
    expect([sent(), stored(id).includes("lease")]).toEqual([0, false]);
  });

  it("frees only its own lease, whenever it was taken", async () => {
    stopClock("Date");
    const leases: string[] = [];
    const { id, post, save } = await serve({
      save: (next, previous) => {
        if (next.includes('"lease"')) leases.push(next);
        return keep.save?.(next, previous) ?? 0;
      },
    });
    const keep: { save?: Turn["save"] } = { save };
    await Promise.all([post("one", 0), post("one", 0), post("one", 0)].map(async (one) => (await one).text()));
    expect(new Set(leases).size).toBe(leases.length);
    expect(questions(id)).toEqual(["one"]);
  });

  it("has its headers in a refusal, too, except for the type of the relay", async () => {
    const headers = { "access-control-allow-origin": "*", "content-type": "text/x-mine" };
    const { post } = await serve({ load: () => undefined }, { headers });
    const response = await post("one", 0);
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([404, "*"]);
    expect(response.headers.get("content-type")).toMatch(/^text\/plain/);
  });

  it("shows the browser no token, in any format", async () => {
    for (const format of ["sse", "ui-message"] as const) {
      const { post } = await serve({}, { format, messageId: "m-1" });
      const body = await (await post("one", 0)).text();
      expect(body).toContain("one");
      expect(body).not.toMatch(/context_token|svc_/);
      if (format === "ui-message") expect(body).toContain('"messageId":"m-1"');
    }
  });

  it.each<[string, () => Promise<Response>]>([
    ["`ai` must be", () => relayTurn({} as never, turn)],
    ["`load` is missing", () => relayTurn(api.ai, { ...turn, load: undefined } as never)],
    ["`save` is missing", () => relayTurn(api.ai, { ...turn, save: undefined } as never)],
    ['unknown option "id"', () => relayTurn(api.ai, { ...turn, id: "1" } as never)],
    ['unknown option "onFinish"', () => relayTurn(api.ai, turn, { onFinish() {} } as never)],
    ["`timeout` must be a number of milliseconds", () => relayTurn(api.ai, turn, { timeout: 0 })],
  ])("refuses what it cannot use: %s", async (message, call) => {
    await expect(call()).rejects.toThrow(ConfigurationError);
    await expect(call()).rejects.toThrow(`relayTurn: ${message}`);
  });
});

const turn: Turn = { text: "one", turns: 0, load: () => undefined, save: () => true };
const completed = {
  ...{ event: "response_completed", status: "SUCCESS", status_code: "200", message: "ok" },
  ...{ context_token: "svc_1", parent_context_token: null, system: { msg_id: "m", text: "Half." } },
};
