import { indianTime } from "../../shared/clock.ts";
import { type QuotedResult, quoteSamples } from "../catalogue/quotes.ts";
import { type Refused, refuse } from "../rules/refusal.ts";
import type { Call } from "../service/behaviour.ts";
import type { Search } from "../state/state.ts";

type TokenCall = Call<{ readonly trace_id: string; readonly token: string }>;

export function successBody(message: string, trace_id: string, result: unknown) {
  return { status: "SUCCESS", status_code: "200", message, data: { trace_id, result } };
}

/** Returns a refusal in the words of a flight operation. The document shows neither its code nor its HTTP status (§7.2). */
export function refuseFlight(message: string): Refused {
  return refuse(400, message, { usualStatus: 200 });
}

/** The reasons why a token cannot be used (§7.2), in the words of the fare quote and the booking. */
export const tokenRefusals = {
  expired: "Your session TraceID is expired",
  mismatch: "trace_id does not match.",
  invalid: "Invalid token.",
};

/** Refuses a token that was not issued for this, unless the emulator is not `strict`, and that of another or an old search. */
export function refuseToken(call: TokenCall, kind: "search" | "quote", messages = tokenRefusals): undefined {
  const { body, state, clock, settings } = call;
  const issued = state.tokens.get(body.token);
  const isOther = issued === undefined ? settings.strict : "quoted" in issued !== (kind === "quote");
  if (isOther) throw refuseFlight(messages.invalid);
  const { trace_id, startedAt } = searchOf(call);
  if (trace_id !== body.trace_id) throw refuseFlight(messages.mismatch);
  if (clock.now() - startedAt >= settings.sessionLifetime) throw refuseFlight(messages.expired);
}

/** Returns the search of a token; the default search, begun just now, for a token that was not issued. */
export function searchOf({ body, clock, state }: TokenCall): Search {
  const { token, trace_id } = body;
  return state.tokens.get(token)?.search ?? { name: "domestic-oneway-full-service", trace_id, startedAt: clock.now() };
}

/** Returns the quote of a token; the first of its search for a token that is not one of a quote. */
export function quoteOf(call: TokenCall): QuotedResult | undefined {
  const { name, startedAt } = searchOf(call);
  return call.state.tokens.get(call.body.token)?.quoted ?? shiftDates(quoteSamples[name], startedAt)[0];
}

const day = 86_400_000;
/** The day that the samples were written for, in India. */
const sampleDay = Date.parse("2026-11-20T00:00+05:30");

/**
 * Returns a sample with every timestamp moved by the whole days between the day that the samples were written for and
 * `now`, so that flights stay in the future. The zero value stays.
 */
export function shiftDates<T>(value: T, now: number): T {
  const days = Math.floor((now - sampleDay) / day);
  return JSON.parse(JSON.stringify(value), (_, found: unknown) =>
    typeof found === "string" ? addMinutes(found, days * 1_440) : found,
  );
}

export function addMinutes(text: string, minutes: number): string {
  if (!/^[1-9]\d{3}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(text)) return text;
  return indianTime(Date.parse(`${text.replace(" ", "T")}+05:30`) + minutes * 60_000);
}
