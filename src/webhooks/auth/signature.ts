import { WebhookAuthError, type WebhookAuthReason } from "../../errors/webhook.ts";
import type { CheckOutcome, ReceivedDelivery, SigningMoment } from "./check.ts";
import { type DigestEncoding, equalText, type Mac } from "./mac.ts";
import type { Keys } from "./secret.ts";
import { type SignedFunction, type SignedParts, type SignedPreset, signedContent } from "./signed-parts.ts";
import type { TimestampScheme } from "./timestamp.ts";

/** The place of a value: its own header, or a field of the signature's header. */
export interface ValuePlace {
  /** In its original case, for messages and for signing. */
  readonly header: string;
  readonly field?: string;
}

/** A configured signature procedure. */
export interface SignatureScheme {
  readonly signature: ValuePlace;
  readonly timestamp: ValuePlace | undefined;
  readonly id: ValuePlace | undefined;
  readonly nonce: ValuePlace | undefined;
  readonly prefix: string;
  readonly encoding: DigestEncoding;
  readonly signed: SignedPreset | SignedFunction;
  readonly times: TimestampScheme;
  readonly keys: Keys;
}

// An unauthenticated sender controls all of these: the bounds keep the work small.
const maxSignatureHeader = 4_096;
/** As many as a rotation needs, and no more than are cheap to compare. */
const maxSignatures = 10;
const maxValue = 256;

/** Checks the signature of a delivery; without a promise if the keys and the digests need none. */
export function checkSignature(
  scheme: SignatureScheme,
  delivery: ReceivedDelivery,
): CheckOutcome | Promise<CheckOutcome> {
  const { header } = scheme.signature;
  const given = readHeader(delivery, header);
  if (given === "") throw refusal("signatureMissing", `The header "${header}" is missing.`);
  if (given.length > maxSignatureHeader) {
    throw refusal("signatureMismatch", `The header "${header}" is longer than ${maxSignatureHeader} characters.`);
  }
  const { parts, stale, signatures } = readDelivery(scheme, delivery, given);
  const fresh = scheme.nonce === undefined ? undefined : { nonce: parts.nonce };
  const outcome = stale === undefined ? fresh : { stale };
  const content = signedContent(scheme.signed, parts);
  const candidates = signatures.map((signature) => candidateOf(signature, scheme));

  const tryFrom = (keys: readonly Mac[], index: number): CheckOutcome | Promise<CheckOutcome> => {
    const key = keys[index];
    if (key === undefined) throw mismatch(scheme, delivery, given);
    const compare = (digest: string) => (matchesAny(digest, candidates) ? outcome : tryFrom(keys, index + 1));
    const digest = key.digest(scheme.encoding, content);
    // No `await` for the digest of node:crypto: a promise costs as much as the comparison.
    return typeof digest === "string" ? compare(digest) : digest.then(compare);
  };
  const keys = scheme.keys();
  return keys instanceof Promise ? keys.then((ready) => tryFrom(ready, 0)) : tryFrom(keys, 0);
}

/** Returns the headers that {@link checkSignature} accepts. */
export async function signBody(
  scheme: SignatureScheme,
  body: Uint8Array,
  { now, id }: SigningMoment,
): Promise<Record<string, string>> {
  const { timestamp, nonce } = scheme;
  const parts: SignedParts = {
    body,
    timestamp: timestamp === undefined ? "" : scheme.times.write(now),
    id: scheme.id === undefined ? "" : id,
    nonce: nonce === undefined ? "" : id,
  };
  const [key] = await scheme.keys();
  const digest = await key?.digest(scheme.encoding, signedContent(scheme.signed, parts));
  const headers: Record<string, string> = {};
  const put = (place: ValuePlace | undefined, value: string) => {
    if (place === undefined) return;
    const { header, field } = place;
    const before = headers[header];
    headers[header] = field === undefined ? value : `${before === undefined ? "" : `${before},`}${field}=${value}`;
  };
  put(timestamp, parts.timestamp);
  put(scheme.id, parts.id);
  put(nonce, parts.nonce);
  put(scheme.signature, `${scheme.prefix}${digest}`);
  return headers;
}

/** Returns a header without white space around it; an empty string if it is missing. */
export function readHeader(delivery: ReceivedDelivery, header: string): string {
  return delivery.header(header.toLowerCase())?.trim() ?? "";
}

function readDelivery(scheme: SignatureScheme, delivery: ReceivedDelivery, given: string) {
  const { timestamp, id, nonce } = scheme;
  const fields = scheme.signature.field === undefined ? [] : splitFields(given);
  const valuesOf = (name: string) => fields.filter(([field]) => field === name).map(([, value]) => value);
  const read = (place: ValuePlace | undefined): string => {
    if (place === undefined) return "";
    return (place.field === undefined ? readHeader(delivery, place.header) : valuesOf(place.field)[0]) ?? "";
  };
  const parts: SignedParts = { body: delivery.body, timestamp: read(timestamp), id: read(id), nonce: read(nonce) };
  const stale = timestamp && checkTimestamp(scheme, timestamp, parts.timestamp, delivery.now);
  if (nonce !== undefined) requireNonce(parts.nonce, describe(nonce));
  if (parts.id.length > maxValue) throw refusal("signatureMismatch", `The id is longer than ${maxValue} characters.`);
  const { field } = scheme.signature;
  const signatures = field === undefined ? splitSignatures(given, scheme.prefix) : valuesOf(field);
  return { parts, stale, signatures: signatures.slice(0, maxSignatures) };
}

function checkTimestamp({ times }: SignatureScheme, place: ValuePlace, text: string, now: number) {
  if (text === "") throw refusal("timestampMissing", `${describe(place)} is missing.`);
  return times.check(text, now);
}

/** Throws for a nonce that cannot be claimed. `what` begins the message. */
export function requireNonce(nonce: string, what: string): void {
  if (nonce === "" || nonce.length > maxValue) {
    throw refusal("nonceMissing", `${what} is missing, or longer than ${maxValue} characters.`);
  }
}

function describe({ header, field }: ValuePlace): string {
  return field === undefined ? `The header "${header}"` : `The field "${field}" of the header "${header}"`;
}

/** `t=1614265330,v1=5257…`, separated by commas (Stripe) or semicolons. */
function splitFields(given: string): readonly (readonly [name: string, value: string])[] {
  return given.split(/[,;]/).map((field) => {
    const equals = field.indexOf("=");
    return [field.slice(0, Math.max(0, equals)).trim(), field.slice(equals + 1).trim()] as const;
  });
}

/** Several signatures are separated by spaces (Standard Webhooks) or commas; neither if the prefix holds one. */
function splitSignatures(given: string, prefix: string): readonly string[] {
  if (prefix.includes(",")) return given.split(/\s+/, maxSignatures);
  if (/\s/.test(prefix)) return given.split(",", maxSignatures).map((signature) => signature.trim());
  return given.split(/[\s,]+/, maxSignatures);
}

/** Returns the digest in a candidate, or an empty string if it cannot be one. */
function candidateOf(signature: string, { prefix, encoding }: SignatureScheme): string {
  if (!signature.startsWith(prefix)) return "";
  const text = withoutPadding(signature.slice(prefix.length));
  if (text.length > 64) return "";
  return encoding === "hex" ? text.toLowerCase() : text;
}

/** Without the `=` that the base64 of a digest ends in. */
function withoutPadding(text: string): string {
  return text.endsWith("=") ? text.slice(0, -1) : text;
}

/** All candidates are compared, even after a match. */
function matchesAny(digest: string, candidates: readonly string[]): boolean {
  const expected = withoutPadding(digest);
  let matches = false;
  for (const candidate of candidates) if (equalText(expected, candidate)) matches = true;
  return matches;
}

function mismatch({ signature, prefix }: SignatureScheme, delivery: ReceivedDelivery, given: string): WebhookAuthError {
  const rules: readonly (readonly [applies: boolean, advice: string])[] = [
    [/["']/.test(given), "It is in quotes: have the sender or the proxy that adds them leave them out."],
    [
      !given.includes(prefix) && given.toLowerCase().includes(prefix.toLowerCase()),
      "Its prefix has other capitals than `prefix`: set that as it is sent.",
    ],
    [!given.includes(prefix), "It does not begin with `prefix`."],
    [
      delivery.header("content-encoding") !== undefined,
      "The body has a `content-encoding`: pass it as it was signed, not compressed or decompressed.",
    ],
    [true, "Check the secret, encoding and prefix, and that the body is raw, not parsed."],
  ];
  const advice = rules.find(([applies]) => applies)?.[1];
  return refusal("signatureMismatch", `No signature in "${signature.header}" matches. ${advice}`);
}

function refusal(reason: WebhookAuthReason, message: string): WebhookAuthError {
  return new WebhookAuthError({ reason, message });
}
