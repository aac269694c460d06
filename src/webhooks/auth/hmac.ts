import { ConfigurationError } from "../../errors/request.ts";
import { anyOf, anything, func, headerName, oneOf, type Rules, readOptions, string } from "../../shared/options.ts";
import type { WebhookCheck } from "./check.ts";
import type { DigestEncoding } from "./mac.ts";
import { type DecodeSecret, prepareSecrets, type SecretSource } from "./secret.ts";
import { checkSignature, type SignatureScheme, signBody, type ValuePlace } from "./signature.ts";
import { type SignedFunction, type SignedPreset, signedPresets } from "./signed-parts.ts";
import { type TimestampOptions, timestampRules, timestampScheme } from "./timestamp.ts";

export type { SignedPreset } from "./signed-parts.ts";

/** The names of the fields in a header that holds several values, such as `t=1614265330,v1=5257a869…`. */
export interface SignatureFields {
  /** The field of the signature, such as `v1`. It may occur several times. */
  readonly signature: string;
  /** The field of the timestamp, such as `t`. */
  readonly timestamp?: string | undefined;
  /** The field of the delivery's identifier. */
  readonly id?: string | undefined;
  /** The field of the nonce. */
  readonly nonce?: string | undefined;
}

/** Options of {@link hmac}. §5 shows neither the name of the header nor the procedure: ask the service operator. */
export interface HmacOptions extends TimestampOptions {
  /** The header that carries the signature. */
  readonly header: string;
  /**
   * The accepted secrets: two during a rotation. A string is used as UTF-8. A function is called for each delivery and
   * returns the current secret, or several, so that a rotation needs no restart. If it throws or returns none, the
   * delivery is acknowledged `FAILED` and redelivered (`secretUnavailable`).
   *
   * @default the environment variable `SERVICEAPI_WEBHOOK_SECRET`, one secret on each line
   */
  readonly secrets?: readonly SecretSource[] | SecretSource | undefined;
  /** Encoding of the signature. @default "hex" */
  readonly encoding?: DigestEncoding | undefined;
  /** Prefix of each signature, such as `sha256=`. @default "" */
  readonly prefix?: string | undefined;
  /** The signed parts, joined by dots, or a function that returns the signed content. @default "body" */
  readonly signed?: SignedPreset | SignedFunction | undefined;
  /** The header with the time of signing. `signed` must cover it, because anyone could change it otherwise. */
  readonly timestampHeader?: string | undefined;
  /** The header with the delivery's identifier. */
  readonly idHeader?: string | undefined;
  /** The header with a nonce that is accepted once (§5, for high-risk transactions). `signed` must cover it. */
  readonly nonceHeader?: string | undefined;
  /** The names of the fields, if one header holds several values, as in `t=…,v1=…`. */
  readonly fields?: SignatureFields | undefined;
}

const fieldRules: Rules<SignatureFields> = {
  signature: headerName,
  timestamp: headerName,
  id: headerName,
  nonce: headerName,
};
const presets = Object.keys(signedPresets);
const rules: Rules<HmacOptions> = {
  ...timestampRules,
  header: headerName,
  // Checked where the keys are prepared.
  secrets: anything,
  encoding: oneOf("hex", "base64", "base64url"),
  prefix: string,
  signed: anyOf(`must be a function or one of ${presets.join(", ")}`, oneOf(...presets), func),
  timestampHeader: headerName,
  idHeader: headerName,
  nonceHeader: headerName,
  fields: (value) => {
    readOptions("hmac: `fields`", value, fieldRules, ["signature"]);
    return undefined;
  },
};

/**
 * Returns a check of an HMAC SHA-256 signature over the raw body (§5; docs/assumptions.md, W3), in constant time.
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
  return signatureCheck(readOptions("hmac", options, rules, ["header"]));
}

/** Returns a check from options that were read. `decode` decodes the secrets of an `owner` with another notation. */
export function signatureCheck(options: HmacOptions, owner = "hmac", decode?: DecodeSecret): WebhookCheck {
  const scheme = schemeOf(options, owner, decode);
  return {
    name: "hmac",
    check: (delivery) => checkSignature(scheme, delivery),
    sign: (body, moment) => signBody(scheme, body, moment),
  };
}

function schemeOf(options: HmacOptions, owner: string, decode: DecodeSecret | undefined): SignatureScheme {
  const { header, fields, prefix = "", encoding = "hex", signed = "body" } = options;
  if (prefix.includes(",") && /\s/.test(prefix)) {
    throw new ConfigurationError("hmac: `prefix` must not contain both white space and a comma.");
  }
  const place = (name: "timestamp" | "id" | "nonce"): ValuePlace | undefined => {
    const own = options[`${name}Header`];
    const field = fields?.[name];
    if (own !== undefined && field !== undefined) {
      throw new ConfigurationError(`hmac: \`${name}Header\` and \`fields.${name}\` are both set. Remove one.`);
    }
    if (own !== undefined) return { header: own };
    return field === undefined ? undefined : { header, field };
  };
  const places = { timestamp: place("timestamp"), id: place("id"), nonce: place("nonce") };
  checkCoverage(signed, places);
  checkTimestampOptions(options, places.timestamp);
  return {
    ...places,
    signature: fields === undefined ? { header } : { header, field: fields.signature },
    prefix,
    encoding,
    signed,
    times: timestampScheme(owner, options),
    keys: prepareSecrets(owner, options.secrets, decode),
  };
}

/** The parts of a preset must be configured, and a timestamp or nonce that it does not sign proves nothing. */
function checkCoverage(
  signed: NonNullable<HmacOptions["signed"]>,
  places: Readonly<Record<"timestamp" | "id" | "nonce", ValuePlace | undefined>>,
): void {
  if (typeof signed === "function") return;
  const covered: readonly string[] = signedPresets[signed];
  for (const name of ["timestamp", "id", "nonce"] as const) {
    if (covered.includes(name) && places[name] === undefined) {
      throw new ConfigurationError(`hmac: \`${name}Header\` is missing; \`signed: "${signed}"\` needs it.`);
    }
    if (name !== "id" && !covered.includes(name) && places[name] !== undefined) {
      const fitting = presets.filter((preset) => preset.split(".").includes(name));
      throw new ConfigurationError(
        `hmac: the signature does not cover the ${name}, so anyone could change it. Set \`signed\` to ${fitting.join(", ")}, or a function.`,
      );
    }
  }
}

function checkTimestampOptions(options: HmacOptions, timestamp: ValuePlace | undefined): void {
  const unused = Object.keys(timestampRules).find((name) => Object.hasOwn(options, name));
  if (timestamp === undefined && unused !== undefined) {
    throw new ConfigurationError(`hmac: \`${unused}\` has no effect without \`timestampHeader\`.`);
  }
}
