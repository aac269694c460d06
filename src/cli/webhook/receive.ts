import type { IncomingMessage, ServerResponse } from "node:http";
import { WebhookError } from "../../errors/webhook.ts";
import type { WebhookCheck } from "../../webhooks/auth/check.ts";
import type { WebhookStore } from "../../webhooks/stores/store.ts";
import { Webhooks } from "../../webhooks/webhooks.ts";

/** The verdict of one check on one delivery. */
export interface CheckVerdict {
  readonly name: string;
  readonly passed: boolean;
  /** The reason why it did not pass. */
  readonly message?: string;
}

/** A delivery that came, and the response to it. */
export interface ReceivedDelivery {
  readonly at: Date;
  readonly method: string;
  readonly path: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** The checks that ran: none runs after one that did not pass. */
  readonly checks: readonly CheckVerdict[];
  /** The acknowledgement that was sent. */
  readonly acknowledgement: { readonly httpStatus: number; readonly body: string };
  /** The status of this delivery, if another one had taken effect for its reference, and that one. */
  readonly conflict: { readonly status: string; readonly first: string } | undefined;
  /** The reason of a refusal or a failure. */
  readonly problem: { readonly reason: string; readonly message: string } | undefined;
}

/** The settings that all deliveries share. */
export interface ReceiverSettings {
  readonly checks: readonly WebhookCheck[];
  readonly store: WebhookStore;
}

/** Receives one delivery: it is checked and acknowledged as by a receiver whose handlers do nothing. */
export async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { checks, store }: ReceiverSettings,
): Promise<ReceivedDelivery> {
  const verdicts: CheckVerdict[] = [];
  const chunks: Buffer[] = [];
  let problem: ReceivedDelivery["problem"];
  let conflict: ReceivedDelivery["conflict"];
  const explain = (error: unknown) => {
    problem = WebhookError.isInstance(error)
      ? { reason: error.reason, message: error.message }
      : { reason: "failed", message: "A check failed." };
  };
  const webhooks = new Webhooks({
    auth: checks.length === 0 ? "none" : checks.map((check) => watch(check, verdicts)),
    ...{ store, findOrder: "none", onFailure: explain },
    onConflict({ status }, { status: first }) {
      conflict = { status, first };
    },
  });
  const handler = webhooks.handler({ SUCCESS() {}, FAILED() {}, REJECTED() {} });
  const at = new Date();
  const { method = "", url: path = "", rawHeaders } = request;
  const remoteAddress = request.socket.remoteAddress;
  const { status, headers, body } = await handler.receive({
    headers: rawHeaders,
    body: keep(request, chunks),
    remoteAddress,
  });
  // The rest of a refused body would block the next request on this connection.
  if (!request.complete) response.setHeader("connection", "close");
  response.writeHead(status, headers).end(body);
  return {
    ...{ at, method, path, headers: pairs(rawHeaders), body: Buffer.concat(chunks).toString("utf8") },
    ...{ checks: verdicts, acknowledgement: { httpStatus: status, body }, conflict, problem },
  };
}

/** Returns the check, which also notes its verdict. */
function watch(check: WebhookCheck, verdicts: CheckVerdict[]): WebhookCheck {
  return {
    ...check,
    async check(delivery) {
      try {
        const outcome = await check.check(delivery);
        const message = outcome && "stale" in outcome ? outcome.stale.message : undefined;
        verdicts.push({ name: check.name, passed: message === undefined, ...(message !== undefined && { message }) });
        return outcome;
      } catch (error) {
        const message = WebhookError.isInstance(error) ? error.message : "The check failed.";
        verdicts.push({ name: check.name, passed: false, message });
        throw error;
      }
    },
  };
}

async function* keep(request: IncomingMessage, chunks: Buffer[]): AsyncGenerator<Buffer> {
  for await (const chunk of request) {
    chunks.push(chunk);
    yield chunk;
  }
}

function pairs(list: readonly string[]): readonly (readonly [string, string])[] {
  return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ""] as const] : []));
}
