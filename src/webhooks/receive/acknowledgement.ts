import type { Acknowledgement, AcknowledgementStatus } from "../events.ts";
import { statusCodes } from "../status-codes.ts";

/** The body of §6.3 for a reference. It speaks of our processing, not of the payout's fate (docs/assumptions.md, W12). */
export function acknowledge(reference: string, status: AcknowledgementStatus): Acknowledgement {
  return {
    http_status: true,
    status,
    client_referenceId: reference,
    statusCode: statusCodes[status],
    acknowledged: "1",
  };
}

/** A refusal's answer echoes the reference when it is a fit one, and an empty text otherwise (docs/assumptions.md, W14). */
export function acknowledgeRefusal(body: unknown): Acknowledgement {
  return acknowledge(referenceIn(body) ?? "", "FAILED");
}

/**
 * 1 to 128 characters that can be seen. Control characters and lone surrogates would collapse into one another in a
 * store's encoding, and two references must never become one.
 */
const referencePattern = /^(?! *$)[^\p{C}]{1,128}$/u;

/** What references usually are; ten times as fast to tell as the whole of Unicode. */
const plainPattern = /^[\w.:-]{1,128}$/;

/** True for a text that can serve as a reference. */
export function isReference(value: unknown): value is string {
  return typeof value === "string" && (plainPattern.test(value) || referencePattern.test(value));
}

function referenceIn(body: unknown): string | undefined {
  const reference =
    typeof body === "object" && body !== null && "client_referenceId" in body && body.client_referenceId;
  return isReference(reference) ? reference : undefined;
}
