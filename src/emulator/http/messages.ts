/** The prefix of the control routes, which steer the emulator from another process. */
export const controlPrefix = "/__emulator/";

/** A request to the emulator, from a socket or from `emulator.fetch`, with its body read. */
export interface EmulatedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  readonly signal: AbortSignal;
}

/** Whether a request says that its body is JSON. A page of another origin cannot say so without permission. */
export function hasJson({ headers }: Pick<EmulatedRequest, "headers">): boolean {
  return /^application\/json\s*(?:;|$)/i.test(headers.get("content-type") ?? "");
}

export type Pieces = AsyncGenerator<Uint8Array, void, undefined>;

/** A response of the emulator, before it becomes a `Response` or bytes on a socket. */
export interface EmulatedResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The whole body, or a generator that writes it piece by piece until `signal` is aborted. */
  readonly body: string | ((signal: AbortSignal) => Pieces);
}

/** Handles a request: rejects with {@link ConnectionDropped} if the connection is to be dropped. */
export type Handler = (request: EmulatedRequest) => Promise<EmulatedResponse>;

/** Drops the connection, before the response or in the middle of it. */
export class ConnectionDropped extends Error {}

export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): EmulatedResponse {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

export async function* pieces({ body }: EmulatedResponse, signal: AbortSignal): Pieces {
  if (typeof body === "string") yield new TextEncoder().encode(body);
  else yield* body(signal);
}

/** Cuts a body into pieces of `size` bytes, even in the middle of characters, and waits for `wait` after each. */
export async function* cut(body: Pieces, size: number, wait?: () => Promise<void>): Pieces {
  const step = Math.max(1, size);
  for await (const piece of body) {
    for (let start = 0; start < piece.length; start += step) {
      yield piece.subarray(start, start + step);
      await wait?.();
    }
  }
}
