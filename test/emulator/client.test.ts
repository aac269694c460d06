import { describe, expect, it } from "vitest";
import { createEmulator, type Emulator } from "../../src/emulator/emulator.ts";
import { requestIdOf, ServiceApi, type ServiceApiError } from "../../src/index.ts";
import { caught, clientOf, listen, sample } from "./helpers.ts";

const credentials = { clientId: "demo-client", clientSecret: "demo-secret" };
const adult = sample("flight/book/request-oneway-adult").passengers[0];

/** The library's client on both ways to the emulator. */
const ways: readonly (readonly [string, (emulator: Emulator) => Promise<ServiceApi>])[] = [
  ["as fetch", async (emulator) => clientOf(emulator)],
  [
    "over HTTP",
    async (emulator) => new ServiceApi({ ...credentials, baseUrl: (await listen(emulator)).url, maxRetries: 0 }),
  ],
];

describe.each(ways)("the library's client and the emulator %s", (_, connect) => {
  async function setUp() {
    const emulator = createEmulator({ pace: 0, retryAfter: 0 });
    return { emulator, api: await connect(emulator) };
  }

  it("names each request: a result, a stream and an error, and the same again after a reset", async () => {
    const { emulator, api } = await setUp();
    const round = async () => {
      const quote = await api.flights.fareQuote(emulator.seedSearch());
      const response = await api.ai.stream({ user: { text: "Hello" } }).finalResponse();
      const error = await caught(api.verification.findVpas({ vpa_mobile: "6000000404", consent: "Y" }));
      return [requestIdOf(quote), requestIdOf(response), (error as ServiceApiError).requestId];
    };
    const first = await round();
    expect(first).toEqual(Array(3).fill(expect.stringMatching(/^req_[0-9a-f]{24}$/)));
    expect(new Set(first).size).toBe(3);
    emulator.reset();
    expect(await round()).toEqual(first);
  });

  async function bookAs(lname: string) {
    const { emulator, api } = await setUp();
    const { trace_id, token } = emulator.seedSearch();
    const quote = await api.flights.fareQuote({ trace_id, token });
    const [quoted] = quote.data.result;
    if (quoted === undefined) throw new Error("the quote is empty");
    const passengers = [{ ...adult, lname }];
    const book = () => api.flights.book({ trace_id, token: quoted.token, passengers });
    return { emulator, api, answer: await caught(book()), book };
  }

  it("find VPAs, and each refusal as its own error", async () => {
    const { api } = await setUp();
    const findVpas = (vpa_mobile: string) => api.verification.findVpas({ vpa_mobile, consent: "Y" });
    expect((await findVpas("9876540001")).vpaList).toHaveLength(3);
    expect(await caught(findVpas("9876540404"))).toMatchObject({ name: "NotFoundError" });
    expect(await caught(findVpas("9876540429"))).toMatchObject({ name: "RateLimitError" });
  });

  it("quote, look up the rules, and book once", async () => {
    const { emulator, api, book } = await bookAs("SAMPLE");
    const rules = await api.flights.fareRule(emulator.seedSearch());
    expect(rules.data.result).toHaveLength(1);
    expect(emulator.bookings).toHaveLength(1);
    expect(await caught(book())).toMatchObject({ name: "DuplicateRequestError" });
  });

  it("lose the response of a booking, and say that its outcome is unknown", async () => {
    for (const [lname, made] of [
      ["TIMEOUTBOOKED", 1],
      ["TIMEOUTNOTBOOKED", 0],
    ] as const) {
      const { emulator, answer } = await bookAs(lname);
      expect(answer).toMatchObject({ name: "BookingOutcomeUnknownError", outcome: "unknown" });
      expect(emulator.bookings).toHaveLength(made);
    }
  });

  it("respond without a stream, and again in the same conversation", async () => {
    const { api } = await setUp();
    const first = await api.ai.createResponse({ user: { text: "One" } });
    const second = await api.ai.createResponse({ user: { text: "Two" }, context_token: first.context_token });
    expect(second.system.text).toContain("Turn **2**");
    expect(await caught(api.ai.createResponse({ user: { text: "/fail" } }))).toMatchObject({
      name: expect.stringMatching(/Error$/),
    });
  });

  it.each([
    "Hello there",
    "/framing:ndjson Hello",
    "/framing:array Hello",
    "/bytes:2 नमस्ते",
    "/swap",
    "/gaps",
    "/surrogates",
  ])("stream %s to its end", async (text) => {
    const { api } = await setUp();
    let chunks = "";
    let whole: string | undefined;
    for await (const event of api.ai.stream({ user: { text } })) {
      if (event.event === "response_output" && "system" in event) chunks += Object(event.system).text_chunk;
      if (event.event === "response_completed" && "system" in event) whole = Object(event.system).text;
    }
    expect(chunks).toBe(whole);
    expect(chunks).not.toContain("\uFFFD");
  });

  it.each([
    ["/truncate", "StreamTruncatedError"],
    ["/fail", "StreamFailedError"],
  ])("stream %s to a %s", async (text, name) => {
    const { api } = await setUp();
    const read = async () => {
      for await (const event of api.ai.stream({ user: { text } })) expect(event).toBeDefined();
    };
    expect(await caught(read())).toMatchObject({ name, contextToken: expect.stringMatching(/^svc_/) });
  });
});
