import { parseJson } from "../../shared/json.ts";
import { readEnvelope } from "../../transport/envelope.ts";
import type { EmulatedResponse, Pieces } from "../http/messages.ts";
import type { ReceivedRequest } from "../service/received-request.ts";
import { cutText, KeptPieces, shorten } from "./kept.ts";
import { showHeaders, showJson, showPath, showPiece, showText } from "./masks.ts";

/** A request and its response in one line. */
interface Summary {
  readonly id: number;
  /** Milliseconds since 1970 on the emulator's clock. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  /** `undefined` for an unknown path. */
  readonly operation: string | undefined;
  rule?: string | undefined;
  /** The HTTP status; `undefined` until the response begins, and if the connection was dropped. */
  status?: number;
  /** The verdict of the body by its `status`, unless it is a success: HTTP 200 does not tell. */
  verdict?: "failed" | "pending" | undefined;
  /** Milliseconds of real time until the response began, or the connection was dropped. */
  duration?: number;
  /** `dropped`: the emulator dropped the connection. `left`: the caller did. */
  end: "open" | "complete" | "dropped" | "left";
}

/** A request and its response, as the page is sent them. */
export interface ShownExchange extends Readonly<Summary> {
  readonly request: ShownMessage;
  readonly response?: ShownMessage | undefined;
}

export interface ShownMessage {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string | readonly string[];
}

/** A message, cut to what is kept of it. */
type Kept = (showsPersonalData: boolean) => ShownMessage;

/** A request and its response, as the console keeps them. */
export class Exchange {
  readonly #summary: Summary;
  readonly #request: Kept;
  #response: Kept | undefined;
  readonly #startedAt = performance.now();
  readonly #next: () => number;
  /** The number of its last change. */
  changed: number;

  /** @param next - Returns the number of the next change. */
  constructor(id: number, request: ReceivedRequest, next: () => number) {
    const { receivedAt: at, method, path, operation, headers, body } = request;
    this.#summary = { id, at, method, path: cutText(path), operation, end: "open" };
    this.#request = keep(headers, body);
    this.#next = next;
    this.changed = next();
  }

  /** @param rule - The names of the rules that the request meets; `undefined` if it meets none. */
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
      const { verdict } = readEnvelope(parse(body));
      this.#response = keep(headers, body);
      const problem = verdict === "failed" || verdict === "pending" ? verdict : undefined;
      this.#set({ status, duration, verdict: problem, end: "complete" });
      return response;
    }
    const pieces = new KeptPieces();
    this.#response = (showsPersonalData) => ({
      headers: showHeaders(headers, showsPersonalData),
      body: pieces.kept.map((piece) => showPiece(piece, showsPersonalData)),
    });
    this.#set({ status, duration });
    return { ...response, body: (signal) => this.#pass(body(signal), signal, pieces) };
  }

  /** Passes the pieces of a stream on, and keeps them as they go. */
  async *#pass(body: Pieces, signal: AbortSignal, kept: KeptPieces): Pieces {
    const ends = (end: Summary["end"]) => {
      if (this.#summary.end !== "open") return;
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

  #set(changes: Partial<Summary>): void {
    Object.assign(this.#summary, changes);
    this.changed = this.#next();
  }

  show(showsPersonalData: boolean): ShownExchange {
    const { path, operation } = this.#summary;
    return {
      ...this.#summary,
      path: showPath(path, operation !== undefined, showsPersonalData),
      request: this.#request(showsPersonalData),
      response: this.#response?.(showsPersonalData),
    };
  }
}

function keep(headers: Readonly<Record<string, string>>, body: unknown): Kept {
  const json = typeof body === "string" ? parse(body) : body;
  const showBody = json === undefined ? showText.bind(null, cutText(`${body}`)) : showJson.bind(null, shorten(json));
  return (showsPersonalData) => ({
    headers: showHeaders(headers, showsPersonalData),
    body: showBody(showsPersonalData),
  });
}

/** A longer body is not parsed: nobody would read it on a page. */
const maxParsed = 256 * 1024;

function parse(text: string): unknown {
  return text.length > maxParsed ? undefined : parseJson(text);
}
