import { ConnectionDropped, type Handler, type Pieces } from "./messages.ts";
import { unlessAborted } from "./wait.ts";

/** The property of an emulator's `fetch` that knows its paths. All copies of this package share it. */
const knowsPath = Symbol.for("serviceapi.emulator.knowsPath");

/** Returns whether the emulator that a `fetch` belongs to has an operation at a path. */
export function hasOperationAt(fetch: typeof globalThis.fetch, path: string): boolean {
  const knows: unknown = Reflect.get(fetch, knowsPath);
  return typeof knows !== "function" || knows(path) === true;
}

/** Returns a `fetch` that calls `handle` instead of using a network, and fails as the runtime's own `fetch` does. */
export function createFetch(handle: Handler, knows: (path: string) => boolean): typeof globalThis.fetch {
  const emulated: typeof globalThis.fetch = async (input, init) => {
    // A `Request` holds the caller's signal weakly (nodejs/undici#3644), so it is read from where the caller passed it.
    const signal = init?.signal ?? (input instanceof Request ? input.signal : new AbortController().signal);
    signal.throwIfAborted();
    const request = new Request(input, { ...init, signal: null });
    const { method, headers, url } = request;
    const body = await request.text();
    signal.throwIfAborted();
    try {
      const handled = handle({ method, headers, body, path: new URL(url).pathname, signal });
      const response = await raceAbort(handled, signal);
      const content = typeof response.body === "string" ? response.body || null : toStream(response.body, signal);
      return new Response(content, { status: response.status, headers: response.headers });
    } catch (error) {
      throw error instanceof ConnectionDropped ? networkError("fetch failed") : error;
    }
  };
  return Object.defineProperty(emulated, knowsPath, { value: knows });
}

function networkError(message: "fetch failed" | "terminated"): TypeError {
  const cause = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
  return new TypeError(message, { cause });
}

/** Returns a stream that generates the body as it is read: a reader that pauses also pauses the service. */
function toStream(write: (signal: AbortSignal) => Pieces, signal: AbortSignal): ReadableStream<Uint8Array> {
  const gone = new AbortController();
  const body = write(gone.signal);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          signal.throwIfAborted();
          const { done, value } = await raceAbort(body.next(), signal);
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (error) {
          gone.abort(error);
          controller.error(error instanceof ConnectionDropped ? networkError("terminated") : error);
        }
      },
      cancel: (reason) => gone.abort(reason),
    },
    { highWaterMark: 0 },
  );
}

function raceAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return unlessAborted(signal, (resolve) => {
    promise.then(resolve, () => resolve(promise));
    return undefined;
  });
}
