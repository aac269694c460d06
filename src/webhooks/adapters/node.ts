import type { IncomingMessage, ServerResponse } from "node:http";
import type { WebhookAnswer, WebhookHandler } from "../types.ts";
import { rawBodyOf } from "./raw-body.ts";

/**
 * Adapts a handler to `http.createServer` and to Express. The raw body is taken from wherever it is: the stream, a
 * `Buffer` of `express.raw()`, or `rawBody`; one that `express.json()` has parsed is refused, and `onRefused` is told why.
 *
 * @param handler - What `webhooks.handler({…})` returned.
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
  return async (request, response) => {
    const answer = await handler.receive(deliveryOf(request, rawBodyOf(request)));
    response.removeHeader("x-powered-by"); // Express names itself on every answer (§6.5.3).
    // A body that was refused halfway stands in the way of the next request on this connection.
    if (!request.complete && request.httpVersionMajor === 1) response.setHeader("connection", "close");
    response.writeHead(answer.status, answer.headers).end(answer.body);
  };
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
  return async (context) => {
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
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    // The stream itself goes on, so that this library's limits hold and its refusals are the JSON of §6.3.
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    scope.post(path, async (request, reply) => {
      const answer: WebhookAnswer = await handler.receive(deliveryOf(request.raw, request.body));
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
