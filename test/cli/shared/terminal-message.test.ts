import { describe, expect, it } from "vitest";
import { createProgram } from "../../../src/cli/program.ts";
import { sentences, terminalMessage } from "../../../src/cli/shared/terminal-message.ts";
import { createEmulator, type OperationName } from "../../../src/emulator/emulator.ts";
import { commonNames } from "../../../src/emulator/rules/response.ts";
import { behaviours } from "../../../src/emulator/service/operations.ts";
import { isServiceApiError } from "../../../src/errors/any.ts";
import type { ApiError } from "../../../src/errors/api.ts";
import type { ErrorKind } from "../../../src/errors/base.ts";
import { pickOffer } from "../../../src/flights/checkout/book.ts";
import { checkout } from "../../../src/flights/checkout/checkout.ts";
import { fees } from "../../../src/flights/fees/index.ts";
import { fileJournal } from "../../../src/flights/journal/file.ts";
import { memoryJournal } from "../../../src/flights/journal/memory.ts";
import { reconcile } from "../../../src/flights/journal/reconcile.ts";
import type { ClientOptions } from "../../../src/options.ts";
import { ServiceApi } from "../../../src/service-api.ts";
import { passenger } from "../../support/passenger.ts";
import { temporaryFile } from "../../support/temporary-file.ts";

/** Advice that only a program can follow. */
const code =
  /`|option of the client|allowDuplicate|startAt|see row|partialText|maxResponseBytes|maxEventBytes|retryAfter|serviceMessage|reconcile\(\)|\bcause\b|on this error|\b(?:base|client|total|stream|path)[A-Z]\w+|function/;

/** The messages of the library that the tests below have caused. */
const messages: string[] = [];

/** Returns the message of an error for a terminal. */
function rewritten({ message }: Error): string {
  messages.push(message);
  return terminalMessage(message);
}

/** Returns the error of a call, and its message for a terminal. */
async function failureOf(call: () => unknown): Promise<{ readonly kind: ErrorKind; readonly message: string }> {
  try {
    await call();
  } catch (error) {
    if (isServiceApiError(error)) return { kind: error.kind, message: rewritten(error) };
    throw error;
  }
  throw new Error("It did not fail.");
}

const credentials = { baseUrl: "https://emulator.example", clientId: "demo-client", clientSecret: "demo-secret" };
const look = { vpa_mobile: "6000000001", consent: "Y" } as const;
const findVpas = (options: ClientOptions) => failureOf(() => new ServiceApi(options).verification.findVpas(look));

describe("the settings", () => {
  it.each<[ClientOptions, RegExp]>([
    [{ ...credentials, baseUrl: "http://a.example" }, /--base-url.*https.* --allow-http names test hosts/],
    [{ ...credentials, baseUrl: "https://a.example/nope?x" }, /--base-url.*query/],
    [
      { ...credentials, baseUrl: "https://a.example/v1", pathPrefixes: { verification: "v1" } },
      /already ends in "v1".* use https:\/\/a\.example, or pass --path-prefix verification=<path>/,
    ],
    [{ ...credentials, clientId: " a" }, /--client-id/],
    [{ ...credentials, pathPrefixes: { ai: "../x" } }, /--path-prefix ai/],
    [{ ...credentials, timeout: -1 }, /--timeout/],
    [{ ...credentials, dangerouslyAllowHttp: [""] }, /--allow-http/],
  ])("%j", async (options, text) => {
    const { kind, message } = await findVpas(options);
    expect([kind, message]).toEqual(["configuration", expect.stringMatching(text)]);
    expect(message).not.toMatch(code);
  });
});

it("says nothing that only a program can follow, whatever the service does", async () => {
  const names = new Set([...commonNames, ...Object.values(behaviours).flatMap(({ samples }) => samples)]);
  const texts = (await Promise.all([...names].map(messagesOf))).flat();
  expect(texts.length).toBeGreaterThan(60);
  expect(texts.filter((message) => code.test(message))).toEqual([]);
});

/** Returns the messages of the calls that fail with a response. */
async function messagesOf(name: string): Promise<readonly string[]> {
  const emulator = createEmulator({ pace: 0 });
  const search = emulator.seedSearch();
  const { fetch } = emulator;
  const api = new ServiceApi({ ...credentials, fetch, maxRetries: 0, timeout: 200, maxResponseBytes: 100_000 });
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    "verification.findVpas": () => api.verification.findVpas(look),
    "ai.createResponse": () => api.ai.createResponse({ user: { text: "Hi" } }),
    "ai.stream": () => api.ai.stream({ user: { text: "Hi" } }, { stream: { idleTimeout: 200 } }).finalText(),
    "flights.fareQuote": () => api.flights.fareQuote(search),
    "flights.fareRule": () => api.flights.fareRule(search),
  };
  const found: string[] = [];
  for (const [operation, call] of Object.entries(calls)) {
    emulator.reset();
    try {
      const target = operation.replace("stream", "createResponse") as OperationName;
      emulator.on(target, name as "unavailable");
    } catch {
      continue; // It is a sample of another operation.
    }
    await call().catch((error: Error) => found.push(rewritten(error)));
  }
  return found;
}

describe("a booking that failed", () => {
  const order = (lname = "SAMPLE") => ({ passengers: [passenger({ lname })], clientReferenceId: "order-17" }) as never;
  const open = async () => {
    const journal = memoryJournal();
    const emulator = createEmulator();
    const api = new ServiceApi({ ...credentials, fetch: emulator.fetch, timeout: 500 });
    const shop = checkout(api, emulator.seedSearch(), { journal });
    await shop.quote();
    return { journal, shop };
  };

  it("points to the command that closes it", async () => {
    const { journal, shop } = await open();
    const { kind, message } = await failureOf(() => shop.book(order("TIMEOUTBOOKED")));
    expect([kind, message]).toEqual([
      "booking_outcome_unknown",
      expect.stringMatching(/or ask the service operator to\.$/),
    ]);
    expect(message).not.toMatch(code);
    const again = await failureOf(() => shop.book(order()));
    expect(again.message).toMatch(/close it with npx serviceapi bookings reconcile, and book again only if/);
    const [row] = await journal.pending();
    const early = await failureOf(() => reconcile(journal, row as never, "notBooked"));
    const unnamed = await failureOf(() => reconcile(journal, row as never, { pnr: "" }));
    expect(unnamed.message).toMatch(
      /^--booked needs a PNR or a booking ID\..* leave it open.*Pass --not-booked only if/,
    );
    for (const { message: text } of [again, early, unnamed]) expect(text).not.toMatch(code);
  });

  it("names --force for one that exists, and says that a closed one is closed", async () => {
    const { journal, shop } = await open();
    await shop.book(order());
    const again = await failureOf(() => shop.book({ ...(order() as object), clientReferenceId: "order-18" } as never));
    expect(again.message).toMatch(/booked twice, pass --force\.$/);
    const [row] = await journal.find("order-17");
    const closed = await failureOf(() => reconcile(journal, row as never, { pnr: "ABC123" }));
    expect(closed.message).toMatch(/^The booking is closed already: it is booked\. Nothing was changed\.$/);
  });

  it("tells to look at a quote whose price is above the limit", async () => {
    const { shop } = await open();
    const maxTotal = { currency: "INR", amount: "1" };
    const { message } = await failureOf(() => shop.book({ ...(order() as object), maxTotal } as never));
    expect(message).toMatch(/Nothing was booked: look at the new quote first\.$/);
  });

  it("says that the response names a booking, without the fields of the error", async () => {
    const { trace_id, token } = createEmulator().seedSearch();
    const body = { status: "failed", status_code: 500, message: "Internal error", pnr: "ABC123" };
    const api = new ServiceApi({ ...credentials, fetch: async () => Response.json(body, { status: 500 }) });
    const { message } = await failureOf(() =>
      api.flights.book({ passengers: [passenger({ lname: "SAMPLE" })], trace_id, token } as never),
    );
    expect(message).toMatch(/, and the response names a booking but "status: failed" speaks against it\./);
    expect(message).not.toMatch(code);
  });

  it("names a run of the command for each result in place of a method", async () => {
    const { message } = await failureOf(async () => pickOffer({ data: { result: [{}, {}] } } as never, undefined));
    expect(message).toMatch(/--result must choose one of 2 results \(0 to 1\); each run of the command books one\./);
  });

  it.each<[Record<string, unknown>, RegExp]>([
    [{ offerIndex: 7 }, /^--result must be an integer/],
    [{ acceptIssues: ["everything"] }, /^--accept-issues/],
    [{ agreedQuote: {} }, /^--agreed must be a fare quote, such as quote --json prints it/],
  ])("names the flag for %j", async (more, text) => {
    const { shop } = await open();
    const { message } = await failureOf(() => shop.book({ ...(order() as object), ...more } as never));
    expect(message).toMatch(text);
    expect(message).not.toMatch(code);
  });

  it("names --journal for a journal that is not there", async () => {
    const missing = await failureOf(() => fileJournal("/tmp/no-such-journal.jsonl", { create: false }).pending());
    expect(missing.message).toMatch(
      /^the file .* does not exist\. Correct the path of the journal; a new one begins with/,
    );
    const folder = await failureOf(() => fileJournal("/no/such/folder/j.jsonl").pending());
    expect(folder.message).toMatch(
      /^the folder .* does not exist\. Correct the path of the journal, or create the folder\./,
    );
    const unreadable = await failureOf(() => fileJournal(temporaryFile("a\0b"), { create: false }).pending());
    expect(unreadable.message).toMatch(/^The file .* could not be read or written \(ERR_INVALID_ARG_VALUE\)\.$/);
  });
});

it("names flags that the commands have", async () => {
  const flags = new Set<string>();
  const collect = ({ options, commands }: Awaited<ReturnType<typeof createProgram>>) => {
    for (const { long } of options) if (long) flags.add(long);
    for (const each of commands) collect(each as never);
  };
  collect(await createProgram());
  const named = [
    "baseUrl",
    "clientId",
    "dangerouslyAllowHttp",
    "timeout",
    "maxTotal",
    "agreedQuote",
    "zone",
    "at",
    "type",
  ]
    .map((name) => terminalMessage(`\`${name}\``))
    .flatMap((text) => text.match(/--[\w-]+/g) ?? []);
  expect(named.length).toBe(9);
  expect(named.filter((flag) => !flags.has(flag))).toEqual([]);
});

it("leaves the words of the service as they are, and names that JavaScript knows", async () => {
  const said = "Fields `result` and `constructor` are not allowed;  see `pageSize` and `timeout`";
  const fetch = async () => Response.json({ status: "error", status_code: 400, message: said }, { status: 400 });
  const call = new ServiceApi({ ...credentials, fetch }).verification.findVpas(look);
  const error = (await call.catch((caught: unknown) => caught)) as ApiError;
  const message = terminalMessage(error.message, error.serviceMessage);
  expect(message).toContain(`code 400): ${said}. `);
  expect(terminalMessage("`constructor` and `timeout`")).toBe("constructor and --timeout");
});

it("finds them in the message, which is one line, also if they are several", async () => {
  const said = "See `timeout`\nand `result`\x1b[2J";
  const fetch = async () => Response.json({ status: "FAILED", message: said }, { status: 400 });
  const call = new ServiceApi({ ...credentials, fetch }).verification.findVpas(look);
  const error = (await call.catch((caught: unknown) => caught)) as ApiError;
  expect(error.serviceMessage).toBe(said);
  expect(terminalMessage(error.message, said)).toContain(": See `timeout` and `result` [2J. ");
});

const fails = (code: string) => async () => {
  throw Object.assign(new TypeError("fetch failed"), { code, cause: { code } });
};
const silent = async () => new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
const large = async () =>
  new Response(`event: response_output\ndata: {"system":{"text_chunk":"a"}}\n\ndata: ${"x".repeat(1_000)}\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });
const user = { text: "Hi" };

it.each<[what: string, call: (api: (fetch: typeof globalThis.fetch) => ServiceApi) => unknown]>([
  ["an unknown refusal", (api) => api(async () => new Response("{}", { status: 418 })).verification.findVpas(look)],
  ["another form", (api) => api(async () => Response.json({ status: "success" })).verification.findVpas(look)],
  ["no connection", (api) => api(fails("ECONNREFUSED")).verification.findVpas(look)],
  ["a proxy's credentials", (api) => api(fails("ERR_PROXY_AUTHENTICATION")).verification.findVpas(look)],
  ["a proxy", (api) => api(fails("ERR_PROXY_TUNNEL")).verification.findVpas(look)],
  ["a certificate", (api) => api(fails("CERT_HAS_EXPIRED")).verification.findVpas(look)],
  [
    "a stream",
    (api) =>
      api(silent)
        .ai.stream({ user }, { stream: { idleTimeout: 20 } })
        .finalText(),
  ],
  [
    "a large event",
    (api) =>
      api(large)
        .ai.stream({ user }, { stream: { maxEventBytes: 100 } })
        .finalText(),
  ],
  ["a time of fees", () => fees({} as never, { type: "Cancellation", at: "soon" as never })],
  ["a zone of fees", () => fees({} as never, { type: "Cancellation", at: new Date(), zone: "Nowhere" })],
  ["a time", () => createEmulator({ now: "soon" as never })],
])("says nothing about code for %s", async (_, call) => {
  const { message } = await failureOf(() => call((fetch) => new ServiceApi({ ...credentials, fetch, maxRetries: 0 })));
  expect(message).not.toMatch(code);
});

// It comes after the tests above, which have caused messages.
it("rewrites sentences that the library still has", () => {
  const gone = sentences.filter(([sentence]) => !messages.some((text) => sentence.test(text)));
  expect(gone.map(([sentence]) => sentence.source)).toEqual([]);
});
