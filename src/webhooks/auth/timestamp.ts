import { WebhookAuthError } from "../../errors/webhook.ts";

/** Which unit a timestamp counts in. */
export type TimestampUnit = "seconds" | "milliseconds";

const unitMs: Record<TimestampUnit, number> = { seconds: 1_000, milliseconds: 1 };

/** Refuses a timestamp that is not plain digits (`parseInt` would read `1614265330abc`), too old, or from the future. */
export function checkTimestamp(text: string, now: number, tolerance: number, unit: TimestampUnit): void {
  if (!/^\d{1,15}$/.test(text)) {
    throw new WebhookAuthError({ reason: "timestampInvalid", message: `The timestamp is not a number of ${unit}.` });
  }
  const difference = now - Number(text) * unitMs[unit];
  if (Math.abs(difference) > tolerance) {
    const [seconds, side] = [Math.round(Math.abs(difference) / 1_000), difference > 0 ? "old" : "ahead of this clock"];
    throw new WebhookAuthError({
      reason: "timestampOutOfRange",
      message: `The timestamp is ${seconds} s ${side}; ${tolerance / 1_000} s are allowed. Is this machine's clock right?`,
    });
  }
}

/** A moment as a timestamp header has it. */
export function writeTimestamp(now: number, unit: TimestampUnit): string {
  return String(Math.floor(now / unitMs[unit]));
}
