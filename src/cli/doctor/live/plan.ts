import { isPathBelow } from "../../../area.ts";
import type { ValidationIssue } from "../../../errors/base.ts";
import { ConfigurationError } from "../../../errors/request.ts";
import type { ServiceApi } from "../../../service-api.ts";
import { mobilePattern, normalizeMobile } from "../../../verification/rules.ts";
import { maskNumber } from "../../shared/mask.ts";
import { type FlagsOf, jsonOption, option, readTimeout } from "../../shared/options.ts";

/** The options that allow calls, each its own, and say how to make and to print them. */
export const liveOptions = [
  option("--live", "make the calls that the flags below allow, and no others"),
  option("--refusal", "ask for a malformed mobile number, which nobody has, to see a refusal"),
  option("--verify <mobile>", "verify a mobile number; needs --consent Y"),
  option("--consent <Y>", "the consent of the holder of the account that --verify asks about"),
  option("--ask [text]", "generate two AI responses, whole and as a stream"),
  option("--quote <trace_id token...>", "quote a flight: the trace_id and the token of a search result"),
  option("--rules", "also look up the fare rules of the flight of --quote"),
  option("--leading-segment <name>", "first path segment of the second published form of the AI path, if it is needed"),
  option("--idle-timeout <ms>", "how long a stream may send nothing", readTimeout),
  option("--stream-timeout <ms>", "timeout of a whole stream (default: 180000)", readTimeout),
  jsonOption(),
  option("--markdown", "print what the calls showed as Markdown, ready for an issue"),
] as const;

export type LiveFlags = FlagsOf<typeof liveOptions>;

/** The result of a call, except its body. */
export interface Sent {
  readonly warnings: readonly ValidationIssue[];
  readonly textMismatch?: boolean;
}

/** The calls that the command knows. None of them books or changes anything. */
export type CallName = "refusal" | "verify" | "ask" | "stream" | "quote" | "rules";

export interface PlannedCall {
  readonly name: CallName;
  readonly operation: string;
  /** Description of what it sends and may cost, for the list that is printed first. */
  readonly what: string;
  readonly send: (api: ServiceApi) => Promise<Sent>;
}

/** The flags that have an effect only with another, and why. */
const companions = [
  ["consent", "verify", "--consent needs --verify <mobile>, the number that the consent is for."],
  ["idleTimeout", "ask", "--idle-timeout needs --ask, which starts a stream."],
  ["streamTimeout", "ask", "--stream-timeout needs --ask, which starts a stream."],
  ["leadingSegment", "ask", "--leading-segment needs --ask: only the AI path has a second form."],
  ["rules", "quote", "--rules needs --quote <trace_id> <token>, the flight that the rules are for."],
] as const satisfies readonly (readonly [keyof LiveFlags, keyof LiveFlags, string])[];

/** Nobody has this number, and so nobody is asked about. */
const malformedMobile = "12345";

/** Returns the calls that the flags allow, in the order in which they are made. */
export function planCalls(flags: LiveFlags): readonly PlannedCall[] {
  const { refusal, verify, consent, ask, leadingSegment, quote, rules } = flags;
  if (!flags.live) {
    const alive = liveOptions.filter(({ long }) => long !== "--live" && long !== "--json");
    const idle = alive.find((each) => flags[each.attributeName() as keyof LiveFlags] !== undefined);
    if (idle === undefined) return [];
    throw new ConfigurationError(`${idle.long} has an effect only with --live.`);
  }
  for (const [flag, needed, problem] of companions) {
    if (flags[flag] !== undefined && flags[needed] === undefined) throw new ConfigurationError(problem);
  }
  const calls: PlannedCall[] = [];
  if (refusal) {
    calls.push({
      name: "refusal",
      operation: "verification.findVpas",
      what: `asks for the number ${malformedMobile}, which nobody has, to see a refusal; costs nothing if refusals are free`,
      send(api) {
        const asGiven = api.withOptions({ validation: { request: "off", mobile: "asGiven" } });
        return asGiven.verification.findVpas({ vpa_mobile: malformedMobile, consent: "Y" }).withResponse();
      },
    });
  }
  if (verify !== undefined) {
    if (!mobilePattern.test(normalizeMobile(verify))) {
      throw new ConfigurationError("--verify must be an Indian mobile number: ten digits, the first from 6 to 9.");
    }
    if (consent !== "Y") {
      throw new ConfigurationError("--verify needs --consent Y, given by the holder of the account.");
    }
    calls.push({
      name: "verify",
      operation: "verification.findVpas",
      what: `verifies ${maskNumber(verify)}; costs one verification`,
      send: (api) => api.verification.findVpas({ vpa_mobile: verify, consent }).withResponse(),
    });
  }
  if (ask !== undefined) {
    const user = { text: ask === true ? "Count from one to twenty in words." : ask };
    if (user.text.trim() === "") throw new ConfigurationError("--ask: the text must not be empty.");
    if (leadingSegment !== undefined && !isPathBelow(leadingSegment)) {
      throw new ConfigurationError("--leading-segment must be a part of a path, such as partner.");
    }
    calls.push(
      {
        name: "ask",
        operation: "ai.createResponse",
        what: "generates one whole response; costs the quota of one",
        send: (api) => api.ai.createResponse({ user }).withResponse(),
      },
      {
        name: "stream",
        operation: "ai.stream",
        what: "generates one response as a stream; costs the quota of one",
        async send(api) {
          const stream = api.ai.stream({ user });
          await stream.finalResponse();
          return { warnings: stream.warnings, textMismatch: stream.textMismatch };
        },
      },
    );
  }
  if (quote !== undefined) {
    const [trace_id, token, ...more] = quote;
    if (!trace_id || !token || more.length > 0) {
      throw new ConfigurationError("--quote needs two values of one flight search: <trace_id> <token>.");
    }
    calls.push({
      name: "quote",
      operation: "flights.fareQuote",
      what: "asks for the price of the flight; books nothing",
      send: (api) => api.flights.fareQuote({ trace_id, token }).withResponse(),
    });
    if (rules) {
      calls.push({
        name: "rules",
        operation: "flights.fareRule",
        what: "asks for the fare rules of the flight; books nothing",
        send: (api) => api.flights.fareRule({ trace_id, token }).withResponse(),
      });
    }
  }
  if (calls.length > 0) return calls;
  throw new ConfigurationError(
    "--live makes the calls that you allow. Allow at least one: --refusal, --verify <mobile> --consent Y, --ask, --quote <trace_id> <token>.",
  );
}
