import { parseJson } from "../../shared/json.ts";
import { type Framing, type FramingError, framingError, type Piece } from "./frame.ts";
import { JsonFraming } from "./json.ts";
import { SseFraming } from "./sse.ts";

/**
 * Recognises the framing, which the document does not show (§6.1; docs/assumptions.md, I1), and cuts the body by it.
 *
 * The content type is asked first. The first characters overrule it if no body of that type can begin so, because
 * gateways are known to label one as another.
 */
export class DetectedFraming implements Framing {
  readonly #contentType: string;
  readonly #maxEventBytes: number;
  #head = "";
  #framing: Framing | undefined;

  constructor(contentType: string | null, maxEventBytes: number) {
    this.#contentType = contentType ?? "";
    this.#maxEventBytes = maxEventBytes;
  }

  push(text: string): readonly Piece[] {
    if (this.#framing !== undefined) return this.#framing.push(text);
    this.#head = (this.#head + text).replace(leadingBlank, "");
    const kind = recognise(this.#contentType, this.#head);
    if (kind === undefined) return [];
    this.#framing = framings[kind](this.#maxEventBytes, this.#contentType);
    const start = this.#head;
    this.#head = "";
    return this.#framing.push(start);
  }

  end(): readonly Piece[] {
    if (this.#framing !== undefined) return this.#framing.end();
    // A body that ends before it can be told apart holds no event; what is left of it is shown by the error.
    return this.#head === "" ? [] : [refusal(this.#head)];
  }
}

type Kind = "sse" | "json" | "neither";

const framings: Record<Kind, (maxEventBytes: number, contentType: string) => Framing> = {
  sse: (maxEventBytes) => new SseFraming(maxEventBytes),
  json: (maxEventBytes, contentType) => new JsonFraming(maxEventBytes, contentType),
  neither,
};

// Blank lines mean nothing in any framing, nor does a byte order mark.
const leadingBlank = /^[\uFEFF\s]+/;
const sseField = /^(?:data|event|id|retry)(?:[:\r\n]|$)/;
const maxFieldLength = "event:".length;

function recognise(contentType: string, head: string): Kind | undefined {
  const first = head[0];
  if (first === undefined) return undefined;
  // U+001E begins each value of application/json-seq.
  if (first === "{" || first === "[" || first === "\u001E") return "json";
  if (first === "<") return "neither";
  if (first === ":" || /event-stream/i.test(contentType)) return "sse";
  if (head.length < maxFieldLength && !/[:\r\n]/.test(head)) return undefined;
  return sseField.test(head) ? "sse" : "neither";
}

/** The length of the excerpt that an error shows of a body that is not a stream; no more is read. */
const maxExcerpt = 16_384;

function neither(): Framing {
  let text = "";
  return {
    push(more) {
      text += more;
      return text.length > maxExcerpt ? [refusal(text)] : [];
    },
    end: () => [refusal(text)],
  };
}

function refusal(text: string): FramingError {
  if (text.startsWith("<")) return framingError("html", text);
  return framingError(parseJson(text) === undefined ? "notJson" : "notObject", text);
}
