import type { AiEvent } from "../types.ts";

/** A relay could not be read to its end. */
export class RelayError extends Error {
  /** The name of the class. */
  override get name(): string {
    return "RelayError";
  }
  /**
   * `http`: the route responded with another status than 2xx. `cut`: the connection ended before the response was
   * complete. `unreadable`: the body is not a relay. Any other: the `kind` of the error on the server, such as
   * `stream_stalled`.
   */
  readonly kind: string;
  /** The HTTP status of the route. */
  readonly status: number;

  /** @internal */
  constructor(kind: string, status: number, message: string) {
    super(message);
    this.kind = kind;
    this.status = status;
  }
}

/**
 * Reads a relay of `toResponse({ format: "sse" })` in a browser, event by event. It needs no client and no credentials.
 *
 * `break` leaves the relay, which ends the call to the service.
 *
 * @param response - The response of your route, or what `fetch` returned.
 * @throws {@link RelayError} unless the response is complete. Its message is the one that your route's `errorText`
 *   returned, or the plain text or the JSON `{ error }` with which it refused. A connection that breaks off throws the
 *   error of `fetch`.
 *
 * @example
 * ```ts
 * import { readRelay } from "serviceapi/ai";
 *
 * let text = "";
 * for await (const event of readRelay(fetch("/chat", { method: "POST", body: "Plan a day in Pune" }))) {
 *   if (event.event === "response_output") text += event.system.text_chunk;
 *   if (event.event === "response_completed") text = event.system.text; // which may correct the chunks
 *   document.body.textContent = text;
 * }
 * ```
 */
export async function* readRelay(response: Response | Promise<Response>): AsyncGenerator<AiEvent, void, undefined> {
  const { body, headers, ok, status } = await response;
  const decoder = new TextDecoder();
  const reader = body?.getReader();
  let [text, last] = ["", ""];
  try {
    if (!ok) {
      const [type] = /^text\/plain|^application\/json/.exec(headers.get("content-type") ?? "") ?? [];
      const next = async () =>
        type && text.length < 5_000 ? (await reader?.read().catch(() => {}))?.value : undefined;
      for (let part = await next(); part !== undefined; part = await next())
        text += decoder.decode(part, { stream: true });
      const said = sentenceIn(type, text).slice(0, 500);
      throw new RelayError("http", status, said || `The route responded with HTTP ${status}.`);
    }
    for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) {
      const chunk = decoder.decode(part.value, { stream: true });
      text += chunk;
      // A frame may come in thousands of chunks: it is looked through once.
      const seam = last + chunk;
      last = seam.slice(-1);
      if (!seam.includes("\n\n")) continue;
      const frames = text.split("\n\n");
      text = frames.pop() ?? "";
      for (const frame of frames) {
        const event = eventIn(frame, status);
        if (event === undefined) continue;
        if (isFailure(event)) throw new RelayError(event.kind, status, event.message);
        yield event;
        if (event.event === "response_completed") return;
      }
    }
  } finally {
    reader?.cancel().catch(() => {});
  }
  refuseOther(text, status);
  throw new RelayError("cut", status, "The connection ended before the response was complete.");
}

/** Returns the text of a refusal: all of it, or the `error` of its JSON. */
function sentenceIn(type: string | undefined, text: string): string {
  if (type === "text/plain") return text.trim();
  try {
    const { error } = JSON.parse(text);
    return typeof error === "string" ? error.trim() : "";
  } catch {
    return "";
  }
}

/** Returns the event of a frame as a relay writes it: its JSON is one line, and a heartbeat has none. */
function eventIn(frame: string, status: number): AiEvent | RelayedFailure | undefined {
  refuseOther(frame, status);
  const json = /^data: ([^\n]*)/m.exec(frame)?.[1];
  if (json === undefined) return undefined;
  try {
    const event = JSON.parse(json);
    const strings = isFailure(event) ? [event.kind, event.message] : [event.event];
    if (strings.every((value) => typeof value === "string")) return event;
  } catch {
    // An error of JSON would quote the text.
  }
  throw unreadable(status);
}

/** Refuses what does not begin like a frame, such as a page of HTML: `data`, `event`, or a comment. */
function refuseOther(text: string, status: number): void {
  if (/^\s*[^de:\s]/.test(text)) throw unreadable(status);
}

function unreadable(status: number): RelayError {
  return new RelayError("unreadable", status, "The route did not respond with a relay.");
}

/** The event that ends a relay after a failure. */
interface RelayedFailure {
  readonly event: "stream_error";
  readonly kind: string;
  readonly message: string;
}

function isFailure(event: AiEvent | RelayedFailure): event is RelayedFailure {
  return event.event === "stream_error";
}
