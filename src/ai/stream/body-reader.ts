/** The result of one read. */
export type ReadResult =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "end" }
  | { readonly kind: "broken"; readonly error: unknown }
  /** The timeout has passed. The read goes on, and its bytes come with a later one. */
  | { readonly kind: "timeout" }
  | { readonly kind: "cancelled" };

/**
 * Reads a body one chunk at a time and on demand, so that a consumer who pauses pauses the sender.
 *
 * The body's own signal is not relied upon: once `gc()` has run, an abort may not reach a body that is being read
 * (nodejs/undici#3644), so `cancel` ends the read and the reader by hand.
 */
export class BodyReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #isReading = false;
  /** The result that nobody has been waiting for. */
  #result: ReadResult | undefined;
  #resolve: ((result: ReadResult) => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(body: ReadableStream<Uint8Array> | null) {
    this.#reader = body?.getReader();
    if (this.#reader === undefined) this.#result = end;
  }

  /** Waits for the next chunk for at most `timeout` milliseconds. One read at a time. */
  read(timeout: number): Promise<ReadResult> {
    const result = this.#result;
    if (result !== undefined) {
      if (result.kind === "bytes") this.#result = undefined;
      return Promise.resolve(result);
    }
    if (!this.#isReading) this.#readBody();
    return new Promise((resolve) => {
      this.#resolve = resolve;
      if (timeout !== Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#recheckOnNextTick(), timeout);
    });
  }

  /** Ends a pending read and all later ones, and cancels the body. */
  cancel(): void {
    if (this.#result?.kind === "cancelled") return;
    this.#settle(cancelled);
    this.#result = cancelled;
    // If the connection is gone already, there is nothing to cancel.
    this.#reader?.cancel().catch(() => {});
  }

  /**
   * Reads to the end of the body and discards the bytes, so that the connection can be used again. After `drainTimeout`
   * milliseconds a body that is still open is cancelled, and `onCut` is called.
   */
  async drain(drainTimeout: number, onCut: () => void): Promise<void> {
    const endsAt = performance.now() + drainTimeout;
    let result = await this.read(drainTimeout);
    // By the clock: bytes that are always there would outrun every timer.
    for (let left = drainTimeout; result.kind === "bytes" && left > 0; left = endsAt - performance.now()) {
      result = await this.read(left);
    }
    if (result.kind === "end") return;
    this.cancel();
    onCut();
  }

  /** Bytes may have arrived while the event loop was blocked: they come before the timeout. */
  #recheckOnNextTick(): void {
    this.#timer = setTimeout(() => this.#settle(timedOut), 0);
  }

  #readBody(): void {
    this.#isReading = true;
    this.#reader?.read().then(
      ({ done, value }) => this.#onResult(done ? end : { kind: "bytes", bytes: value }),
      (error: unknown) => this.#onResult({ kind: "broken", error }),
    );
  }

  #onResult(result: ReadResult): void {
    this.#isReading = false;
    if (this.#result?.kind === "cancelled") return;
    if (this.#resolve === undefined || result.kind !== "bytes") this.#result = result;
    this.#settle(result);
  }

  #settle(result: ReadResult): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(result);
  }
}

const end: ReadResult = { kind: "end" };
const timedOut: ReadResult = { kind: "timeout" };
const cancelled: ReadResult = { kind: "cancelled" };
