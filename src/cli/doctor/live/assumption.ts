import type { ClientOptions, RequestOptions, StreamLimits, ValidationOptions } from "../../../options.ts";
import type { CallRecord, Exchange } from "./record.ts";

/** The name of an option of the client or of a stream. */
type OptionName =
  | keyof (ClientOptions & RequestOptions)
  | `stream.${keyof StreamLimits}`
  | `validation.${keyof ValidationOptions}`;

/** The part of one call that keeps or breaks an assumption. */
export interface Seen {
  readonly isKept: boolean;
  /** Types, names of fields and shapes, never a value of a person. */
  readonly evidence: string;
}

/** Returns what a call showed; undefined if it showed nothing. */
export type Observe = (call: CallRecord) => Seen | undefined;

/** Something that docs/assumptions.md assumes, and how a call shows whether the service keeps it. */
interface Assumption {
  readonly assume: string;
  /** The options that correct it; empty if the library adapts automatically, or only a release can. */
  readonly options?: readonly OptionName[];
  /** Says how the library adapts to a service that breaks it, so that nothing needs to be done. */
  readonly adapts?: string;
  /** The next step if it is broken, and the library does not adapt. */
  readonly remedy?: string;
  readonly observe: Observe;
}

/** Assumptions by the number of their row in docs/assumptions.md, and what tells one apart from others of the row. */
export type Rows = Readonly<Record<`${string}.${string}`, Assumption>>;

export const kept = (evidence: string): Seen => ({ isKept: true, evidence });
export const broken = (evidence: string): Seen => ({ isKept: false, evidence });

/** Judges the calls that had a response; the others show nothing. */
export function withExchange(judge: (exchange: Exchange, call: CallRecord) => Seen | undefined): Observe {
  return (call) => (call.exchange === undefined ? undefined : judge(call.exchange, call));
}

/** Returns `broken` with the problems, if there are any, each once and at most ten. */
export function unlessProblems(problems: readonly string[], evidence: string): Seen {
  const distinct = [...new Set(problems)];
  if (distinct.length === 0) return kept(evidence);
  const more = distinct.length > 10 ? `, and ${distinct.length - 10} more` : "";
  return broken(`${distinct.slice(0, 10).join(", ")}${more}`);
}

/** Returns what breaks an assumption, or else the first that keeps it. */
export function firstBroken(all: readonly (Seen | undefined)[]): Seen | undefined {
  const seen = all.filter((each) => each !== undefined);
  return seen.find(({ isKept }) => !isKept) ?? seen[0];
}

/**
 * Masks for evidence: an issue may be public, so it holds types, names of fields and shapes, and no value of a person.
 */

/** Returns the shape of a string: `a` for letters, `A` for capitals, `9` for digits; at most 40 characters. */
export function shapeOf(text: string): string {
  const shape = text
    .slice(0, 40)
    .replaceAll(/\p{L}/gu, (letter) => (/\p{Lu}/u.test(letter) ? "A" : "a"))
    .replaceAll(/\d/g, "9")
    .replaceAll(/[^\x20-\x7e]/g, "?");
  return text.length > 40 ? `${shape}…` : shape;
}

/**
 * Returns a word of the interface, such as a status, as it is, and the shape of anything else. A word is in one case and
 * has no spaces, unlike the name of a person.
 */
export function wordOf(value: unknown): string {
  if (typeof value !== "string") return typeOf(value);
  return /^(?:[a-z][a-z_]{0,20}|[A-Z][A-Z_]{0,20})$/.test(value) ? `"${value}"` : `of the shape "${shapeOf(value)}"`;
}

/** Returns the JSON type of a value. */
export function typeOf(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "missing";
  if (Array.isArray(value)) return "a list";
  return `${typeof value === "object" ? "an" : "a"} ${typeof value}`;
}

/** Returns a path of fields. Positions are left out, and so are names that may be data, such as those with numbers. */
export function pathOf(path: readonly (string | number)[]): string {
  const steps = path.map((step) => {
    if (typeof step === "number") return "[]";
    return /^[A-Za-z_-]{1,40}$/.test(step) ? `.${step}` : ".…";
  });
  return steps.join("").replace(/^\./, "") || "the body";
}
