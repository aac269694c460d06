import { formatPath, listIssues } from "../../errors/issues.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { ConnectionDropped, type EmulatedResponse, type Pieces } from "../http/messages.ts";
import { own, unknownName } from "../names.ts";
import type { Behaviour, Effect, RuledRequest } from "../service/behaviour.ts";
import { faultNames, faults } from "./faults.ts";
import { isKind, isRefusal, type Refusal, refusalsByKind, refuse } from "./refusal.ts";

export const commonNames: readonly string[] = [...faultNames, ...Object.keys(refusalsByKind)];

/** Returns the effect of a fault or a refusal, which every operation knows, or of one of these samples. */
export function readName(text: string, samples: readonly string[]): Effect | undefined {
  if (samples.includes(text)) return { respond: (request) => respondTo(request, text) };
  if (isKind(text)) return refusing(refuse(text));
  const [, name = "", amount] = /^([a-z0-9-]+)(?::(\d{1,9}))?$/.exec(text) ?? [];
  return own(faults, name)?.(amount === undefined ? undefined : Number(amount));
}

export function refusing(refused: Refusal): Effect {
  return { respond: () => Promise.reject(refused) };
}

/** Responds as the emulator does without a rule, with a sample if one is named. */
export async function respondTo(request: RuledRequest, sample?: string): Promise<EmulatedResponse> {
  const refused = await request.refusal();
  if (refused !== undefined) throw refused;
  return request.behaviour.respond({ ...request, sample });
}

/** Checks the response of a rule; `*` has `allSamples` and no behaviour. A function is checked when it has returned. */
export function checkResponse(
  given: unknown,
  behaviour: Behaviour | undefined,
  allSamples: readonly string[] = [],
): void {
  if (typeof given === "string") checkName(given, behaviour, behaviour?.samples ?? allSamples);
  else if (isResponse(given)) requireUnread(given);
  else if (!isRefusal(given) && (behaviour === undefined || typeof given !== "function")) checkBody(given, behaviour);
}

function checkBody(given: unknown, behaviour: Behaviour | undefined): void {
  if (behaviour === undefined) {
    throw new ConfigurationError("emulator.on: `*` takes a name, a `refusal()` or a `Response`. Name the operation.");
  }
  const issues = behaviour.check(given);
  if (issues.length === 0) return;
  const list = listIssues(issues, ({ path, message }) => `${formatPath(path, "the response")} ${message}`);
  throw new ConfigurationError(
    `emulator.on: ${behaviour.operation.name} does not respond like this: ${list}. ` +
      "To send it nevertheless, pass it as `Response.json(body)`, which is not checked.",
  );
}

function checkName(name: string, behaviour: Behaviour | undefined, samples: readonly string[]): void {
  if (readName(name, samples) !== undefined) return;
  const kind = behaviour === undefined ? "response" : `response of ${behaviour.operation.name}`;
  const all = `Every operation knows ${commonNames.join(", ")}; docs/emulator.md lists the samples of each operation.`;
  throw new ConfigurationError(`emulator.on: ${unknownName(kind, name, [...commonNames, ...samples], all)}`);
}

/** Checks that a rule has events which `eventDelay` can hold back. */
export function checkEventDelay(given: unknown, behaviour: Behaviour | undefined): void {
  if (!behaviour?.hasEvents) {
    const other =
      behaviour === undefined ? "not for all operations" : `${behaviour.operation.name} responds with one body`;
    throw new ConfigurationError(`emulator.on: \`eventDelay\` is for ai.stream: ${other}. Use \`delay\`.`);
  }
  if (typeof given !== "string" && !isRefusal(given) && !isResponse(given)) return;
  throw new ConfigurationError("emulator.on: `eventDelay` is for events, and this response has none. Use `delay`.");
}

/** Of this realm or another: test runners have several. */
export function isResponse(value: unknown): value is Response {
  return Object.prototype.toString.call(value) === "[object Response]";
}

function requireUnread({ bodyUsed, body }: Response): void {
  if (!bodyUsed && body?.locked !== true) return;
  throw new ConfigurationError(
    "emulator.on: the body of this Response was read already, or has a reader. Pass one whose body is unread.",
  );
}

export function asItIs({ type, status, headers, body }: Response): EmulatedResponse {
  if (type === "error") throw new ConnectionDropped("a `Response.error()`");
  return { status, headers: Object.fromEntries(headers), body: body === null ? "" : () => chunksOf(body) };
}

async function* chunksOf(body: ReadableStream<Uint8Array>): Pieces {
  const reader = body.getReader();
  try {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) yield chunk.value;
  } finally {
    await reader.cancel();
  }
}
