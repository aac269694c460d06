import { describe, expectTypeOf, it } from "vitest";
import {
  isKnownWebhookEvent,
  type KnownWebhookEvent,
  type PayoutDuplicate,
  type PayoutFailed,
  type PayoutRejected,
  type PayoutSucceeded,
  type UnknownWebhookEvent,
  type WebhookEvent,
  type WebhookHandler,
  type WebhookHandlers,
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

  it("let a status of tomorrow be compared, beside those of today", () => {
    const check = (event: WebhookEvent, status: string) => {
      if (event.status === "REVERSED") expectTypeOf(event).toEqualTypeOf<UnknownWebhookEvent>();
      if (event.status === status) expectTypeOf(event).toEqualTypeOf<WebhookEvent>();
      if (isKnownWebhookEvent(event)) expectTypeOf(event).toEqualTypeOf<KnownWebhookEvent>();
      else expectTypeOf(event).toEqualTypeOf<UnknownWebhookEvent>();
      switch (event.status) {
        case "SUCCESS":
          return expectTypeOf(event).toEqualTypeOf<PayoutSucceeded>();
        case "REVERSED":
        case "success":
          return expectTypeOf(event).toEqualTypeOf<UnknownWebhookEvent>();
        case "REJECTED":
          return expectTypeOf(event).toEqualTypeOf<PayoutRejected>();
        default:
          return expectTypeOf(event).toEqualTypeOf<PayoutFailed | PayoutDuplicate | UnknownWebhookEvent>();
      }
    };
    expectTypeOf(check).toBeFunction();
    const handlers: WebhookHandlers = {
      SUCCESS: () => {},
      FAILED: () => {},
      onUnknown(event) {
        if (event.status === "REVERSED") return event.client_referenceId;
        if (event.status === "REJECTED") expectTypeOf(event).toEqualTypeOf<PayoutRejected>();
        return undefined;
      },
    };
    expectTypeOf(handlers).toExtend<WebhookHandlers>();
  });

  it("know the documented fields alone: a misspelt one does not compile, a new one is reached by `in`", () => {
    const check = (event: WebhookEvent) => {
      // @ts-expect-error: it is `txn_amount`
      event.txnAmount;
      // @ts-expect-error: of an event of one status too
      if (event.status === "SUCCESS") event.UTR;
      if ("bank_name" in event) expectTypeOf(event.bank_name).toBeUnknown();
    };
    expectTypeOf(check).toBeFunction();
  });

  it("give each handler its own event, and require those that move money", () => {
    expectTypeOf<WebhookHandlers["SUCCESS"]>().parameter(0).toEqualTypeOf<PayoutSucceeded>();
    expectTypeOf<NonNullable<WebhookHandlers["REJECTED"]>>().parameter(0).toEqualTypeOf<PayoutRejected>();
    // @ts-expect-error FAILED is missing
    const handlers: WebhookHandlers = { SUCCESS: () => {} };
    expectTypeOf(handlers).toEqualTypeOf<WebhookHandlers>();
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
