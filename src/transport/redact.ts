import { toHex } from "../shared/bytes.ts";
import { isObjectOrList } from "../shared/json.ts";
import type { ResponseHeaders } from "./direct-response.ts";

/** Headers whose value is a credential. */
const credentialHeader =
  /^(proxy-)?authorization$|^(set-)?cookie2?$|(^|[-_])(api-?key|key|token|secret|signature|password|passphrase|credentials?|auth)$/i;

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
export function secretsOf(clientSecret: string, headers: Readonly<Record<string, string>> = {}): readonly string[] {
  const given = Object.entries(headers).filter(([name]) => isCredentialHeader(name));
  return [clientSecret, ...given.flatMap(([, value]) => [value, ...credentialsOf(value)])].filter(
    (secret) => secret.length >= minLength,
  );
}

/** The part of `Bearer …` that gateways echo without its scheme. A short one could be an ordinary word. */
function credentialsOf(value: string): readonly string[] {
  const [, credentials] = /^(?:bearer|basic|token) +(\S{16,})$/i.exec(value) ?? [];
  return credentials === undefined ? [] : [credentials];
}

/** Replaces all secrets in a string, also as JSON, URLs, forms, HTML, base64 and hex spell them. */
export function redact(text: string, secrets: readonly string[]): string {
  return redactor(secrets)(text);
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
export function redactHeaders(headers: ResponseHeaders, secrets: readonly string[]): Headers {
  const clean = redactor(secrets);
  const entries = [...headers];
  const cleaned = entries.map(([name, value]): [string, string] => [name, clean(value)]);
  const isClean = cleaned.every(([, value], i) => value === entries[i]?.[1]);
  return isClean && headers instanceof Headers ? headers : new Headers(cleaned);
}

/** Prepared once for each call, whose list it is. */
const prepared = new WeakMap<readonly string[], readonly (string | RegExp)[]>();

/** Returns the function that {@link redact} applies, for many strings. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const patterns = prepared.get(secrets) ?? patternsOf(secrets);
  prepared.set(secrets, patterns);
  return (text) => patterns.reduce<string>((clean, pattern) => clean.replaceAll(pattern, "[redacted]"), text);
}

function patternsOf(secrets: readonly string[]): readonly (string | RegExp)[] {
  // The longest first: one may contain another.
  return secrets
    .toSorted((a, b) => b.length - a.length)
    .flatMap((secret) => {
      const patterns = (secret.match(parts) ?? []).map(patternOf);
      // A part that repeats itself may be found where no part begins.
      return patterns.length > 1 ? [secret, ...patterns] : patterns;
    });
}

/** A secret is looked for in parts if its pattern could be too long for the runtime, whose error would quote it. */
const parts = /.{64,128}(?=.{64}|$)|.+/gs;

function patternOf(secret: string): RegExp {
  const bytes = new TextEncoder().encode(secret);
  const hex = toHex(bytes);
  const plain = secret.replaceAll(special, spelled);
  // A short secret is replaced as a whole word only: "test" is a part of "latest".
  return /^\w{1,7}$/.test(secret)
    ? new RegExp(`\\b(?:${plain}|${hex}|${hex.toUpperCase()}|${base64Of(bytes, 0)})\\b`, "g")
    : new RegExp([plain, hex, ...[0, 1, 2].map((offset) => base64Of(bytes, offset))].join("|"), "gi");
}

const special = /[^a-z\d]/gi;

/** A special character as it is, and as JSON, URLs, forms and HTML escape it. */
function spelled(character: string): string {
  const code = character.charCodeAt(0);
  const hex = code.toString(16);
  const percent = toHex(new TextEncoder().encode(character)).replaceAll(/../g, "%$&");
  return `(?:\\\\{0,3}(?:\\${character}|u${hex.padStart(4, "0")})|${percent}|&(?:#0*${code}|#x0*${hex}|\\w{2,4});${character === " " ? "|\\+" : ""})`;
}

/** Base64 of either alphabet, also as a part of more bytes: the characters that depend on the secret alone. */
function base64Of(bytes: Uint8Array, offset: number): string {
  const text = btoa("12".slice(0, offset) + String.fromCharCode(...bytes));
  const end = ((offset + bytes.length) * 8) / 6;
  const own = text.slice(Math.ceil((offset * 8) / 6), end).replaceAll(special, (c) => `(?:${spelled(c)}|[-_])`);
  return Number.isInteger(end) ? own : `${own}[\\w+/-]?={0,2}`;
}
