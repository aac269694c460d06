import { createParser } from "eventsource-parser";
import { byteLengthExceeds } from "../text/byte-length.ts";
import { type Framing, FramingError, type FramingSink } from "./frame.ts";

/**
 * The parser's buffer holds field names too, and only counts what a chunk leaves over, so it is given some room
 * and each event is measured by itself: the limit must not depend on the chunking.
 */
const room = 4_096;

/** Server-sent events. */
export function sseFraming(maxEventBytes: number, sink: FramingSink): Framing {
  let tooLarge = false;
  const parser = createParser({
    maxBufferSize: maxEventBytes + room,
    onEvent({ data, event }) {
      if (byteLengthExceeds(data, maxEventBytes)) throw new FramingError("tooLarge");
      if (data === "[DONE]") sink.onDone();
      // An event without content is a heartbeat.
      else if (data.trim() !== "") sink.onFrame({ data, name: event, mayBeBody: false });
    },
    onError(error) {
      tooLarge ||= error.type === "max-buffer-size-exceeded";
    },
  });
  return {
    push(text) {
      parser.feed(text);
      if (tooLarge) throw new FramingError("tooLarge");
    },
    end() {
      // The standard drops a last event without its blank line; an answer is not lost for that.
      parser.feed("\n\n");
    },
  };
}
