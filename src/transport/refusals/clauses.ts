import type { ApiErrorKind } from "../../errors/base.ts";
import { wordsOf } from "../../shared/names.ts";
import { neutral, readLine, refusals, terms } from "./grammar.ts";

/** The meaning of a message that the grammar accounts for, the whole of it. */
export type Meaning = ApiErrorKind | "neutral";

/** Sentences and names that count beside the grammar. */
export interface Vocabulary {
  /** Whether a deployment refuses with a sentence. */
  readonly isKnown: (text: string) => boolean;
  /** Names of the fields that were sent, in lower-case words. */
  readonly fields: ReadonlySet<string>;
  /** Names of the parts of an order that were sent, such as `seat`: without one, the order itself may be carried out. */
  readonly parts: ReadonlySet<string>;
  /** The path of the operation. */
  readonly path: string;
  /** The clauses of the response that were read: most of a long one repeat each other, and reading takes time. */
  readonly read: Map<string, Clause>;
}

/** A clause of a message that is accounted for, and what the next one follows. */
interface Clause extends Place {
  readonly meaning: Meaning;
}

/** The clauses before one. */
interface Place {
  /** The subject of a message, for "is required" without one. */
  readonly subject: string;
  /** Of "Passenger 2: dob is required". "Infant: fare not available" says nothing of the others. */
  readonly passenger?: string | undefined;
}

/** The meaning of a message, or its first clause that is not accounted for. */
export type Reading = { readonly meaning: Meaning; readonly clause?: never } | { readonly clause: string };

/**
 * Reads a message that was meant for a person.
 *
 * @param isAboutField - Whether it is about a field, so that "is required" needs no subject.
 */
export function readText(text: string, vocabulary: Vocabulary, isAboutField: boolean): Reading {
  const { isKnown, read } = vocabulary;
  if (isKnown(text)) return { meaning: "unknown" };
  let meaning: Meaning = "neutral";
  let place: Place = { subject: isAboutField ? "@ " : "" };
  for (const clause of clausesOf(text, vocabulary)) {
    const key = [isAboutField, place.subject, place.passenger, clause].join("|");
    const found = read.get(key) ?? readClause(clause, place, vocabulary);
    // The fare of one passenger, in a message about a field, is not the whole.
    if (found === undefined || (isAboutField && found.meaning === "offer_unavailable"))
      return { clause: place.passenger ?? clause };
    if (read.size === limits.clauses) return { clause: "more clauses than a refusal has" };
    read.set(key, found);
    if (meaning === "neutral") meaning = found.meaning;
    place = found;
  }
  return place.passenger === undefined ? { meaning } : { clause: place.passenger };
}

/** Returns the meaning of a clause; undefined if it is not accounted for. */
function readClause(clause: string, { subject, passenger }: Place, vocabulary: Vocabulary): Clause | undefined {
  const words = withFields(clause, vocabulary);
  if (passenger === undefined && matches(terms.who, words)) return { meaning: "neutral", subject, passenger: words };
  const whole = passenger === undefined ? words : `${passenger} ${words}`;
  const isOfPart = [...vocabulary.parts].some((part) => clause.includes(part));
  const meant = isOfPart ? undefined : meaningOf([whole, subject + whole, ...(passenger ? [] : [clause])]);
  const meaning = vocabulary.isKnown(clause) ? "unknown" : meant;
  // "dob: is required"
  return meaning && { meaning, subject: isField(words) ? "@ " : subject };
}

/** Returns whether a name, or each name of a path such as `passengers[0].dob`, is that of a field of the request. */
export function isFieldPath(path: string, { fields }: Vocabulary): boolean {
  if (path.length > limits.clause || !/^[\w.[\]/$-]+$/.test(path)) return false;
  const names = path.split(/[.[\]/$]/).filter((name) => !/^\d*$/.test(name));
  return names.length > 0 && names.every((name) => fields.has(wordsOf(name)) || isField(wordsOf(name)));
}

/** A longer message or clause is not read, nor are more clauses that differ. */
const limits = { text: 16_000, clause: 240, clauses: 300 };

/** Other letters are not accounted for: a look-alike or another script may say anything. */
const foreign = /[^\t\n\r -~\u00a0‘’“”–—…•]/;

function clausesOf(text: string, vocabulary: Vocabulary): readonly string[] {
  if (text.length > limits.text || foreign.test(text)) return [text];
  return (
    text
      .replaceAll("’", "'")
      .replaceAll(/["“”‘`]|(?<![a-z])'|'(?![a-z])/gi, " ")
      .replaceAll(/[^\s<>(),;]+/g, (word) => withoutPath(word, vocabulary))
      // `@` is ours.
      .replaceAll(/(?<!\w)@|@(?!\w)/g, "at")
      .replaceAll("_", " ")
      .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
      .toLowerCase()
      .split(/[\n\r\t;!|•…()[\]{}]|[.,:](?=\s|$)| [-–—](?= )|[–—]/)
      .map((clause) => clause.trim().replaceAll(/\s+/g, " "))
      .filter((clause) => /[^\s-]/.test(clause))
  );
}

/** The URL of the call becomes `#path`, and the path of a field its last name. */
function withoutPath(word: string, vocabulary: Vocabulary): string {
  const end = /[.:]$/.test(word) ? word.slice(-1) : "";
  const rest = word.slice(0, word.length - end.length);
  const bare = rest.replaceAll(/^\[|\]$/g, "");
  if (/^(https?:\/)?\/?[\w./:-]+$/i.test(bare) && bare.endsWith(`/${vocabulary.path}`)) return `#path${end}`;
  if (!/[.[]/.test(rest) || !isFieldPath(rest, vocabulary)) return word;
  return `${rest.split(/[.[\]]/).findLast((name) => !/^\d*$/.test(name))}${end}`;
}

const meanings = Object.entries({ ...refusals, neutral }).map(
  ([meaning, lines]) => [meaning as Meaning, lines.join(" | ")] as const,
);

function meaningOf(spellings: readonly string[]): Meaning | undefined {
  const short = spellings.filter(({ length }) => length <= limits.clause);
  return meanings.find(([, line]) => short.some((spelling) => matches(line, spelling)))?.[0];
}

/** Writes `@` for each field that was sent. */
function withFields(clause: string, { fields }: Vocabulary): string {
  const names = [...fields].sort((a, b) => b.length - a.length);
  return names.reduce((text, name) => ` ${text} `.replaceAll(` ${name} `, " @ ").trim(), clause);
}

function isField(words: string): boolean {
  return matches(terms.field, words);
}

/** Whether words are a whole line. */
function matches(line: string, words: string): boolean {
  const text = `${words} `;
  return readLine(line)(text, new Set([0])).has(text.length);
}
