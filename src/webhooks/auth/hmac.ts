import { ConfigurationError } from "../../errors/request.ts";
import { WebhookAuthError } from "../../errors/webhook.ts";
import type { CheckOutcome, ReceivedDelivery, SigningMoment, WebhookCheck } from "./check.ts";
import { type DigestEncoding, equalText, type Mac } from "./mac.ts";
import { prepareSecrets } from "./secret.ts";
import { checkTimestamp, type TimestampUnit, writeTimestamp } from "./timestamp.ts";

/** What a signature can be made over. Values of headers that are not configured are empty. */
export interface SignedParts {
  /** The raw bytes of the body. */
  readonly body: Uint8Array;
  /** The value of `timestampHeader`. */
  readonly timestamp: string;
  /** The value of `idHeader`. */
  readonly id: string;
  /** The value of `nonceHeader`. */
  readonly nonce: string;
}

/** Options of {@link hmac}. §5 does not show the header's name or the procedure: ask the service operator. */
export interface HmacOptions {
  /** The header that carries the signature. */
  readonly header: string;
  /** Secrets, any of which may have signed: two while one replaces the other. Text is taken as UTF-8. */
  readonly secrets: readonly (string | Uint8Array)[];
  /** How the signature is written. @default "hex" */
  readonly encoding?: DigestEncoding | undefined;
  /** What stands before each signature, such as `sha256=`. @default "" */
  readonly prefix?: string | undefined;
  /** What is signed. @default "body" */
  readonly signed?:
    | "body"
    | "timestamp.body"
    | "id.timestamp.body"
    | ((parts: SignedParts) => string | Uint8Array)
    | undefined;
  /** The header with the time of signing. Have `signed` cover it, or anyone can change it. */
  readonly timestampHeader?: string | undefined;
  /** @default "seconds" */
  readonly timestampUnit?: TimestampUnit | undefined;
  /** Milliseconds by which the timestamp may differ from this clock, both ways. @default 300_000 */
  readonly tolerance?: number | undefined;
  /** The header with the delivery's identifier. */
  readonly idHeader?: string | undefined;
  /** The header with a nonce that is accepted once (§5, for high-risk transactions). Have `signed` cover it. */
  readonly nonceHeader?: string | undefined;
}

/**
 * Checks an HMAC SHA-256 signature over the raw body (§5; docs/assumptions.md, W3), in constant time.
 *
 * @param options - See {@link HmacOptions}.
 * @returns A check for `auth`; with it, `webhooks.sign(event, check)` makes signed deliveries for tests.
 * @throws ConfigurationError for an empty secret, or a `signed` whose header is not named.
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
  checkOptions(options);
  const macs = prepareSecrets("hmac", options.secrets);
  return {
    name: "hmac",
    check: (delivery) => checkSignature(options, macs, delivery),
    sign: (body, moment) => signBody(options, macs, body, moment),
  };
}

/** More candidates than a rotation needs would let a sender make us compute for ever. */
const maxSignatures = 10;

function checkSignature(
  options: HmacOptions,
  macs: readonly Mac[],
  delivery: ReceivedDelivery,
): CheckOutcome | Promise<CheckOutcome> {
  const given = read(delivery, options.header);
  if (given === "") throw refusal("signatureMissing", `The header "${options.header}" is missing.`);
  const parts = partsOf(options, delivery);
  const candidates = splitSignatures(given, options);
  const outcome = options.nonceHeader === undefined ? undefined : { nonce: parts.nonce };
  const content = contentOf(options, parts);

  const tryFrom = (index: number): CheckOutcome | Promise<CheckOutcome> => {
    const mac = macs[index];
    if (mac === undefined) throw mismatch(options);
    const digest = mac.digest(options.encoding ?? "hex", ...content);
    // No `await` where node:crypto has the digest at once: a promise costs as much as the digest's comparison.
    return typeof digest === "string" ? compare(digest, index) : digest.then((text) => compare(text, index));
  };
  const compare = (digest: string, index: number) =>
    matchesAny(withoutPadding(digest), candidates) ? outcome : tryFrom(index + 1);
  return tryFrom(0);
}

function partsOf(options: HmacOptions, delivery: ReceivedDelivery): SignedParts {
  const timestamp = read(delivery, options.timestampHeader);
  if (options.timestampHeader !== undefined) {
    if (timestamp === "") throw refusal("timestampMissing", `The header "${options.timestampHeader}" is missing.`);
    const { tolerance = 300_000, timestampUnit = "seconds" } = options;
    checkTimestamp(timestamp, delivery.now, tolerance, timestampUnit);
  }
  const nonce = read(delivery, options.nonceHeader);
  if (options.nonceHeader !== undefined && (nonce === "" || nonce.length > 256)) {
    throw refusal("nonceMissing", `The header "${options.nonceHeader}" is missing, or longer than 256 characters.`);
  }
  return { body: delivery.body, timestamp, id: read(delivery, options.idHeader), nonce };
}

function read(delivery: ReceivedDelivery, header: string | undefined): string {
  return (header === undefined ? undefined : delivery.header(header.toLowerCase())?.trim()) ?? "";
}

/** Several signatures stand apart by spaces (Standard Webhooks) or commas. */
function splitSignatures(given: string, { prefix = "", encoding }: HmacOptions): readonly string[] {
  const all = given.split(prefix.includes(",") ? /\s+/ : /[\s,]+/, maxSignatures);
  const ours = all
    .filter((signature) => signature.startsWith(prefix))
    .map((signature) => signature.slice(prefix.length));
  return ours.map((signature) => withoutPadding(encoding === "hex" || !encoding ? signature.toLowerCase() : signature));
}

/** Every candidate is compared, also after a match. */
function matchesAny(digest: string, candidates: readonly string[]): boolean {
  let matches = false;
  for (const candidate of candidates) if (equalText(digest, candidate)) matches = true;
  return matches;
}

function withoutPadding(text: string): string {
  return text.endsWith("=") ? text.replace(/=+$/, "") : text;
}

const utf8 = (text: string) => new TextEncoder().encode(text);

function contentOf({ signed = "body" }: HmacOptions, parts: SignedParts): readonly Uint8Array[] {
  switch (signed) {
    case "body":
      return [parts.body];
    case "timestamp.body":
      return [utf8(`${parts.timestamp}.`), parts.body];
    case "id.timestamp.body":
      return [utf8(`${parts.id}.${parts.timestamp}.`), parts.body];
    default: {
      const content = signed(parts);
      return [typeof content === "string" ? utf8(content) : content];
    }
  }
}

async function signBody(
  options: HmacOptions,
  macs: readonly Mac[],
  body: Uint8Array,
  { now, id }: SigningMoment,
): Promise<Record<string, string>> {
  const { timestampHeader, timestampUnit = "seconds", idHeader, nonceHeader, prefix = "", encoding = "hex" } = options;
  const timestamp = timestampHeader === undefined ? "" : writeTimestamp(now, timestampUnit);
  const content = contentOf(options, {
    body,
    timestamp,
    id: idHeader === undefined ? "" : id,
    nonce: nonceHeader === undefined ? "" : id,
  });
  const [digest] = await Promise.all(macs.slice(0, 1).map((mac) => mac.digest(encoding, ...content)));
  return {
    ...(timestampHeader !== undefined && { [timestampHeader]: timestamp }),
    ...(idHeader !== undefined && { [idHeader]: id }),
    ...(nonceHeader !== undefined && { [nonceHeader]: id }),
    [options.header]: `${prefix}${digest}`,
  };
}

function checkOptions({ header, signed, timestampHeader, idHeader }: HmacOptions): void {
  if (typeof header !== "string" || header === "") throw new ConfigurationError("hmac: `header` must name a header.");
  if (typeof signed !== "string" || signed === "body") return;
  if (timestampHeader === undefined) {
    throw new ConfigurationError(`hmac: \`timestampHeader\` must name the header that "${signed}" is made from.`);
  }
  if (signed === "id.timestamp.body" && idHeader === undefined) {
    throw new ConfigurationError(`hmac: \`idHeader\` must name the header that "${signed}" is made from.`);
  }
}

function mismatch({ header }: HmacOptions): WebhookAuthError {
  return refusal(
    "signatureMismatch",
    `No signature in "${header}" fits. Is it the raw body, before any JSON parser? Is it the right secret, encoding and prefix?`,
  );
}

function refusal(
  reason: "signatureMissing" | "signatureMismatch" | "timestampMissing" | "nonceMissing",
  message: string,
) {
  return new WebhookAuthError({ reason, message });
}
