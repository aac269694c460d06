import { ConfigurationError } from "../../errors/request.ts";
import { WebhookAuthError } from "../../errors/webhook.ts";
import { anyOf, anything, func, headerName, oneOf, type Rules, readOptions, string } from "../../shared/options.ts";
import { ignoreRejection } from "../../shared/promises.ts";
import type { CheckOutcome, ReceivedDelivery, SigningMoment, WebhookCheck } from "./check.ts";
import {
  type FreshnessHeaders,
  freshnessRules,
  readFreshness,
  readHeader,
  refusal,
  writeFreshness,
} from "./freshness.ts";
import { type DigestEncoding, equalText } from "./mac.ts";
import { type Keys, prepareSecrets, type SecretSource } from "./secret.ts";

/** The signed parts, joined by dots. */
export const signedPresets = ["body", "timestamp.body", "timestamp.nonce.body", "nonce.timestamp.body"] as const;

/** The parts of a delivery that a signature can cover. A part that is not configured is an empty string. */
interface SignedParts {
  /** The raw bytes of the body. */
  readonly body: Uint8Array;
  /** The value of `timestampHeader`. */
  readonly timestamp: string;
  /** The value of `nonceHeader`. */
  readonly nonce: string;
}

/** Options of {@link hmac}. §5 shows neither the name of the header nor the procedure: ask the service operator. */
export interface HmacOptions extends FreshnessHeaders {
  /** The header that carries the signature. */
  readonly header: string;
  /**
   * The accepted secrets: two during a rotation. A string is used as UTF-8. A function is called for each delivery and
   * returns the current secret, or several, so that a rotation needs no restart. If it throws or returns none, the
   * delivery is acknowledged `FAILED` and redelivered (`secretUnavailable`), even if another of the secrets fits.
   *
   * @default the environment variable `SERVICEAPI_WEBHOOK_SECRET`, one secret on each line
   */
  readonly secrets?: readonly SecretSource[] | SecretSource | undefined;
  /** Encoding of the signature. @default "hex" */
  readonly encoding?: DigestEncoding | undefined;
  /** Prefix of each signature, such as `sha256=`. @default "" */
  readonly prefix?: string | undefined;
  /**
   * The signed parts, joined by dots, or a function that returns the signed content, which is trusted: cover everything
   * that must not be changed. Anyone could change a timestamp or a nonce that is not covered, so that is refused.
   *
   * @default "body"
   */
  readonly signed?: (typeof signedPresets)[number] | ((parts: SignedParts) => string | Uint8Array) | undefined;
}

const rules: Rules<HmacOptions> = {
  ...freshnessRules,
  header: headerName,
  // Checked where the keys are prepared.
  secrets: anything,
  encoding: oneOf("hex", "base64", "base64url"),
  prefix: string,
  signed: anyOf(`must be a function or one of ${signedPresets.join(", ")}`, oneOf(...signedPresets), func),
};

/**
 * Returns a check of an HMAC SHA-256 signature over the raw body (§5; docs/assumptions.md, W3), in constant time. For a
 * signature of another form, use `custom`.
 *
 * Use the secret that the partner panel shows. It may be short, but not the string of a missing value (`undefined`), a
 * placeholder (`${NAME}`), or in quotes.
 *
 * @param options - See {@link HmacOptions}.
 * @returns A check for `auth`; `webhooks.sign(event, check)` returns deliveries signed with it, for tests.
 * @throws ConfigurationError for an unknown option or an invalid value, an invalid secret, a `signed` without its
 *   headers, and a timestamp or nonce that `signed` does not cover.
 *
 * @example
 * ```ts
 * import { hmac, Webhooks } from "serviceapi/webhooks";
 *
 * const webhooks = new Webhooks({
 *   auth: [hmac({ header: "x-signature", prefix: "sha256=", secrets: [newSecret, oldSecret] })],
 * });
 * ```
 */
export function hmac(options: HmacOptions): WebhookCheck {
  const given = readOptions("hmac", options, rules, ["header"]);
  const { header, secrets, encoding = "hex", prefix = "", signed = "body" } = given;
  checkCoverage(given);
  if (prefix.includes(",") && /\s/.test(prefix)) {
    throw new ConfigurationError("hmac: `prefix` must not contain both white space and a comma.");
  }
  const keys = prepareSecrets("hmac", secrets);
  const parts = typeof signed === "function" ? signed : (signed.split(".").slice(0, -1) as SignedHeader[]);
  const isFresh = given.timestampHeader !== undefined || given.nonceHeader !== undefined;
  return signatureCheck({ header, prefix, encoding, keys, signed: parts, freshness: isFresh ? given : undefined });
}

/** The parts of a preset must be configured, and a timestamp or nonce that it does not sign proves nothing. */
function checkCoverage(options: HmacOptions): void {
  const { signed = "body", timestampHeader } = options;
  for (const part of ["timestamp", "nonce"] as const) {
    const isSet = options[`${part}Header`] !== undefined;
    if (typeof signed === "function" || signed.split(".").includes(part) === isSet) continue;
    if (!isSet) throw new ConfigurationError(`hmac: \`${part}Header\` is missing; \`signed: "${signed}"\` needs it.`);
    const fitting = signedPresets.filter((preset) => preset.split(".").includes(part));
    throw new ConfigurationError(
      `hmac: the signature does not cover the ${part}, so anyone could change it. Set \`signed\` to ${fitting.join(", ")}, or a function.`,
    );
  }
  const unused = (["timestampFormat", "tolerance"] as const).find((name) => Object.hasOwn(options, name));
  if (timestampHeader !== undefined || unused === undefined) return;
  throw new ConfigurationError(`hmac: \`${unused}\` has no effect without \`timestampHeader\`.`);
}

type SignedHeader = "id" | "timestamp" | "nonce";

/** The form of a signature, and what it covers. */
interface SignatureScheme {
  readonly header: string;
  readonly prefix: string;
  readonly encoding: DigestEncoding;
  readonly keys: Keys;
  /** The values before the body, joined by dots, or a function that returns the signed content. */
  readonly signed: readonly SignedHeader[] | ((parts: SignedParts) => string | Uint8Array);
  readonly freshness?: FreshnessHeaders | undefined;
  /** The header with the delivery's identifier. */
  readonly idHeader?: string;
}

/** Returns the check of a scheme. */
export function signatureCheck(scheme: SignatureScheme): WebhookCheck {
  return {
    name: "hmac",
    check: (delivery) => checkSignature(scheme, delivery),
    sign: (body, moment) => signBody(scheme, body, moment),
  };
}

/** More than any rotation needs, few enough to compare all of them. */
const maxSignatures = 10;
/** Ten signatures take less: all of the header is attacked by whoever sends a delivery. */
const maxHeader = 4_096;
const maxId = 256;

/** Accepts a delivery that one of the secrets has signed. */
async function checkSignature(scheme: SignatureScheme, delivery: ReceivedDelivery): Promise<CheckOutcome> {
  const { header, encoding, freshness, idHeader } = scheme;
  const given = delivery.header(header.toLowerCase())?.trim() ?? "";
  if (given === "") throw refusal("signatureMissing", `The header "${header}" is missing.`);
  if (given.length > maxHeader) throw tooLong(`header "${header}"`, maxHeader);
  const { timestamp, nonce, outcome } = freshness === undefined ? notFresh : readFreshness(freshness, delivery);
  const id = idHeader === undefined ? "" : readHeader(delivery, idHeader);
  if (id.length > maxId) throw tooLong("id", maxId);
  const content = signedContent(scheme, { body: delivery.body, timestamp, nonce, id });
  const candidates = candidatesIn(given, scheme);
  for (const key of typeof scheme.keys === "function" ? await scheme.keys() : scheme.keys) {
    const digest = key.digest(encoding, content);
    // No `await` for the digest of node:crypto: it costs as much as the comparison.
    const expected = (typeof digest === "string" ? digest : await digest).replace(/=$/, "");
    let matches = false;
    // All candidates are compared, even after a match.
    for (const candidate of candidates) if (equalText(expected, candidate)) matches = true;
    if (matches) return outcome;
  }
  throw mismatch(scheme, delivery, given);
}

const notFresh = { timestamp: "", nonce: "", outcome: undefined };

/**
 * Returns the digests in a header. Several signatures are separated by spaces (Standard Webhooks) or commas; neither if
 * the prefix holds one. The `=` that the base64 of a digest ends in may be missing.
 */
function candidatesIn(given: string, { prefix, encoding }: SignatureScheme): readonly string[] {
  const separator = prefix.includes(",") ? /\s+/ : /\s/.test(prefix) ? "," : /[\s,]+/;
  const candidates: string[] = [];
  for (const part of given.split(separator, maxSignatures)) {
    const signature = part.trim();
    if (!signature.startsWith(prefix)) continue;
    const text = signature.slice(prefix.length).replace(/=$/, "");
    candidates.push(encoding === "hex" ? text.toLowerCase() : text);
  }
  return candidates;
}

/** Returns the headers that {@link checkSignature} accepts. */
async function signBody(
  scheme: SignatureScheme,
  body: Uint8Array,
  moment: SigningMoment,
): Promise<Record<string, string>> {
  const { header, prefix, encoding, freshness = {}, keys, idHeader } = scheme;
  const headers = writeFreshness(freshness, moment);
  if (idHeader !== undefined) headers[idHeader] = moment.id;
  const written = (name: string | undefined) => (name === undefined ? "" : (headers[name] ?? ""));
  const [timestamp, nonce] = [written(freshness.timestampHeader), written(freshness.nonceHeader)];
  const [key] = typeof keys === "function" ? await keys() : keys;
  const digest = await key?.digest(encoding, signedContent(scheme, { body, timestamp, nonce, id: moment.id }));
  return { ...headers, [header]: `${prefix}${digest}` };
}

/** The signed content, in one or two pieces. */
function signedContent(
  { signed }: SignatureScheme,
  { id, ...parts }: SignedParts & { readonly id: string },
): readonly Uint8Array[] {
  if (typeof signed === "function") return [ownContent(signed, parts)];
  if (signed.length === 0) return [parts.body];
  const before = signed.map((part) => (part === "id" ? id : parts[part])).join(".");
  return [new TextEncoder().encode(`${before}.`), parts.body];
}

function ownContent(signed: (parts: SignedParts) => unknown, parts: SignedParts): Uint8Array {
  let content: unknown;
  try {
    content = signed(parts);
  } catch (cause) {
    throw new WebhookAuthError({ reason: "signatureMismatch", message: "The function `signed` threw.", cause });
  }
  if (typeof content === "string") return new TextEncoder().encode(content);
  // Not `instanceof`: Jest gives test files a Uint8Array of their own.
  if (ArrayBuffer.isView(content)) return new Uint8Array(content.buffer, content.byteOffset, content.byteLength);
  ignoreRejection(content);
  throw new ConfigurationError("hmac: the function `signed` must return a string or a Uint8Array.");
}

function mismatch({ header, prefix }: SignatureScheme, delivery: ReceivedDelivery, given: string): WebhookAuthError {
  const causes: readonly (readonly [applies: boolean, advice: string])[] = [
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
  const advice = causes.find(([applies]) => applies)?.[1];
  return refusal("signatureMismatch", `No signature in "${header}" matches. ${advice}`);
}

function tooLong(what: string, max: number): WebhookAuthError {
  return refusal("signatureMismatch", `The ${what} is longer than ${max} characters.`);
}
