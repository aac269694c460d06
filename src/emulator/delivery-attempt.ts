import { type SignedDelivery, sign } from "../webhooks/sign.ts";
import type { DeliveryAttempt, DeliveryProblem, WebhookSettings } from "./delivery-types.ts";
import type { PayoutEvent } from "./payout-event.ts";

/** Settings in which there is somewhere to send to. */
export type DeliveryTarget = WebhookSettings & { readonly to: NonNullable<WebhookSettings["to"]> };

/**
 * Signs a notification, sends it once and judges the answer by §6.3. What goes wrong on the way is in the attempt;
 * only a scheme that cannot sign throws.
 *
 * @param id - The delivery's identifier, and its nonce where the scheme has one: another for every attempt.
 */
export async function attemptDelivery(
  event: PayoutEvent,
  target: DeliveryTarget,
  { now, id }: { readonly now: number; readonly id: string },
): Promise<DeliveryAttempt> {
  const signed = await sign(event, target.auth ?? "none", { now, id });
  const started = Date.now();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), target.ackTimeout ?? 7_000);
  try {
    const response = await Promise.race([send(signed, target.to, late.signal), whenAborted(late.signal)]);
    return { at: now, ...judge(response, event), durationMs: Date.now() - started };
  } catch {
    const problem: DeliveryProblem = late.signal.aborted ? "no answer in time" : "no connection";
    return { at: now, httpStatus: undefined, status: undefined, problem, durationMs: Date.now() - started };
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

/** §6.3: HTTP 200, a JSON body, the same reference, SUCCESS or DUPLICATE. */
function judge(
  { httpStatus, text }: Answered,
  event: PayoutEvent,
): Pick<DeliveryAttempt, "httpStatus" | "status" | "problem"> {
  const body = parse(text);
  const status = typeof body?.status === "string" ? body.status : undefined;
  const is = (problem: DeliveryProblem | undefined) => ({ httpStatus, status, problem });
  if (httpStatus !== 200) return is("HTTP status is not 200");
  if (body === undefined) return is("body is not JSON");
  if (body.client_referenceId !== event.client_referenceId) return is("client_referenceId is not echoed");
  if (status === "SUCCESS" || status === "DUPLICATE") return is(undefined);
  return is(status === "FAILED" ? "acknowledged FAILED" : "status is not known");
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true }));
}
