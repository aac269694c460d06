import { createParser, type EventSourceParser } from "eventsource-parser";
import { exceedsBytes, type Framing, framingError, type Piece } from "./frame.ts";

/**
 * Extra room in the parser's buffer, which also holds field names and only counts what is left over from a chunk. Each
 * event is measured separately, because the limit must not depend on the chunking.
 */
const room = 4_096;

/** Server-sent events. */
export class SseFraming implements Framing {
  readonly #parser: EventSourceParser;
  #pieces: Piece[] = [];

  constructor(maxEventBytes: number) {
    this.#parser = createParser({
      maxBufferSize: maxEventBytes + room,
      onEvent: ({ data, event }) => {
        if (exceedsBytes(data, maxEventBytes)) this.#pieces.push(framingError("tooLarge"));
        else if (data === "[DONE]") this.#pieces.push({ kind: "end" });
        // An event without content is a heartbeat.
        else if (data.startsWith("{") || data.trim() !== "") this.#pieces.push({ kind: "frame", data, name: event });
      },
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") this.#pieces.push(framingError("tooLarge"));
      },
    });
  }

  push(text: string): readonly Piece[] {
    this.#parser.feed(text);
    const completed = this.#pieces;
    this.#pieces = [];
    return completed;
  }

  /** The standard drops a last event without its blank line; a response is not lost for that. */
  end(): readonly Piece[] {
    return this.push("\n\n");
  }
}
