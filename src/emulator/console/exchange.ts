import { parseJson } from "../../shared/json.ts";
import { readEnvelope } from "../../transport/classify.ts";
import { type EmulatedResponse, pieces } from "../http/messages.ts";
import type { ReceivedRequest } from "../service/received-request.ts";
import { showHeaders, showJson, showPath, showPiece, showText } from "./masks.ts";
import type { ExchangeEnd, ShownExchange, ShownMessage } from "./messages.ts";
import { Pieces } from "./pieces.ts";
import { cutText, shorten } from "./shorten.ts";

/** A longer body is not parsed: nobody would read it on a page. */
const maxParsed = 256 * 1024;

/** A body, cut to what is kept of it. */
type KeptBody = { readonly json: unknown } | { readonly text: string } | { readonly pieces: Pieces };

interface KeptMessage {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: KeptBody;
}

/** A request and its response, as the console keeps them. */
export class Exchange {
  readonly id: number;
  readonly #request: Omit<ReceivedRequest, "body" | "headers">;
  readonly #received: KeptMessage;
  readonly #startedAt = performance.now();
  #rule: string | undefined;
  #sent: KeptMessage | undefined;
  #status: number | undefined;
  #duration: number | undefined;
  #end: ExchangeEnd = "open";
  #verdict: ShownExchange["verdict"];

  constructor(id: number, { headers, body, ...request }: ReceivedRequest) {
    this.id = id;
    this.#request = { ...request, path: cutText(request.path) };
    this.#received = { headers, body: typeof body === "string" ? keepText(body) : { json: shorten(body) } };
  }

  meets(rule: string | undefined): void {
    this.#rule = rule;
  }

  isDropped(byCaller: boolean): void {
    this.#duration = Math.round(performance.now() - this.#startedAt);
    this.#end = byCaller ? "left" : "dropped";
  }

  /** Keeps a response, and returns it as one that tells how much of it was sent. */
  isSent(response: EmulatedResponse, onChange: () => void): EmulatedResponse {
    const { status, headers, body } = response;
    this.#status = status;
    this.#duration = Math.round(performance.now() - this.#startedAt);
    if (typeof body === "string") {
      this.#sent = { headers, body: keepText(body) };
      this.#verdict = verdictOf(this.#sent.body);
      this.#end = "complete";
      return response;
    }
    const kept = new Pieces();
    this.#sent = { headers, body: { pieces: kept } };
    return { ...response, body: (signal) => this.#pass(response, signal, kept, onChange) };
  }

  /** Passes the pieces of a stream on, and keeps them as they go. */
  async *#pass(
    response: EmulatedResponse,
    signal: AbortSignal,
    kept: Pieces,
    onChange: () => void,
  ): AsyncGenerator<Uint8Array, void, undefined> {
    const ends = (end: ExchangeEnd) => {
      if (this.#end !== "open") return;
      kept.end();
      this.#end = end;
      onChange();
    };
    // A reader that cancels never asks for the next piece.
    signal.addEventListener("abort", () => ends("left"), { once: true });
    try {
      for await (const piece of pieces(response, signal)) {
        kept.add(piece);
        onChange();
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

  /** Returns what the page shows. */
  show(showsPersonalData: boolean): ShownExchange {
    const { method, path, operation, receivedAt } = this.#request;
    return {
      id: this.id,
      at: new Date(receivedAt).toISOString(),
      method,
      path: showPath(path, operation !== undefined, showsPersonalData),
      operation,
      rule: this.#rule,
      status: this.#status,
      verdict: this.#verdict,
      duration: this.#duration,
      end: this.#end,
      request: showMessage(this.#received, showsPersonalData),
      response: this.#sent && showMessage(this.#sent, showsPersonalData),
    };
  }
}

function keepText(body: string): KeptBody {
  const value = body.length > maxParsed ? undefined : parseJson(body);
  return value === undefined ? { text: cutText(body) } : { json: shorten(value) };
}

/** Returns the verdict of a body unless it is a success: HTTP 200 does not tell. */
function verdictOf(body: KeptBody): ShownExchange["verdict"] {
  const { verdict } = readEnvelope("json" in body ? body.json : undefined);
  return verdict === "failed" || verdict === "pending" ? verdict : undefined;
}

function showMessage({ headers, body }: KeptMessage, showsPersonalData: boolean): ShownMessage {
  return { headers: showHeaders(headers, showsPersonalData), body: showBody(body, showsPersonalData) };
}

function showBody(body: KeptBody, showsPersonalData: boolean): ShownMessage["body"] {
  if ("json" in body) return showJson(body.json, showsPersonalData);
  if ("text" in body) return showText(body.text, showsPersonalData);
  return body.pieces.kept.map((piece) => showPiece(piece, showsPersonalData));
}
