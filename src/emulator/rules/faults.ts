import type { EchoRule } from "../../operation.ts";
import { parseJson } from "../../shared/json.ts";
import { placesAt } from "../../transport/echo.ts";
import { ConnectionDropped, cut, type EmulatedResponse, json, type Pieces, pieces } from "../http/messages.ts";
import { pause, untilAborted } from "../http/wait.ts";
import { namesIn, tableOf } from "../names.ts";
import type { Effect } from "../service/behaviour.ts";

/** The effect of a name, with the number after its colon, as in `slow:500`. */
type Fault = (amount?: number) => Effect;

const plain = (status: number, type: string, body: string, header = "content-type"): Fault => {
  return () => ({ respond: () => ({ status, headers: { [header]: type }, body }) });
};

/** Faults that any operation can meet. The document shows none of them, so they occur only on request. */
export const faults = tableOf<Fault>()({
  reset: () => ({ respond: drop }),
  "reset-after": () => ({ suffer: drop }),
  "no-response": () => ({ respond: ({ signal }) => untilAborted(signal) }),
  "no-response-after": () => ({ suffer: (_, { signal }) => untilAborted(signal) }),
  "html-502": plain(502, "text/html", "<html><body><h1>502 Bad Gateway</h1></body></html>"),
  "empty-504": plain(504, "text/html", ""),
  "empty-200": plain(200, "application/json", ""),
  "not-json": plain(200, "text/plain", "OK"),
  redirect: plain(307, "https://elsewhere.example/moved", "", "location"),
  large: (amount = 20_000_000) => ({ respond: () => json(200, { padding: "x".repeat(amount) }) }),
  "http-500": () => ({ suffer: (response) => ({ ...response, status: 500 }) }),
  "other-request": () => ({ suffer: (response, { behaviour }) => forOtherRequest(response, behaviour.operation.echo) }),
  slow: (amount = 1_000) => ({ suffer: (response, { signal }) => pause(amount, signal).then(() => response) }),
  bytes: rewritten((body, _, amount = 1) => cut(body, amount)),
  drip: rewritten((body, signal, amount = 10) => cut(body, amount, () => pause(10, signal))),
  "cut-json": rewritten(firstHalf),
  "reset-mid-body": rewritten((body) => endedBy(firstHalf(body), drop)),
  "stall-mid-body": rewritten((body, signal) => endedBy(firstHalf(body), () => untilAborted(signal))),
});

export const faultNames = namesIn(faults);

/** Returns a response that repeats another request wherever it repeats one. A stream stays as it is. */
function forOtherRequest(response: EmulatedResponse, echo: readonly EchoRule[]): EmulatedResponse {
  if (typeof response.body !== "string") return response;
  const body = parseJson(response.body);
  for (const { key = "", parent, value } of echo.flatMap((rule) => placesAt(body, rule.response))) {
    if (value !== undefined) Object.assign(parent?.value ?? {}, { [key]: other(value) });
  }
  return body === undefined ? response : { ...response, body: JSON.stringify(body) };
}

/** Another value of the same form: its last letter or digit is the one before, or the one after it. */
function other(value: unknown): unknown {
  if (typeof value !== "string" && typeof value !== "number") return value;
  const text = String(value).replace(/[a-z\d](?=[^a-z\d]*$)/i, (last) =>
    String.fromCharCode(last.charCodeAt(0) + (/[0a]/i.test(last) ? 1 : -1)),
  );
  return typeof value === "number" ? Number(text) : text;
}

function rewritten(change: (body: Pieces, signal: AbortSignal, amount: number | undefined) => Pieces): Fault {
  return (amount) => ({
    suffer: (response) => ({ ...response, body: (signal) => change(pieces(response, signal), signal, amount) }),
  });
}

async function drop(): Promise<never> {
  throw new ConnectionDropped("the connection was dropped");
}

/** The first half of a whole body; of a stream, everything up to the middle of its third piece. */
async function* firstHalf(body: Pieces): Pieces {
  let held: Uint8Array | undefined;
  for (let count = 0; count < 3; count++) {
    const { done, value } = await body.next();
    if (done) break;
    if (held !== undefined) yield held;
    held = value;
  }
  await body.return();
  if (held !== undefined) yield held.subarray(0, held.length >> 1);
}

async function* endedBy(body: Pieces, end: () => Promise<never>): Pieces {
  yield* body;
  await end();
}
