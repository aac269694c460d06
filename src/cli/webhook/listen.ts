import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { styleText } from "node:util";
import type { Command } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { memoryStore } from "../../webhooks/stores/memory.ts";
import { Webhooks } from "../../webhooks/webhooks.ts";
import { action, addOutputFlags, type OutputFlags, print, printJsonLine, printNote } from "../shared/action.ts";
import { type ExitCode, exitCodes } from "../shared/exit-codes.ts";
import { formatTables } from "../shared/format-table.ts";
import { interrupted } from "../shared/interrupt.ts";
import { readPort } from "../shared/read-flags.ts";
import { formatDelivery, jsonOf } from "./delivery-log.ts";
import { type ReceiverSettings, receive } from "./receive.ts";
import { addReceiverOptions, readScheme, type SchemeFlags, secretHelp } from "./schemes.ts";

interface ListenFlags extends SchemeFlags, OutputFlags {
  readonly port: number;
}

const examples = `
Examples:
  $ serviceapi webhook listen --auth none
  $ serviceapi webhook listen --port 3000 --prefix sha256= --json
  $ serviceapi webhook fire --to http://127.0.0.1:3000/hook --auth none   # in another terminal
`;

/** `serviceapi webhook listen`: a receiver on this machine that shows what comes. */
export function registerListenCommand(webhook: Command): void {
  const listen = webhook
    .command("listen")
    .description("receive payout notifications on this machine, and show each check and what was acknowledged")
    .option("--port <number>", "port to listen on; 0 picks a free port", readPort, 3000);
  addOutputFlags(addReceiverOptions(listen), "print each delivery as a line of JSON")
    .addHelpText("after", () => `${examples}\n${formatTables([secretHelp])}`)
    .action(action(run, { jsonLines: true }));
}

async function run(flags: ListenFlags, command: Command): Promise<ExitCode> {
  const settings: ReceiverSettings = { checks: await readScheme(flags, command), store: memoryStore() };
  refuseUnsafe(settings);
  const server = createServer(async (request, response) => {
    if (request.method !== "POST") {
      response.writeHead(405, { allow: "POST" }).end();
      printNote("A request that is not a POST was refused (HTTP 405).");
      return;
    }
    const delivery = await receive(request, response, settings);
    try {
      if (flags.json) printJsonLine(jsonOf(delivery, flags));
      else print(formatDelivery(delivery, flags));
    } catch {
      printNote("A delivery was received that cannot be shown, such as JSON that nests too deep.");
    }
  });
  const port = await listenOn(server, flags.port);
  const url = styleText("green", `Listening on http://127.0.0.1:${port}`, { stream: process.stderr });
  process.stderr.write(`${url}  Every path is a callback URL, and no amount is checked. Press Ctrl-C to stop.\n`);
  await interrupted();
  server.close();
  server.closeAllConnections();
  return exitCodes.done;
}

/** Checks that prove no sender are refused before the first delivery. */
function refuseUnsafe({ checks }: ReceiverSettings): void {
  new Webhooks({ auth: checks.length === 0 ? "none" : checks });
}

async function listenOn(server: ReturnType<typeof createServer>, port: number): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening").catch(({ code }: NodeJS.ErrnoException) => {
    const reason = code === "EADDRINUSE" ? "is in use" : `cannot be listened on (${code})`;
    throw new ConfigurationError(`Port ${port} ${reason}. Choose another with --port, or 0 to pick a free port.`);
  });
  // A listening server has an address that is not a pipe's.
  return (server.address() as AddressInfo).port;
}
