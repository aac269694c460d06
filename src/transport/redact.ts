import { oneLine } from "../errors/one-line.ts";
import { concatBytes, toBase64, toHex } from "../shared/bytes.ts";
import { isObjectOrList, isString } from "../shared/json.ts";

/** Headers whose value is a credential. */
const credentialHeader =
  /^(proxy-)?authorization$|^(set-)?cookie2?$|(^|[-_])(api-?key|(?<!idempotency-)key|token|secret|signature|password|passphrase|credentials?|auth)$/i;

/** Returns whether the name of a header says that its value is a credential. */
export function isCredentialHeader(name: string): boolean {
  return credentialHeader.test(name);
}

/** A shorter secret would redact ordinary words; one that protects anything is longer. */
const minLength = 4;

/**
 * Returns the strings that must not be printed: the client secret, and the caller's own headers that are credentials by
 * their name.
 */
export function secretsOf(clientSecret: unknown, headers: Readonly<Record<string, string>> = {}): readonly string[] {
  const given = Object.entries(headers).flatMap(([name, value]) => (isCredentialHeader(name) ? [value] : []));
  return [clientSecret, ...given].filter(isString).filter(({ length }) => length >= minLength);
}

/**
 * Replaces all secrets in a string: in either case, plain, in hex or in base64, each with any of its characters escaped.
 * Half of a secret in a row is enough, if that has eight characters: texts are cut.
 */
export function redact<Text extends string | undefined>(text: Text, secrets: readonly string[]): Text {
  return (text && redactor(secrets)(text)) as Text;
}

/**
 * Replaces all secrets in a parsed JSON value, which is changed in place because it may be large. It does not recurse:
 * JSON may nest deeper than the stack.
 */
export function redactJson(value: unknown, secrets: readonly string[]): unknown {
  const clean = redactor(secrets);
  const root = { value };
  const waiting: object[] = [root];
  for (let parent = waiting.pop(); parent !== undefined; parent = waiting.pop()) {
    for (const [key, child] of Object.entries(parent)) {
      const cleanKey = clean(key);
      const cleanChild = typeof child === "string" ? clean(child) : child;
      if (cleanKey !== key) Reflect.deleteProperty(parent, key);
      if (cleanKey !== key || cleanChild !== child) {
        // Not an assignment, which would treat a key `__proto__` differently.
        const field = { value: cleanChild, writable: true, enumerable: true, configurable: true };
        Object.defineProperty(parent, cleanKey, field);
      }
      if (isObjectOrList(child)) waiting.push(child);
    }
  }
  return root.value;
}

/** Returns the headers without secrets: the same object if it has none. */
export function redactHeaders(headers: Headers, secrets: readonly string[]): Headers {
  const clean = redactor(secrets);
  const entries = [...headers];
  const cleaned = entries.map(([name, value]): [string, string] => [name, clean(value)]);
  const isClean = cleaned.every(([, value], i) => value === entries[i]?.[1]);
  return isClean && headers instanceof Headers ? headers : new Headers(cleaned);
}

/** Prepared once for each call, whose list it is. */
const prepared = new WeakMap<readonly string[], readonly Form[]>();

/** Returns the function that {@link redact} applies, for many strings. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = prepared.get(secrets) ?? secrets.flatMap(formsOf);
  prepared.set(secrets, forms);
  return (text) => {
    const plain = decode(text);
    const hidden = new Uint8Array(plain.length);
    for (const form of forms) mark(form, plain, hidden);
    return hidden.includes(1) ? cover(text, hidden) : text;
  };
}

/** Writes `[redacted]` for each run of characters that are hidden in the text without escapes. */
function cover(text: string, hidden: Uint8Array): string {
  const found = text.matchAll(escapes);
  let next = found.next().value;
  let longer = 0;
  /** Returns the place in the text of a character; called in their order. */
  const placeOf = (at: number): number => {
    for (; next !== undefined && next.index - longer < at; next = found.next().value) longer += next[0].length - 1;
    return at + longer;
  };
  let covered = "";
  let from = 0;
  for (let start = hidden.indexOf(1); start >= 0; start = hidden.indexOf(1, from)) {
    covered += `${text.slice(placeOf(from), placeOf(start))}[redacted]`;
    const end = hidden.indexOf(0, start);
    from = end < 0 ? hidden.length : end;
  }
  return covered + text.slice(placeOf(from));
}

/** A secret as it may be written. */
interface Form {
  readonly text: string;
  /** The number of its characters in a row that count as the secret, which may have been cut. */
  readonly least: number;
  /** Whether a letter or digit beside it makes it a part of an ordinary word: "test" in "latest". */
  readonly isWord: boolean;
}

/** Plain, in hex, and in base64 at any offset, without the characters that depend on the bytes before. */
function formsOf(secret: string): readonly Form[] {
  const bytes = new TextEncoder().encode(secret);
  const base64 = [0, 1, 2].map((before) =>
    toBase64(concatBytes([new Uint8Array(before), bytes])).slice(Math.ceil((before * 8) / 6)),
  );
  const texts = [secret, secret.replaceAll(" ", "+"), toHex(bytes), ...base64].map(decode);
  const isWord = secret.length < 8;
  const least = (text: string) => (isWord ? text.length : Math.max(8, Math.ceil(text.length / 2)));
  return [...new Set(texts)].map((text) => ({ text, least: least(text), isWord }));
}

/** Marks the characters that belong to a form. All that is long enough has one of these parts of the form whole. */
function mark({ text, least, isWord }: Form, plain: string, hidden: Uint8Array): void {
  const size = Math.ceil(least / 2);
  for (let offset = 0; offset + size <= text.length && least <= plain.length; offset += size) {
    const part = text.slice(offset, offset + size);
    for (let at = plain.indexOf(part); at >= 0; at = plain.indexOf(part, at + 1)) {
      let [start, end] = [at, at + size];
      while (start > 0 && plain[start - 1] === text[offset - (at - start) - 1]) start--;
      while (end < plain.length && plain[end] === text[offset + (end - at)]) end++;
      const isInWord = isWord && /[a-z\d]/.test((plain[start - 1] ?? "") + (plain[end] ?? ""));
      if (end - start >= least && !isInWord) hidden.fill(1, start, end);
    }
  }
}

/** One character as JSON, URLs and HTML write it, also repeatedly: `\\\u0041`, `%2541`, `&amp;#65;`. */
const escapes =
  /\\+(?:u([\da-f]{4})|(.))|%(?:25)*([\da-f]{2})|&(?:amp;)*(?:#x([\da-f]{1,6})|#(\d{1,7})|(amp|lt|gt|quot|apos));/gis;
const named: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

/** Returns the text without escapes, in lower case, and in one of the two alphabets of base64. */
function decode(text: string): string {
  // No other letter becomes two in lower case.
  const plain = text.replaceAll(escapes, characterOf).replaceAll("\u0130", "i").toLowerCase();
  return plain.replaceAll("-", "+").replaceAll("_", "/");
}

/** Returns the character of an escape, by the groups of its match. */
function characterOf(_match: string, ...groups: readonly (string | undefined)[]): string {
  const [json, itself, percent, hex, decimal, name = ""] = groups;
  const code = json ?? percent ?? hex;
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
  if (decimal !== undefined) return String.fromCharCode(Number(decimal));
  return itself ?? named[name.toLowerCase()] ?? "";
}

/**
 * Summarizes the error of an underlying library (ky, undici): name, code and message without secrets. The error itself
 * is not passed on: it holds the headers of the request, and its message may quote a header value that was refused.
 */
export function summarize(error: unknown, secrets: readonly string[]): Error | undefined {
  const chain = causesOf(error).map((link) => {
    const code = runtimeCodeOf(link);
    return `${link.name}: ${code !== undefined && !link.message.includes(code) ? `${code} ` : ""}${link.message}`;
  });
  if (chain.length === 0) return undefined;
  const summary = new Error(oneLine(redact(chain.join(" ← "), secrets)).slice(0, 300));
  delete summary.stack;
  return summary;
}

/** Returns the error and its causes, at most four deep: cause chains can be cyclic. */
export function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let link = error; link instanceof Error && chain.length < 4; link = link.cause) chain.push(link);
  return chain;
}

/** Returns the error code of the runtime, such as `ECONNRESET`. */
export function runtimeCodeOf(error: Error & { readonly code?: unknown }): string | undefined {
  return typeof error.code === "string" ? error.code : undefined;
}
