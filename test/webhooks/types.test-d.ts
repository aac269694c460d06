import { describe, expectTypeOf, it } from "vitest";
import type {
  PayoutFailed,
  PayoutRejected,
  PayoutSucceeded,
  UnknownWebhookEvent,
  WebhookEvent,
  WebhookHandler,
  WebhookHandlers,
} from "../../src/webhooks/index.ts";

describe("the types of the receiver", () => {
  it("tell events apart by status, unknown ones included", () => {
    const check = (event: WebhookEvent) => {
      if (event.status === "SUCCESS") expectTypeOf(event.utr).toEqualTypeOf<string>();
      else if (event.status === "FAILED") expectTypeOf(event).toEqualTypeOf<PayoutFailed>();
      else if (event.status !== "DUPLICATE" && event.status !== "REJECTED") {
        expectTypeOf(event).toEqualTypeOf<UnknownWebhookEvent>();
      }
    };
    expectTypeOf(check).parameter(0).toEqualTypeOf<WebhookEvent>();
  });

  it("give each handler its own event, and require those that move money", () => {
    expectTypeOf<WebhookHandlers["SUCCESS"]>().parameter(0).toEqualTypeOf<PayoutSucceeded>();
    expectTypeOf<WebhookHandlers["REJECTED"]>().parameter(0).toEqualTypeOf<PayoutRejected>();
    // @ts-expect-error REJECTED is missing
    const handlers: WebhookHandlers = { SUCCESS: () => {}, FAILED: () => {} };
    // @ts-expect-error FAILED is missing
    const others: WebhookHandlers = { SUCCESS: () => {}, REJECTED: () => {} };
    expectTypeOf([handlers, others]).toEqualTypeOf<WebhookHandlers[]>();
  });

  it("fit Next.js, Cloudflare Workers and Deno as they are", () => {
    type NextRoute = (request: Request, context: { params: Promise<object> }) => Promise<Response>;
    type WorkerFetch = (request: Request, context: { waitUntil(work: Promise<unknown>): void }) => Promise<Response>;
    type DenoHandler = (
      request: Request,
      info: { remoteAddr: { hostname: string; port: number } },
    ) => Promise<Response>;
    expectTypeOf<WebhookHandler>().toExtend<NextRoute>();
    expectTypeOf<WebhookHandler>().toExtend<WorkerFetch>();
    expectTypeOf<WebhookHandler>().toExtend<DenoHandler>();
  });
});
