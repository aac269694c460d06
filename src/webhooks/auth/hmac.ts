import { ConfigurationError } from "../../errors/request.ts";
import { WebhookAuthError } from "../../errors/webhook.ts";
import { fromBase64, toBytes } from "../../shared/bytes.ts";
import { isString } from "../../shared/json.ts";
import { anyOf, anything, func, headerName, oneOf, type Rules, readOptions, string } from "../../shared/options.ts";
import { ignoreRejection } from "../../shared/promises.ts";
import { authError, type ReceivedDelivery, readHeader, type WebhookCheck } from "./check.ts";
import { checkFreshness, type FreshnessHeaders, freshnessRules, maxNonce, writeFreshness } from "./freshness.ts";
import { type DigestEncoding, equalText } from "./mac.ts";
import { checkSecret, type Keys, prepareSecrets, type SecretSources } from "./secret.ts";

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
  readonly secrets?: SecretSources;
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
  prefix: (value, name) =>
    string(value, name) ??
    (/,/.test(`${value}`) && /\s/.test(`${value}`) ? "must not contain both white space and a comma" : undefined),
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
  checkCoverage(given);
  return signatureCheck("hmac", { ...given, keys: prepareSecrets("hmac", options) });
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

/** Options of {@link standardWebhooks}. */
export interface StandardWebhooksOptions {
  /**
   * The accepted secrets: base64, with or without the prefix `whsec_`, as in the Standard Webhooks specification; or
   * functions that return them, called for each delivery.
   *
   * @default the environment variable `SERVICEAPI_WEBHOOK_SECRET`, one secret on each line
   */
  readonly secrets?: SecretSources<string>;
  /** Milliseconds by which the timestamp may differ from this clock, in both directions: a day at most. @default 300_000 */
  readonly tolerance?: number | undefined;
}

/** 112 bits, the least that NIST SP 800-131A allows for HMAC. The specification itself asks for 24 bytes. */
const minKeyBytes = 14;

/**
 * Returns a check of the signature of the Standard Webhooks specification: `webhook-id`, `webhook-timestamp` and
 * `webhook-signature` over `id.timestamp.body` (§5; docs/assumptions.md, W4).
 *
 * @param options - See {@link StandardWebhooksOptions}.
 * @throws ConfigurationError for an unknown option, and for a secret that is empty, invalid base64, or shorter than 14
 *   bytes.
 *
 * @example
 * ```ts
 * import { standardWebhooks, Webhooks } from "serviceapi/webhooks";
 *
 * const webhooks = new Webhooks({ auth: [standardWebhooks({ secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] })] });
 * ```
 */
export function standardWebhooks(options: StandardWebhooksOptions = {}): WebhookCheck {
  const standardRules: Rules<StandardWebhooksOptions> = { secrets: anything, tolerance: freshnessRules.tolerance };
  const { tolerance } = readOptions("standardWebhooks", options, standardRules);
  return signatureCheck("standardWebhooks", {
    header: "webhook-signature",
    prefix: "v1,",
    encoding: "base64",
    keys: prepareSecrets("standardWebhooks", options, decodeSecret),
    signed: "nonce.timestamp.body",
    timestampHeader: "webhook-timestamp",
    tolerance,
    idHeader: "webhook-id",
  });
}

function decodeSecret(what: string, secret: unknown): Uint8Array {
  const text = checkSecret(what, isString(secret) ? secret.replace(/^whsec_/, "") : secret);
  const key = fromBase64(String(text));
  if (key === undefined) throw new ConfigurationError(`${what} is not base64, with or without the prefix whsec_.`);
  if (key.length >= minKeyBytes) return checkSecret(what, key);
  throw new ConfigurationError(
    `${what} has only ${key.length} bytes; at least ${minKeyBytes} are needed. Copy all of it.`,
  );
}

/** The form of a signature, and what it covers. */
interface SignatureScheme extends Omit<HmacOptions, "secrets"> {
  readonly keys: Keys;
  /** The header whose value is signed as the nonce, but may come again. @default `nonceHeader`, which may not */
  readonly idHeader?: string;
}

/** More than any rotation needs, few enough to compare all of them. */
const maxSignatures = 10;
/** Ten signatures take less: all of the header is attacked by whoever sends a delivery. */
const maxHeader = 4_096;

/** Returns the check of a scheme, which accepts a delivery that one of the secrets has signed. */
function signatureCheck(name: string, scheme: SignatureScheme): WebhookCheck {
  const { header, prefix = "", encoding = "hex", keys, idHeader, timestampHeader, nonceHeader } = scheme;
  return {
    name,
    check(delivery) {
      const given = readHeader(delivery, header);
      if (given === "") throw authError("signatureMissing", `The header "${header}" is missing.`);
      if (given.length > maxHeader) throw tooLong(header, maxHeader);
      const outcome = (timestampHeader ?? nonceHeader) ? checkFreshness(scheme, delivery) : undefined;
      const content = contentOf(scheme, delivery.body, (part) => {
        const value = readHeader(delivery, part);
        if (value.length > maxNonce) throw tooLong(part ?? "", maxNonce);
        return value;
      });
      const candidates = candidatesIn(given, prefix, encoding);
      const decide = (digests: readonly string[]) => {
        let matches = false;
        // All candidates are compared with all digests, even after a match.
        for (const digest of digests) {
          for (const candidate of candidates) if (equalText(digest, candidate)) matches = true;
        }
        if (matches) return outcome;
        const advice = explainMismatch(prefix, given, delivery);
        throw authError("signatureMismatch", `No signature in "${header}" matches. ${advice}`);
      };
      const digests = digestsOf(keys, encoding, content);
      return digests instanceof Promise ? digests.then(decide) : decide(digests);
    },
    async sign(body, moment) {
      const headers = writeFreshness(scheme, moment);
      if (idHeader !== undefined) headers[idHeader] = moment.id;
      const content = contentOf(scheme, body, (part = "") => headers[part] ?? "");
      const [digest] = await digestsOf(keys, encoding, content);
      return { ...headers, [header]: `${prefix}${digest}` };
    },
  };
}

/** Returns the signed content, in pieces; `read` returns a header, or an empty string if there is none. */
function contentOf(
  { signed = "body", timestampHeader, nonceHeader, idHeader = nonceHeader }: SignatureScheme,
  body: Uint8Array,
  read: (header: string | undefined) => string,
): readonly Uint8Array[] {
  if (signed === "body") return [body];
  const parts = { timestamp: read(timestampHeader), nonce: read(idHeader) };
  if (typeof signed !== "function") {
    const before = signed.slice(0, -"body".length).replaceAll(/timestamp|nonce/g, (part) => parts[part as "nonce"]);
    return [new TextEncoder().encode(before), body];
  }
  let content: unknown;
  try {
    content = signed({ ...parts, body });
  } catch (cause) {
    throw new WebhookAuthError({ reason: "signatureMismatch", message: "The function `signed` threw.", cause });
  }
  const bytes = toBytes(content);
  if (bytes !== undefined) return [bytes];
  ignoreRejection(content);
  throw new ConfigurationError("hmac: the function `signed` must return a string or a Uint8Array.");
}

/** Returns the digest under each key; without a promise if the runtime has node:crypto and no secret is a function. */
function digestsOf(
  keys: Keys,
  encoding: DigestEncoding,
  content: readonly Uint8Array[],
): readonly string[] | Promise<readonly string[]> {
  if (typeof keys === "function") return keys().then((macs) => digestsOf(macs, encoding, content));
  const digests: (string | Promise<string>)[] = [];
  for (const mac of keys) digests.push(mac(encoding, content));
  return digests.every(isString) ? digests : Promise.all(digests);
}

/**
 * Returns the digests in a header. Several signatures are separated by spaces (Standard Webhooks) or commas; neither if
 * the prefix holds one. The `=` that the base64 of a digest ends in may be missing.
 */
function candidatesIn(given: string, prefix: string, encoding: DigestEncoding): readonly string[] {
  const separator = prefix.includes(",") ? /\s+/ : /\s/.test(prefix) ? "," : /[\s,]+/;
  const candidates: string[] = [];
  for (const part of given.split(separator, maxSignatures)) {
    const signature = part.trim();
    if (!signature.startsWith(prefix)) continue;
    const text = signature.slice(prefix.length).replace(/=?$/, encoding === "base64" ? "=" : "");
    candidates.push(encoding === "hex" ? text.toLowerCase() : text);
  }
  return candidates;
}

function explainMismatch(prefix: string, given: string, delivery: ReceivedDelivery): string {
  if (/["']/.test(given)) return "It is in quotes: have whoever adds them leave them out.";
  if (!given.includes(prefix)) {
    return given.toLowerCase().includes(prefix.toLowerCase())
      ? "Its prefix has other capitals than `prefix`: set that as it is sent."
      : "It does not begin with `prefix`.";
  }
  return delivery.header("content-encoding") === undefined
    ? "Check the secret, encoding and prefix, and that the body is raw, not parsed."
    : "The body has a `content-encoding`: pass it as it was signed, not compressed or decompressed.";
}

function tooLong(header: string, max: number): WebhookAuthError {
  return authError("signatureMismatch", `The header "${header}" is longer than ${max} characters.`);
}
