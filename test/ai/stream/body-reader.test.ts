import { describe, expect, it, vi } from "vitest";
import { BodyReader } from "../../../src/ai/stream/body-reader.ts";
import { countTimers } from "../../support/timers.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** A body that the test writes, and the reads and cancellations that it has seen. */
function body() {
  let writer!: ReadableStreamDefaultController<Uint8Array>;
  const pull = vi.fn();
  const cancel = vi.fn();
  const stream = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        writer = controller;
      },
      pull,
      cancel,
    },
    { highWaterMark: 0 },
  );
  return { stream, pull, cancel, write: (text: string) => writer.enqueue(bytes(text)), writer };
}

/** Lets the promises of a stream settle. */
const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a read of a body", () => {
  it("returns one chunk after the other, then the end, as often as it is asked", async () => {
    const { stream, write, writer } = body();
    const reader = new BodyReader(stream);
    write("a");
    write("b");
    writer.close();
    expect(await reader.read(1_000)).toEqual({ kind: "bytes", bytes: bytes("a") });
    expect(await reader.read(1_000)).toEqual({ kind: "bytes", bytes: bytes("b") });
    expect(await reader.read(1_000)).toEqual({ kind: "end" });
    expect(await reader.read(1_000)).toEqual({ kind: "end" });
  });

  it("is the end if there is no body", async () => {
    expect(await new BodyReader(null).read(1_000)).toEqual({ kind: "end" });
  });

  it("goes on after its timeout: its bytes come with a later one, once", async () => {
    const { stream, pull, write } = body();
    const reader = new BodyReader(stream);
    expect(await reader.read(1)).toEqual({ kind: "timeout" });
    expect(await reader.read(1)).toEqual({ kind: "timeout" });
    expect(pull).toHaveBeenCalledOnce();
    write("a");
    await turn();
    expect(await reader.read(1_000)).toEqual({ kind: "bytes", bytes: bytes("a") });
    expect(await reader.read(1)).toEqual({ kind: "timeout" });
    write("b");
    expect(await reader.read(1_000)).toEqual({ kind: "bytes", bytes: bytes("b") });
  });

  it("tells how the body broke, as often as it is asked", async () => {
    const { stream, writer } = body();
    const reader = new BodyReader(stream);
    const error = new Error("reset");
    writer.error(error);
    expect(await reader.read(1_000)).toEqual({ kind: "broken", error });
    expect(await reader.read(1_000)).toEqual({ kind: "broken", error });
  });

  it("sets a timer only if it has a timeout, and clears it", async () => {
    const timers = countTimers();
    const { stream, write } = body();
    const reader = new BodyReader(stream);
    const first = reader.read(Number.POSITIVE_INFINITY);
    expect(timers()).toBe(0);
    write("a");
    await first;
    const second = reader.read(1_000);
    expect(timers()).toBe(1);
    write("b");
    await second;
    expect(timers()).toBe(0);
  });
});

describe("cancel", () => {
  it("ends the pending read and all later ones, and cancels the body once", async () => {
    const { stream, cancel, write } = body();
    const reader = new BodyReader(stream);
    const pending = reader.read(1_000);
    reader.cancel();
    reader.cancel();
    expect(await pending).toEqual({ kind: "cancelled" });
    expect(() => write("late")).toThrow(TypeError);
    await turn();
    expect(await reader.read(1_000)).toEqual({ kind: "cancelled" });
    expect(cancel).toHaveBeenCalledOnce();
  });

  it("counts more than the end of the body that follows", async () => {
    const { stream, writer } = body();
    const reader = new BodyReader(stream);
    const pending = reader.read(1_000);
    writer.close();
    reader.cancel();
    expect(await pending).toEqual({ kind: "cancelled" });
    await turn();
    expect(await reader.read(1_000)).toEqual({ kind: "cancelled" });
  });
});

describe("drain", () => {
  it("reads to the end, and leaves the connection to the next call", async () => {
    const { stream, cancel, write, writer } = body();
    const onCut = vi.fn();
    const drained = new BodyReader(stream).drain(1_000, onCut);
    for (const text of ["a", "b", "c"]) {
      write(text);
      await turn();
    }
    writer.close();
    await drained;
    expect(onCut).not.toHaveBeenCalled();
    expect(cancel).not.toHaveBeenCalled();
  });

  it.each<[string, UnderlyingSource<Uint8Array>]>([
    ["stays open", {}],
    // Its bytes outrun each timer.
    ["does not end", { pull: (controller) => controller.enqueue(bytes("a")) }],
    ["breaks", { start: (controller) => controller.error(new Error("reset")) }],
  ])("cancels a body that %s, and says so", async (_case, source) => {
    const onCut = vi.fn();
    const cancel = vi.fn();
    await new BodyReader(new ReadableStream({ ...source, cancel }, { highWaterMark: 0 })).drain(20, onCut);
    expect(onCut).toHaveBeenCalledOnce();
    expect(cancel).toHaveBeenCalledTimes(source.start === undefined ? 1 : 0);
  });
});
