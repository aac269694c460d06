import type { DeliveryAttempt, DeliveryProblem, WebhookSettings } from "./delivery-types.ts";
import type { PayoutEvent } from "./payout-event.ts";

/** Settings in which there is somewhere to send to. */
export type DeliveryTarget = WebhookSettings & { readonly to: NonNullable<WebhookSettings["to"]> };

type Answered = Pick<DeliveryAttempt, "httpStatus" | "status" | "problem">;

/** Sends a notification once and judges the answer by §6.3. It never throws: what went wrong is in the attempt. */
export async function attemptDelivery(
  event: PayoutEvent,
  target: DeliveryTarget,
  now: number,
): Promise<DeliveryAttempt> {
  const started = Date.now();
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), target.ackTimeout ?? 7_000);
  try {
    const answered = await Promise.race([send(event, target, now, late.signal), whenAborted(late.signal)]);
    return { at: now, ...answered, durationMs: Date.now() - started };
  } catch {
    const problem: DeliveryProblem = late.signal.aborted ? "no answer in time" : "no connection";
    return { at: now, httpStatus: undefined, status: undefined, problem, durationMs: Date.now() - started };
  } finally {
    clearTimeout(timer);
  }
}

async function send(event: PayoutEvent, target: DeliveryTarget, now: number, signal: AbortSignal): Promise<Answered> {
  const body = JSON.stringify(event);
  const headers = { "content-type": "application/json", ...(await target.sign?.(body, now)) };
  // §6.6.4: a redirected callback address is not allowed, so none is followed.
  const init: RequestInit = { method: "POST", headers, body, redirect: "manual", signal };
  const { to } = target;
  const response =
    typeof to === "string" ? await fetch(to, init) : await to(new Request("https://callback.example/webhook", init));
  return judge(response.status, await response.text(), event);
}

/** §6.3: HTTP 200, a JSON body, the same reference, SUCCESS or DUPLICATE. */
function judge(httpStatus: number, text: string, event: PayoutEvent): Answered {
  const body = parse(text);
  const status = typeof body?.status === "string" ? body.status : undefined;
  const is = (problem: DeliveryProblem | undefined): Answered => ({ httpStatus, status, problem });
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
