import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { styleText } from "node:util";
import type { Command } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { memoryStore } from "../../webhooks/stores/memory.ts";
import { Webhooks } from "../../webhooks/webhooks.ts";
import { action } from "../shared/action.ts";
import { type ExitCode, exitCodes } from "../shared/exit-codes.ts";
import { helpText } from "../shared/help.ts";
import { interrupted } from "../shared/interrupt.ts";
import { addOutputFlags, type OutputFlags } from "../shared/output-flags.ts";
import { print, printJsonLine, printNote } from "../shared/print.ts";
import { readPort } from "../shared/read-flags.ts";
import { formatDelivery, jsonOf } from "./delivery-log.ts";
import { type ReceiverSettings, receive } from "./receive.ts";
import { addReceiverOptions, type SchemeFlags, secretHelp } from "./scheme-flags.ts";
import { readScheme } from "./schemes.ts";

interface ListenFlags extends SchemeFlags, OutputFlags {
  readonly port: number;
}

const examples = `
  $ npx serviceapi webhook listen --auth none
  $ npx serviceapi webhook listen --port 3000 --prefix sha256= --json
  $ npx serviceapi webhook fire --to http://127.0.0.1:3000/hook --auth none   # in another terminal
`;

/** `serviceapi webhook listen`: a receiver on this machine that shows what comes. */
export function registerListenCommand(webhook: Command): void {
  const listen = webhook
    .command("listen")
    .description("receive payout notifications on this machine, and show each check and what was acknowledged")
    .option("--port <number>", "port to listen on; 0 picks a free port", readPort, 3000);
  addOutputFlags(addReceiverOptions(listen), "print the URL, and then each delivery, as a line of JSON")
    .addHelpText("after", helpText(examples, [secretHelp]))
    .action(action(run, { jsonLines: true }));
}

async function run(flags: ListenFlags, command: Command): Promise<ExitCode> {
  const settings: ReceiverSettings = { checks: await readScheme(flags, command), store: memoryStore() };
  refuseUnsafe(settings);
  const { createServer } = await import("node:http");
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") {
      response.writeHead(405, { allow: "POST" }).end();
      printNote("A request that is not a POST was refused (HTTP 405).");
      return;
    }
    const delivery = await receive(request, response, settings);
    if (flags.json) printJsonLine(jsonOf(delivery, flags));
    else print(formatDelivery(delivery, flags));
  });
  const port = await listenOn(server, flags.port);
  announce(`http://127.0.0.1:${port}`, flags);
  await interrupted();
  server.close();
  server.closeAllConnections();
  return exitCodes.done;
}

/** Prints the URL: for a program as the first line of JSON, as `serviceapi emulator` does. */
function announce(url: string, { json }: OutputFlags): void {
  if (json) {
    printJsonLine({ listening: { url } });
    return;
  }
  const listening = styleText("green", `Listening on ${url}`, { stream: process.stderr });
  process.stderr.write(`${listening}  Every path is a callback URL, and no amount is checked. Press Ctrl-C to stop.\n`);
}

/** Checks that prove no sender are refused before the first delivery. */
function refuseUnsafe({ checks }: ReceiverSettings): void {
  new Webhooks({ auth: checks.length === 0 ? "none" : checks });
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
