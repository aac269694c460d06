import { createResponse, streamResponse } from "../../ai/operations.ts";
import { aiResponse } from "../../ai/schemas.ts";
import type { CreateResponseRequest, StreamResponseParams } from "../../ai/types.ts";
import { field, isObject, stringOf } from "../../shared/json.ts";
import { listOf, type Rules, readOptions, string } from "../../shared/options.ts";
import { type EmulatedResponse, json } from "../http/messages.ts";
import { own } from "../names.ts";
import { wholeBody } from "../rules/bodies.ts";
import {
  type BrokenRule,
  type Caller,
  checkReason,
  codeAndMessage,
  type Refused,
  refuse,
  refuseFields,
} from "../rules/refusal.ts";
import type { StreamBody } from "../rules/types.ts";
import type { Behaviour, Call } from "../service/behaviour.ts";
import { ids } from "../state/ids.ts";
import { parseCommands } from "./commands.ts";
import {
  type AiTurn,
  aiBodies,
  aiStreams,
  echoText,
  oneBodyText,
  splitWords,
  streamEvents,
  wholeBodyOf,
} from "./events.ts";
import { writeEvents } from "./framing.ts";

type AiCall = Call<CreateResponseRequest | StreamResponseParams>;

const isStream = (body: unknown) => field(body, "stream") === true;

/** Create AI response, as one body (§4.2). */
export const aiWhole = wholeBody<CreateResponseRequest>({
  operation: createResponse,
  samples: aiBodies,
  accepts: (body) => !isStream(body),
  refuseBody: refuseAi,
  schema: aiResponse,
  sample: aiBodies["response-whole-markdown"],
  derive: withSystemText,
  refuse: (call) => {
    refuseContext(call);
    const failed = aiBodies["response-failed-200"];
    if (wholeSample(call) === failed) throw refuse(400, undefined, { usualStatus: 200, fields: failed });
  },
  success: (call) => {
    const sample = wholeSample(call);
    const turn = openTurn(call);
    const { text, images } = call.body.user;
    return wholeBodyOf(
      turn,
      stringOf(field(field(sample, "system"), "text")) || echoText(parseCommands(text).rest, turn, images),
    );
  },
  record: ({ state }, body) => {
    const token = stringOf(field(body, "context_token"));
    if (!state.turns.has(token)) state.turns.set(token, 1);
    return body;
  },
});

function wholeSample({ sample, body }: Call<CreateResponseRequest>) {
  return own(aiBodies, sample ?? parseCommands(body.user.text).body ?? "");
}

/** Create AI response, as events (§6.1). */
export const aiStream: Behaviour<StreamResponseParams> = {
  operation: streamResponse,
  samples: [...Object.keys(aiStreams), "stream-answered-as-one-body"],
  accepts: isStream,
  respond: respondStream,
  refuseBody: refuseAi,
  hasEvents: true,
  check: (given) => {
    // What is no stream throws a `ConfigurationError` that says why.
    readStream(given);
    return [];
  },
  respondWith: respondEvents,
};

/** A path has one operation for the service: the field decides how it responds. */
function refuseAi(broken: readonly BrokenRule[], caller: Caller): Refused {
  const ofService = broken.map((rule) =>
    rule.path === "stream" ? { ...rule, message: "must be true or false" } : rule,
  );
  return refuseFields(ofService, caller);
}

function withSystemText(given: unknown): unknown {
  if (!isObject(given) || typeof given.text !== "string") return given;
  const { text, ...rest } = given;
  return { ...rest, system: { ...Object(rest.system), text } };
}

const streamRules: Rules<StreamBody> = {
  chunks: listOf(string, 0),
  text: string,
  refusal: (value) => checkReason(value) && `is none: ${checkReason(value)}`,
  message: string,
};

function readStream(given: unknown): StreamBody {
  const body = Array.isArray(given) ? { chunks: given } : given;
  return readOptions<StreamBody>("emulator.on: ai.stream", body, streamRules);
}

function respondEvents(call: Call<StreamResponseParams>, given: unknown, eventDelay?: number): EmulatedResponse {
  const { text, chunks, refusal: reason, message } = readStream(given);
  const pieces = chunks ?? splitWords(text ?? "");
  const end = reason === undefined ? { text: text ?? pieces.join("") } : codeAndMessage({ reason, message }, "ai");
  const events = streamEvents(openTurn(call), pieces, end);
  if (eventDelay === undefined) return writeEvents(events, call.settings);
  const startedAt = call.clock.now();
  return writeEvents(events, call.settings, (index, signal) => call.until(startedAt + index * eventDelay, signal));
}

function respondStream(call: Call<StreamResponseParams>): EmulatedResponse {
  refuseContext(call);
  const { user } = call.body;
  const { stream = "", wire, rest } = parseCommands(user.text);
  const name = call.sample ?? stream;
  const turn = openTurn(call);
  if (name === "stream-answered-as-one-body") return json(200, wholeBodyOf(turn, oneBodyText));
  const text = echoText(rest, turn, user.images);
  const events = own(aiStreams, name)?.(turn) ?? streamEvents(turn, splitWords(text), { text });
  return writeEvents(events, { ...call.settings, ...wire });
}

function refuseContext({ body, state }: AiCall): void {
  if (body.context_token === undefined || state.turns.has(body.context_token)) return;
  throw refuse(404, "Invalid or expired context token.");
}

/** Issues the token of this response (§3.1) and remembers the length of its chain. */
function openTurn({ body, state }: AiCall): AiTurn {
  const n = state.next();
  const parent = body.context_token ?? null;
  const number = (parent === null ? 0 : (state.turns.get(parent) ?? 0)) + 1;
  const turn = { context_token: ids.contextToken(n), parent_context_token: parent, msg_id: ids.message(n), number };
  state.turns.set(turn.context_token, number);
  return turn;
}
