import { WebhookPayloadError, type WebhookPayloadReason } from "../../../errors/webhook.ts";

/** A signature is over bytes: a parsed body cannot be turned back into them. */
export function alreadyParsed(): WebhookPayloadError {
  return refusal(
    "alreadyParsed",
    "The body was already parsed or read, so its signature cannot be checked. " +
      'Express: mount this route before express.json(), or use express.raw({ type: "*/*" }). ' +
      "Koa: mount it before the body parser. Fastify: use fastifyWebhook. Nest: create the app with { rawBody: true }. " +
      "Lambda: pass event.body unchanged. Next.js: use the app router. Elsewhere: pass the Request unread.",
  );
}

export function cut(): WebhookPayloadError {
  return refusal("cut", "The connection ended before the whole body had arrived.");
}

export function tooLarge(maxBodyBytes: number): WebhookPayloadError {
  return refusal("tooLarge", `The body is larger than ${maxBodyBytes} bytes (\`maxBodyBytes\`).`);
}

export function tooSlow(bodyTimeout: number): WebhookPayloadError {
  return refusal("tooSlow", `The body did not arrive within ${bodyTimeout} ms (\`bodyTimeout\`).`);
}

function refusal(reason: WebhookPayloadReason, message: string): WebhookPayloadError {
  return new WebhookPayloadError({ reason, message });
}
