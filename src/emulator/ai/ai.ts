import { createResponse, streamResponse } from "../../ai/operations.ts";
import type { CreateResponseRequest, StreamResponseParams } from "../../ai/types.ts";
import { field, stringOf } from "../../shared/json.ts";
import { aiBodies, aiStreams } from "../catalogue/ai.ts";
import type { Sample } from "../catalogue/sample.ts";
import { type EmulatedResponse, json } from "../http/messages.ts";
import { type Call, defineBehaviour } from "../service/behaviour.ts";
import { refuseFields } from "../service/refusals.ts";
import { ids } from "../state/ids.ts";
import { parseCommands } from "./commands.ts";
import { type AiTurn, echoEvents, echoText, sampleEvents, wholeBody } from "./events.ts";
import { writeEvents } from "./stream.ts";

type AiCall = Call<CreateResponseRequest | StreamResponseParams>;

const isStream = (body: unknown) => field(body, "stream") === true;

/** Create AI response, as one body (§4.2). */
export const aiWhole = defineBehaviour<CreateResponseRequest>(createResponse, {
  scenarios: Object.keys(aiBodies),
  accepts: (body) => !isStream(body),
  respond: respondWhole,
  refuseBody: refuseFields,
});

/** Create AI response, as events (§6.1). */
export const aiStream = defineBehaviour<StreamResponseParams>(streamResponse, {
  scenarios: [...Object.keys(aiStreams), "response-failed-expired-context", "stream-answered-as-one-body"],
  accepts: isStream,
  respond: respondStream,
  refuseBody: refuseFields,
});

function respondWhole(call: Call<CreateResponseRequest>): EmulatedResponse {
  if (isUnknownContext(call)) return expired();
  const commands = parseCommands(call.body.user.text);
  const sample = aiBodies[call.scenario ?? commands.body ?? ""];
  if (sample?.body.status === "FAILED") return json(sample.status, sample.body);
  const turn = openTurn(call);
  return json(200, wholeBody(turn, sample === undefined ? echo(call, turn, commands.rest) : systemText(sample)));
}

function respondStream(call: Call<StreamResponseParams>): EmulatedResponse {
  if (isUnknownContext(call)) return expired();
  const commands = parseCommands(call.body.user.text);
  const name = call.scenario ?? commands.stream ?? "";
  const turn = openTurn(call);
  if (name === "stream-answered-as-one-body") return json(200, wholeBody(turn, systemText(aiBodies[name])));
  const sample = aiStreams[name];
  const events = sample === undefined ? echoEvents(turn, echo(call, turn, commands.rest)) : sampleEvents(turn, sample);
  return writeEvents(events, { framing: call.settings.framing, pace: call.settings.pace, ...commands.wire });
}

/** Returns true for a follow-up whose `context_token` was not issued. */
function isUnknownContext({ body, state, scenario }: AiCall): boolean {
  if (scenario === "response-failed-expired-context") return true;
  return body.context_token !== undefined && !state.turns.has(body.context_token);
}

function expired(): EmulatedResponse {
  const { status, body } = aiBodies["response-failed-expired-context"];
  return json(status, body);
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

function echo({ body }: AiCall, turn: AiTurn, text: string): string {
  return echoText(text, turn.number, body.user.images?.length ?? 0);
}

function systemText({ body: { system } }: Sample): string {
  return stringOf(field(system, "text"));
}
