/** What the emulator answers, before it becomes a `Response` or bytes on a socket. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** A whole body, or one that is written piece by piece until `signal` says that nobody listens. */
  readonly body: string | ((signal: AbortSignal) => AsyncGenerator<Uint8Array, void, undefined>);
}

/** The connection is cut, before the answer or in the middle of it. */
export class ConnectionDropped extends Error {}

/** A JSON body. */
export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

/** The body in pieces, whichever way it is held. */
export async function* pieces(answer: Answer, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
  if (typeof answer.body === "string") yield new TextEncoder().encode(answer.body);
  else yield* answer.body(signal);
}

/** Waits in real time; rejects with the signal's reason when it is aborted. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

/** Waits until nobody wants the answer any more. */
export function forever(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
