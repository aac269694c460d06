import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { styleText } from "node:util";
import type { Command } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { WebhookError } from "../../errors/webhook.ts";
import { field, parseJson, stringOf } from "../../shared/json.ts";
import type { WebhookCheck } from "../../webhooks/auth/check.ts";
import { memoryStore } from "../../webhooks/stores/memory.ts";
import type { WebhookStore } from "../../webhooks/stores/store.ts";
import { Webhooks } from "../../webhooks/webhooks.ts";
import { cleanLine, cleanText } from "../shared/clean-text.ts";
import { action, helpText } from "../shared/command.ts";
import { type ExitCode, exitCodes } from "../shared/errors.ts";
import { formatLists } from "../shared/layout.ts";
import { maskMessage } from "../shared/mask.ts";
import { addOptions, type FlagsOf, option, outputOptions, readPort, withDefault } from "../shared/options.ts";
import { jsonText, print, printJsonLine, printNote } from "../shared/print.ts";
import { interrupted } from "../shared/process.ts";
import { hidden, isSecretHeader, maskEvent, maskTarget } from "./masks.ts";
import { readScheme, receiverOptions, secretHelp } from "./schemes.ts";

const examples = `
  $ npx serviceapi webhook listen --auth none
  $ npx serviceapi webhook listen --port 3000 --prefix sha256= --json
  $ npx serviceapi webhook fire --to http://127.0.0.1:3000/hook --auth none   # in another terminal
`;

const options = [
  withDefault(option("--port <number>", "port to listen on; 0 picks a free port", readPort), 3000),
  ...receiverOptions,
  ...outputOptions("print the URL, and then each delivery, as a line of JSON"),
] as const;

/** `serviceapi webhook listen`: a receiver on this machine that shows what comes. */
export function registerListenCommand(webhook: Command): void {
  const listen = webhook
    .command("listen")
    .description("receive payout notifications on this machine, and show each check and what was acknowledged");
  addOptions(listen, options)
    .addHelpText("after", helpText(examples, [secretHelp]))
    .action(action(run, { jsonLines: true }));
}

async function run(flags: FlagsOf<typeof options>, command: Command): Promise<ExitCode> {
  const { json, showPii = false } = flags;
  const checks = await readScheme(flags, command);
  const store = memoryStore();
  // Checks that prove no sender are refused before the first delivery.
  new Webhooks({ auth: checks.length === 0 ? "none" : checks });
  const { createServer } = await import("node:http");
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") {
      response.writeHead(405, { allow: "POST" }).end();
      printNote("A request that is not a POST was refused (HTTP 405).");
      return;
    }
    const delivery = await receive(request, response, checks, store);
    if (json) printJsonLine(jsonOf(delivery, showPii));
    else print(formatDelivery(delivery, showPii));
  });
  const port = await listenOn(server, flags.port);
  const url = `http://127.0.0.1:${port}`;
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
  return exitCodes.done;
}

async function listenOn(server: Server, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch(({ code }: NodeJS.ErrnoException) => {
    const reason = code === "EADDRINUSE" ? "is in use" : `cannot be listened on (${code})`;
    throw new ConfigurationError(`Port ${port} ${reason}. Choose another with --port, or 0 to pick a free port.`);
  });
  // A listening server has an address that is not a pipe's.
  return (server.address() as AddressInfo).port;
}

/** The verdict of one check; none runs after one that did not pass. */
interface CheckVerdict {
  readonly name: string;
  readonly passed: boolean;
  readonly message?: string;
}

/** Receives one delivery: it is checked and acknowledged as by a receiver whose handlers do nothing. */
async function receive(
  request: IncomingMessage,
  response: ServerResponse,
  checks: readonly WebhookCheck[],
  store: WebhookStore,
) {
  const verdicts: CheckVerdict[] = [];
  const chunks: Buffer[] = [];
  let problem: { readonly reason: string; readonly message: string } | undefined;
  /** The status of this delivery, if another one had taken effect for its reference, and that one. */
  let conflict: { readonly status: string; readonly first: string } | undefined;
  const webhooks = new Webhooks({
    ...{ auth: checks.length === 0 ? "none" : checks.map((check) => watch(check, verdicts)), store, findOrder: "none" },
    onFailure(error) {
      problem = WebhookError.isInstance(error)
        ? { reason: error.reason, message: error.message }
        : { reason: "failed", message: "A check failed." };
    },
    onConflict({ status }, { status: first }) {
      conflict = { status, first };
    },
  });
  const handler = webhooks.handler({ SUCCESS() {}, FAILED() {}, REJECTED() {} });
  const at = new Date();
  const { method = "", url: path = "", rawHeaders } = request;
  const { status, headers, body } = await handler.receive({
    headers: rawHeaders,
    body: keep(request, chunks),
    remoteAddress: request.socket.remoteAddress,
  });
  // The rest of a refused body would block the next request on this connection.
  if (!request.complete) response.setHeader("connection", "close");
  response.writeHead(status, headers).end(body);
  return {
    ...{ at, method, path, headers: pairs(rawHeaders), body: Buffer.concat(chunks).toString("utf8") },
    ...{ checks: verdicts, acknowledgement: { httpStatus: status, body }, conflict, problem },
  };
}

function watch(check: WebhookCheck, verdicts: CheckVerdict[]): WebhookCheck {
  const { name } = check;
  return {
    ...check,
    async check(delivery) {
      try {
        const outcome = await check.check(delivery);
        const message = outcome && "stale" in outcome ? outcome.stale.message : undefined;
        verdicts.push({ name, passed: message === undefined, ...(message !== undefined && { message }) });
        return outcome;
      } catch (error) {
        const message = WebhookError.isInstance(error) ? error.message : "The check failed.";
        verdicts.push({ name, passed: false, message });
        throw error;
      }
    },
  };
}

type ReceivedDelivery = Awaited<ReturnType<typeof receive>>;

async function* keep(request: IncomingMessage, chunks: Buffer[]): AsyncGenerator<Buffer> {
  for await (const chunk of request) {
    chunks.push(chunk);
    yield chunk;
  }
}

function pairs(list: readonly string[]): readonly (readonly [string, string])[] {
  return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ""] as const] : []));
}

/** Longer bodies are cut. */
const maxShown = 2_000;

function formatDelivery(delivery: ReceivedDelivery, showPii: boolean): string {
  const { at, method, path, checks, acknowledgement, conflict, problem } = delivery;
  const status = stringOf(field(parseJson(acknowledgement.body), "status"));
  const title = cleanLine(`${method} ${maskTarget(path, showPii)}  ${at.toISOString()}`);
  const headers = delivery.headers.map(
    ([name, value]) => [cleanLine(name), cleanLine(headerValue(name, value, showPii))] as const,
  );
  const verdicts = checks.map(({ name, passed, message = "" }) => {
    if (passed) return styleText("green", `✔ ${name}`);
    const verdict = styleText("red", `✖ ${name}`);
    // The reason stands below, if it is that of the refusal.
    return message === problem?.message ? verdict : `${verdict}: ${cleanText(maskUnless(showPii, message))}`;
  });
  return [
    formatLists([{ title, items: [...headers, ["", ""], ["body", formatBody(delivery.body, showPii)]] }]),
    ...(checks.length === 0 ? ["! no check ran"] : verdicts),
    `${styleText("bold", "acknowledged")} ${status} (HTTP ${acknowledgement.httpStatus})`,
    ...(conflict === undefined
      ? []
      : [
          `! conflict: ${conflict.status} after ${conflict.first}. The first status stays; your \`onConflict\` would be called.`,
        ]),
    ...(problem === undefined ? [] : [cleanText(`! ${problem.reason}: ${maskUnless(showPii, problem.message)}`)]),
    "",
  ].join("\n");
}

function jsonOf(delivery: ReceivedDelivery, showPii: boolean): object {
  const { at, method, path, checks, acknowledgement, conflict = null, problem } = delivery;
  const event = parseJson(delivery.body);
  const shown = <Part extends { readonly message?: string }>(part: Part) =>
    part.message === undefined ? part : { ...part, message: maskUnless(showPii, part.message) };
  return {
    ...{ at, method, path: maskTarget(path, showPii), checks: checks.map(shown) },
    headers: Object.fromEntries(delivery.headers.map(([name, value]) => [name, headerValue(name, value, showPii)])),
    body: event === undefined ? maskUnless(showPii, delivery.body) : showPii ? event : maskEvent(event),
    acknowledgement: { httpStatus: acknowledgement.httpStatus, body: parseJson(acknowledgement.body) },
    conflict,
    problem: problem === undefined ? null : shown(problem),
  };
}

function formatBody(body: string, showPii: boolean): string {
  const event = parseJson(body);
  if (event === undefined) return cleanText(maskUnless(showPii, body)).slice(0, maxShown) || "none";
  return jsonText(showPii ? event : maskEvent(event)).slice(0, maxShown);
}

/** `--show-pii` does not show credentials either. */
function headerValue(name: string, value: string, showPii: boolean): string {
  if (isSecretHeader(name)) return hidden;
  return hasTarget.test(name) ? maskTarget(value, showPii) : value;
}

/** Headers to which gateways and browsers copy the URL. */
const hasTarget = /(?:ur[il]|path|prefix|referr?er)$/i;

function maskUnless(showPii: boolean, text: string): string {
  return showPii ? text : maskMessage(text);
}
