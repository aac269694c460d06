import { ConfigurationError } from "../../errors/request.ts";
import type { WebhookCheck } from "./check.ts";
import { hmac } from "./hmac.ts";

/** Options of {@link standardWebhooks}. */
export interface StandardWebhooksOptions {
  /** Secrets as the Standard Webhooks specification writes them: base64, with `whsec_` before it or without. */
  readonly secrets: readonly string[];
  /** Milliseconds by which the timestamp may differ from this clock, both ways. @default 300_000 */
  readonly tolerance?: number | undefined;
}

/**
 * Checks the signature of the Standard Webhooks specification: `webhook-id`, `webhook-timestamp` and
 * `webhook-signature` over `id.timestamp.body` (§5; docs/assumptions.md, W4).
 *
 * @param options - See {@link StandardWebhooksOptions}.
 * @throws ConfigurationError for a secret that is empty or not base64.
 *
 * @example
 * ```ts
 * import { standardWebhooks, Webhooks } from "serviceapi/webhooks";
 *
 * const webhooks = new Webhooks({ auth: [standardWebhooks({ secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] })] });
 * ```
 */
export function standardWebhooks({ secrets, tolerance }: StandardWebhooksOptions): WebhookCheck {
  return hmac({
    header: "webhook-signature",
    timestampHeader: "webhook-timestamp",
    idHeader: "webhook-id",
    signed: "id.timestamp.body",
    prefix: "v1,",
    encoding: "base64",
    // What is no list is refused by `hmac`.
    secrets: Array.isArray(secrets) ? secrets.map(decodeSecret) : secrets,
    tolerance,
  });
}

function decodeSecret(secret: string): Uint8Array {
  try {
    return Uint8Array.from(atob(secret.replace(/^whsec_/, "")), (character) => character.charCodeAt(0));
  } catch {
    throw new ConfigurationError("standardWebhooks: a secret is not base64, with whsec_ before it or without.");
  }
}
