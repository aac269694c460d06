import fc from "fast-check";
import { describe, expect } from "vitest";
import {
  compareMoney,
  durationMinutes,
  instantOf,
  multiplyMoney,
  parseCharge,
  readMoney,
  subtractMoney,
  sumMoney,
  timeOrNull,
  wallClockIn,
} from "../../src/flights/index.ts";
import { httpStatusFor, isKnownAiEvent, isServiceApiError, quoteToken } from "../../src/index.ts";
import { parseRetryAfter } from "../../src/transport/retry-policy.ts";
import { isUsable, normalizeMobile } from "../../src/verification/index.ts";
import { isKnownWebhookEvent } from "../../src/webhooks/index.ts";
import { anyText, anything, drifted, refusesTyped } from "./inputs.ts";
import { property } from "./property.ts";

const decimal = fc.tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.nat(30)).map(([units, scale]) => {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const whole = digits.slice(0, digits.length - scale);
  return `${units < 0n ? "-" : ""}${whole}${scale === 0 ? "" : `.${digits.slice(-scale)}`}`;
});
const inr = (amount: string) => readMoney(amount, "INR") ?? { amount: "unreadable", currency: "INR" };

describe("mobile numbers", () => {
  const written = fc.oneof(
    anyText,
    fc
      .tuple(fc.constantFrom("", "+91", "0091", "0", "91", "(+91) 0"), fc.stringMatching(/^[6-9](?:[ .-]?\d){9}$/))
      .map(([prefix, number]) => prefix + number),
  );
  property("a normalized mobile number is not changed again", written, (text) => {
    const once = normalizeMobile(text);
    expect(normalizeMobile(once)).toBe(once);
    if (once !== text) expect(once).toMatch(/^[6-9]\d{9}$/);
  });
});

describe("money", () => {
  property("is read as it is written, and reads as the same money", decimal, (text) => {
    const money = inr(text);
    expect(readMoney(money.amount, "inr")).toEqual(money);
    expect(money.amount).toMatch(/^-?\d+(?:\.\d*[1-9])?$/);
    expect(compareMoney(money, inr(`${text}${text.includes(".") ? "0" : ".0"}`))).toBe(0);
  });

  property("adds and subtracts exactly", fc.tuple(decimal, decimal), ([a, b]) => {
    const sum = sumMoney([inr(a), inr(b)]) ?? expect.unreachable();
    expect(subtractMoney(sum, inr(b))).toEqual(inr(a));
    expect(sumMoney([inr(b), inr(a)])).toEqual(sum);
    expect(multiplyMoney(inr(a), 2)).toEqual(sumMoney([inr(a), inr(a)]));
    expect(Math.sign(compareMoney(inr(a), inr(b)) ?? 9)).toBe(-Math.sign(compareMoney(inr(b), inr(a)) ?? 9) + 0);
  });

  const money = fc.oneof(
    decimal.map(inr),
    drifted(inr("1.50")),
    drifted([inr("1"), inr("2")]),
    fc.array(decimal.map(inr)),
    fc.integer(),
    anything,
  );
  property("refuses anything else, or reads it", fc.tuple(money, money), async ([a, b]) => {
    readMoney(a, b);
    for (const call of [
      () => sumMoney([a, b] as never),
      () => sumMoney(a as never),
      () => subtractMoney(a as never, b as never),
      () => multiplyMoney(a as never, b as never),
      () => compareMoney(a as never, b as never),
    ]) {
      await refusesTyped(call);
    }
  });
});

describe("times", () => {
  const instant = fc.date({ min: new Date("1971-01-01"), max: new Date("2199-12-31"), noInvalidDate: true });
  const zone = fc.constantFrom("Asia/Kolkata", "Europe/London", "America/New_York", "Pacific/Kiritimati", "UTC");

  property(
    "an instant is the same after it was shown in a zone, apart from the hour that occurs twice",
    fc.tuple(instant, zone),
    ([date, name]) => {
      const at = Math.floor(date.getTime() / 1_000) * 1_000;
      const shown = wallClockIn(at, name);
      const back = instantOf(shown, name);
      expect(timeOrNull(shown)).toBe(shown);
      expect(Math.abs((back ?? Number.NaN) - at)).toBeOneOf([0, 3_600_000]);
      expect(wallClockIn(back ?? Number.NaN, name)).toBe(shown);
    },
  );

  const shown = instant.map((date) => wallClockIn(date.getTime(), "UTC"));
  const anyTime = fc.oneof(anything, instant, fc.integer(), shown);
  property("anything else is refused, or not known", fc.tuple(anyTime, fc.oneof(anything, zone)), async ([a, b]) => {
    timeOrNull(a);
    const minutes = durationMinutes(a);
    if (minutes !== null) expect(minutes).toBeGreaterThanOrEqual(0);
    await refusesTyped(() => instantOf(a, b as never));
    await refusesTyped(() => wallClockIn(a as never, b as never));
  });

  property(
    "Retry-After is a duration or nothing",
    fc.oneof(
      anyText,
      instant.map((date) => date.toUTCString()),
      fc.float().map(String),
    ),
    (header) => {
      const delay = parseRetryAfter(header);
      if (delay !== undefined) expect(delay).toSatisfy((ms) => Number.isFinite(ms) && ms >= 0);
    },
  );
});

describe("guards and texts", () => {
  property("never throw, whatever they are asked about", anything, async (value) => {
    expect(isServiceApiError(value)).toBe(false);
    expect(httpStatusFor(value)).toBe(500);
    await refusesTyped(() => quoteToken(value as never));
    expect(parseCharge(value)).toHaveProperty("kind");
    if (typeof value !== "object" || value === null) return;
    isUsable(value as never);
    isKnownAiEvent(value as never);
    isKnownWebhookEvent(value as never);
  });
});
