import { ConfigurationError } from "../../errors/request.ts";
import { isObject, parseJson, stringOf } from "../../shared/json.ts";
import { type ReceiverResponse, statusOf } from "./acknowledgement.ts";

/** A way to send the deliveries of one payout, and a check of their acknowledgements together (§6.5.1). */
export interface Plan {
  /** Sends one or two bodies, and returns what `send` returned for each. */
  readonly fire: <Fired>(body: string, send: (body: string) => Promise<Fired>) => Promise<readonly Fired[]>;
  /** Returns the problems of the acknowledgements as a whole. */
  readonly check: (responses: readonly ReceiverResponse[]) => readonly string[];
  /** Advice to look at the receiver, for something that the acknowledgements do not show. */
  readonly lookFor?: string;
}

/** The plans by name. The names are those of the emulator's delivery plans. */
export const plans = {
  once: { fire: async (body, send) => [await send(body)], check: () => [] },
  twice: { fire: async (body, send) => [await send(body), await send(body)], check: checkSecond },
  race: {
    fire: (body, send) => Promise.all([send(body), send(body)]),
    check: (responses) =>
      responses.filter((response) => statusOf(response) === "SUCCESS").length > 1
        ? ["Both deliveries were acknowledged SUCCESS: the payout may have taken effect twice."]
        : [],
  },
  conflict: {
    fire: async (body, send) => {
      const opposite = contradict(body);
      return [await send(body), await send(opposite)];
    },
    check: checkSecond,
    lookFor: "The receiver keeps the first status. Check that its onConflict was called with the second one.",
  },
} as const satisfies Readonly<Record<string, Plan>>;

/** After a first delivery that took effect, a second one for its reference must not. */
function checkSecond([first, second]: readonly ReceiverResponse[]): readonly string[] {
  const tookEffect = first !== undefined && ["SUCCESS", "DUPLICATE"].includes(statusOf(first) ?? "");
  return tookEffect && second !== undefined && statusOf(second) === "SUCCESS"
    ? ["The second delivery was acknowledged SUCCESS, not DUPLICATE: the payout may have taken effect twice."]
    : [];
}

/** Returns the same payout with the opposite status. */
function contradict(body: string): string {
  const event = parseObject(body);
  if (event === undefined) throw new ConfigurationError("--plan conflict needs a body that is a JSON object.");
  const opposite =
    event.status === "FAILED"
      ? { status: "SUCCESS", statusCode: "200", utr: "412345678901", acknowledged: "1" }
      : {
          status: "FAILED",
          statusCode: "400",
          description: "Reversed by bank",
          utr: undefined,
          acknowledged: undefined,
        };
  return JSON.stringify({ ...event, ...opposite });
}

/** Returns the `client_referenceId` that a receiver must echo; an empty string if the body has none. */
export function referenceOf(body: string): string {
  return stringOf(parseObject(body)?.client_referenceId);
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJson(text);
  return isObject(value) ? value : undefined;
}
