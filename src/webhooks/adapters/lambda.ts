import { WebhookPayloadError } from "../../errors/webhook.ts";
import { fromBase64 } from "../../shared/bytes.ts";
import { readUninherited } from "../../shared/read-uninherited.ts";
import type { HeaderSource, WebhookHandler } from "../types.ts";
import { requireHandler } from "./require.ts";

/** What is used of the event of API Gateway (v1 and v2), of a function URL or of an Application Load Balancer. */
export interface LambdaEventLike {
  readonly headers?: Readonly<Record<string, string | undefined>> | null;
  /** API Gateway v1, and a load balancer with multi-value headers switched on, keep a header's several values here. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null;
  readonly body?: unknown;
  readonly isBase64Encoded?: boolean;
  readonly requestContext?: {
    /** v1. */
    readonly identity?: { readonly sourceIp?: string | null };
    /** v2 and function URLs. */
    readonly http?: { readonly sourceIp?: string };
    /** A load balancer, which tells the sender's address in `X-Forwarded-For` alone. */
    readonly elb?: object;
  };
}

/** The response, in a form that all of them understand. */
export interface LambdaResult {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  /** For a load balancer with multi-value headers switched on, which reads no other. */
  readonly multiValueHeaders?: Record<string, string[]>;
  readonly body: string;
  readonly isBase64Encoded: false;
}

/**
 * Adapts a handler to AWS Lambda behind API Gateway (v1 and v2), a function URL or an Application Load Balancer; base64
 * bodies are decoded. A load balancer names the sender in `X-Forwarded-For` alone: for `ipAllowList`, check the last
 * address there with `custom`.
 *
 * Lambda freezes the process when the answer has left: work that outlives `ackTimeout` goes on only with the next
 * invocation, so keep handlers short and use a shared store.
 *
 * @param handler - What `webhooks.handler({…})` returned.
 * @throws ConfigurationError if it is something else.
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
  requireHandler("lambdaHandler", handler);
  return async (given) => {
    // An invocation by hand or by a schedule may bring anything: it is refused like any other delivery.
    const event: LambdaEventLike = Object(given);
    const context = readUninherited(event, "requestContext");
    const http = readUninherited(context, "http");
    const identity = readUninherited(context, "identity");
    const answer = await handler.receive({
      headers: headersOf(event),
      body: bodyOf(event),
      remoteAddress: readUninherited(http, "sourceIp") ?? readUninherited(identity, "sourceIp") ?? undefined,
    });
    const { status: statusCode, headers, body } = answer;
    const multiValueHeaders = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
    return {
      statusCode,
      headers: { ...headers },
      ...(event.requestContext?.elb !== undefined && event.multiValueHeaders && { multiValueHeaders }),
      body,
      isBase64Encoded: false,
    };
  };
}

function headersOf({ headers, multiValueHeaders }: LambdaEventLike): HeaderSource {
  return multiValueHeaders ?? headers ?? {};
}

function bodyOf({ body, isBase64Encoded }: LambdaEventLike): unknown {
  if (!isBase64Encoded || typeof body !== "string") return body;
  return decodeBase64(body);
}

/** Whole groups of four characters, 48 KiB of bytes. */
const pieceLength = 65_536;

/** Piece by piece, so that a body beyond `maxBodyBytes` is not decoded further than that. */
async function* decodeBase64(text: string): AsyncGenerator<Uint8Array, void, undefined> {
  for (let start = 0; start < text.length; start += pieceLength) yield decodePiece(text, start);
}

function decodePiece(text: string, start: number): Uint8Array {
  const piece = text.slice(start, start + pieceLength);
  // Padding belongs at the end of the body.
  const isPadded = piece.includes("=") && start + pieceLength < text.length;
  const bytes = isPadded ? undefined : fromBase64(piece);
  if (bytes !== undefined) return bytes;
  throw new WebhookPayloadError({
    reason: "badEncoding",
    message: "`body` of the event is not valid base64, although `isBase64Encoded` is true.",
  });
}
