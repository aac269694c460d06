import { byteLengthExceeds } from "../text/byte-length.ts";
import { type Framing, FramingError, type FramingSink } from "./frame.ts";

/**
 * JSON objects in a row: one on each line (NDJSON), end to end, as the elements of an array, or a single one.
 *
 * Values are told apart by their brackets, so that they may as well be spread over lines. Where the content type promises
 * one value a line, a line that ends inside a value is damaged and does not swallow the lines after it.
 */
export function jsonFraming(maxEventBytes: number, sink: FramingSink, contentType: string): Framing {
  const byLine = /ndjson|jsonl|jsonlines/i.test(contentType);
  const pieces: string[] = [];
  let length = 0;
  let depth = 0;
  let inString = false;
  let escaped = false;
  let inArray = false;
  let values = 0;

  function add(piece: string): void {
    length += piece.length;
    if (length > maxEventBytes) throw new FramingError("tooLarge");
    pieces.push(piece);
  }

  function finish(): void {
    const data = pieces.length === 1 ? (pieces[0] ?? "") : pieces.join("");
    pieces.length = 0;
    length = 0;
    if (byteLengthExceeds(data, maxEventBytes)) throw new FramingError("tooLarge");
    sink.onFrame({ data, mayBeBody: values === 0 && !inArray });
    values++;
  }

  function damaged(piece: string): FramingError {
    return new FramingError("damagedEvent", [...pieces, piece].join(""));
  }

  /** Handles one character inside a value; says whether it ended the value, `undefined` where it cannot stand there. */
  function step(code: number): boolean | undefined {
    if (inString) {
      if (escaped) escaped = false;
      else if (code === backslash) escaped = true;
      else if (code === quote) inString = false;
      else if (code < space) return undefined;
    } else if (code === quote) inString = true;
    else if (code === openBrace || code === openBracket) depth++;
    else if (code === closeBrace || code === closeBracket) depth--;
    else if (byLine && code === lineFeed) return undefined;
    return depth === 0;
  }

  return {
    push(text) {
      let start = 0;
      for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        if (depth > 0) {
          const isOver = step(code);
          if (isOver === undefined) throw damaged(text.slice(start, i + 1));
          if (!isOver) continue;
          add(text.slice(start, i + 1));
          finish();
        } else if (code === openBrace) {
          start = i;
          depth = 1;
        } else if (code === openBracket && !inArray && values === 0) {
          inArray = true;
        } else if (!between.has(code)) {
          throw damaged(text.slice(i));
        }
      }
      if (depth > 0) add(text.slice(start));
    },
    end() {
      // A value that is not whole is a cut, which the end of the body reports by itself.
    },
  };
}

const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d];
const [quote, backslash, space, lineFeed] = [0x22, 0x5c, 0x20, 0x0a];
/** What may stand between two values: white space, a comma, the end of an array, the separator of application/json-seq. */
const between: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0x2c, closeBracket, 0x1e]);
