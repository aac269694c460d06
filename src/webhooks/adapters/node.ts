import type { IncomingMessage, ServerResponse } from "node:http";
import { ConfigurationError } from "../../errors/request.ts";
import type { WebhookHandler, WebhookResponse } from "../types.ts";
import { rawBodyOf } from "./raw-body.ts";
import { hasMethods, requireHandler } from "./require.ts";

/**
 * Adapts a handler to `http.createServer` and to Express. The raw body is taken from wherever it is: the stream, a
 * `Buffer` of `express.raw()`, or `rawBody`; one that `express.json()` has parsed is refused, and `onRefused` is told why.
 *
 * @param handler - What `webhooks.handler({…})` returned.
 * @returns A request listener. It rejects with a `ConfigurationError`, before any work, if the response object is not
 *   Node's, as the reply of Fastify and of Nest on Fastify.
 * @throws ConfigurationError if `handler` is something else.
 *
 * @example
 * ```ts
 * import express from "express";
 * import { nodeHandler } from "serviceapi/webhooks/node";
 *
 * const app = express();
 * app.post("/webhooks/payouts", nodeHandler(handler)); // before app.use(express.json())
 * ```
 */
export function nodeHandler(
  handler: WebhookHandler,
): (request: IncomingMessage, response: ServerResponse) => Promise<void> {
  requireHandler("nodeHandler", handler);
  return async (request, response) => {
    // Before any work: an acknowledgement that cannot be sent would have the service mark a payout as undelivered that
    // has taken effect.
    requireResponse(response);
    const answer = await handler.receive(deliveryOf(request, rawBodyOf(request)));
    // A timeout of the server's own answered first; the redelivery will be acknowledged.
    if (response.headersSent) return;
    response.removeHeader("x-powered-by"); // Express names itself on every answer (§6.5.3).
    // A body that was refused halfway stands in the way of the next request on this connection.
    if (!request.complete && request.httpVersionMajor === 1) response.setHeader("connection", "close");
    response.writeHead(answer.status, answer.headers).end(answer.body);
  };
}

function requireResponse(response: ServerResponse): void {
  if (!hasMethods(response, "removeHeader", "setHeader", "writeHead", "end")) {
    throw new ConfigurationError(
      "nodeHandler: the second argument is not a response of Node. On Fastify, and on Nest with Fastify, register " +
        "fastifyWebhook(handler, path) from serviceapi/webhooks/node, or call handler.receive({ headers, body: rawBody }).",
    );
  }
  if (!response.headersSent) return;
  throw new ConfigurationError("nodeHandler: the response was sent before the delivery came here.");
}

/** What is used of a Koa context. */
export interface KoaContextLike {
  readonly req: IncomingMessage;
  readonly request: object;
  status: number;
  body: unknown;
  set(headers: Record<string, string>): void;
}

/**
 * Adapts a handler to Koa. Mount it before any body parser; one that keeps `rawBody` (koa-bodyparser) may stand before it.
 *
 * @param handler - What `webhooks.handler({…})` returned.
 * @throws ConfigurationError if `handler` is something else, and, before any work, if the context is not one of Koa.
 *
 * @example
 * ```ts
 * import Koa from "koa";
 * import { koaHandler } from "serviceapi/webhooks/node";
 *
 * const receive = koaHandler(handler);
 * const app = new Koa();
 * app.use((context, next) => (context.path === "/webhooks/payouts" ? receive(context) : next()));
 * ```
 */
export function koaHandler(handler: WebhookHandler): (context: KoaContextLike) => Promise<void> {
  requireHandler("koaHandler", handler);
  return async (context) => {
    if (!hasMethods(context, "set") || context.req?.headers === undefined) {
      throw new ConfigurationError("koaHandler: the argument is not a context of Koa.");
    }
    const answer = await handler.receive(deliveryOf(context.req, rawBodyOf(context.req, context.request)));
    context.status = answer.status;
    context.set({ ...answer.headers });
    context.body = answer.body;
  };
}

/** What is used of a Fastify instance. */
export interface FastifyLike {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: IncomingMessage, done: (error: null, body: unknown) => void) => void,
  ): unknown;
  post(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>): unknown;
}

/** What is used of a Fastify request. */
export interface FastifyRequestLike {
  readonly raw: IncomingMessage;
  readonly body: unknown;
}

/** What is used of a Fastify reply. */
export interface FastifyReplyLike {
  code(status: number): FastifyReplyLike;
  headers(values: Record<string, string>): FastifyReplyLike;
  send(body: string): unknown;
}

/**
 * Adapts a handler to Fastify, as a plugin: Fastify parses JSON before a route sees it, and only a plugin can switch
 * that off for a route of its own without touching the rest of the application.
 *
 * @param handler - What `webhooks.handler({…})` returned.
 * @param path - The route's path.
 * @throws ConfigurationError for a handler or a path that is none.
 *
 * @example
 * ```ts
 * import Fastify from "fastify";
 * import { fastifyWebhook } from "serviceapi/webhooks/node";
 *
 * const app = Fastify();
 * await app.register(fastifyWebhook(handler, "/webhooks/payouts"));
 * ```
 */
export function fastifyWebhook(handler: WebhookHandler, path: string): (scope: FastifyLike) => Promise<void> {
  requireHandler("fastifyWebhook", handler);
  if (typeof path !== "string" || path === "") {
    throw new ConfigurationError("fastifyWebhook: the second argument must be the path of the route.");
  }
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    // The stream itself goes on, so that this library's limits hold and its refusals are the JSON of §6.3.
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    scope.post(path, async (request, reply) => {
      const answer: WebhookResponse = await handler.receive(deliveryOf(request.raw, request.body));
      return reply
        .code(answer.status)
        .headers({ ...answer.headers })
        .send(answer.body);
    });
  };
}

function deliveryOf(request: IncomingMessage, body: unknown) {
  return { headers: request.headers, body, remoteAddress: request.socket.remoteAddress };
}
