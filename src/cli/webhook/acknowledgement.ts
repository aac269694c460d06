import { checkAcknowledgement } from "../../webhooks/check-acknowledgement.ts";
import { maxAckTimeout } from "../../webhooks/options.ts";

/** The response of a receiver. */
export interface ReceiverResponse {
  /** Milliseconds until it came. */
  readonly duration: number;
  readonly status?: number;
  readonly headers?: Headers;
  readonly text?: string;
  /** The reason why no response came. */
  readonly failure?: string;
  /** Whether nobody listens there, so that nothing was delivered. */
  readonly isUnreachable?: boolean;
}

/** Returns the problems of an acknowledgement (§6.3, §6.5.3); an empty list if it is valid. */
export function findProblems(response: ReceiverResponse, reference: string): readonly string[] {
  const { failure, duration, status = 0, text = "", headers } = response;
  if (failure !== undefined) return [`No response came: ${failure}.`];
  return [
    ...(duration > maxAckTimeout ? ["It took longer than the 7 s that the service waits."] : []),
    ...checkAcknowledgement({ status, body: text }, reference).problems.map(({ message }) => message),
    ...(headers?.has("x-powered-by")
      ? ['The header "x-powered-by" reveals the software of the endpoint. Remove it.']
      : []),
  ];
}

/**
 * Returns the warnings, which fail nothing: proxies such as nginx and Cloudflare add a `Server` header on their own.
 */
export function findWarnings({ headers }: ReceiverResponse): readonly string[] {
  return headers?.has("server")
    ? ['The header "server" reveals the software of the endpoint. Remove it if you can.']
    : [];
}

/** Returns the `status` of an acknowledgement, if it is one of §6.3. */
export function statusOf({ status = 0, text = "" }: ReceiverResponse): string | undefined {
  return checkAcknowledgement({ status, body: text }, "").status;
}
