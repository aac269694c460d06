import { formatPath, listIssues } from "../../errors/issues.ts";
import { ConfigurationError } from "../../errors/request.ts";
import type { EmulatedResponse } from "../http/messages.ts";
import type { Behaviour, Call } from "../service/behaviour.ts";
import { withFailureStatus } from "../service/failure-status.ts";
import type { ReceivedRequest } from "../service/received-request.ts";
import { type Caller, complaint } from "../service/refusals.ts";
import type { GivenScript } from "../state/active-scenario.ts";
import { isRefusal, refusalResponse } from "./refusal.ts";

/** The request that a script is for. */
export interface ScriptedCall {
  readonly behaviour: Behaviour;
  readonly call: Call<unknown>;
  readonly caller: Caller;
  readonly request: ReceivedRequest;
}

/**
 * Checks a response that a test gives.
 *
 * @throws ConfigurationError if the service could not send it.
 */
export function checkScripted({ operation, scripting }: Behaviour, given: unknown): void {
  if (isResponse(given)) requireUnread(given);
  if (isRefusal(given) || isResponse(given)) return;
  const issues = scripting.check(given);
  if (issues.length === 0) return;
  const list = listIssues(issues, ({ path, message }) => `${formatPath(path, "the response")} ${message}`);
  throw new ConfigurationError(
    `emulator.script: ${operation.name} does not respond like this: ${list}. ` +
      "To send it nevertheless, pass it as `Response.json(body)`, which is not checked.",
  );
}

/**
 * Checks that a script has events which `eventDelay` can hold back.
 *
 * @throws ConfigurationError if it has none.
 */
export function checkEventDelay({ operation, scripting }: Behaviour, given: unknown): void {
  if (!scripting.hasEvents) {
    throw new ConfigurationError(
      `emulator.script: \`eventDelay\` is for ai.stream: ${operation.name} responds with one body. Use \`delay\`.`,
    );
  }
  if (!isRefusal(given) && !isResponse(given)) return;
  throw new ConfigurationError("emulator.script: `eventDelay` is for events, and this response has none. Use `delay`.");
}

/**
 * Returns the response of a script, once its delay is over; undefined if its function leaves the request to others. A
 * function that fails becomes a response that says so, because a `fetch` that rejects would look like a lost connection.
 */
export async function runScript(script: GivenScript, scripted: ScriptedCall): Promise<EmulatedResponse | undefined> {
  const { behaviour, call, request } = scripted;
  let given: unknown;
  try {
    given = typeof script.response === "function" ? await script.response(call.body, request) : script.response;
    if (given === undefined) return undefined;
    if (typeof script.response === "function" || isResponse(given)) checkScripted(behaviour, given);
    // A copy is sent: the same `Response` may be the script of several requests.
    if (isResponse(given)) given = given.clone();
  } catch (error) {
    const reason = error instanceof Error ? error.message : "it threw no Error";
    return complaint(`The script of ${behaviour.operation.name} failed: ${reason}`);
  }
  if (script.delay > 0) await call.clock.until(call.clock.now() + script.delay, call.signal);
  return respond(given, script, scripted);
}

function respond(
  given: unknown,
  { eventDelay }: GivenScript,
  { behaviour, call, caller }: ScriptedCall,
): EmulatedResponse {
  if (isResponse(given)) return asItIs(given);
  if (!isRefusal(given)) return behaviour.scripting.respond(call, given, eventDelay);
  const response = refusalResponse(given, caller, call.settings.retryAfter);
  return given.httpStatus === undefined ? withFailureStatus(response, call.settings) : response;
}

/** Of this realm or another: test runners have several. */
function isResponse(value: unknown): value is Response {
  return Object.prototype.toString.call(value) === "[object Response]";
}

function requireUnread({ bodyUsed, body }: Response): void {
  if (!bodyUsed && body?.locked !== true) return;
  throw new ConfigurationError(
    "emulator.script: the body of this Response was read already, or has a reader. Pass one whose body is unread.",
  );
}

function asItIs({ status, headers, body }: Response): EmulatedResponse {
  return { status, headers: Object.fromEntries(headers), body: body === null ? "" : () => chunksOf(body) };
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body.getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
  } finally {
    await reader.cancel();
  }
}
