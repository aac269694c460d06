import type { ApiErrorKind } from "../../errors/base.ts";
import { childrenOf, field, isObjectOrList, trimmedScalar, valuesOf } from "../../shared/json.ts";
import { isPlaceholder, oneOfSentences, wordsOf } from "../../shared/names.ts";
import type { OperationResponse } from "../envelope.ts";
import { isFieldPath, type Meaning, readText, type Vocabulary } from "./clauses.ts";
import { openError } from "./grammar.ts";

/** Returns whether a response proves that nothing was done by a request. */
export type ProveRefusal = typeof proveRefusal;

/** The request that a refusal is about. */
interface SentRequest {
  /** The path of the operation. */
  readonly path: string;
  /** The body that was sent. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** The same without what `extraBody` adds: of that nobody knows whether the order depends on it. */
  readonly params: Readonly<Record<string, unknown>>;
  /** Sentences with which the deployment refuses (`knownMessages.refused`). */
  readonly known: readonly string[];
}

/** Whether a response proves that nothing was done. */
export interface RefusalProof {
  readonly isProved: boolean;
  /** The kind that its words name, if it is proved by words. */
  readonly kind?: ApiErrorKind | undefined;
  /** The first clause or name in the response that is not known as a part of a refusal. */
  readonly unrecognized?: string | undefined;
}

/**
 * Decides whether a response to a call that is sent once proves that nothing was done (docs/assumptions.md, F5). The
 * burden of proof lies on the refusal: each value of the body has to be accounted for, and what nobody thought of is not.
 */
export function proveRefusal(response: OperationResponse, call: SentRequest): RefusalProof {
  if (isUnknown(response)) return { isProved: false };
  const account = new Account(call);
  const unrecognized = account.read(response.body);
  if (unrecognized !== undefined) return { isProved: false, unrecognized };
  const { meaning } = account;
  return meaning === "neutral" ? { isProved: saysNoWithoutWords(response) } : { isProved: true, kind: meaning };
}

/** Whether the status or code says that something may have been done, or leaves it unknown (RFC 9110, 15). */
function isUnknown({ httpStatus, statusCode, verdict, body }: OperationResponse): boolean {
  if (verdict === "pending") return true;
  const code = Number(statusCode);
  if (isUnknownCode(httpStatus) || (isUnknownCode(code) && code !== 409)) return true;
  if (moved.has(httpStatus)) return body !== undefined && body !== "";
  return httpStatus >= 400 && code === 200;
}

/** Codes of HTTP that do not mean a refusal. A 303 even says that the request was carried out. */
function isUnknownCode(code: number): boolean {
  return openErrorCode.test(String(code)) || (code >= 100 && code < 400 && code !== 200 && !moved.has(code));
}

const openErrorCode = new RegExp(`^${openError}$`);

const moved: ReadonlySet<number> = new Set([301, 307, 308]);

/** Statuses of a gateway that spoke before the operation ran. */
const closed: ReadonlySet<number> = new Set([401, 403, 404, 405, 413, 415, 429]);

function saysNoWithoutWords({ httpStatus, statusCode }: OperationResponse): boolean {
  if (moved.has(httpStatus)) return true;
  const code = Number(statusCode);
  // A body agrees with them that has no code, or 400 or 422.
  return closed.has(httpStatus) && (!(code > 400) || code === 422 || closed.has(code));
}

/** A value of a body, with its names. */
interface Place {
  readonly name: string;
  readonly value: unknown;
  /** Whether it is in `data` or `result`, which are for what was done. */
  readonly isResult: boolean;
  /** Whether the names around it are those of a field of the request. */
  readonly isAboutField: boolean;
}

/** More values than a refusal has. */
const maxValues = 2_000;

/** Accounts for each value of a body. */
class Account {
  /** The meaning of the messages together. */
  meaning: Meaning = "neutral";
  readonly #call: SentRequest;
  readonly #vocabulary: Vocabulary;

  constructor(call: SentRequest) {
    this.#call = call;
    this.#vocabulary = {
      isKnown: oneOfSentences(call.known),
      fields: namesOf(call.params).fields,
      parts: namesOf(call.sent).parts,
      path: call.path,
      read: new Map(),
    };
  }

  /** Returns the first part of the body that is not accounted for. */
  read(body: unknown): string | undefined {
    const places: Place[] = [{ name: "", value: textOf(body), isResult: false, isAboutField: false }];
    // A loop: JSON may nest deeper than a stack.
    for (const place of places) {
      if (places.length > maxValues) return "more values than a refusal has";
      const unknown = isObjectOrList(place.value)
        ? this.#addParts(places, place, place.value)
        : this.#unrecognizedIn(place);
      if (unknown !== undefined) return unknown.replaceAll(/\s+/g, " ").slice(0, 80);
    }
    return undefined;
  }

  /** Adds the parts of an object or a list; returns its name if it is not known as one of a refusal. */
  #addParts(places: Place[], { name: outer, isResult, isAboutField }: Place, value: object): string | undefined {
    const words = wordsOf(outer);
    if (valuesOf(value).length === 0) return undone.test(words) ? outer : undefined;
    if (!this.#isField(outer) && !areKnown(words, containers)) return outer;
    // One of several did not fail.
    if (Array.isArray(value) && value.length > 1 && value.some(isSilent) && !this.#isField(outer))
      return `${outer} with an empty element`;
    const children = [...childrenOf(value)];
    const isOfField = isAboutField || children.some(([name, child]) => this.#namesField(name, child));
    for (const [name, child] of children) {
      if (this.#namesField(name, child)) continue;
      places.push({
        name: name || outer,
        value: child,
        isResult: isResult || /^(response )?(data|result)$/.test(wordsOf(name)),
        isAboutField: isOfField || this.#isField(name),
      });
    }
    return undefined;
  }

  #isField(name: string): boolean {
    return isFieldPath(name, this.#vocabulary);
  }

  /** Whether a part of an object names a field: `field: "dob"`, or `loc: ["body", "passengers", 0, "dob"]`. */
  #namesField(name: string, value: unknown): boolean {
    const parts = Array.isArray(value) ? value : [value];
    const isField = (part: unknown) => typeof part === "string" && this.#isField(part);
    const isName = (part: unknown) => typeof part === "number" || part === "query" || isField(part);
    return fieldNames.has(wordsOf(name)) && parts.some(isField) && parts.every(isName);
  }

  /** Returns what of a value is not accounted for: its name, or a clause of its text. */
  #unrecognizedIn({ name, value, isResult, isAboutField }: Place): string | undefined {
    const text = String(value).trim();
    const words = wordsOf(name);
    if (/^(true|yes|false|no)$/i.test(text))
      return (/true|yes/i.test(text) ? failure : done).test(words) ? undefined : name;
    // 0 may be a flag: `hold_released` says that a hold is still there.
    if (/^0+$/.test(text) && !numbers.test(words) && !done.test(words) && !this.#isField(name)) return name;
    // A mask hides what is there.
    if (isPlaceholder(text) && !text.includes("*"))
      return text !== "" && value !== null && undone.test(words) ? name : undefined;
    if (this.#isEcho(words, name, text, isResult)) return undefined;
    // Another ID than was sent. With spaces, it may be a message about it.
    if (/ id$/.test(words) && Object.hasOwn(this.#call.sent, name) && !/\s/.test(text)) return name;
    const isField = this.#isField(name);
    if (!isField && !areKnown(words, neutralNames)) return name;
    if (!isResult && isMachineRead(words, text)) return undefined;
    const code = /^(?:(?:e|err|error|ec|auth|val|code)[-_ ]?)?(\d{1,6})$/i.exec(text)?.[1];
    if (code !== undefined) return !isResult && isCode(words, Number(code)) ? undefined : name;
    const reading = readText(text, this.#vocabulary, isAboutField || isField);
    if (reading.clause !== undefined) return reading.clause;
    if (this.meaning === "neutral") this.meaning = reading.meaning;
    return undefined;
  }

  /** The request's own values: its IDs anywhere, the rest outside of what is for a result. */
  #isEcho(words: string, name: string, text: string, isResult: boolean): boolean {
    const isId = /(^| )(id|token)$/.test(words);
    if (/^(status|message|code|data|result)$/.test(words)) return false;
    return (isId || !isResult) && trimmedScalar(field(this.#call.sent, name)) === text;
  }
}

/** Names under which a response says why it refused. */
const neutralNames: ReadonlySet<string> = new Set(
  (
    "error errors err message messages msg error message detail details description desc reason reasons status code codes " +
    "text type title info fault faults faultstring string response result data body api service server http validation " +
    "violations violation issue issues problem problems field fields developer user friendly exception cause meta name " +
    "param params parameter property path pointer loc location in id ids request trace correlation timestamp time date " +
    "instance version method url uri host extensions default object"
  ).split(" "),
);

/** Names of the objects and lists in which it does: `return`, `attempts` or `warnings` may be about something else. */
const containers: ReadonlySet<string> = new Set(
  (
    "error errors fault detail details data result response body validation violations issues extensions input loc " +
    "location path params ctx message messages exception meta status allowed values"
  ).split(" "),
);

const ofIdentity = /(id|token)$/i;
/** A number, or a code. */
const numbered = /^[a-z]{0,5}[-_ ]?[\d.]+$/i;

/** Whether an element, as far as a refusal would be long, says nothing to a person but whose it is. */
function isSilent(value: unknown): boolean {
  let seen = 0;
  // A loop: JSON may nest deeper than a stack.
  const queue: object[] = [[value]];
  for (const part of queue) {
    for (const [name, child] of childrenOf(part)) {
      seen += 1;
      if (seen > maxValues) return true;
      const text = trimmedScalar(child);
      if (isObjectOrList(child)) queue.push(child);
      else if (
        !(isPlaceholder(text) || ofIdentity.test(name) || numbered.test(text) || isMachineRead(wordsOf(name), text))
      )
        return false;
    }
  }
  return true;
}

function areKnown(words: string, names: ReadonlySet<string>): boolean {
  return words.split(" ").every((word) => names.has(word) || word === "");
}

/** Names under which a response names a field of the request. */
const fieldNames: ReadonlySet<string> = new Set(
  "field,fields,field name,param,parameter,property,path,instance path,pointer,loc,location,name".split(","),
);

/** Names of what only a machine reads, and the forms of their values. */
const forMachines: readonly (readonly [names: RegExp, form: RegExp])[] = [
  [/^(request|trace|correlation) id$/, /^(?=.*\d)\S{1,200}$/],
  // A short one is a code, and one in words says something.
  [/^error id$/, /^(?=.*\d)[\da-f-]{9,64}$/i],
  [/^(http |request )?method$/, /^(?:get|post|put|patch)$/i],
  [/^object name$/, /^\w{0,40}(?:request|dto|body|params|command|form)$/i],
  [/^version$/, /^v?[\d.]{1,20}$/],
  [/^host$/, /^[\w-]+(\.[\w-]+)+(:\d+)?$/],
  // The time of the response. A day, or a time without its zone, may be that of one flight.
  [/^(date|time)$/, /^(\d{4}-\d\d-\d\d[T ]\d\d:[\d:.]{2,20} ?(Z|[+-]\d\d:?\d\d)|\d{10}(\d{3})?)$/],
  [/^timestamp$/, /^[\dTZ:. +-]{8,40}$/],
  // Of a problem (RFC 9457) and of a validation error.
  [
    /^type$/,
    /^(about:blank|https:\/\/(tools\.ietf\.org|datatracker\.ietf\.org|www\.rfc-editor\.org)\/[\w./#-]*|value_error\.missing)$/,
  ],
];

function isMachineRead(words: string, text: string): boolean {
  return forMachines.some(([names, form]) => names.test(words) && form.test(text));
}

/** Names of a number, which may be 0. */
const numbers = /(^| )(id|pnr|count|total|amount|fare|price|balance|number|no|index|timestamp)$/;

/** Names of a flag that says that all of it failed, if it is true. */
const failure = /^(is |has )?(errors?|failed|failure|fault|rejected|declined|refused|invalid)$/;
/** Names of a flag that says so if it is false. Of `refunded` or `not_booked` it says the opposite. */
const done =
  /^(is )?(success|successful|succeeded|ok|(seats )?booked|confirmed|duplicate|valid|retryable|result|data|message)$/;

/** Names of what did not happen: with "none", it all did. */
const undone = /\b(not|un\w+|failed|roll(ed)? ?back|released?|(revers|reject|declin|cancel|void|refund)\w+)\b/;

function isCode(words: string, value: number): boolean {
  return (
    /(code|status|http)$/.test(words) &&
    (value >= 400 || /\berr|^status code$/.test(words)) &&
    (!isUnknownCode(value) || (value === 409 && words === "status code"))
  );
}

/** Returns the text of a page without its marks, if it has no others than those of HTML and nothing that may hide words. */
function textOf(body: unknown): unknown {
  if (typeof body !== "string" || !body.includes("<") || hiding.test(body)) return body;
  const text = body
    .replaceAll(/<style\b[^<]*<\/style>/gi, "")
    .replaceAll(/\s/g, " ")
    .replaceAll(marks, "\n");
  return text.includes("<") ? body : text;
}

/** Scripts, links to a page of the service, and attributes that a person may read. */
const hiding =
  /<script|content\s*:|\bhref\s*=\s*["']?\/|\b(?:value|content|alt|title|placeholder|data-\w+|aria-\w+)\s*=/i;

const marks =
  /<(?:!doctype|\/?(?:html|head|title|meta|link|body|h[1-6]|p|center|hr|br|address|div|span|b|i|em|strong|a|ul|ol|li|table|tbody|tr|td|th|pre|code|section|main|header|footer|noscript|style|script)(?![\w-]))[^<>]*>/gi;

/** Names of the fields that were sent, in words; of what a part of the order has (its seats), none. */
function namesOf(sent: object): Pick<Vocabulary, "fields" | "parts"> {
  const fields = new Set<string>();
  const parts = new Set<string>();
  const queue: object[] = [sent];
  for (const value of queue) {
    for (const [name, child] of childrenOf(value)) {
      const words = wordsOf(name);
      if (ofPart.test(words)) parts.add(words);
      // A reference that is called invalid may be one that is taken.
      if (ofPart.test(words) || ofRecord.test(words)) continue;
      if (/^[a-z][a-z0-9 ]{1,40}$/.test(words)) fields.add(words);
      if (isObjectOrList(child)) queue.push(child);
    }
  }
  return { fields, parts };
}

const ofRecord =
  /\b(reference|ref|pnr|(order|transaction|txn|idempotency|request|booking|unique)\b.* (id|key|number|no))\b/;
const ofPart =
  /\b(seat|meal|baggage|bag|ssr|service|segment|leg|return|onward|inbound|outbound|add ?on|refund|payment|transfer|receipt|invoice|notify|callback|webhook)s?\b/;
