import { ConfigurationError } from "../../errors/request.ts";
import { isObject } from "../../shared/json.ts";
import { type Answer, statusOf } from "./acknowledgement.ts";

/** How the deliveries of one payout are sent, and what their acknowledgements must come to together (§6.5.1). */
export interface Plan {
  /** Sends one or two bodies, and returns what came of each. */
  readonly fire: <Fired>(body: string, send: (body: string) => Promise<Fired>) => Promise<readonly Fired[]>;
  /** What is wrong with the acknowledgements as a whole. */
  readonly judge: (answers: readonly Answer[]) => readonly string[];
}

/** The names are those of the emulator's delivery plans. */
export const plans = {
  once: { fire: async (body, send) => [await send(body)], judge: () => [] },
  twice: { fire: async (body, send) => [await send(body), await send(body)], judge: judgeSecond },
  race: {
    fire: (body, send) => Promise.all([send(body), send(body)]),
    judge: (answers) =>
      answers.filter((answer) => statusOf(answer) === "SUCCESS").length > 1
        ? ["Both deliveries were acknowledged SUCCESS: the payout may have taken effect twice."]
        : [],
  },
  conflict: {
    fire: async (body, send) => {
      const opposite = contradiction(body);
      return [await send(body), await send(opposite)];
    },
    judge: judgeSecond,
  },
} as const satisfies Readonly<Record<string, Plan>>;

/** After a first delivery that took effect, a second one for its reference must not. */
function judgeSecond([first, second]: readonly Answer[]): readonly string[] {
  const tookEffect = first !== undefined && ["SUCCESS", "DUPLICATE"].includes(statusOf(first) ?? "");
  return tookEffect && second !== undefined && statusOf(second) === "SUCCESS"
    ? ["The second delivery was acknowledged SUCCESS, not DUPLICATE: the payout may have taken effect twice."]
    : [];
}

/** The same payout with the opposite status. */
function contradiction(body: string): string {
  const event = parseObject(body);
  if (event === undefined) throw new ConfigurationError("--plan conflict needs a body that is a JSON object.");
  const opposite =
    event.status === "FAILED"
      ? { status: "SUCCESS", statusCode: "200", utr: "412345678901", acknowledged: "1" }
      : { status: "FAILED", statusCode: "400", description: "Reversed by bank" };
  return JSON.stringify({ ...event, ...opposite });
}

/** The `client_referenceId` that a receiver must echo; an empty string if the body has none. */
export function referenceOf(body: string): string {
  const reference = parseObject(body)?.client_referenceId;
  return typeof reference === "string" ? reference : "";
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}
