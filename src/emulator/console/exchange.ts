import { parseJson } from "../../shared/json.ts";
import { readEnvelope } from "../../transport/envelope.ts";
import type { EmulatedResponse, Pieces } from "../http/messages.ts";
import type { ReceivedRequest } from "../state/state.ts";
import { cutText, showHeaders, showJson, showPath, showPiece, showText } from "./masks.ts";

export interface ShownExchange {
  readonly id: number;
  /** Milliseconds since 1970 on the emulator's clock. */
  readonly at: number;
  readonly method: string;
  readonly operation: string | undefined;
  readonly path: string;
  readonly request: ShownMessage;
  readonly rule?: string | undefined;
  /** The HTTP status; `undefined` until the response begins, and if the connection was dropped. */
  readonly status?: number;
  readonly response?: ShownMessage;
  /** The verdict of the body by its `status`, unless it is a success: HTTP 200 does not tell. */
  readonly verdict?: "failed" | "pending" | undefined;
  /** Milliseconds of real time until the response began, or the connection was dropped. */
  readonly duration?: number;
  /** `dropped`: the emulator dropped the connection. `left`: the caller did. */
  readonly end: "open" | "complete" | "dropped" | "left";
}

export interface ShownMessage {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | readonly string[];
}

/** A request and its response, as the console keeps them: no longer than a page shows. */
export class Exchange {
  /** Without personal data, and with it. Neither has credentials. */
  #views: ReturnType<typeof both>;
  readonly #startedAt = performance.now();

  constructor(id: number, { receivedAt: at, method, path, operation, headers, body }: ReceivedRequest) {
    this.#views = both((personal) => ({
      ...{ id, at, method, operation, end: "open", request: wholeMessage(headers, body, personal) },
      path: showPath(path, operation !== undefined, personal),
    }));
  }

  /** Returns what a page shows: another object after each change. */
  show(showsPersonalData: boolean): ShownExchange {
    return this.#views[showsPersonalData ? 1 : 0];
  }

  meets(rule: string | undefined): void {
    this.#set({ rule });
  }

  /** No response is sent: the caller left, or the emulator drops the connection. */
  isDropped(byCaller: boolean): void {
    this.#set({ duration: this.#duration, end: byCaller ? "left" : "dropped" });
  }

  /** Keeps a response, and returns the one to send: the same bytes at the same times. */
  isSent(response: EmulatedResponse): EmulatedResponse {
    const { status, headers, body } = response;
    const duration = this.#duration;
    if (typeof body === "string") {
      const json = body.length > maxParsed ? undefined : parseJson(body);
      const { verdict } = readEnvelope(json);
      const problem = verdict === "failed" || verdict === "pending" ? verdict : undefined;
      this.#set({ status, duration, verdict: problem, end: "complete" }, (personal) =>
        wholeMessage(headers, json ?? body, personal),
      );
      return response;
    }
    const pieces = new KeptPieces();
    this.#set({ status, duration }, (personal) => ({
      headers: showHeaders(headers, personal),
      get body() {
        return pieces.kept.map((piece) => showPiece(piece, personal));
      },
    }));
    return { ...response, body: (signal) => this.#pass(body(signal), signal, pieces) };
  }

  /** Passes the pieces of a stream on, and keeps them as they go. */
  async *#pass(body: Pieces, signal: AbortSignal, kept: KeptPieces): Pieces {
    const ends = (end: ShownExchange["end"]) => {
      if (this.show(false).end !== "open") return;
      kept.end();
      this.#set({ end });
    };
    // A reader that cancels never asks for the next piece.
    signal.addEventListener("abort", () => ends("left"), { once: true });
    try {
      for await (const piece of body) {
        kept.add(piece);
        this.#set({});
        yield piece;
      }
      ends("complete");
    } catch (error) {
      ends("dropped");
      throw error;
    } finally {
      ends("left");
    }
  }

  get #duration(): number {
    return Math.round(performance.now() - this.#startedAt);
  }

  #set(changes: Partial<ShownExchange>, respond?: (personal: boolean) => ShownMessage): void {
    this.#views = both((personal) => ({
      ...{ ...this.show(personal), ...changes, ...(respond && { response: respond(personal) }) },
    }));
  }
}

function both(view: (personal: boolean) => ShownExchange): readonly [masked: ShownExchange, personal: ShownExchange] {
  return [view(false), view(true)];
}

function wholeMessage(headers: ReceivedRequest["headers"], body: unknown, personal: boolean): ShownMessage {
  const shown = typeof body === "string" ? showText(body, personal) : showJson(body, personal);
  return { headers: showHeaders(headers, personal), body: shown };
}

/** A longer body is not parsed: nobody would read it on a page. */
const maxParsed = 256 * 1024;

const streamLimits = { pieces: 400, characters: 32_000, piece: 4_000 };

/** The pieces of a stream as they were sent. Those that were cut in the middle of a line are put together. */
export class KeptPieces {
  readonly #kept: string[] = [];
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #begun = "";
  #characters = 0;
  #left = 0;

  get kept(): readonly string[] {
    return this.#left === 0 ? this.#kept : [...this.#kept, `… ${this.#left} more`];
  }

  add(piece: Uint8Array): void {
    this.#begun += this.#decoder.decode(piece.subarray(0, streamLimits.characters), { stream: true });
    if (this.#begun.length > streamLimits.piece || /[\r\n]$/.test(this.#begun) || isWhole(this.#begun)) this.end();
  }

  end(): void {
    const piece = cutText(this.#begun, streamLimits.piece);
    this.#begun = "";
    if (piece === "") return;
    if (this.#kept.length >= streamLimits.pieces || this.#characters > streamLimits.characters) {
      this.#left += 1;
      return;
    }
    this.#characters += piece.length;
    this.#kept.push(piece);
  }
}

/** Some framings end an event with nothing but its JSON. */
function isWhole(text: string): boolean {
  return text.endsWith("}") && parseJson(text.replace(/^[\uFEFF\s,[]+|^data: ?/, "")) !== undefined;
}
