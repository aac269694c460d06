import { ConfigurationError } from "../../errors/request.ts";
import { type AcknowledgementProblemCode, checkAcknowledgement } from "../../webhooks/check-acknowledgement.ts";
import { type SignedDelivery, sign } from "../../webhooks/sign.ts";
import type { PayoutEvent } from "./payout-event.ts";
import type { DeliveryAttempt, DeliveryProblem, WebhookSettings } from "./types.ts";

/** Settings in which there is somewhere to send to. */
export type DeliveryTarget = WebhookSettings & { readonly to: NonNullable<WebhookSettings["to"]> };

/** When an attempt is made, and under which name. */
interface Occasion {
  /** On the emulator's clock. */
  readonly now: number;
  /** The delivery's identifier, and its nonce where the scheme has one: another for every attempt. */
  readonly id: string;
  /** True if nobody waits for this attempt: a scheme that cannot sign is then a problem like any other. */
  readonly isLater: boolean;
}

/**
 * Signs a notification, sends it once and checks the acknowledgement (§6.3). What goes wrong on the way is in the attempt.
 *
 * @throws ConfigurationError for a scheme that cannot sign, unless the attempt is a later one.
 */
export async function attemptDelivery(
  event: PayoutEvent,
  target: DeliveryTarget,
  { now, id, isLater }: Occasion,
): Promise<DeliveryAttempt> {
  const started = Date.now();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), target.ackTimeout ?? 7_000);
  let failure: DeliveryProblem = "could not be signed";
  const deliver = async () => {
    const signed = await sign(event, target.auth ?? "none", { now, id });
    failure = "no connection";
    return send(signed, target.to, late.signal);
  };
  try {
    const response = await Promise.race([deliver(), whenAborted(late.signal)]);
    return { at: now, ...judge(response, event), durationMs: Date.now() - started };
  } catch (error) {
    const isSigning = failure === "could not be signed" && !late.signal.aborted;
    if (isSigning && !isLater && ConfigurationError.isInstance(error)) throw error;
    const problem: DeliveryProblem = late.signal.aborted ? "no answer in time" : failure;
    const problems = [problem];
    return { at: now, httpStatus: undefined, status: undefined, problem, problems, durationMs: Date.now() - started };
  } finally {
    clearTimeout(timer);
  }
}

interface Answered {
  readonly httpStatus: number;
  readonly text: string;
}

async function send(
  { headers, body }: SignedDelivery,
  to: DeliveryTarget["to"],
  signal: AbortSignal,
): Promise<Answered> {
  // §6.6.4: a redirected callback address is not allowed, so none is followed.
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

function judge(
  { httpStatus, text }: Answered,
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
