import { ServiceApiError } from "../../errors/base.ts";
import { httpStatusFor, type turnStatuses } from "../../errors/http-status.ts";
import { ConfigurationError, refusedRequest } from "../../errors/request.ts";
import type { StreamOptions } from "../../options.ts";
import { withinTime } from "../../shared/clock.ts";
import { field, isString, parseJson } from "../../shared/json.ts";
import {
  signal as abortSignal,
  anything,
  func,
  milliseconds,
  objectWith,
  type Rules,
  readArguments,
  readOptions,
} from "../../shared/options.ts";
import { summarize } from "../../transport/redact.ts";
import type { Ai } from "../ai.ts";
import type { TurnOptions } from "../conversation/conversation.ts";
import { errorTextOf, type RelayResponseOptions, relayOf, relayResponseRules } from "./relay.ts";

/** A question in a conversation that tabs and servers share, and the conversation in your database. */
export interface SharedTurn extends Pick<TurnOptions, "images"> {
  /** The question. */
  readonly text: string;
  /** The number of turns that the person has seen. If there are others, the question is refused. */
  readonly turns: number;
  /** Returns the string that `save` stored last, or `JSON.stringify(api.ai.conversation())`; nothing if there is none. */
  readonly load: () => unknown;
  /**
   * Replaces the string `previous` by `next`, in one statement: `UPDATE … SET saved = next WHERE id = … AND saved =
   * previous`. Returns whether it did, or the number of rows.
   */
  readonly save: (next: string, previous: string) => Saved | Promise<Saved>;
}

type Saved = boolean | number | bigint | null;

/** Options of {@link relayTurn}. */
export interface RelayTurnOptions
  extends Pick<StreamOptions, "signal">,
    Pick<RelayResponseOptions, "format" | "messageId" | "heartbeat" | "errorText" | "headers"> {
  /**
   * Milliseconds after which the response is given up. A minute later the conversation is free, also if this process has
   * died. @default 120_000
   */
  readonly timeout?: number | undefined;
}

const turnRules: Rules<SharedTurn> = { text: anything, images: anything, turns: anything, load: func, save: func };

/** Milliseconds for `save`, and for what the clocks of two servers differ by. */
const grace = 60_000;
/** The longest wait for `load` and `save`. */
const stepLimit = 30_000;
/** The longest wait until a conversation is freed, which time does anyway. */
const freeLimit = 2_000;

/** Why a question is not sent. The person sees it. */
const refusals: Readonly<Record<keyof typeof turnStatuses | "request_validation", string>> = {
  conversation_unknown: "This conversation does not exist.",
  turn_elsewhere: "This conversation went on elsewhere. Load it again.",
  turn_under_way: "Another response is being written. Wait for it.",
  // Of any other question, which is refused by its kind.
  request_validation:
    "The question was not sent, because a part of it is missing or invalid. Correct it, and ask again.",
};

/**
 * Responds to a question in a conversation that tabs and servers share, as a route handler. The question takes the
 * conversation, if it is free, and is relayed like `toResponse({ metadata: false })`. The turn is saved before the
 * relay ends; after a failure, and when the reader leaves before that, the conversation is as it was, unless `save` itself
 * failed: then it may have the turn.
 *
 * @param ai - `api.ai`.
 * @param turn - The question, and how the conversation is loaded and saved.
 * @param options - See {@link RelayTurnOptions}.
 * @returns The relay, once its first event is there, or else the status of `httpStatusFor` with the text of `errorText`: 404
 *   without a conversation, 409 if it has other turns or another question has it. `errorText` gets an error whose
 *   `issues[0].code` is `conversation_unknown`, `turn_elsewhere` or `turn_under_way` then.
 * @throws {@link ConfigurationError} for an unknown option or an invalid value, and if `load` or `save` fails, returns
 *   something else, or takes longer than 30 seconds before the question is sent.
 *
 * @example
 * ```ts
 * import { relayTurn } from "serviceapi/ai";
 *
 * const chats = new Map([["1", JSON.stringify(api.ai.conversation())]]); // in place of a database
 *
 * export async function POST(request: Request): Promise<Response> {
 *   const { id, turns, text } = (await request.json()) as { id: string; turns: number; text: string };
 *   const load = () => chats.get(id);
 *   const save = (next: string, previous: string) => chats.get(id) === previous && chats.set(id, next) === chats;
 *   return relayTurn(api.ai, { text, turns, load, save }, { signal: request.signal });
 * }
 * ```
 */
export async function relayTurn(ai: Ai, turn: SharedTurn, options: RelayTurnOptions = {}): Promise<Response> {
  readArguments("relayTurn", { ai }, { ai: objectWith("conversation") });
  const { text, images, turns, load, save } = readOptions("relayTurn", turn, turnRules, ["load", "save"]);
  const { metadata: _, onFinish: __, ...relayed } = relayResponseRules;
  const rules: Rules<RelayTurnOptions> = { ...relayed, signal: abortSignal, timeout: milliseconds(1) };
  const { signal, timeout = 120_000, ...relay } = readOptions("relayTurn", options, rules);

  /** A failure of `load` or `save` before anything is sent is not one of the question, of whatever class it is. */
  const prepared = <T>(step: Promise<T>) =>
    step.catch((error: unknown) => {
      if (ConfigurationError.isInstance(error)) throw error;
      const message = "relayTurn: `load` or `save` failed. Nothing was sent.";
      throw new ConfigurationError(message, { cause: summarize(error, []) });
    });
  const replace = async (next: string, previous: string, limit = stepLimit) => {
    const rows: unknown = await withinTime("`save`", async () => save(next, previous), limit);
    if (rows === null || ["boolean", "number", "bigint"].includes(typeof rows)) return Number(rows) === 1;
    throw new ConfigurationError(
      "relayTurn: `save` must return whether it replaced the string, or the number of rows.",
    );
  };
  let freed: Promise<unknown> | undefined;
  let free = async () => freed;
  try {
    const { saved, chat, held } = read(ai, await prepared(withinTime("`load`", async () => load(), stepLimit)));
    if (!Number.isSafeInteger(turns)) throw refusedRequest("relayTurn", "turns", "invalid_type", "must be an integer.");
    if (chat.turns.length !== turns) throw refusal("turn_elsewhere");
    const since = Date.now();
    // A lease that is to begin later is of a clock that was ahead.
    if (Number(held("since")) < since + grace && since < Number(held("until"))) throw refusal("turn_under_way");
    const before = JSON.stringify(chat);
    const lease = { since, until: since + timeout + grace, holder: crypto.randomUUID() };
    const leased = JSON.stringify({ ...chat.toJSON(), lease });
    // If it fails, the lease ends by its time.
    free = () => (freed ??= replace(before, leased, freeLimit).catch(() => {}));
    if (!(await prepared(replace(leased, saved)))) throw refusal("turn_under_way");
    // A process that was suspended meanwhile may have lost the lease.
    if (Date.now() - since > stepLimit)
      throw new ConfigurationError("relayTurn: `save` took too long. Nothing was sent.");
    const stream = chat.stream(text, { images, signal, maxRetries: 0, stream: { timeout } });
    stream.ended().then(({ state }) => state === "completed" || free());
    const onFinish = async () => {
      if (chat.turns.length > turns && (await replace(JSON.stringify(chat), leased))) return;
      throw new Error("The response is not complete, the lease had ended, or the conversation was changed.");
    };
    await stream.ready();
    return stream[relayOf]({ ...relay, metadata: false, onFinish, onFailure: free }).toResponse();
  } catch (error) {
    await free();
    if (!ServiceApiError.isInstance(error) || ConfigurationError.isInstance(error)) throw error;
    const names = [Object(error).issues?.[0]?.code, error.kind];
    const refused = Object.entries(refusals).find(([name]) => names.includes(name));
    const headers = new Headers(relay.headers);
    // A server may bring a `Response` of its own, which sets none.
    headers.set("content-type", "text/plain; charset=utf-8");
    return new Response(errorTextOf(relay, error, refused?.[1]), { status: httpStatusFor(error), headers });
  }
}

/** Returns the conversation that `load` returned, and the fields of the lease by which another question has it. */
function read(ai: Ai, saved: unknown) {
  if (saved === undefined || saved === null) throw refusal("conversation_unknown");
  const mistake = "relayTurn: `load` must return the string that `save` stored";
  if (!isString(saved)) throw new ConfigurationError(`${mistake}.`);
  try {
    const lease = field(parseJson(saved), "lease");
    return { saved, chat: ai.conversation(saved), held: (name: string) => field(lease, name) };
  } catch (error) {
    // Not a mistake of the person who asks.
    throw new ConfigurationError(`${mistake}: ${(error as Error).message}`);
  }
}

function refusal(code: keyof typeof turnStatuses): ServiceApiError {
  return refusedRequest("relayTurn", "", code, refusals[code]);
}
