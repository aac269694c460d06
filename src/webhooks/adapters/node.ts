import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ConfigurationError } from "../../errors/request.ts";
import { nonEmptyString, objectWith, readArguments } from "../../shared/options.ts";
import type { BodySource, WebhookHandler } from "../types.ts";

/**
 * Adapts a handler to `http.createServer` and to Express. The raw body is taken from wherever it is: the stream, a
 * `Buffer` of `express.raw()`, or `rawBody`. A body that `express.json()` has parsed is refused, and `onFailure` is
 * called with advice.
 *
 * @param handler - The handler that `webhooks.handler({…})` returned.
 * @returns A request listener. It rejects with a `ConfigurationError`, before any work, if the response object is not
 *   Node's, such as the reply of Fastify and of Nest on Fastify.
 * @throws ConfigurationError for anything but a handler.
 *
 * @example
 * ```ts
 * import express from "express";
 * import { nodeHandler } from "serviceapi/node";
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
    // Before any work: a payout whose acknowledgement cannot be sent would take effect, and stay undelivered for the
    // service.
    if (objectWith("removeHeader", "setHeader", "writeHead", "end")(response, "") !== undefined) {
      throw new ConfigurationError(
        "nodeHandler: the second argument must be a response of Node. On Fastify, and on Nest with Fastify, register fastifyWebhook(handler, path) from serviceapi/node, or call handler.receive({ headers, body: rawBody }).",
      );
    }
    if (response.headersSent) {
      throw new ConfigurationError(
        "nodeHandler: the response was sent already. Call nodeHandler before anything that responds.",
      );
    }
    const { status, headers, body } = await respond(handler, request, rawBodyOf(request));
    // The server's own timeout responded first; the redelivery will be acknowledged.
    if (response.headersSent) return;
    response.removeHeader("x-powered-by"); // Express adds its name to responses (§6.5.3).
    response.writeHead(status, headers).end(body);
  };
}

/** The properties used of a Koa context. */
export interface KoaContextLike {
  /** Node's request. */
  readonly req: IncomingMessage;
  /** Koa's request, on which body parsers leave `rawBody`. */
  readonly request: object;
  /** The HTTP status of the response. */
  status: number;
  /** The body of the response. */
  body: unknown;
  /** Sets headers of the response. */
  set(headers: Record<string, string>): void;
}

/**
 * Adapts a handler to Koa. Mount it before any body parser, except one that keeps `rawBody` (koa-bodyparser).
 *
 * @param handler - The handler that `webhooks.handler({…})` returned.
 * @throws ConfigurationError for anything but a handler, and, before any work, for anything but a context of Koa.
 *
 * @example
 * ```ts
 * import Koa from "koa";
 * import { koaHandler } from "serviceapi/node";
 *
 * const receive = koaHandler(handler);
 * const app = new Koa();
 * app.use((context, next) => (context.path === "/webhooks/payouts" ? receive(context) : next()));
 * ```
 */
export function koaHandler(handler: WebhookHandler): (context: KoaContextLike) => Promise<void> {
  requireHandler("koaHandler", handler);
  return async (context) => {
    if (objectWith("set")(context, "") !== undefined || context.req?.headers === undefined) {
      throw new ConfigurationError("koaHandler: the argument must be a context of Koa.");
    }
    const { req, request } = context;
    const { status, headers, body } = await respond(handler, req, rawBodyOf(req, request));
    context.status = status;
    context.set(headers);
    context.body = body;
  };
}

/** The methods used of a Fastify instance. */
export interface FastifyLike {
  /** Disables the parsing of bodies in this plugin. */
  removeAllContentTypeParsers(): void;
  /** Adds a parser for a content type. */
  addContentTypeParser(
    contentType: string,
    parser: (request: unknown, payload: IncomingMessage, done: (error: null, body: unknown) => void) => void,
  ): unknown;
  /** Sets the handler of errors in this plugin. */
  setErrorHandler(
    handler: (error: unknown, request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>,
  ): unknown;
  /** Adds a route. */
  post(path: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>): unknown;
}

/** The properties used of a Fastify request. */
export interface FastifyRequestLike {
  /** Node's request. */
  readonly raw: IncomingMessage;
  /** The result of the content type parser. */
  readonly body: unknown;
}

/** The methods used of a Fastify reply. */
export interface FastifyReplyLike {
  /** Sets the HTTP status. */
  code(status: number): unknown;
  /** Sets headers. */
  headers(values: Record<string, string>): unknown;
  /** Sends the response. */
  send(body: string): unknown;
}

/**
 * Adapts a handler to Fastify, as a plugin: Fastify parses JSON before a route is called, and only a plugin can disable
 * that for its own route without affecting the rest of the application. A malformed content type, to which Fastify
 * itself would respond with 415, is received like any other.
 *
 * @param handler - The handler that `webhooks.handler({…})` returned.
 * @param path - The path of the route.
 * @throws ConfigurationError for an invalid handler or path.
 *
 * @example
 * ```ts
 * import Fastify from "fastify";
 * import { fastifyWebhook } from "serviceapi/node";
 *
 * const app = Fastify();
 * await app.register(fastifyWebhook(handler, "/webhooks/payouts"));
 * ```
 */
export function fastifyWebhook(handler: WebhookHandler, path: string): (scope: FastifyLike) => Promise<void> {
  requireHandler("fastifyWebhook", handler);
  readArguments("fastifyWebhook", { path }, { path: nonEmptyString });
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    // Passes the stream itself, so that this library's limits apply and its refusals are the JSON of §6.3.
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    const reply = async (to: FastifyReplyLike, { raw }: FastifyRequestLike, source: unknown) => {
      const { status, headers, body } = await respond(handler, raw, source);
      to.code(status);
      to.headers(headers);
      return to.send(body);
    };
    scope.setErrorHandler(async (error, request, to) => {
      // A malformed content type, which no parser is asked about. The body has not been read.
      if (Object(error).code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") return reply(to, request, request.raw);
      throw error;
    });
    scope.post(path, (request, to) => reply(to, request, request.body));
  };
}

/** Throws for anything but a webhook handler, when the adapter is made. */
export function requireHandler(adapter: string, handler: unknown): void {
  if (objectWith("receive")(handler, "") === undefined) return;
  throw new ConfigurationError(
    `${adapter}: pass the handler that \`webhooks.handler({ SUCCESS, FAILED, REJECTED })\` returns. A route that relays a stream takes getRequestListener of @hono/node-server.`,
  );
}

/**
 * Returns the response to a request of Node. Ends the connection if the rest of a refused body would block its next
 * request, or if its server is closing: until the connection ends, a proxy would send it deliveries without end.
 */
async function respond(handler: WebhookHandler, request: IncomingMessage, body: unknown) {
  // Node sets `server`; its types leave it out.
  const { remoteAddress, server } = request.socket as Socket & { readonly server?: Server };
  // A body parser may have left anything: the receiver checks it, and refuses what is not a raw body.
  const response = await handler.receive({ headers: request.headers, body: body as BodySource, remoteAddress });
  const isLast = !request.complete || server?.listening === false;
  const headers = { ...response.headers, ...(isLast && request.httpVersionMajor === 1 && { connection: "close" }) };
  return { ...response, headers };
}

/**
 * Returns the raw body of a Node request, wherever a framework left it: Nest, Cloud Functions and `verify` callbacks
 * keep it as `rawBody`, and a parser's bytes or string are as good as the stream.
 */
function rawBodyOf(request: IncomingMessage, left: object = request): unknown {
  const { rawBody, body }: { readonly rawBody?: unknown; readonly body?: unknown } = left;
  // A parser that does not know the content type may leave `{}` beside an unread stream.
  return [rawBody, body].find((raw) => typeof raw === "string" || ArrayBuffer.isView(raw)) ?? request;
}
