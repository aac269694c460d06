import { describe, expect, it, vi } from "vitest";
import type { AiStream } from "../../../src/ai/stream/stream.ts";
import type { StreamOptions } from "../../../src/index.ts";
import { clientOf } from "../../support/client.ts";
import { stopClock } from "../../support/clock.ts";
import { collect } from "../../support/collect.ts";
import { gate } from "../../support/gate.ts";
import { throws } from "../../support/throws.ts";
import { countTimers } from "../../support/timers.ts";
import { chunk, completed, initiated } from "../events.ts";

const bytes = (...events: readonly object[]) =>
  new TextEncoder().encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(""));
const noTimeouts = { idleTimeout: false, eventTimeout: false, reorderTimeout: false, timeout: false } as const;

type Controller = ReadableStreamDefaultController<Uint8Array>;

/** A stream of a body that the test writes, with what its reader has asked of the body. */
function open(options: StreamOptions = {}, pullFrom?: (controller: Controller) => void) {
  let body!: Controller;
  let signal: AbortSignal | null | undefined;
  const pull = vi.fn(() => pullFrom?.(body));
  const cancelled = gate();
  const cancel = vi.fn(() => cancelled.open());
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    signal = init?.signal;
    const source: UnderlyingDefaultSource<Uint8Array> = {
      start(controller) {
        body = controller;
      },
      pull,
      cancel,
    };
    const stream = new ReadableStream(source, { highWaterMark: 0 });
    return new Response(stream, { headers: { "content-type": "text/event-stream" } });
  };
  const stream = clientOf({ url: "https://service.example" }, { fetch }).ai.stream(
    { user: { text: "Hello" } },
    options,
  );
  return { stream, pull, cancel, cancelled: cancelled.opened, body: () => body, signal: () => signal };
}

/** Reads the first event of a stream, which is there, and returns its reader. */
async function begin({ stream, body }: { stream: AiStream; body: () => Controller }) {
  const iterator = stream[Symbol.asyncIterator]();
  const first = iterator.next();
  await expect.poll(body).toBeDefined();
  body().enqueue(bytes(initiated()));
  await first;
  return iterator;
}

describe("a read of the body", () => {
  it("outlives the time for which a chunk was held: its bytes come with a later event, once", async () => {
    const opened = open({ stream: { reorderTimeout: 1 } });
    const iterator = await begin(opened);
    opened.body().enqueue(bytes(chunk(1), chunk(3)));
    expect((await iterator.next()).value).toEqual(chunk(1));
    expect((await iterator.next()).value).toEqual(chunk(3));
    const pulls = opened.pull.mock.calls.length;
    const next = iterator.next();
    opened.body().enqueue(bytes(chunk(4)));
    expect((await next).value).toEqual(chunk(4));
    expect(opened.pull).toHaveBeenCalledTimes(pulls);
    await iterator.return();
  });

  it.each<[string, StreamOptions["stream"], number]>([
    ["a timeout", { idleTimeout: 1_000 }, 1],
    ["none", noTimeouts, 0],
  ])("sets a timer only if it has a timeout, and clears it: %s", async (_case, options, timersOfARead) => {
    const timers = countTimers();
    const opened = open({ stream: { ...noTimeouts, ...options } });
    const iterator = await begin(opened);
    expect(timers()).toBe(0);
    const next = iterator.next();
    expect(timers()).toBe(timersOfARead);
    opened.body().enqueue(bytes(chunk(1)));
    await next;
    expect(timers()).toBe(0);
    await iterator.return();
  });

  /** A stream of which one event was read, and that waits for the next. */
  async function waiting() {
    const opened = open();
    const iterator = await begin(opened);
    return { opened, next: iterator.next() };
  }

  it("is ended by an abort, which cancels the body once and counts more than the end that follows", async () => {
    const { opened, next } = await waiting();
    opened.stream.abort("no");
    opened.stream.abort("no");
    await expect(next).rejects.toMatchObject({ name: "AbortError", events: 1 });
    expect(() => opened.body().enqueue(bytes(chunk(1)))).toThrow(TypeError);
    expect(opened.cancel).toHaveBeenCalledOnce();
    expect(opened.stream.state).toBe("aborted");
  });

  it("may fail to be cancelled: the ending is the same", async () => {
    const { opened, next } = await waiting();
    opened.cancel.mockImplementation(throws(new Error("locked up")));
    opened.stream.abort("no");
    await expect(next).rejects.toMatchObject({ name: "AbortError" });
    expect(opened.cancel).toHaveBeenCalledOnce();
  });

  it("that ends as the stream is aborted does not change the ending", async () => {
    const { opened, next } = await waiting();
    opened.body().close();
    opened.stream.abort("no");
    await expect(next).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("the body of a complete response", () => {
  const whole = bytes(initiated(), chunk(1), completed("1 "));

  it("is read to its end, and leaves the connection to the next call", async () => {
    const rest = [whole, bytes({}), bytes({}), bytes({})];
    const opened = open({}, (controller) => {
      const next = rest.shift();
      if (next === undefined) controller.close();
      else controller.enqueue(next);
    });
    await collect(opened.stream);
    await expect.poll(() => rest).toEqual([]);
    expect(opened.cancel).not.toHaveBeenCalled();
    expect(opened.signal()?.aborted).toBe(false);
  });

  it.each<[string, (controller: Controller) => void]>([
    ["stays open", () => {}],
    ["does not end", (controller) => controller.enqueue(bytes({}))],
  ])("is cancelled if it %s", async (_case, goOn) => {
    stopClock();
    let isFirst = true;
    const opened = open({}, (controller) => {
      if (isFirst) controller.enqueue(whole);
      else {
        // Its bytes would outrun every timer.
        vi.advanceTimersByTime(1);
        goOn(controller);
      }
      isFirst = false;
    });
    await collect(opened.stream);
    await vi.advanceTimersByTimeAsync(110);
    await opened.cancelled;
    expect(opened.cancel).toHaveBeenCalledOnce();
    expect(opened.signal()?.aborted).toBe(true);
  });

  it("ends the call if it breaks", async () => {
    const opened = open();
    const iterator = await begin(opened);
    opened.body().enqueue(bytes(completed("")));
    await iterator.next();
    opened.body().error(new Error("reset"));
    await expect.poll(() => opened.signal()?.aborted).toBe(true);
    expect(opened.stream.state).toBe("completed");
  });
});
