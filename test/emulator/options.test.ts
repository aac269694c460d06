import { describe, expect, it } from "vitest";
import { createEmulator, type Emulator } from "../../src/emulator/emulator.ts";
import { ConfigurationError } from "../../src/errors/index.ts";
import { pollute } from "../support/pollute.ts";

describe("createEmulator() refuses", () => {
  it.each<[Record<string, unknown>, RegExp]>([
    [{ paces: 0 }, /unknown option "paces" \(did you mean "pace"\?\)/],
    [{ pace: Number.NaN }, /`pace` must be a number of milliseconds/],
    [{ pace: -1 }, /`pace`/],
    [{ pace: "15" }, /`pace`/],
    [{ framing: "xx" }, /`framing` must be "sse"/],
    [{ framing: "toString" }, /`framing`/],
    [{ strict: "no" }, /`strict` must be true or false/],
    [{ sessionLifetime: Number.NaN }, /`sessionLifetime`/],
    [{ retryAfter: -1 }, /`retryAfter` must be a number of milliseconds/],
    [{ failureStatus: 500 }, /`failureStatus` must be "asCode" or 200/],
    [{ now: {} }, /`now` must be a Date/],
    [{ now: Number.NaN }, /`now`/],
    [{ pathPrefixes: { ia: "x" } }, /unknown option "ia"/],
    [{ pathPrefixes: { ai: 7 } }, /`ai` must be a path/],
    [{ onRequest: true }, /`onRequest` must be a function/],
    [{ webhook: { too: "http://x" } }, /unknown option "too"/],
    [{ webhook: { to: "nowhere" } }, /`to` must be an http or https URL/],
    [{ webhook: { to: " https://example.in/hook" } }, /`to` must not have white space before or after the URL/],
    [{ webhook: { to: "https://example.in/hook\n" } }, /`to` must not have white space before or after the URL/],
    [{ webhook: { auth: [undefined] } }, /`auth` must be a check/],
    [{ webhook: { auth: [] } }, /`auth` must be a check/],
    [{ webhook: { auth: {} } }, /`auth` must be a check/],
    [{ webhook: { retrySchedule: [Number.NaN] } }, /`retrySchedule` has an invalid element at index 0/],
    [{ webhook: { ackTimeout: Number.NaN } }, /`ackTimeout`/],
    [{ webhook: { failedAcknowledgement: "finally" } }, /`failedAcknowledgement` must be "retry" or "final"/],
  ])("%o", (options, message) => {
    expect(() => createEmulator(options)).toThrow(ConfigurationError);
    expect(() => createEmulator(options)).toThrow(message);
  });

  it("a value that is not an object, and reads nothing from a polluted prototype", () => {
    expect(() => createEmulator(null as never)).toThrow(ConfigurationError);
    pollute({ failureStatus: 404 });
    expect(() => createEmulator()).not.toThrow();
  });
});

describe("the emulator's methods refuse", () => {
  const to = async () => new Response();
  it.each<[string, (emulator: Emulator) => unknown, RegExp]>([
    ["a misspelt `times`", (e) => e.on("*", "reset", { time: 1 } as never), /did you mean "times"/],
    ["`times: NaN`", (e) => e.on("*", "reset", { times: Number.NaN }), /`times` must be an integer/],
    ["`times: 0`", (e) => e.on("*", "reset", { times: 0 }), /`times`/],
    [
      "an unknown operation",
      (e) => e.on("flights.boook" as "*", "reset"),
      /no operation "flights.boook". Did you mean flights.book\?/,
    ],
    ["a body for all operations", (e) => e.on("*", {} as never), /`\*` takes a name, a `refusal\(\)` or a `Response`/],
    ["an unknown search", (e) => e.seedSearch("toString" as never), /`name` must be/],
    ["a misspelt `amount`", (e) => e.payout({ amunt: 1 } as never), /did you mean "amount"/],
    ["an amount that is no number", (e) => e.payout({ amount: "1" as never }), /`amount` must be a number/],
    ["`amount: NaN`", (e) => e.payout({ amount: Number.NaN }), /`amount`/],
    ["a misspelt `ackTimeout`", (e) => e.fire("SUCCESS", { ackTimout: 1 } as never), /did you mean/],
    ["an event that is no object", (e) => e.fire(7 as never), /`event` must be an outcome or an object/],
    ["a target that is none", (e) => e.deliverTo("nowhere"), /`to` must be/],
    ["no target", (e) => e.deliverTo(undefined as never), /`to` is missing/],
    ["a misspelt setting", (e) => e.deliverTo(to, { retryschedule: [1] } as never), /did you mean "retrySchedule"/],
    ["an `auth` with a hole", (e) => e.deliverTo(to, { auth: Array(1) }), /`auth` must be/],
  ])("%s", async (_, act, message) => {
    const emulator = createEmulator({ webhook: { to } });
    const error = await (async () => act(emulator))().catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConfigurationError);
    expect(String(error)).toMatch(message);
  });
});
