import { DetectedFraming } from "../../../ai/framing.ts";
import { type AnyServiceApiError, isServiceApiError } from "../../../errors/any.ts";
import { type AnyApiError, ApiError } from "../../../errors/api.ts";
import type { ValidationIssue } from "../../../errors/base.ts";
import { nodeFetch } from "../../../node/node-fetch.ts";
import { type ClientOptions, defaults } from "../../../options.ts";
import { ServiceApi } from "../../../service-api.ts";
import { isObject, parseJson } from "../../../shared/json.ts";
import { type Envelope, readEnvelope } from "../../../transport/envelope.ts";
import type { CallName, LiveFlags, PlannedCall, Sent } from "./plan.ts";

/** The most that is kept of a body. What follows is counted, not kept. */
const maxKept = 1024 * 1024;

/** One request and its response, as they were on the wire. */
export class Exchange {
  /** The client ID that was sent, to compare it with the one that comes back. */
  readonly clientId: string | null;
  readonly status: number;
  readonly headers: Headers;
  /** The body as far as it was kept. */
  text = "";
  /** Size of the body after decompression. */
  bytes = 0;
  /** Longest time without a byte, in milliseconds. */
  longestPause = 0;
  #lastByteAt = performance.now();
  readonly #decoder = new TextDecoder();

  constructor(sent: Headers, { status, headers }: Response) {
    this.clientId = sent.get("client-id");
    this.status = status;
    this.headers = headers;
  }

  get contentType(): string {
    return this.headers.get("content-type") ?? "";
  }

  note(chunk: Uint8Array): void {
    const now = performance.now();
    this.longestPause = Math.max(this.longestPause, now - this.#lastByteAt);
    this.#lastByteAt = now;
    if (this.bytes < maxKept) {
      this.text += this.#decoder.decode(chunk.subarray(0, maxKept - this.bytes), { stream: true });
    }
    this.bytes += chunk.byteLength;
  }
}

/** Records what a `fetch` exchanges. The caller gets each byte without delay. */
class Recorder {
  readonly #send = nodeFetch();
  #last: Exchange | undefined;

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const response = await this.#send(input, init);
    const exchange = new Exchange(new Headers(init?.headers), response);
    this.#last = exchange;
    // `Response` refuses a status that servers may send.
    if (response.body === null || response.status < 200 || response.status > 599) return response;
    const noting = new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        exchange.note(chunk);
        controller.enqueue(chunk);
      },
    });
    const copy = new Response(response.body.pipeThrough(noting), response);
    return Object.defineProperty(copy, "url", { value: response.url });
  };

  /** Makes a call, and returns what it showed. */
  async make({ name, operation, send }: PlannedCall, api: ServiceApi): Promise<CallRecord> {
    this.#last = undefined;
    const startedAt = performance.now();
    const ended = (result: Partial<Sent> & { readonly error?: AnyServiceApiError }) =>
      callRecord({ name, operation }, performance.now() - startedAt, this.#last, result);
    try {
      return ended(await send(api));
    } catch (error) {
      if (!isServiceApiError(error) || error.kind === "configuration" || error.kind === "request_validation")
        throw error;
      return ended({ error });
    }
  }

  close(): void {
    this.#send.close();
  }
}

export type Fields = Readonly<Record<string, unknown>>;

/** One call that was made: what the wire showed, and what the library made of it. */
export interface CallRecord {
  readonly name: CallName;
  readonly operation: string;
  /** Milliseconds until the call had ended. */
  readonly duration: number;
  readonly exchange: Exchange | undefined;
  /** The body; undefined if it is not a JSON object, or is a stream. */
  readonly body: Fields | undefined;
  readonly envelope: Envelope;
  /** The events of a stream, unchanged. */
  readonly events: readonly Fields[];
  readonly warnings: readonly ValidationIssue[];
  readonly textMismatch: boolean;
  /** Absent if the library accepted the response. */
  readonly error: AnyServiceApiError | undefined;
  /** Whether the service itself responded, and to these credentials. */
  readonly gotThrough: boolean;
}

export function isOf(area: string, { operation }: Pick<CallRecord, "operation">): boolean {
  return operation.startsWith(`${area}.`);
}

/** Returns a refusal by the service itself: not a redirect, and not a page of a gateway. */
export function refusalOf(error: AnyServiceApiError | undefined): AnyApiError | undefined {
  if (!ApiError.isInstance(error) || (error.httpStatus >= 300 && error.httpStatus < 400)) return undefined;
  return error as AnyApiError;
}

export const documentedStatus = /^(?:success|failed|pending|processing)$/i;

/**
 * Whether something in front of the service, or another server, does not know the path. The service itself would have
 * sent a `status`; the code of a body proves nothing, because web frameworks send one as well.
 */
export function isPathUnknown({ exchange, body }: Pick<CallRecord, "exchange" | "body">): boolean {
  const isRefused = exchange?.status === 404 || exchange?.status === 405;
  return isRefused && !documentedStatus.test(`${body?.status}`);
}

/** Kinds of refusal that say nothing of the credentials, or refuse them. */
const notThrough: ReadonlySet<string> = new Set(["authentication", "permission", "rate_limited", "unavailable"]);

export function callRecord(
  { name, operation }: Pick<PlannedCall, "name" | "operation">,
  duration: number,
  exchange: Exchange | undefined,
  result: Partial<Sent> & { readonly error?: AnyServiceApiError },
): CallRecord {
  const events = exchange === undefined || name !== "stream" ? [] : eventsOf(exchange);
  const parsed = parseJson(exchange?.text ?? "");
  const body = isObject(parsed) && events.length <= 1 ? parsed : undefined;
  const envelope = readEnvelope(body ?? events[0]);
  const { warnings = [], textMismatch = false, error } = result;
  const isRefused = error !== undefined && (notThrough.has(error.kind) || isPathUnknown({ exchange, body }));
  // A malformed number that is only "not found" may not have been looked at.
  const isUnread = name === "refusal" && error?.kind === "not_found";
  const gotThrough = error === undefined || (envelope.verdict !== "unknown" && !isRefused && !isUnread);
  return { name, operation, duration, exchange, body, envelope, events, warnings, textMismatch, error, gotThrough };
}

/** Cuts a stream as the library does. */
function eventsOf({ contentType, text }: Exchange): readonly Fields[] {
  const frames: string[] = [];
  const framing = new DetectedFraming(contentType, defaults.stream.maxEventBytes, (piece) => {
    if (piece.kind === "frame") frames.push(piece.data);
  });
  framing.push(text);
  framing.end();
  return frames.map(parseJson).filter(isObject);
}

/** By default a stream has no timeout, and one that never ends would keep the other calls waiting. */
const defaultStreamTimeout = 180_000;

/**
 * Makes the calls, one after the other and each once: a retry would cost what nobody allowed. If the AI path is not
 * found, nothing can have been done there: the AI calls are then made at the second published form, if its leading
 * segment is known.
 */
export async function makeCalls(
  calls: readonly PlannedCall[],
  options: ClientOptions,
  { leadingSegment, idleTimeout, streamTimeout = defaultStreamTimeout }: LiveFlags,
): Promise<readonly CallRecord[]> {
  const recorder = new Recorder();
  const prefix = options.pathPrefixes?.ai ?? defaults.pathPrefixes.ai;
  const stream = { idleTimeout, timeout: streamTimeout };
  let api = new ServiceApi({ ...options, maxRetries: 0, stream, fetch: recorder.fetch });
  let second = leadingSegment && api.withOptions({ pathPrefixes: { ai: `${leadingSegment}/${prefix}` } });
  const records: CallRecord[] = [];
  try {
    for (const call of calls) {
      const first = await recorder.make(call, api);
      records.push(first);
      if (!second || !isOf("ai", call) || !isPathUnknown(first)) continue;
      api = second;
      second = undefined;
      records.push(await recorder.make(call, api));
    }
    return records;
  } finally {
    recorder.close();
  }
}
