import { isPathBelow } from "../../../area.ts";
import type { ValidationIssue } from "../../../errors/base.ts";
import { ConfigurationError } from "../../../errors/request.ts";
import type { ServiceApi } from "../../../service-api.ts";
import { mobilePattern, normalizeMobile } from "../../../verification/rules.ts";
import { maskNumber } from "../../shared/mask.ts";

/** The flags that allow calls. Each call has its own. */
export interface LiveFlags {
  readonly live?: boolean;
  readonly refusal?: boolean;
  readonly verify?: string;
  readonly consent?: string;
  readonly ask?: string | true;
  readonly quote?: readonly string[];
  readonly rules?: boolean;
  readonly leadingSegment?: string;
  readonly idleTimeout?: number;
  readonly streamTimeout?: number;
  readonly markdown?: boolean;
}

/** The result of a call, except its body. */
export interface Sent {
  readonly warnings: readonly ValidationIssue[];
  readonly textMismatch?: boolean;
}

/** The calls that the command knows. None of them books or changes anything. */
export type CallName = "refusal" | "verify" | "ask" | "stream" | "quote" | "rules";

/** A call that the user has allowed. */
export interface PlannedCall {
  readonly name: CallName;
  readonly operation: string;
  /** Description of what it sends and may cost, for the list that is printed first. */
  readonly what: string;
  readonly send: (api: ServiceApi) => Promise<Sent>;
}

/** Nobody has this number, and so nobody is asked about. */
const malformedMobile = "12345";

/**
 * Returns the calls that the flags allow, in the order in which they are made.
 *
 * @throws ConfigurationError for flags that do not fit together, or `--live` without a call.
 */
export function planCalls(flags: LiveFlags): readonly PlannedCall[] {
  const given = callFlags.filter(([key]) => flags[key] !== undefined).map(([, flag]) => flag);
  if (!flags.live) {
    if (given.length === 0) return [];
    throw new ConfigurationError(`${given[0]} has an effect only with --live.`);
  }
  const calls = [...planRefusal(flags), ...planVerify(flags), ...planAsk(flags), ...planFlights(flags)];
  if (calls.length > 0) return calls;
  throw new ConfigurationError(
    "--live makes the calls that you allow. Allow at least one: --refusal, --verify <mobile> --consent Y, --ask, --quote <trace_id> <token>.",
  );
}

const callFlags = [
  ["refusal", "--refusal"],
  ["verify", "--verify"],
  ["consent", "--consent"],
  ["ask", "--ask"],
  ["quote", "--quote"],
  ["rules", "--rules"],
  ["leadingSegment", "--leading-segment"],
  ["idleTimeout", "--idle-timeout"],
  ["streamTimeout", "--stream-timeout"],
  ["markdown", "--markdown"],
] as const satisfies readonly (readonly [keyof LiveFlags, string])[];

function planRefusal({ refusal }: LiveFlags): readonly PlannedCall[] {
  if (!refusal) return [];
  return [
    {
      name: "refusal",
      operation: "verification.findVpas",
      what: `asks for the number ${malformedMobile}, which nobody has, to see a refusal; costs nothing if refusals are free`,
      send(api) {
        const asGiven = api.withOptions({ validation: { request: "off", mobile: "asGiven" } });
        return asGiven.verification.findVpas({ vpa_mobile: malformedMobile, consent: "Y" }).withResponse();
      },
    },
  ];
}

function planVerify({ verify, consent }: LiveFlags): readonly PlannedCall[] {
  if (verify === undefined) {
    if (consent === undefined) return [];
    throw new ConfigurationError("--consent needs --verify <mobile>, the number that the consent is for.");
  }
  if (!mobilePattern.test(normalizeMobile(verify))) {
    throw new ConfigurationError("--verify must be an Indian mobile number: ten digits, the first from 6 to 9.");
  }
  if (consent !== "Y") throw new ConfigurationError("--verify needs --consent Y, given by the holder of the account.");
  return [
    {
      name: "verify",
      operation: "verification.findVpas",
      what: `verifies ${maskNumber(verify)}; costs one verification`,
      send: (api) => api.verification.findVpas({ vpa_mobile: verify, consent }).withResponse(),
    },
  ];
}

const defaultText = "Count from one to twenty in words.";

function planAsk({ ask, leadingSegment, idleTimeout, streamTimeout }: LiveFlags): readonly PlannedCall[] {
  if (ask === undefined) {
    if (idleTimeout !== undefined) throw new ConfigurationError("--idle-timeout needs --ask, which starts a stream.");
    if (streamTimeout !== undefined)
      throw new ConfigurationError("--stream-timeout needs --ask, which starts a stream.");
    if (leadingSegment === undefined) return [];
    throw new ConfigurationError("--leading-segment needs --ask: only the AI path has a second form.");
  }
  const user = { text: ask === true ? defaultText : ask };
  if (user.text.trim() === "") throw new ConfigurationError("--ask: the text must not be empty.");
  if (leadingSegment !== undefined && !isPathBelow(leadingSegment)) {
    throw new ConfigurationError("--leading-segment must be a part of a path, such as partner.");
  }
  return [
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
  ];
}

function planFlights({ quote, rules }: LiveFlags): readonly PlannedCall[] {
  const [trace_id, token, ...more] = quote ?? [];
  if (quote === undefined) {
    if (!rules) return [];
    throw new ConfigurationError("--rules needs --quote <trace_id> <token>, the flight that the rules are for.");
  }
  if (!trace_id || !token || more.length > 0) {
    throw new ConfigurationError("--quote needs two values of one flight search: <trace_id> <token>.");
  }
  const params = { trace_id, token };
  const calls: readonly PlannedCall[] = [
    {
      name: "quote",
      operation: "flights.fareQuote",
      what: "asks for the price of the flight; books nothing",
      send: (api) => api.flights.fareQuote(params).withResponse(),
    },
    {
      name: "rules",
      operation: "flights.fareRule",
      what: "asks for the fare rules of the flight; books nothing",
      send: (api) => api.flights.fareRule(params).withResponse(),
    },
  ];
  return rules ? calls : calls.slice(0, 1);
}
