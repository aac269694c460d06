/**
 * Watches every test of the run for what it leaves behind (set up by vitest.config.ts): timers, servers, sockets, child
 * processes, listeners, changed globals. What was there before a test, such as a server of `beforeAll`, may stay until
 * the file ends. Vitest itself fails a run for an unhandled rejection.
 */
import { afterAll, beforeEach, vi } from "vitest";
import { leftSince, lookAround, type Moment } from "./leftovers.ts";

const atStart = lookAround();
/** Tests that run at the same time share a moment, and the last of them checks. */
let running = 0;
let before: Moment = atStart;

beforeEach(({ onTestFinished }) => {
  if (running === 0) before = lookAround();
  running += 1;
  // The first of these hooks that is registered is the last that is called.
  onTestFinished(async () => {
    running -= 1;
    if (running === 0) refuse(await leftSince(before));
  });
});

afterAll(async () => {
  // For the next file, which may run in the same process. Vitest restores the spies later, over fakes too.
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  refuse(await leftSince(atStart));
});

function refuse(left: readonly string[]): void {
  if (left.length > 0) throw new Error(`left behind:\n${[...new Set(left)].join("\n")}`);
}
