import type { AnyServiceApiError } from "../../../errors/any.ts";
import { type AnyApiError, ApiError } from "../../../errors/api.ts";
import type { Exchange } from "./recorder.ts";

/** Returns a refusal by the service itself: not a redirect, and not a page of a gateway. */
export function refusalOf(error: AnyServiceApiError | undefined): AnyApiError | undefined {
  if (!ApiError.isInstance(error) || (error.httpStatus >= 300 && error.httpStatus < 400)) return undefined;
  return error as AnyApiError;
}

/** Whether no response came in time. */
export function isTimedOut(error: AnyServiceApiError | undefined): boolean {
  return error?.kind === "timeout";
}

/** A response, and its body if that is a JSON object. */
interface Response {
  readonly exchange: Exchange | undefined;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Whether something in front of the service, or another server, does not know the path. The service itself would have
 * sent a `status`; the code of a body proves nothing, because web frameworks send one as well.
 */
export function isPathUnknown({ exchange, body }: Response): boolean {
  const isRefused = exchange?.status === 404 || exchange?.status === 405;
  return isRefused && !/^(?:success|failed|pending|processing)$/i.test(`${body?.status}`);
}
