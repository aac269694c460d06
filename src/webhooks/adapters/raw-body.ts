import type { IncomingMessage } from "node:http";

/** A Node request, with the properties that frameworks and their parsers add. */
export interface NodeRequest extends IncomingMessage {
  /** The result of a body parser: bytes and strings are as good as the stream, anything else is too late. */
  body?: unknown;
  /** The raw body that Nest, Cloud Functions and `verify` callbacks keep beside the parsed one. */
  rawBody?: unknown;
}

/** Returns the raw body of a Node request, wherever a framework left it. */
export function rawBodyOf(request: NodeRequest, left: { body?: unknown; rawBody?: unknown } = request): unknown {
  if (isRaw(left.rawBody)) return left.rawBody;
  if (isRaw(left.body)) return left.body;
  // A parser that does not know the content type may leave `{}` beside an unread stream.
  return request.readableDidRead ? parsed : request;
}

function isRaw(body: unknown): boolean {
  return typeof body === "string" || ArrayBuffer.isView(body);
}

/** Neither a string nor bytes nor a stream: `readBody` refuses it as already parsed, with advice. */
const parsed = {};
