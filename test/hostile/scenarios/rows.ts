import type { Row } from "../scenario.ts";

/** Numbers of attempts by class, and of requests that arrive. */
export interface Counts {
  readonly safe?: number;
  readonly ifNotProcessed?: number;
  /** Requests of the calls before the one that is judged. */
  readonly before?: number;
  /** Requests that each attempt leads to. */
  readonly each?: number;
}

/** Every operation gets its response. */
export function answered(received = 1): Row {
  const line = `answer, ${received} received`;
  return { safe: line, ifNotProcessed: line, never: line };
}

/** The server may have received the request, and nothing says what it did: a booking is looked up, not retried. */
export function open(error: string, detail = "", counts: Counts = {}): Row {
  const { safe = 3, ifNotProcessed = 1 } = counts;
  const text = words(error, "unknown", detail);
  return {
    safe: times(text, safe, counts),
    ifNotProcessed: times(text, ifNotProcessed, counts),
    never: times(`BookingOutcomeUnknownError unknown (${words(error, detail)})`, 1, counts),
  };
}

/** The service, or something in front of it, refused the request. */
export function rejected(error: string, detail = "", { safe = 1, ifNotProcessed = 1 }: Counts = {}): Row {
  const text = words(error, "rejected", detail);
  return { safe: times(text, safe), ifNotProcessed: times(text, ifNotProcessed), never: times(text, 1) };
}

/** Nothing was sent. */
export function notSent(tries = 3): Row {
  const text = "ConnectionError notSent";
  const line = (tried: number) => times(text, tried, { each: 0 });
  return { safe: line(tries), ifNotProcessed: line(tries), never: line(1) };
}

/** A connection that was not made, in a runtime that cannot tell it from one that broke. */
export const notTold: Readonly<Record<"workerd", Row>> = { workerd: open("ConnectionError", "", { each: 0 }) };

/** The connection broke before a response. */
export const broken = open("ConnectionError");

/** The response was cut short. A stream keeps the text before the cut. */
export const cut: Row = {
  ...open("UnexpectedResponseError", "cut"),
  stream: times("StreamTruncatedError unknown", 1),
};

/** The deadline of an attempt ran out, and that of the one retry. */
export const tooLate = (phase: "headers" | "body", counts?: Counts): Row =>
  open("TimeoutError", `attempt ${phase}`, { safe: 2, ...counts });

/** The same before there was a connection, in a runtime that can tell. */
export const neverReady: Row = {
  safe: times("TimeoutError notSent attempt headers", 2, { each: 0 }),
  ifNotProcessed: times("TimeoutError notSent attempt headers", 1, { each: 0 }),
  never: times("TimeoutError notSent attempt headers", 1, { each: 0 }),
};

/** The runtime closes the connection later. */
export function leftOpen(row: Row): Row {
  const mark = (line: string) => `${line}, connection left open`;
  return { safe: mark(row.safe), ifNotProcessed: mark(row.ifNotProcessed), never: mark(row.never) };
}

export function times(text: string, tried: number, { before = 0, each = 1 }: Counts = {}): string {
  return `${text}, ${tried} tried, ${before + tried * each} received`;
}

function words(...parts: readonly string[]): string {
  return parts.filter((part) => part !== "").join(" ");
}
