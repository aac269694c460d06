import type { IncomingMessage } from "node:http";

/** A Node request, with what frameworks and their parsers leave on it. */
export interface NodeRequest extends IncomingMessage {
  /** What a body parser made: bytes and text are as good as the stream, anything else is too late. */
  body?: unknown;
  /** What Nest, Cloud Functions and `verify` callbacks keep beside the parsed body. */
  rawBody?: unknown;
}

/** The raw body of a Node request, wherever a framework left it. */
export function rawBodyOf(request: NodeRequest, left: { body?: unknown; rawBody?: unknown } = request): unknown {
  if (isRaw(left.rawBody)) return left.rawBody;
  if (isRaw(left.body)) return left.body;
  // A parser that did not know the content type may leave `{}` beside a stream that nobody read.
  return request.readableDidRead ? parsed : request;
}

function isRaw(body: unknown): boolean {
  return typeof body === "string" || ArrayBuffer.isView(body);
}

/** Neither text nor bytes nor a stream: `readBody` refuses it as already parsed, with the explanation. */
const parsed = {};
