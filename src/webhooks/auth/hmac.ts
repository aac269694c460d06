import { ConfigurationError } from "../../errors/request.ts";
import { headerName } from "../../shared/headers.ts";
import { anyOf, anything, func, oneOf, type Rules, readOptions, string } from "../../shared/options.ts";
import type { WebhookCheck } from "./check.ts";
import type { DigestEncoding } from "./mac.ts";
import { type DecodeSecret, prepareSecrets, type SecretSource } from "./secret.ts";
import { checkSignature, type SignatureScheme, signBody, type ValuePlace } from "./signature.ts";
import { type SignedFunction, type SignedPreset, signedPresets } from "./signed-parts.ts";
import { type TimestampOptions, timestampRules, timestampScheme } from "./timestamp.ts";

export type { SignedParts, SignedPreset } from "./signed-parts.ts";

/** The fields of a header that holds everything, such as `t=1614265330,v1=5257a869…`. */
export interface SignatureFields {
  /** The field of the signature, such as `v1`. It may come several times. */
  readonly signature: string;
  /** The field of the timestamp, such as `t`. */
  readonly timestamp?: string | undefined;
  /** The field of the delivery's identifier. */
  readonly id?: string | undefined;
  /** The field of the nonce. */
  readonly nonce?: string | undefined;
}

/** Options of {@link hmac}. §5 does not show the header's name or the procedure: ask the service operator. */
export interface HmacOptions extends TimestampOptions {
  /** The header that carries the signature. */
  readonly header: string;
  /**
   * Secrets, any of which may have signed: two while one replaces the other. A string is taken as UTF-8. A function is
   * called for each delivery and returns the current secret, or several, so that a rotation needs no restart.
   */
  readonly secrets: readonly SecretSource[] | SecretSource;
  /** How the signature is written. @default "hex" */
  readonly encoding?: DigestEncoding | undefined;
  /** What stands before each signature, such as `sha256=`. @default "" */
  readonly prefix?: string | undefined;
  /** What is signed, its parts joined by dots; or a function that makes the signed content. @default "body" */
  readonly signed?: SignedPreset | SignedFunction | undefined;
  /** The header with the time of signing. `signed` must cover it, or anyone could change it. */
  readonly timestampHeader?: string | undefined;
  /** The header with the delivery's identifier. */
  readonly idHeader?: string | undefined;
  /** The header with a nonce that is accepted once (§5, for high-risk transactions). `signed` must cover it. */
  readonly nonceHeader?: string | undefined;
  /** For one header that holds everything, as `t=…,v1=…`: the names of its fields. */
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
 * Checks an HMAC SHA-256 signature over the raw body (§5; docs/assumptions.md, W3), in constant time.
 *
 * A secret may be as short as the service operator makes it, but never empty: use what the partner panel shows.
 *
 * @param options - See {@link HmacOptions}.
 * @returns A check for `auth`; with it, `webhooks.sign(event, check)` makes signed deliveries for tests.
 * @throws ConfigurationError for an unknown option or an invalid value, an empty secret, a `signed` whose header is not
 *   named, and a timestamp or nonce that `signed` does not cover.
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

/** A check from options that have been read. `decode` reads the secrets, for an `owner` with a notation of its own. */
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
    throw new ConfigurationError("hmac: `prefix` must not hold both white space and a comma.");
  }
  const place = (name: "timestamp" | "id" | "nonce"): ValuePlace | undefined => {
    const own = options[`${name}Header`];
    const field = fields?.[name];
    if (own !== undefined && field !== undefined) {
      throw new ConfigurationError(`hmac: \`${name}Header\` and \`fields.${name}\` are both set. Leave one out.`);
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

/** What a preset signs must be configured, and a timestamp or nonce that it does not sign proves nothing. */
function checkCoverage(
  signed: NonNullable<HmacOptions["signed"]>,
  places: Readonly<Record<"timestamp" | "id" | "nonce", ValuePlace | undefined>>,
): void {
  if (typeof signed === "function") return;
  const covered: readonly string[] = signedPresets[signed];
  for (const name of ["timestamp", "id", "nonce"] as const) {
    if (covered.includes(name) && places[name] === undefined) {
      throw new ConfigurationError(`hmac: \`${name}Header\` must name the header that "${signed}" is made from.`);
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
