import { ConfigurationError } from "../../errors/request.ts";
import { fromBase64 } from "../../shared/bytes.ts";
import { anything, type Rules, readOptions } from "../../shared/options.ts";
import type { WebhookCheck } from "./check.ts";
import { toleranceRule } from "./freshness.ts";
import { contentOf, signatureCheck } from "./hmac.ts";
import { checkKey, checkText, prepareSecrets, type SecretSource } from "./secret.ts";

/** Options of {@link standardWebhooks}. */
export interface StandardWebhooksOptions {
  /**
   * The accepted secrets: base64, with or without the prefix `whsec_`, as in the Standard Webhooks specification; or
   * functions that return them, called for each delivery.
   *
   * @default the environment variable `SERVICEAPI_WEBHOOK_SECRET`, one secret on each line
   */
  readonly secrets?: readonly SecretSource<string>[] | SecretSource<string> | undefined;
  /** Milliseconds by which the timestamp may differ from this clock, in both directions: a day at most. @default 300_000 */
  readonly tolerance?: number | undefined;
}

const rules: Rules<StandardWebhooksOptions> = { secrets: anything, tolerance: toleranceRule };

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
  const { secrets, tolerance } = readOptions("standardWebhooks", options, rules);
  return signatureCheck({
    header: "webhook-signature",
    prefix: "v1,",
    encoding: "base64",
    keys: prepareSecrets("standardWebhooks", secrets, decodeSecret),
    content: contentOf(["webhook-id", "webhook-timestamp"]),
    freshness: { timestampHeader: "webhook-timestamp", tolerance },
    idHeader: "webhook-id",
  });
}

function decodeSecret(what: string, secret: unknown): Uint8Array {
  const text = checkText(what, typeof secret === "string" ? secret.replace(/^whsec_/, "") : secret);
  const key = fromBase64(text);
  if (key === undefined) {
    throw new ConfigurationError(`${what} is not base64, with or without the prefix whsec_.`);
  }
  if (key.length >= minKeyBytes) return checkKey(what, key);
  throw new ConfigurationError(
    `${what} has only ${key.length} bytes; at least ${minKeyBytes} are needed. Copy all of it.`,
  );
}
