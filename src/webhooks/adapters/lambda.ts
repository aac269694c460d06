import { fromBase64 } from "../../shared/bytes.ts";
import { readUninherited } from "../../shared/objects.ts";
import { payloadError } from "../receive/parse-event.ts";
import type { BodySource, HeaderSource, WebhookHandler } from "../types.ts";
import { requireHandler } from "./node.ts";

/** The properties used of an event of API Gateway (v1 and v2), a function URL or an Application Load Balancer. */
export interface LambdaEventLike {
  /** The headers of the request. */
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  /** The headers with all their values, in API Gateway v1 and in a load balancer with multi-value headers enabled. */
  readonly multiValueHeaders?: Readonly<Record<string, readonly string[] | undefined>> | null | undefined;
  /** The raw body, or its base64. */
  readonly body?: unknown;
  /** Whether `body` is base64. */
  readonly isBase64Encoded?: boolean | undefined;
  /** The context of the request, with the IP address of the sender. */
  readonly requestContext?:
    | {
        /** v1. */
        readonly identity?: { readonly sourceIp?: string | null | undefined } | undefined;
        /** v2 and function URLs. */
        readonly http?: { readonly sourceIp?: string | undefined } | undefined;
        /** A load balancer, which has the sender's IP address only in `X-Forwarded-For`. */
        readonly elb?: object | undefined;
      }
    | undefined;
}

/** The response, in the form that all of them accept. */
export interface LambdaResult {
  /** The HTTP status. */
  readonly statusCode: number;
  /** The headers of the response. */
  readonly headers: Record<string, string>;
  /** For a load balancer with multi-value headers enabled, which ignores `headers`. */
  readonly multiValueHeaders?: Record<string, string[]>;
  /** The acknowledgement of §6.3 as JSON. */
  readonly body: string;
  /** `body` is plain text. */
  readonly isBase64Encoded: false;
}

/**
 * Adapts a handler to AWS Lambda behind API Gateway (v1 and v2), a function URL or an Application Load Balancer; base64
 * bodies are decoded. A load balancer has the sender's IP address only in `X-Forwarded-For`: instead of `ipAllowList`,
 * check the last address there with `custom`.
 *
 * Lambda freezes the process after the response: work that outlives `ackTimeout` continues with the next invocation, so
 * keep handlers short and use a shared store.
 *
 * @param handler - The handler that `webhooks.handler({…})` returned.
 * @throws ConfigurationError for anything else.
 *
 * @example
 * ```ts
 * import { lambdaHandler } from "serviceapi/node";
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
    // A manual or scheduled invocation may pass anything, which is refused like any other delivery.
    const event: LambdaEventLike = Object(given);
    const context = readUninherited(event, "requestContext");
    const http = readUninherited(context, "http");
    const identity = readUninherited(context, "identity");
    const response = await handler.receive({
      headers: headersOf(event),
      body: bodyOf(event),
      remoteAddress: readUninherited(http, "sourceIp") ?? readUninherited(identity, "sourceIp") ?? undefined,
    });
    const { status: statusCode, headers, body } = response;
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

/** Those with all their values replace the others, unless they have none. */
function headersOf({ headers, multiValueHeaders }: LambdaEventLike): HeaderSource {
  const complete = Object.entries(multiValueHeaders ?? {}).filter(([, values]) => values?.length);
  return { ...headers, ...Object.fromEntries(complete) };
}

function bodyOf({ body, isBase64Encoded }: LambdaEventLike): BodySource {
  // A manual invocation may have anything here: the receiver checks it, and refuses what is not a raw body.
  return isBase64Encoded && typeof body === "string" ? decodeBase64(body) : (body as BodySource);
}

/** Whole groups of four characters, 48 KiB of bytes. */
const pieceLength = 65_536;

/** In pieces, so that decoding stops at `maxBodyBytes`. */
async function* decodeBase64(text: string): AsyncGenerator<Uint8Array, void, undefined> {
  for (let start = 0; start < text.length; start += pieceLength) {
    const piece = text.slice(start, start + pieceLength);
    // Padding belongs at the end of the body.
    const isPadded = piece.includes("=") && start + pieceLength < text.length;
    const bytes = isPadded ? undefined : fromBase64(piece);
    if (bytes !== undefined) yield bytes;
    else throw payloadError("badEncoding", "`body` of the event is not base64, although `isBase64Encoded` is true.");
  }
}
