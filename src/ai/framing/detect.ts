import { type Framing, FramingError, type FramingSink } from "./frame.ts";
import { jsonFraming } from "./json.ts";
import { sseFraming } from "./sse.ts";

/**
 * Recognises the framing, which the document does not show (§6.1; docs/assumptions.md, I1), and cuts the body by it.
 *
 * The content type is asked first; the first characters overrule it where no body of that type can begin so, because
 * gateways are known to label one as another.
 */
export function framingFor(contentType: string | null, maxEventBytes: number, sink: FramingSink): Framing {
  let head = "";
  let framing: Framing | undefined;
  return {
    push(text) {
      if (framing !== undefined) return framing.push(text);
      head = (head + text).replace(leadingBlank, "");
      const kind = recognise(contentType ?? "", head);
      if (kind === undefined) return;
      framing = framings[kind](maxEventBytes, sink, contentType ?? "");
      framing.push(head);
      head = "";
    },
    end() {
      // A body that ends before it can be told apart holds no event; what is left of it is shown by the error.
      if (framing === undefined && head !== "") framing = framings.neither(maxEventBytes, sink, head);
      framing?.push(head);
      framing?.end();
    },
  };
}

type Kind = "sse" | "json" | "neither";
type Make = (maxEventBytes: number, sink: FramingSink, contentType: string) => Framing;

const framings: Record<Kind, Make> = { sse: sseFraming, json: jsonFraming, neither };

// Blank lines mean nothing in any framing, nor does a byte order mark.
const leadingBlank = /^[\uFEFF\s]+/;
const sseField = /^(?:data|event|id|retry)(?:[:\r\n]|$)/;
const longestField = "event:".length;

function recognise(contentType: string, head: string): Kind | undefined {
  const first = head[0];
  if (first === undefined) return undefined;
  // U+001E begins each value of application/json-seq.
  if (first === "{" || first === "[" || first === "\u001E") return "json";
  if (first === "<") return "neither";
  if (first === ":" || /event-stream/i.test(contentType)) return "sse";
  if (head.length < longestField && !/[:\r\n]/.test(head)) return undefined;
  return sseField.test(head) ? "sse" : "neither";
}

/** How much of a body that is no stream is read for its error. */
const longestExcerpt = 16_384;

function neither(): Framing {
  let text = "";
  const refuse = (): never => {
    throw new FramingError(text.startsWith("<") ? "html" : isJson(text) ? "notObject" : "notJson", text);
  };
  return {
    push(more) {
      text += more;
      if (text.length > longestExcerpt) refuse();
    },
    end: refuse,
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
