import { WebhookAuthError } from "../../errors/webhook.ts";
import { headerName, type Rules, readOptions } from "../../shared/options.ts";
import type { WebhookCheck } from "./check.ts";
import { readHeader, requireNonce } from "./signature.ts";
import { type TimestampOptions, timestampRules, timestampScheme } from "./timestamp.ts";

/** Options of {@link freshness}. */
export interface FreshnessOptions extends TimestampOptions {
  /** The header with the time of sending. */
  readonly timestampHeader: string;
  /** The header with a nonce that is accepted once. @default no nonce */
  readonly nonceHeader?: string | undefined;
}

const rules: Rules<FreshnessOptions> = {
  ...timestampRules,
  timestampHeader: headerName,
  nonceHeader: headerName,
};

/**
 * Returns a check that refuses a delivery whose timestamp is too old or in the future. Use it beside a check that
 * authenticates the sender: `basic`, `ipAllowList` or `custom` (§5). With a signature, use the `timestampHeader` of
 * `hmac` instead: there, the signature protects the timestamp.
 *
 * @param options - See {@link FreshnessOptions}.
 * @throws ConfigurationError for an unknown option or an invalid value. `new Webhooks` refuses it as the only check.
 *
 * @example
 * ```ts
 * import { basic, freshness, Webhooks } from "serviceapi/webhooks";
 *
 * const webhooks = new Webhooks({
 *   auth: [
 *     basic({ credentials: [{ username: "payouts", password: secret }] }),
 *     freshness({ timestampHeader: "x-sent-at", timestampFormat: "YYYY-MM-DD HH:mm:ss" }),
 *   ],
 * });
 * ```
 */
export function freshness(options: FreshnessOptions): WebhookCheck {
  const given = readOptions("freshness", options, rules, ["timestampHeader"]);
  const { timestampHeader, nonceHeader } = given;
  const times = timestampScheme("freshness", given);
  return {
    name: "freshness",
    provesNoSender: true,
    check(delivery) {
      const timestamp = readHeader(delivery, timestampHeader);
      if (timestamp === "") {
        throw new WebhookAuthError({
          reason: "timestampMissing",
          message: `The header "${timestampHeader}" is missing.`,
        });
      }
      const stale = times.check(timestamp, delivery.now);
      if (stale !== undefined) return { stale };
      if (nonceHeader === undefined) return undefined;
      const nonce = readHeader(delivery, nonceHeader);
      requireNonce(nonce, `The header "${nonceHeader}"`);
      return { nonce };
    },
    async sign(_body, { now, id }) {
      return { [timestampHeader]: times.write(now), ...(nonceHeader !== undefined && { [nonceHeader]: id }) };
    },
  };
}
