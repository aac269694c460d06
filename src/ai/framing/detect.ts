import { parseJson } from "../../shared/json.ts";
import { type Framing, type FramingError, framingError } from "./frame.ts";
import { JsonFraming } from "./json.ts";
import { sseFraming } from "./sse.ts";

/**
 * Recognises the framing, which the document does not show (§6.1; docs/assumptions.md, I1), and cuts the body by it.
 *
 * The content type is asked first. The first characters overrule it if no body of that type can begin so, because
 * gateways are known to label one as another.
 */
export function framingFor(contentType: string | null, maxEventBytes: number): Framing {
  const type = contentType ?? "";
  let head = "";
  let framing: Framing | undefined;
  return {
    push(text) {
      if (framing !== undefined) return framing.push(text);
      head = (head + text).replace(leadingBlank, "");
      const kind = recognise(type, head);
      if (kind === undefined) return [];
      framing = framings[kind](maxEventBytes, type);
      const start = head;
      head = "";
      return framing.push(start);
    },
    end() {
      if (framing !== undefined) return framing.end();
      // A body that ends before it can be told apart holds no event; what is left of it is shown by the error.
      return head === "" ? [] : [refusal(head)];
    },
  };
}

type Kind = "sse" | "json" | "neither";

const framings: Record<Kind, (maxEventBytes: number, contentType: string) => Framing> = {
  sse: sseFraming,
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
