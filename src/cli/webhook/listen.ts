import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { styleText } from "node:util";
import { WebhookError } from "../../errors/webhook.ts";
import { field, parseJson, stringOf } from "../../shared/json.ts";
import type { WebhookCheck } from "../../webhooks/auth/check.ts";
import type { Auth } from "../../webhooks/options.ts";
import { memoryStore } from "../../webhooks/stores/memory.ts";
import type { WebhookStore } from "../../webhooks/stores/store.ts";
import { Webhooks } from "../../webhooks/webhooks.ts";
import { declareCommand, explainListening, option, outputOptions, readers } from "../shared/command.ts";
import { formatLists, unwrapped } from "../shared/layout.ts";
import { maskMessage } from "../shared/mask.ts";
import { cleanLine, cleanText, jsonText, print, printJsonLine, printNote } from "../shared/print.ts";
import { interrupted } from "../shared/process.ts";
import { hidden, isSecretHeader, maskEvent, maskTarget } from "./masks.ts";
import { readScheme, receiverOptions, secretHelp, unusedByScheme } from "./schemes.ts";

export const addListen = declareCommand("listen", {
  description: "receive payout notifications on this machine, and show each check and what was acknowledged",
  options: [
    option("--port <number>", "port to listen on; 0 picks a free port", readers.port).default(3000),
    ...receiverOptions,
    ...outputOptions("print the URL, and then each delivery, as a line of JSON"),
  ],
  examples: `
  $ npx serviceapi webhook listen --auth none
  $ npx serviceapi webhook listen --port 3000 --prefix sha256= --json
  $ npx serviceapi webhook fire --to http://127.0.0.1:3000/hook --auth none   # in another terminal
`,
  lists: secretHelp,
  unused: unusedByScheme,
  async run(flags) {
    const { json, showPii = false } = flags;
    const auth = await readScheme(flags);
    const store = memoryStore();
    // Checks that prove no sender are refused before the first delivery.
    new Webhooks({ auth });
    const server = createServer(async (request, response) => {
      if (request.method !== "POST") {
        response.writeHead(405, { allow: "POST" }).end();
        printNote("A request that is not a POST was refused (HTTP 405).");
        return;
      }
      const delivery = await receive(request, response, { auth, store, showPii });
      if (json) printJsonLine({ ...delivery, headers: Object.fromEntries(delivery.headers) });
      else print(formatDelivery(delivery));
    });
    server.listen(flags.port, "127.0.0.1");
    await once(server, "listening").catch((error: unknown) => explainListening(error, flags.port));
    // A listening server has an address that is not a pipe's.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    // For a program the first line of JSON, as `serviceapi emulator` prints it.
    if (json) printJsonLine({ listening: { url } });
    else {
      const listening = styleText("green", `Listening on ${url}`, { stream: process.stderr });
      const note = "Every path is a callback URL, and no amount is checked. Press Ctrl-C to stop.";
      process.stderr.write(`${listening}  ${note}\n`);
    }
    await interrupted();
    server.close();
    server.closeAllConnections();
  },
});

/**
 * Receives one delivery: it is checked and acknowledged as by a receiver whose handlers do nothing. Returns what is shown
 * of it: credentials never, and personal data with `showPii` alone.
 */
async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  { auth, store, showPii }: { readonly auth: Auth; readonly store: WebhookStore; readonly showPii: boolean },
) {
  const text = (message: string) => (showPii ? message : maskMessage(message));
  // None runs after one that did not pass.
  const checks: { readonly name: string; readonly passed: boolean; readonly message: string | undefined }[] = [];
  const record = (name: string, message?: string) =>
    checks.push({ name, passed: message === undefined, message: message && text(message) });
  let problem = null as { readonly reason: string; readonly message: string } | null;
  /** The status of this delivery, if another one had taken effect for its reference, and that one. */
  let conflict = null as { readonly status: string; readonly first: string } | null;
  const webhooks = new Webhooks({
    auth: auth === "none" ? auth : auth.map((check) => watch(check, record)),
    store,
    findOrder: "none",
    onFailure(error) {
      const known = WebhookError.isInstance(error) ? error : { reason: "failed", message: "A check failed." };
      problem = { reason: known.reason, message: text(known.message) };
    },
    onConflict({ status }, { status: first }) {
      conflict = { status, first };
    },
  });
  const handler = webhooks.handler({ SUCCESS() {}, FAILED() {}, REJECTED() {} });
  const at = new Date();
  const { method = "", url = "", rawHeaders } = request;
  const chunks: Buffer[] = [];
  const acknowledged = await handler.receive({
    headers: rawHeaders,
    body: keep(request, chunks),
    remoteAddress: request.socket.remoteAddress,
  });
  // The rest of a refused body would block the next request on this connection.
  if (!request.complete) response.setHeader("connection", "close");
  response.writeHead(acknowledged.status, acknowledged.headers).end(acknowledged.body);
  const received = Buffer.concat(chunks).toString();
  const event = parseJson(received);
  const headers = rawHeaders.flatMap((name, index) => {
    if (index % 2 === 1) return [];
    const value = rawHeaders[index + 1] ?? "";
    const shown = hasTarget.test(name) ? maskTarget(value, showPii) : value;
    // `showPii` does not show credentials either.
    return [[name, isSecretHeader(name) ? hidden : shown] as const];
  });
  return {
    ...{ at, method, path: maskTarget(url, showPii), checks, headers },
    body: event === undefined ? text(received) : showPii ? event : maskEvent(event),
    acknowledgement: { httpStatus: acknowledged.status, body: parseJson(acknowledged.body) },
    ...{ conflict, problem },
  };
}

function watch(check: WebhookCheck, judge: (name: string, problem?: string) => void): WebhookCheck {
  return {
    ...check,
    async check(delivery) {
      try {
        const outcome = await check.check(delivery);
        judge(check.name, outcome && "stale" in outcome ? outcome.stale.message : undefined);
        return outcome;
      } catch (error) {
        judge(check.name, WebhookError.isInstance(error) ? error.message : "The check failed.");
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

const maxShown = 2_000;

function formatDelivery({ at, method, path, headers, body, checks, ...rest }: Awaited<ReturnType<typeof receive>>) {
  const { acknowledgement, conflict, problem } = rest;
  const items = headers.map(([name, value]) => [cleanLine(name), cleanLine(value)] as const);
  const shown = typeof body === "string" ? cleanText(body) : jsonText(body);
  const verdicts = checks.map(({ name, passed, message = "" }) => {
    if (passed) return styleText("green", `✔ ${name}`);
    const verdict = styleText("red", `✖ ${name}`);
    // The reason stands below, if it is that of the refusal.
    return message === problem?.message ? verdict : `${verdict}: ${cleanText(message)}`;
  });
  const title = cleanLine(`${method} ${path}  ${at.toISOString()}`);
  const status = stringOf(field(acknowledgement.body, "status"));
  return [
    formatLists({ [title]: [...items, ["", ""], ["body", shown.slice(0, maxShown) || "none"]] }, unwrapped),
    ...(checks.length === 0 ? ["! no check ran"] : verdicts),
    `${styleText("bold", "acknowledged")} ${status} (HTTP ${acknowledgement.httpStatus})`,
    conflict &&
      `! conflict: ${conflict.status} after ${conflict.first}. The first status stays; your \`onConflict\` would be called. For a new payout, pass a new --reference.`,
    problem && cleanText(`! ${problem.reason}: ${problem.message}`),
    "",
  ]
    .filter((line) => line !== null)
    .join("\n");
}

/** Headers to which gateways and browsers copy the URL. */
const hasTarget = /(?:ur[il]|path|prefix|referr?er)$/i;
