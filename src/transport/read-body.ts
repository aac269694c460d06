import type { UnexpectedResponseReason } from "../errors/request.ts";
import { decodeUtf8, joinChunks } from "../shared/bytes.ts";
import { parseJson } from "../shared/json.ts";
import type { CallScope } from "./cancellation.ts";
import { type AnyResponse, type DirectBody, makeResponse } from "./fetch.ts";

/** A body that was read to its end, or the reason why it was not. */
export type ReadBody =
  | { readonly ok: true; readonly text: string; readonly value: unknown; readonly bytes: number }
  | {
      readonly ok: false;
      readonly reason: UnexpectedResponseReason;
      readonly text: string;
      readonly bytes: number;
      readonly cause?: unknown;
    };

/** Returns whether a body that is not JSON was received completely. */
export function isWhole(reason: UnexpectedResponseReason): boolean {
  return reason === "empty" || reason === "html" || reason === "notJson";
}

/**
 * Reads a body as JSON: bounded after decompression, in time linear in its size, and cancelled with the attempt.
 * A failure includes the content that was received before it.
 */
export async function readJson(
  response: Pick<AnyResponse, "body">,
  maxBytes: number,
  scope: CallScope,
): Promise<ReadBody> {
  const { body } = response;
  const chunks: Uint8Array[] = [];
  let size = 0;
  const fits = (chunk: Uint8Array) => {
    chunks.push(chunk);
    size += chunk.byteLength;
    return size <= maxBytes;
  };
  let problem: UnexpectedResponseReason | undefined;
  let cause: unknown;
  try {
    if (body !== null) await readChunks(body, fits, scope);
    if (size > maxBytes) problem = "tooLarge";
  } catch (error) {
    problem = "cut";
    cause = error;
  }
  const received = joinChunks(chunks);
  const bytes = received.byteLength;
  if (problem !== undefined) return { ok: false, reason: problem, text: lenient(received), bytes, cause };
  const text = decodeUtf8(received);
  if (text === undefined) {
    const reason = endsWithinCharacter(received) ? reasonOf(lenient(received)) : "badEncoding";
    return { ok: false, reason, text: lenient(received), bytes };
  }
  const value = parseJson(text);
  return value === undefined ? { ok: false, reason: reasonOf(text), text, bytes } : { ok: true, text, value, bytes };
}

/** Reads a stream as a direct body is read, which needs no help to end with the signal of its request. */
async function readChunks(
  body: ReadableStream<Uint8Array> | DirectBody,
  onChunk: (chunk: Uint8Array) => boolean,
  scope: CallScope,
): Promise<void> {
  if (!("getReader" in body)) return await body.read(onChunk);
  const reader = body.getReader();
  const unsubscribe = scope.onCancel(() => leave(reader));
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      if (!onChunk(value)) return leave(reader);
    }
  } finally {
    unsubscribe();
  }
}

/**
 * Returns a response whose body the caller reads. The caller's signal ends it, and is released when the body has been
 * read, left or garbage-collected. `fetch` ends a body on an abort, too, but by a link that Deno 2.9 loses to garbage
 * collection, as Node once did (nodejs/undici#3644).
 */
export function callersResponse(response: Response, scope: CallScope): Response {
  scope.stopTimers();
  if (response.body === null) {
    scope.close();
    return response;
  }
  const reader = response.body.getReader();
  const close = () => scope.close();
  reader.closed.then(close, close);
  scope.onCancel(() => leave(reader));
  const body = new ReadableStream(bytesOf(reader, scope.signal), { highWaterMark: 0 });
  if (typeof FinalizationRegistry === "function") {
    dropped ??= new FinalizationRegistry(leave);
    dropped.register(body, reader);
  }
  return makeResponse(body, response);
}

/** It holds the reader of the response, and nothing of the stream that the caller has. */
let dropped: FinalizationRegistry<ReadableStreamDefaultReader> | undefined;

function leave(reader: ReadableStreamDefaultReader): void {
  reader.cancel().catch(() => {});
}

function bytesOf(reader: ReadableStreamDefaultReader<Uint8Array>, signal: AbortSignal): UnderlyingByteSource {
  return {
    type: "bytes",
    async pull(controller) {
      let { value } = await reader.read();
      while (value?.byteLength === 0) ({ value } = await reader.read());
      if (signal.aborted) throw signal.reason;
      if (value !== undefined) {
        // A copy, because the stream takes the memory over, which `fetch` may share with other chunks.
        controller.enqueue(new Uint8Array(value));
        return;
      }
      controller.close();
      // A reader that brought its own buffer waits for it.
      controller.byobRequest?.respond(0);
    },
    cancel: (reason) => reader.cancel(reason),
  };
}

/** Returns whether bytes that are not valid UTF-8 only lack the end of their last character. */
function endsWithinCharacter(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

function lenient(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function reasonOf(text: string): UnexpectedResponseReason {
  const trimmed = text.trim();
  if (trimmed === "") return "empty";
  if (/^<(!doctype|html|\?xml|head|body)/i.test(trimmed)) return "html";
  return /^[{[]/.test(trimmed) && !/[}\]]$/.test(trimmed) ? "cut" : "notJson";
}
