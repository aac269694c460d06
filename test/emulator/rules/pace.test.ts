import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createEmulator } from "../../../src/emulator/emulator.ts";
import type { AiStream } from "../../../src/index.ts";
import { loadLaterParts } from "../../support/later-parts.ts";
import { clientOf } from "../helpers.ts";

const emulator = createEmulator({ now: "2026-11-20T06:00:00Z" });
const api = clientOf(emulator);

/** A slow stream of three chunks, an event each 100 ms of the emulator's clock. */
function slowly(): AiStream {
  emulator.on("ai.stream", ["One ", "by ", "one"], { eventDelay: 100 });
  return api.ai.stream({ user: { text: "Count" } });
}

beforeEach(loadLaterParts);
afterEach(() => emulator.reset());

describe("a scripted stream on a clock that stands still", () => {
  it("is read to its end by one step of the clock", async () => {
    const text = slowly().finalText();
    await emulator.clock.advance(10_000);
    expect(await text).toBe("One by one");
  });

  it("is read to its end by many steps, by a reader in the background", async () => {
    const events: string[] = [];
    const reader = (async () => {
      for await (const { event } of slowly()) events.push(event);
    })();
    for (let step = 0; step < 6; step++) await emulator.clock.advance(100);
    await reader;
    expect(events).toEqual([
      "response_initiated",
      "response_output",
      "response_output",
      "response_output",
      "response_completed",
    ]);
  });

  it("is relayed to a browser", async () => {
    const response = slowly().toResponse({ format: "text" });
    const text = response.text();
    await emulator.clock.advance(10_000);
    expect(await text).toBe("One by one");
  });

  it("stands still until the clock moves", async () => {
    const iterator = slowly()[Symbol.asyncIterator]();
    await iterator.next();
    const second = iterator.next();
    await emulator.clock.advance(99);
    expect(await Promise.race([second, "nothing yet"])).toBe("nothing yet");
    await emulator.clock.advance(1);
    expect((await second).value?.event).toBe("response_output");
    await iterator.return?.();
  });

  it("moves under a fake clock of the test runner too", async () => {
    vi.useFakeTimers();
    const text = slowly().finalText();
    await emulator.clock.advance(10_000);
    await vi.advanceTimersByTimeAsync(100);
    expect(await text).toBe("One by one");
  });
});
