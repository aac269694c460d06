import { isObjectOrList } from "../shared/json.ts";

/** Headers whose value gets its bearer in somewhere. */
const credentialHeader =
  /^(proxy-)?authorization$|^(set-)?cookie2?$|(^|[-_])(api-?key|key|token|secret|signature|password|passphrase|credentials?|auth)$/i;

/** A shorter one would blot out words of the service; none that protects anything is shorter. */
const minLength = 4;

/**
 * What must never be printed: the client secret, and the caller's own headers that are credentials by their name. The
 * value of any other header is a word like others.
 */
export function secretsOf(clientSecret: string, headers: Readonly<Record<string, string>> = {}): readonly string[] {
  const given = Object.entries(headers).filter(([name]) => credentialHeader.test(name));
  return [clientSecret, ...given.flatMap(([, value]) => [value, ...credentialsOf(value)])].filter(
    (secret) => secret.length >= minLength,
  );
}

/** The part of `Bearer …` that gateways echo without its scheme; a short one could be a word. */
function credentialsOf(value: string): readonly string[] {
  const [, credentials] = /^(?:bearer|basic|token) +(\S{16,})$/i.exec(value) ?? [];
  return credentials === undefined ? [] : [credentials];
}

/** Replaces every secret in a string, also in the forms that JSON and URLs give it. */
export function redact(text: string, secrets: readonly string[]): string {
  return redactor(secrets)(text);
}

/**
 * Replaces every secret in a parsed JSON value, which is changed in place: it is ours, and it may be large. Without
 * recursion, because JSON may nest deeper than a stack.
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
        // Not an assignment: a key `__proto__` is a field like any other.
        const field = { value: cleanChild, writable: true, enumerable: true, configurable: true };
        Object.defineProperty(parent, cleanKey, field);
      }
      if (isObjectOrList(child)) waiting.push(child);
    }
  }
  return root.value;
}

/** The headers without secrets: the same object if there are none in it. */
export function redactHeaders(headers: Headers, secrets: readonly string[]): Headers {
  const clean = redactor(secrets);
  const entries = [...headers];
  const cleaned = entries.map(([name, value]): [string, string] => [name, clean(value)]);
  return cleaned.every(([, value], i) => value === entries[i]?.[1]) ? headers : new Headers(cleaned);
}

function redactor(secrets: readonly string[]): (text: string) => string {
  const patterns = secrets
    .flatMap((secret) => [...new Set([secret, JSON.stringify(secret).slice(1, -1), encoded(secret)])])
    // The longest first: one may hold another.
    .toSorted((a, b) => b.length - a.length)
    .map(patternOf);
  return (text) => patterns.reduce<string>((clean, pattern) => clean.replaceAll(pattern, "[redacted]"), text);
}

/** A short secret is replaced as a whole word only: "test" is a part of "latest". */
function patternOf(secret: string): string | RegExp {
  return /^\w{1,7}$/.test(secret) ? new RegExp(`\\b${secret}\\b`, "g") : secret;
}

function encoded(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret; // Half of a surrogate pair, which a header cannot carry anyway.
  }
}

/**
 * What may be told of a library's error (ky, undici): its name, code and message without secrets. The error itself holds
 * the request's headers, and a refused header value is quoted in the message, so it is never passed on.
 */
export function summarize(error: unknown, secrets: readonly string[]): Error | undefined {
  const chain = causesOf(error).map((link) => {
    const code = codeOf(link);
    return `${link.name}: ${code !== undefined && !link.message.includes(code) ? `${code} ` : ""}${link.message}`;
  });
  if (chain.length === 0) return undefined;
  const summary = new Error(redact(chain.join(" ← "), secrets).slice(0, 300));
  delete summary.stack;
  return summary;
}

/** An error and what caused it, four at most: a cause may lead back to where it began. */
export function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let link = error; link instanceof Error && chain.length < 4; link = link.cause) chain.push(link);
  return chain;
}

/** The runtime's word for a failure, such as `ECONNRESET`. */
export function codeOf(error: Error & { readonly code?: unknown }): string | undefined {
  return typeof error.code === "string" ? error.code : undefined;
}

/** The texts of a body that say nothing about a person. Everything else is masked, unknown fields included. */
const plainKeys = new Set([
  "status",
  "statusCode",
  "status_code",
  "event",
  "response_status",
  "accountStatus",
  "client_referenceId",
  "trace_id",
  "consent",
  "currency",
  "airline_code",
  "fare_type",
  "passenger_type",
  "flight_status",
]);

/** A longer one is no code and no name of ours. */
const longestPlain = 64;
/** Shorter numbers are amounts, counts and codes. */
const longestNumber = 1e6;
/** A field that a schema could name; what is not one may be a person's: an address, a number. */
const fieldName = /^(?!.*\d{6})[\w$.-]{1,64}$/;

/** A body as it may stand in a log line: its shape, its plain fields, and the length of every other string. */
export function maskPersonalData(value: unknown, secrets: readonly string[] = []): unknown {
  const clean = redactor(secrets);
  return masked(value, "", { clean, secrets });
}

interface Mask {
  readonly clean: (text: string) => string;
  readonly secrets: readonly string[];
}

function masked(value: unknown, key: string, mask: Mask): unknown {
  if (typeof value === "string") {
    return plainKeys.has(key) && value.length <= longestPlain ? mask.clean(value) : `[${value.length} characters]`;
  }
  if (typeof value === "number") {
    const isShown = Math.abs(value) < longestNumber && !mask.secrets.includes(String(value));
    return isShown ? value : "[number]";
  }
  if (Array.isArray(value)) return value.map((element) => masked(element, key, mask));
  if (!isObjectOrList(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [maskedName(name, mask), masked(field, name, mask)]),
  );
}

function maskedName(name: string, { clean }: Mask): string {
  return fieldName.test(name) ? clean(name) : `[name of ${name.length} characters]`;
}
