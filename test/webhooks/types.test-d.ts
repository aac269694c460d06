import type { Pool, PoolClient, QueryResult } from "pg";
import { describe, expectTypeOf, it } from "vitest";
import { type PostgresLike, type PostgresQuery, type PostgresStore, postgresStore } from "../../src/stores.ts";
import type { lambdaHandler } from "../../src/webhooks/adapters/lambda.ts";
import {
  type Claim,
  type FinalPayout,
  type hmac,
  isKnownWebhookEvent,
  type KnownWebhookEvent,
  type PayoutDuplicate,
  type PayoutFailed,
  type PayoutRejected,
  type PayoutSucceeded,
  type RequestContext,
  type standardWebhooks,
  type UnknownWebhookEvent,
  type WebhookEvent,
  type WebhookHandler,
  type WebhookHandlers,
  type Webhooks,
} from "../../src/webhooks/index.ts";

describe("the types of the receiver", () => {
  it("take secrets in a list, or from a function, and no single one: a rotation needs two", () => {
    expectTypeOf<{ header: string; secrets: string }>().not.toExtend<Parameters<typeof hmac>[0]>();
    expectTypeOf<{ header: string; secrets: (string | Uint8Array)[] }>().toExtend<Parameters<typeof hmac>[0]>();
    expectTypeOf<{ secrets: string }>().not.toExtend<NonNullable<Parameters<typeof standardWebhooks>[0]>>();
    expectTypeOf<{ secrets: () => Promise<string> }>().toExtend<NonNullable<Parameters<typeof standardWebhooks>[0]>>();
  });

  it("pass the client of the pool to the work of a transaction, and what runs statements else", () => {
    const creditRow = (client: PoolClient) => client.query<{ id: string }>({ text: "…", name: "credit" });
    const check = (pool: Pool, query: PostgresQuery, claim: Claim) => {
      const store = postgresStore(pool);
      expectTypeOf(store.transaction(claim, creditRow)).resolves.toEqualTypeOf<QueryResult<{ id: string }>>();
      expectTypeOf(store.transaction<void>)
        .parameter(1)
        .parameter(0)
        .toEqualTypeOf<PoolClient>();
      expectTypeOf(store).toExtend<PostgresStore>();
      expectTypeOf(postgresStore(query).transaction<void>)
        .parameter(1)
        .parameter(0)
        .toExtend<PostgresLike>();
      const wrapper = { totalCount: 1, query, connect: async () => ({ query, release() {}, own: 1 }) };
      expectTypeOf(postgresStore(wrapper).transaction<number>)
        .parameter(1)
        .parameter(0)
        .toHaveProperty("own");
    };
    expectTypeOf(check).toBeFunction();
  });

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

  it("let a future status be compared, next to those of today", () => {
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
      REJECTED: () => {},
      onUnknown(event) {
        if (event.status === "REVERSED") return event.client_referenceId;
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
    expectTypeOf<WebhookHandlers["REJECTED"]>().parameter(0).toEqualTypeOf<PayoutRejected>();
    // @ts-expect-error REJECTED is missing
    const handlers: WebhookHandlers = { SUCCESS: () => {}, FAILED: () => {} };
    // @ts-expect-error FAILED is missing
    const others: WebhookHandlers = { SUCCESS: () => {}, REJECTED: () => {} };
    expectTypeOf([handlers, others]).toEqualTypeOf<WebhookHandlers[]>();
  });

  it("let one function handle each end of a payout, and process() take an interface", () => {
    const settle = ({ status, txn_amount }: FinalPayout) => `${status} ${txn_amount}`;
    expectTypeOf({ SUCCESS: settle, FAILED: settle, REJECTED: settle }).toExtend<WebhookHandlers>();
    interface Found {
      status: string;
    }
    expectTypeOf<Found>().toExtend<Parameters<Webhooks["process"]>[0]>();
  });

  it("fit the routes of Next.js 15 and 16", () => {
    type RouteContext = { params: Promise<Record<string, string | string[] | undefined>> };
    // `next build` of Next.js 15 infers the second parameter, which TypeScript does from the last overload, and refuses
    // any that is not its own context: to it, the handler must look like a route that takes the request alone.
    // biome-ignore lint/suspicious/noExplicitAny: as Next.js writes it
    type SecondArg<T> = T extends (...args: [any, infer Second]) => any ? Second : unknown;
    expectTypeOf<SecondArg<WebhookHandler>>().toEqualTypeOf<SecondArg<(request: Request) => Promise<Response>>>();
    // Next.js 16.
    interface RouteHandlerConfig {
      POST?: (request: NextRequest, context: RouteContext) => Promise<Response | undefined> | Response | undefined;
    }
    interface NextRequest extends Request {
      readonly nextUrl: URL;
    }
    const route = { POST: {} as WebhookHandler };
    expectTypeOf(route).toExtend<RouteHandlerConfig>();
  });

  it("fit Bun.serve, as `fetch` and as a route, and a Worker with bindings", () => {
    interface BunServer {
      requestIP(request: Request): { readonly address: string } | null;
      readonly port: number;
    }
    interface BunRequest extends Request {
      readonly params: Record<string, string>;
    }
    interface Bun {
      fetch?(this: BunServer, request: Request, server: BunServer): Promise<Response> | Response;
      routes?: Record<string, { POST?: (request: BunRequest, server: BunServer) => Promise<Response> | Response }>;
    }
    interface ExportedHandler<Env> {
      fetch?: (request: Request, env: Env, context: { waitUntil(work: Promise<unknown>): void }) => Promise<Response>;
    }
    const handler = {} as WebhookHandler;
    expectTypeOf({ fetch: handler, routes: { "/hook": { POST: handler } } }).toExtend<Bun>();
    expectTypeOf({ fetch: handler }).toExtend<ExportedHandler<{ readonly A: string }>>();
  });

  it("take a context that may be undefined, and refuse one that is something else", () => {
    const handler = {} as WebhookHandler;
    const request = {} as Request;
    expectTypeOf(handler(request, {} as RequestContext | undefined)).toEqualTypeOf<Promise<Response>>();
    expectTypeOf(handler(request)).toEqualTypeOf<Promise<Response>>();
    // @ts-expect-error Bun's server is not a context: pass { remoteAddress: server.requestIP(request)?.address }
    handler(request, { requestIP: () => null });
  });

  it("fit Lambda behind an Application Load Balancer and API Gateway", () => {
    interface ALBEvent {
      requestContext: { elb: { targetGroupArn: string } };
      httpMethod: string;
      path: string;
      // With `| undefined`, as @types/aws-lambda has it: `exactOptionalPropertyTypes` makes a difference.
      headers?: Record<string, string | undefined> | undefined;
      multiValueHeaders?: Record<string, string[] | undefined> | undefined;
      body: string | null;
      isBase64Encoded: boolean;
    }
    interface ALBResult {
      statusCode: number;
      headers?: Record<string, boolean | number | string> | undefined;
      multiValueHeaders?: Record<string, (boolean | number | string)[]> | undefined;
      body?: string | undefined;
      isBase64Encoded?: boolean | undefined;
    }
    type ALBHandler = (event: ALBEvent, context: object) => Promise<ALBResult>;
    expectTypeOf<ReturnType<typeof lambdaHandler>>().toExtend<ALBHandler>();
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
