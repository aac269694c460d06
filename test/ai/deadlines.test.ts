import { describe, expect, it } from "vitest";
import { Deadlines } from "../../src/ai/deadlines.ts";
import type { StreamOptions } from "../../src/options.ts";

describe("policy 19: how long chunks are held back for a missing one", () => {
  it.each<[StreamOptions, string, number]>([
    [{}, "hold", 250],
    [{ reorderTimeout: 40 }, "hold", 40],
    [{ reorderTimeout: 0 }, "hold", 0],
    // Without an end of its own it ends with the stream's next deadline.
    [{ reorderTimeout: false }, "idle", 60_000],
  ])("%j: %s after %d ms", (options, limit, left) => {
    const deadlines = new Deadlines(options, 0);
    deadlines.hold(true);
    expect(deadlines.next(0)).toEqual({ limit, left });
  });
});
