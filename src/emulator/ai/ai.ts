import { createResponse, streamResponse } from "../../ai/operations.ts";
import { aiResponse } from "../../ai/schemas.ts";
import type { CreateResponseRequest, StreamResponseParams } from "../../ai/types.ts";
import { field, stringOf } from "../../shared/json.ts";
import { standardSchema } from "../../shared/standard-schema.ts";
import { aiBodies, aiStreams } from "../catalogue/ai.ts";
import type { Sample } from "../catalogue/sample.ts";
import { type EmulatedResponse, json } from "../http/messages.ts";
import { own } from "../names.ts";
import { scriptedBody } from "../scripts/scripting.ts";
import { type Call, defineBehaviour } from "../service/behaviour.ts";
import type { BrokenRule } from "../service/refusals.ts";
import { refuseFields } from "../service/refuse-body.ts";
import { ids } from "../state/ids.ts";
import { parseCommands } from "./commands.ts";
import { type AiTurn, echoText, sampleEvents, splitWords, streamEvents, wholeBody } from "./events.ts";
import { checkStream, readStream, scriptedEvents } from "./script.ts";
import { writeEvents } from "./stream.ts";

type AiCall = Call<CreateResponseRequest | StreamResponseParams>;

const isStream = (body: unknown) => field(body, "stream") === true;

/** Create AI response, as one body (§4.2). */
export const aiWhole = defineBehaviour<CreateResponseRequest>(createResponse, {
  scenarios: Object.keys(aiBodies),
  accepts: (body) => !isStream(body),
  respond: respondWhole,
  refuseBody: refuseAi,
  scripting: scriptedBody<CreateResponseRequest>({
    schema: standardSchema(aiResponse),
    sample: aiBodies["response-whole-markdown"].body,
    derive: (given) => (typeof given === "string" ? { system: { text: given } } : given),
    success: (call) => {
      const turn = openTurn(call);
      return wholeBody(turn, echo(call, turn, call.body.user.text));
    },
    record: (call, body) => {
      const token = stringOf(field(body, "context_token"));
      if (!call.state.turns.has(token)) call.state.turns.set(token, 1);
      return body;
    },
  }),
});

/** Create AI response, as events (§6.1). */
export const aiStream = defineBehaviour<StreamResponseParams>(streamResponse, {
  scenarios: [...Object.keys(aiStreams), "response-failed-expired-context", "stream-answered-as-one-body"],
  accepts: isStream,
  respond: respondStream,
  refuseBody: refuseAi,
  scripting: { hasEvents: true, check: checkStream, respond: respondScripted },
});

/** A path has one operation for the service: the field decides how it responds. */
function refuseAi(broken: readonly BrokenRule[]): EmulatedResponse {
  const ofService = broken.map((rule) =>
    rule.path === "stream" ? { ...rule, message: "must be true or false" } : rule,
  );
  return refuseFields(ofService);
}

function respondScripted(
  call: Call<StreamResponseParams>,
  given: unknown,
  eventDelay: number | undefined,
): EmulatedResponse {
  const { framing, pace } = call.settings;
  const events = scriptedEvents(openTurn(call), readStream(given));
  if (eventDelay === undefined) return writeEvents(events, { framing, pace });
  const startedAt = call.clock.now();
  const until = (index: number, signal: AbortSignal) => call.clock.until(startedAt + index * eventDelay, signal);
  return writeEvents(events, { framing, pace: 0, until });
}

function respondWhole(call: Call<CreateResponseRequest>): EmulatedResponse {
  if (isUnknownContext(call)) return expired();
  const commands = parseCommands(call.body.user.text);
  const sample = own(aiBodies, call.scenario ?? commands.body ?? "");
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
  const sample = own(aiStreams, name);
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

function echoEvents(turn: AiTurn, text: string) {
  return streamEvents(turn, splitWords(text), { text });
}

function echo({ body }: AiCall, turn: AiTurn, text: string): string {
  return echoText(text, turn.number, body.user.images?.length ?? 0);
}

function systemText({ body: { system } }: Sample): string {
  return stringOf(field(system, "text"));
}
