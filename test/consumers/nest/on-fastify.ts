import "reflect-metadata";
import { Body, Controller, Module, Post, Req, Res } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { FastifyAdapter, type NestFastifyApplication } from "@nestjs/platform-fastify";
import type { FastifyReply } from "fastify";
import { fastifyWebhook, nodeHandler } from "serviceapi/node";
import { api, handler } from "./receiver.js";

@Controller()
class AppController {
  @Post("chat")
  async chat(@Body() { text }: { text: string }, @Res() reply: FastifyReply): Promise<void> {
    await reply.send(api.ai.stream({ user: { text } }).toResponse());
  }

  /** Works on Express. A reply of Fastify is not a response of Node, which the types of Nest do not know. */
  @Post("mistaken")
  mistaken(@Req() request: never, @Res() reply: never): Promise<void> {
    return nodeHandler(handler)(request, reply);
  }
}

@Module({ controllers: [AppController] })
class AppModule {}

export async function startOnFastify() {
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, new FastifyAdapter(), {
    rawBody: true,
    logger: false,
  });
  await app.getHttpAdapter().getInstance().register(fastifyWebhook(handler, "/webhooks/payouts"));
  await app.listen(0, "127.0.0.1");
  return app;
}
