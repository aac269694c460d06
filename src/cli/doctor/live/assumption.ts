import type { ClientOptions, RequestOptions, StreamLimits, ValidationOptions } from "../../../options.ts";
import type { CallRecord } from "./call-record.ts";
import type { Exchange } from "./recorder.ts";

/** The name of an option of the client or of a stream. */
export type OptionName =
  | keyof (ClientOptions & RequestOptions)
  | `stream.${keyof StreamLimits}`
  | `validation.${keyof ValidationOptions}`;

/** The part of one call that keeps or breaks an assumption. */
export interface Seen {
  readonly isKept: boolean;
  /** Types, names of fields and shapes, never a value of a person. */
  readonly evidence: string;
}

/** Something that docs/assumptions.md assumes, and how a call shows whether the service keeps it. */
export interface Assumption {
  /** The number of its row in docs/assumptions.md. */
  readonly id: string;
  /** Tells it apart from others of the same row. */
  readonly aspect: string;
  readonly assume: string;
  /** The options that correct it; empty if the library adapts automatically, or only a release can. */
  readonly options: readonly OptionName[];
  /** Whether the library adapts to a service that breaks it, so that nothing needs to be done. */
  readonly adapts?: true;
  /** The next step if it is broken. */
  readonly remedy: string;
  /** Returns what a call showed; undefined if it showed nothing. */
  readonly observe: (call: CallRecord) => Seen | undefined;
}

export const kept = (evidence: string): Seen => ({ isKept: true, evidence });
export const broken = (evidence: string): Seen => ({ isKept: false, evidence });

/** Judges the calls that had a response; the others show nothing. */
export function withExchange(judge: (exchange: Exchange, call: CallRecord) => Seen | undefined): Assumption["observe"] {
  return (call) => (call.exchange === undefined ? undefined : judge(call.exchange, call));
}

/** Returns `broken` with the problems, if there are any, each once and at most ten. */
export function unlessProblems(problems: readonly string[], evidence: string): Seen {
  const distinct = [...new Set(problems)];
  if (distinct.length === 0) return kept(evidence);
  const more = distinct.length > 10 ? `, and ${distinct.length - 10} more` : "";
  return broken(`${distinct.slice(0, 10).join(", ")}${more}`);
}

/** Returns true for the operations of an area, such as `flights`. */
export function isOf(area: string, { operation }: Pick<CallRecord, "operation">): boolean {
  return operation.startsWith(`${area}.`);
}
