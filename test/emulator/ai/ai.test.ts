import { createParser } from "eventsource-parser";
import { describe, expect, it, vi } from "vitest";
import { createResponse } from "../../../src/ai/operations.ts";
import { framings } from "../../../src/emulator/ai/framing.ts";
import { createEmulator } from "../../../src/emulator/emulator.ts";
import { movedTime, stopClock } from "../../support/clock.ts";
import { aiPath, ask, bodyOf, post, sample } from "../helpers.ts";

const quick = () => createEmulator({ pace: 0 });
const stream = (text: string, more: object = {}) => ask(text, { stream: true, ...more });

async function eventsOf(text: string, emulator = quick()): Promise<AnyEvent[]> {
  const response = await post(emulator, aiPath, stream(`/framing:ndjson ${text}`));
  return (await response.text())
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

type AnyEvent = Record<string, unknown> & Chunk;

interface Chunk {
  readonly event?: unknown;
  readonly system?: { readonly text_chunk?: string };
}

const chunks = (events: Chunk[]) =>
  events.flatMap(({ event, system }) => (event === "response_output" ? [system?.text_chunk] : []));

describe("the emulator's AI response (§4.2)", () => {
  it("echoes the text as Markdown, the same every time, as the client's own schema wants it", async () => {
    const texts = await Promise.all([1, 2].map(async () => (await post(quick(), aiPath, ask("Hello\nthere"))).text()));
    expect(texts[0]).toBe(texts[1]);
    const body: unknown = JSON.parse(texts[0] ?? "");
    expect(await createResponse.body["~standard"].validate(body)).not.toHaveProperty("issues");
    expect(body).toMatchObject({
      status: "SUCCESS",
      status_code: "200",
      response_status: "completed",
      context_token: expect.stringMatching(/^svc_[a-z0-9]{40}$/),
      parent_context_token: null,
      system: { text: "## You wrote\n\n> Hello\n> there\n\n- Turn **1** of this conversation\n- `11` characters\n" },
    });
  });

  it("counts the images", async () => {
    const user = { text: "Look", images: ["https://a.example/1.png", "https://a.example/2.webp"] };
    const body = await bodyOf(quick(), aiPath, { client_referenceId: "r", user });
    expect(body.system.text).toContain("- 2 images");
  });

  it("keeps a chain: a follow-up names its parent and its turn", async () => {
    const emulator = quick();
    const first = await bodyOf(emulator, aiPath, ask("One"));
    const second = await bodyOf(emulator, aiPath, ask("Two", { context_token: first.context_token }));
    expect(second.parent_context_token).toBe(first.context_token);
    expect(second.context_token).not.toBe(first.context_token);
    expect(second.system.text).toContain("Turn **2**");
  });

  it.each([true, false])("refuses a context token that was never issued (stream: %s)", async (isStream) => {
    const body = ask("Two", { context_token: "svc_neverIssued", stream: isStream });
    const response = await post(quick(), aiPath, body);
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual(sample("ai/response-failed-expired-context"));
  });

  it("responds to /fail with FAILED under HTTP 200, and without a token to chain on", async () => {
    const response = await post(quick(), aiPath, ask("/fail please"));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(sample("ai/response-failed-200"));
  });

  it("responds to /hindi and /markdown with those texts", async () => {
    for (const [command, name] of [
      ["/hindi", "response-whole-follow-up-hindi"],
      ["/markdown", "response-whole-markdown"],
    ] as const) {
      const body = await bodyOf(quick(), aiPath, ask(command));
      expect(body.system.text).toBe(sample(`ai/${name}`).system.text);
    }
  });

  it.each(["/etc/passwd", "/stall:soon", "/framing:morse", "/fail-safe", "/constructor", "/stall", "/pace: 3"])(
    "treats %s as text, because it is not a command",
    async (text) => {
      const body = await bodyOf(quick(), aiPath, ask(text));
      expect(body.system.text).toContain(`> ${text}\n`);
    },
  );

  it("takes commands one after the other and leaves the text behind them", async () => {
    const body = await bodyOf(quick(), aiPath, ask("/pace:0 /bytes:0 Hello /fail"));
    expect(body.system.text).toContain("> Hello /fail\n");
  });
});

describe("the emulator's AI stream (§6.1)", () => {
  it("initiates, sends a word at a time numbered from 1, and completes with the whole text", async () => {
    const events = await eventsOf("one two three");
    const [initiated, ...rest] = events;
    const completed = rest.pop();
    expect(initiated).toMatchObject({
      status: "PENDING",
      status_code: "102",
      event: "response_initiated",
      response_status: "initiated",
      system: [],
    });
    expect(rest.map(({ sequence_no }) => sequence_no)).toEqual(rest.map((_, index) => index + 1));
    expect(new Set(rest.map(({ status, status_code }) => `${status} ${status_code}`))).toEqual(
      new Set(["PROCESSING 206"]),
    );
    expect(completed).toMatchObject({
      event: "response_completed",
      status: "SUCCESS",
      context_token: initiated?.context_token,
      system: { text: chunks(events).join("") },
    });
  });

  it.each([
    ["/truncate", "stream-truncated"],
    ["/fail", "stream-failed-midway"],
    ["/swap", "stream-out-of-order"],
    ["/swapfirst", "stream-first-chunks-swapped"],
    ["/gaps", "stream-sequence-starts-at-4-with-gaps"],
    ["/duplicate", "stream-duplicate-sequence"],
    ["/surrogates", "stream-lone-surrogates"],
    ["/hindi", "stream-hindi-emoji"],
    ["/markdown", "stream-markdown"],
    ["/unknown", "stream-unknown-event"],
    ["/differs", "stream-final-text-differs"],
    ["/empty", "stream-empty-output"],
  ])("responds to %s with the events of %s and new tokens", async (command, name) => {
    const events = await eventsOf(command);
    const expected: AnyEvent[] = sample(`ai/${name}.events`);
    expect(events.map(({ event, sequence_no, status }) => [event, sequence_no, status])).toEqual(
      expected.map(({ event, sequence_no, status }) => [event, sequence_no, status]),
    );
    expect(chunks(events)).toEqual(chunks(expected));
    expect(events[0]?.context_token).not.toBe(expected[0]?.context_token);
  });

  it("can be followed up, even with a sample", async () => {
    const emulator = quick();
    const [first] = await eventsOf("/markdown", emulator);
    const response = await post(
      emulator,
      aiPath,
      stream("/framing:ndjson Next", { context_token: first?.context_token }),
    );
    expect(await response.text()).toContain(`"parent_context_token":"${first?.context_token}"`);
  });

  it("responds to /whole with one JSON body", async () => {
    const response = await post(quick(), aiPath, stream("/whole"));
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({
      status: "SUCCESS",
      system: { text: "The gateway ignored stream:true." },
    });
  });

  it.each(Object.keys(framings))("frames the same events as %s", async (name) => {
    const plain = await eventsOf("one two");
    const response = await post(quick(), aiPath, stream(`/framing:${name} one two`));
    expect(unframe(name, await response.text()).map(withoutIds)).toEqual(plain.map(withoutIds));
  });

  it("uses the framing of its options if the text names none", async () => {
    const emulator = createEmulator({ pace: 0, framing: "ndjson" });
    const response = await post(emulator, aiPath, stream("Hi"));
    expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  });

  it("writes /bytes:<n> at a time, in the middle of characters too", async () => {
    const response = await post(quick(), aiPath, stream("/bytes:7 नमस्ते"));
    const sizes: number[] = [];
    for await (const piece of response.body ?? []) sizes.push(piece.length);
    expect(sizes.length).toBeGreaterThan(20);
    expect(Math.max(...sizes)).toBe(7);
  });

  it("pauses between two events for as long as its pace says, and for /stall:<ms> behind the second chunk", async () => {
    stopClock();
    const response = await post(createEmulator({ pace: 10 }), aiPath, stream("/stall:5000 a b c"));
    const reader = response.body?.getReader();
    await reader?.read();
    const arrivals: number[] = [];
    const start = movedTime();
    for (let count = 0; count < 3; count++) {
      const next = reader?.read().then(() => arrivals.push(movedTime() - start));
      await vi.runAllTimersAsync();
      await next;
    }
    expect(arrivals).toEqual([10, 20, 5_030]);
    await reader?.cancel();
  });

  it("sends nothing but heartbeats after /heartbeats:<ms>, until the reader goes", async () => {
    const response = await post(quick(), aiPath, stream("/heartbeats:1 a b c"));
    const decoder = new TextDecoder();
    let text = "";
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece);
      if (text.split(": keep-alive").length > 4) break;
    }
    expect(text.split("data: ")).toHaveLength(4);
  });

  it("generates as it is read: a reader that stops stops the service", async () => {
    const emulator = createEmulator({ pace: 1 });
    const response = await post(emulator, aiPath, stream("one two three four"));
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    expect(await reader?.read()).toEqual({ done: true, value: undefined });
  });

  it("takes samples by name in the header", async () => {
    const headers = { "X-Emulator-Response": "stream-empty-output" };
    const response = await post(quick(), aiPath, stream("Hi"), headers);
    expect((await response.text()).match(/data: /g)).toHaveLength(2);
  });
});

const withoutIds = (event: AnyEvent) => ({ event: event.event, chunk: chunks([event]) });

/** Reads a framing with other code than the code that wrote it. */
function unframe(name: string, text: string): AnyEvent[] {
  if (name === "array") return JSON.parse(text);
  if (name === "concatenated") return JSON.parse(`[${text.replaceAll('}{"', '},{"')}]`);
  if (name.startsWith("ndjson"))
    return text
      .split(/\r?\n/)
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  const events: AnyEvent[] = [];
  const parser = createParser({ onEvent: ({ data }) => data === "[DONE]" || void events.push(JSON.parse(data)) });
  parser.feed(text);
  if (name === "sse-unterminated") parser.feed("\n\n");
  return events;
}
