import "reflect-metadata";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream } from "node:stream/web";
import { Body, Controller, Module, Post, Req, Res } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import type { NestExpressApplication } from "@nestjs/platform-express";
import { nodeHandler } from "serviceapi/node";
import { api, handler } from "./receiver.js";

const receive = nodeHandler(handler);

@Controller()
class AppController {
  @Post("webhooks/payouts")
  payouts(@Req() request: IncomingMessage, @Res() response: ServerResponse): Promise<void> {
    return receive(request, response);
  }

  @Post("chat")
  async chat(@Body() { text }: { text: string }, @Res() response: ServerResponse): Promise<void> {
    const { status, headers, body } = api.ai.stream({ user: { text } }).toResponse();
    response.writeHead(status, Object.fromEntries(headers));
    await pipeline(Readable.fromWeb(body as ReadableStream), response);
  }
}

@Module({ controllers: [AppController] })
class AppModule {}

/** Nest parses JSON before a controller is called. With `rawBody` it keeps what was sent, which is what was signed. */
export async function startOnExpress(rawBody: boolean) {
  const app = await NestFactory.create<NestExpressApplication>(AppModule, { rawBody, logger: false });
  await app.listen(0, "127.0.0.1");
  return app;
}
