import { alreadyParsed } from "./body-errors.ts";

/** A body that arrives in chunks: a web stream or a Node stream. */
export interface ByteSource {
  next(): Promise<{ readonly done?: boolean | undefined; readonly value?: unknown }>;
  /** Releases a stream that is not read to its end. */
  cancel(): void;
}

/**
 * Opens a stream of bytes.
 *
 * @throws WebhookPayloadError for anything else, and for a stream that somebody else reads.
 */
export function openSource(source: unknown): ByteSource {
  if (isWebStream(source)) {
    if (source.locked) throw alreadyParsed();
    const reader = source.getReader();
    return { next: () => reader.read(), cancel: () => void reader.cancel().catch(() => {}) };
  }
  if (isAsyncIterable(source)) {
    const iterator = source[Symbol.asyncIterator]();
    // `return()` would destroy Node's socket, and the response with it: the server drops the rest afterwards.
    return { next: () => iterator.next(), cancel: () => {} };
  }
  throw alreadyParsed();
}

function isWebStream(source: unknown): source is ReadableStream<Uint8Array> {
  return typeof source === "object" && source !== null && "getReader" in source;
}

function isAsyncIterable(source: unknown): source is AsyncIterable<unknown> {
  return typeof source === "object" && source !== null && Symbol.asyncIterator in source;
}
