/** What a wait for bytes came to. */
export type Arrival =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "end" }
  | { readonly kind: "broken"; readonly error: unknown }
  /** The time given to the wait is over; the read goes on and its bytes come with a later wait. */
  | { readonly kind: "time" }
  | { readonly kind: "cancelled" };

/**
 * The bytes of a body, asked for one chunk at a time, so that a consumer who pauses pauses the sender.
 *
 * The body's own signal is not relied upon: once `gc()` has run, an abort may not reach a body that is being read
 * (nodejs/undici#3644), so `cancel` ends the wait and the reader by hand.
 */
export class ByteSource {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  #reading = false;
  #arrived: Arrival | undefined;
  #wake: ((arrival: Arrival) => void) | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(body: ReadableStream<Uint8Array> | null) {
    this.#reader = body?.getReader();
    if (this.#reader === undefined) this.#arrived = end;
  }

  /** Waits for the next chunk for at most `milliseconds`. One wait at a time. */
  wait(milliseconds: number): Promise<Arrival> {
    const arrived = this.#arrived;
    if (arrived !== undefined) {
      if (arrived.kind === "bytes") this.#arrived = undefined;
      return Promise.resolve(arrived);
    }
    if (!this.#reading) this.#read();
    return new Promise((resolve) => {
      this.#wake = resolve;
      if (milliseconds !== Number.POSITIVE_INFINITY) {
        this.#timer = setTimeout(this.#lookOnceMore, milliseconds);
      }
    });
  }

  /** Ends a wait that is going on, and every later one, and lets go of the body. */
  cancel(): void {
    if (this.#arrived?.kind === "cancelled") return;
    this.#settle(cancelled);
    this.#arrived = cancelled;
    // Where the connection is gone already, there is nothing to let go of.
    this.#reader?.cancel().catch(() => {});
  }

  /**
   * Reads on to the end of the body, so that the connection can be used again, and throws away what comes. A sender who
   * keeps it open is cut off after `patience` milliseconds; `onCut` is called then.
   */
  async drain(patience: number, onCut: () => void): Promise<void> {
    const endsAt = performance.now() + patience;
    let arrival = await this.wait(patience);
    // By the clock: bytes that are always there would outrun every timer.
    for (let left = patience; arrival.kind === "bytes" && left > 0; left = endsAt - performance.now()) {
      arrival = await this.wait(left);
    }
    if (arrival.kind === "end") return;
    this.cancel();
    onCut();
  }

  /** While the process was busy with something else, bytes may have come that nobody has looked at yet. */
  readonly #lookOnceMore = (): void => {
    this.#timer = setTimeout(() => this.#settle(time), 0);
  };

  #read(): void {
    this.#reading = true;
    this.#reader?.read().then(
      ({ done, value }) => this.#arrive(done ? end : { kind: "bytes", bytes: value }),
      (error: unknown) => this.#arrive({ kind: "broken", error }),
    );
  }

  #arrive(arrival: Arrival): void {
    this.#reading = false;
    if (this.#arrived?.kind === "cancelled") return;
    if (this.#wake === undefined || arrival.kind !== "bytes") this.#arrived = arrival;
    this.#settle(arrival);
  }

  #settle(arrival: Arrival): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.(arrival);
  }
}

const end: Arrival = { kind: "end" };
const time: Arrival = { kind: "time" };
const cancelled: Arrival = { kind: "cancelled" };
