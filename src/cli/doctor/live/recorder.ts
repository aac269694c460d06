/** The most that is kept of a body. What follows is counted, not kept. */
const maxKept = 1024 * 1024;

/** One request and its response, as they were on the wire. */
export class Exchange {
  readonly path: string;
  /** The client ID that was sent, to compare it with the one that comes back. */
  readonly clientId: string | null;
  readonly status: number;
  readonly headers: Headers;
  /** Size of the body after decompression. */
  bytes = 0;
  /** Longest time without a byte, in milliseconds. */
  longestPause = 0;
  #lastByteAt = performance.now();
  readonly #decoder = new TextDecoder();
  #text = "";

  constructor(url: string, sent: Headers, response: Response) {
    this.path = new URL(url).pathname;
    this.clientId = sent.get("client-id");
    this.status = response.status;
    this.headers = response.headers;
  }

  /** The body as far as it was kept. */
  get text(): string {
    return this.#text;
  }

  get contentType(): string {
    return this.headers.get("content-type") ?? "";
  }

  note(chunk: Uint8Array): void {
    const now = performance.now();
    this.longestPause = Math.max(this.longestPause, now - this.#lastByteAt);
    this.#lastByteAt = now;
    if (this.bytes < maxKept)
      this.#text += this.#decoder.decode(chunk.subarray(0, maxKept - this.bytes), { stream: true });
    this.bytes += chunk.byteLength;
  }
}

/** A `fetch` that keeps what passes through it. */
export interface Recorder {
  readonly fetch: typeof globalThis.fetch;
  /** Returns what passed since the last time. */
  take(): readonly Exchange[];
}

/** Returns a recorder of a `fetch`. The caller of its `fetch` gets each byte without delay. */
export function record(send: typeof globalThis.fetch): Recorder {
  const exchanges: Exchange[] = [];
  return {
    take: () => exchanges.splice(0),
    async fetch(input, init) {
      const response = await send(input, init);
      const exchange = new Exchange(String(input), new Headers(init?.headers), response);
      exchanges.push(exchange);
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
    },
  };
}
