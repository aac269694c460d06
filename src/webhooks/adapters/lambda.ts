import type { HeaderSource, WebhookHandler } from "../types.ts";

/** What is used of an API Gateway event (v1 and v2) or of a function URL's. */
export interface LambdaEventLike {
  readonly headers?: Readonly<Record<string, string | undefined>> | null;
  /** API Gateway v1 keeps a header's several values here. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null;
  readonly body?: unknown;
  readonly isBase64Encoded?: boolean;
  readonly requestContext?: {
    /** v1. */
    readonly identity?: { readonly sourceIp?: string | null };
    /** v2 and function URLs. */
    readonly http?: { readonly sourceIp?: string };
  };
}

/** The answer, in the form that all three understand. */
export interface LambdaResult {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly isBase64Encoded: false;
}

/**
 * Adapts a handler to AWS Lambda behind API Gateway (v1 and v2) or a function URL; base64 bodies are decoded.
 *
 * Lambda freezes the process when the answer has left: work that outlives `ackDeadline` goes on only with the next
 * invocation, so keep handlers short and use a shared store.
 *
 * @param handler - What `webhooks.handler({…})` returned.
 *
 * @example
 * ```ts
 * import { lambdaHandler } from "serviceapi/webhooks/lambda";
 *
 * export const handler = lambdaHandler(
 *   webhooks.handler({
 *     SUCCESS: (event) => ledger.credit(event.client_referenceId, event.txn_amount),
 *     FAILED: (event) => ledger.reverse(event.client_referenceId),
 *     REJECTED: (event) => ledger.reverse(event.client_referenceId),
 *   }),
 * );
 * ```
 */
export function lambdaHandler(handler: WebhookHandler): (event: LambdaEventLike) => Promise<LambdaResult> {
  return async (event) => {
    const { http, identity } = event.requestContext ?? {};
    const answer = await handler.receive({
      headers: headersOf(event),
      body: bodyOf(event),
      remoteAddress: http?.sourceIp ?? identity?.sourceIp ?? undefined,
    });
    return { statusCode: answer.status, headers: { ...answer.headers }, body: answer.body, isBase64Encoded: false };
  };
}

function headersOf({ headers, multiValueHeaders }: LambdaEventLike): HeaderSource {
  return multiValueHeaders ?? headers ?? {};
}

function bodyOf({ body, isBase64Encoded }: LambdaEventLike): unknown {
  if (!isBase64Encoded || typeof body !== "string") return body;
  return Uint8Array.from(atob(body), (character) => character.charCodeAt(0));
}
