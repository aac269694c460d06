import { createParser } from "eventsource-parser";
import { exceedsBytes, type Framing, framingError, type Piece } from "./frame.ts";

/**
 * Extra room in the parser's buffer, which also holds field names and only counts what is left over from a chunk. Each
 * event is measured separately, because the limit must not depend on the chunking.
 */
const room = 4_096;

/** Server-sent events. */
export function sseFraming(maxEventBytes: number): Framing {
  let pieces: Piece[] = [];
  const parser = createParser({
    maxBufferSize: maxEventBytes + room,
    onEvent({ data, event }) {
      if (exceedsBytes(data, maxEventBytes)) pieces.push(framingError("tooLarge"));
      else if (data === "[DONE]") pieces.push({ kind: "end" });
      // An event without content is a heartbeat.
      else if (data.trim() !== "") pieces.push({ kind: "frame", data, name: event, mayBeBody: false });
    },
    onError({ type }) {
      if (type === "max-buffer-size-exceeded") pieces.push(framingError("tooLarge"));
    },
  });
  const push = (text: string): readonly Piece[] => {
    parser.feed(text);
    const completed = pieces;
    pieces = [];
    return completed;
  };
  // The standard drops a last event without its blank line; a response is not lost for that.
  return { push, end: () => push("\n\n") };
}
