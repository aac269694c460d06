import { ConfigurationError } from "../../errors/request.ts";
import type { SigningMoment } from "../../webhooks/auth/check.ts";
import { type AcknowledgementProblemCode, checkAcknowledgement } from "../../webhooks/check-acknowledgement.ts";
import { type SignedDelivery, signAt } from "../../webhooks/sign.ts";
import type { PayoutEvent } from "./payout-event.ts";
import type { DeliveryAttempt, DeliveryProblem, WebhookSettings } from "./types.ts";

/** Webhook settings with a target. */
export type DeliveryTarget = WebhookSettings & { readonly to: NonNullable<WebhookSettings["to"]> };

/** The circumstances of an attempt. */
interface Occasion {
  /** On the emulator's clock. */
  readonly now: number;
  /** When it was signed, and the identifier that is also its nonce if the scheme has one. */
  readonly signed: SigningMoment;
  /**
   * True if the clock makes the attempt and nobody waits for it: a scheme that cannot sign is then a problem like any
   * other.
   */
  readonly isScheduled: boolean;
}

/** The time that the service waits for an acknowledgement (§6.3). */
export const serviceAckTimeout = 7_000;

/**
 * Signs a notification, sends it once and checks the acknowledgement (§6.3). The returned attempt lists the problems.
 *
 * @throws ConfigurationError if the scheme cannot sign, unless the attempt was scheduled.
 */
export async function attemptDelivery(
  event: PayoutEvent,
  target: DeliveryTarget,
  { now, signed: moment, isScheduled }: Occasion,
): Promise<DeliveryAttempt> {
  const startedAt = Date.now();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), target.ackTimeout ?? serviceAckTimeout);
  let failure: DeliveryProblem = "could not be signed";
  const deliver = async () => {
    const { auth = "none" } = target;
    const signed = await signAt(JSON.stringify(event), auth === "none" ? [] : [auth].flat(), moment);
    failure = "no connection";
    return send(signed, target.to, late.signal);
  };
  try {
    const response = await Promise.race([deliver(), whenAborted(late.signal)]);
    return { at: now, ...assess(response, event), duration: Date.now() - startedAt };
  } catch (error) {
    const isSigning = failure === "could not be signed" && !late.signal.aborted;
    if (isSigning && !isScheduled && ConfigurationError.isInstance(error)) throw error;
    const problem: DeliveryProblem = late.signal.aborted ? "no response in time" : failure;
    const problems = [problem];
    return { at: now, httpStatus: undefined, status: undefined, problem, problems, duration: Date.now() - startedAt };
  } finally {
    clearTimeout(timer);
  }
}

interface ReceiverResponse {
  readonly httpStatus: number;
  readonly text: string;
}

async function send(
  { headers, body }: SignedDelivery,
  to: DeliveryTarget["to"],
  signal: AbortSignal,
): Promise<ReceiverResponse> {
  // §6.6.4: a redirected callback URL is not allowed, so no redirect is followed.
  const init: RequestInit = { method: "POST", headers, body, redirect: "manual", signal };
  const response =
    typeof to === "string" ? await fetch(to, init) : await to(new Request("https://callback.example/webhook", init));
  return { httpStatus: response.status, text: await response.text() };
}

const problemNames: Readonly<Record<AcknowledgementProblemCode, DeliveryProblem>> = {
  httpStatus: "HTTP status is not 200",
  notJson: "body is not JSON",
  referenceNotEchoed: "client_referenceId is not echoed",
  unknownStatus: "status is not known",
  failed: "acknowledged FAILED",
  wrongStatusCode: "statusCode does not fit the status",
  wrongHttpStatusField: "http_status is not true",
  wrongAcknowledged: "acknowledged is not 1",
};

/** Checks an acknowledgement against §6.3. */
function assess(
  { httpStatus, text }: ReceiverResponse,
  event: PayoutEvent,
): Pick<DeliveryAttempt, "httpStatus" | "status" | "problem" | "problems"> {
  const { client_referenceId: reference } = event;
  const report = checkAcknowledgement(
    { status: httpStatus, body: text },
    typeof reference === "string" ? reference : "",
  );
  const problems = report.problems.map(({ code }) => problemNames[code]);
  return { httpStatus, status: report.status, problem: problems[0], problems };
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
