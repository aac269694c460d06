import { styleText } from "node:util";
import { type FramingName, framings } from "../../emulator/ai/framing.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { isLoopbackHost } from "../../shared/loopback.ts";
import { hmac } from "../../webhooks/auth/hmac.ts";
import { declareCommand, explainListening, jsonOption, option, prefixOption, readers } from "../shared/command.ts";
import { formatLists, unwrapped } from "../shared/layout.ts";
import { cleanLine, print, printJsonLine, quote } from "../shared/print.ts";
import { interrupted } from "../shared/process.ts";

const secretName = "SERVICEAPI_WEBHOOK_SECRET";

function readDurations(text: string): readonly number[] {
  return text === "" ? [] : text.split(",").map((part) => readers.milliseconds(part.trim()));
}

export const addEmulator = declareCommand("emulator", {
  description: "serve the emulator on this machine; it accepts any credentials",
  // Its address, and every option of `createEmulator` but `onRequest`.
  options: [
    option("--port <number>", "port to listen on; 0 picks a free port", readers.port).default(4010),
    option("--host <address>", "IP address to listen on; 0.0.0.0 in a container").default("127.0.0.1"),
    option("--allow-host <name...>", "further host names to accept, such as the name of a Compose service"),
    option("--console", "serve the console at / although --host is not loopback, as in a container"),
    option("--no-console", "do not serve the console"),
    option("--on <name>", "response to every request by its name, such as slow:500 or html-502"),
    option("--now <time>", "time at which its clock stands still, such as 2026-11-20T06:00:00Z"),
    option("--pace <ms>", "pause between two events of a stream", readers.milliseconds),
    option("--framing <name>", "framing of streams").choices(Object.keys(framings) as FramingName[]),
    option("--no-strict", "accept a trace_id or token that it never issued"),
    option("--session-lifetime <ms>", "how long a flight search can be quoted and booked", readers.milliseconds),
    option("--failure-status <status>", "HTTP status of refusals").choices(["asCode", "200"]),
    option("--retry-after <ms>", "header Retry-After, rounded up to seconds", readers.milliseconds),
    prefixOption("path before the operations of verification, ai, flights or an area of your own"),
    option("--webhook-url <url>", "URL to deliver payout notifications to", readers.url),
    option(
      "--webhook-header <name>",
      `sign them: header with the HMAC-SHA256 of the body; the secret comes from ${secretName}`,
    ),
    option("--webhook-prefix <text>", "text before the signature, such as sha256="),
    option("--webhook-encoding <name>", "encoding of the signature (default: hex)").choices([
      "hex",
      "base64",
      "base64url",
    ]),
    option("--webhook-retries <ms,...>", "when a delivery is retried, after the first attempt", readDurations),
    option("--webhook-ack-timeout <ms>", "how long to wait for an acknowledgement", readers.timeout),
    option("--webhook-failed <action>", "what follows an acknowledgement FAILED").choices(["retry", "final"]),
    option("--no-webhook-resign", "deliver again with the headers of the first attempt"),
    jsonOption("print the start, and then each request, as a line of JSON"),
  ],
  examples: `
  $ npx serviceapi emulator --port 4010
  $ npx serviceapi emulator --on slow:800 --pace 100
  $ npx serviceapi emulator --webhook-url http://127.0.0.1:3000/hook
  $ npx serviceapi emulator --port 0 --json
`,
  unused: ({ webhookHeader }) => [
    webhookHeader === undefined && ["without --webhook-header", "webhookPrefix", "webhookEncoding"],
  ],
  async run(flags) {
    const { port, host, json, failureStatus, on, webhookHeader: header } = flags;
    // The secret is not an option, because every user of the machine can see a command line.
    if (header !== undefined && !process.env[secretName]) {
      throw new ConfigurationError(`--webhook-header needs a secret. Set ${secretName}.`);
    }
    const { createEmulator } = await import("../../emulator/emulator.ts");
    const { webhookPrefix: prefix, webhookEncoding: encoding } = flags;
    const { now, pace, framing, strict, sessionLifetime, retryAfter } = flags;
    const emulator = createEmulator({
      ...{ now, pace, framing, strict, sessionLifetime, retryAfter },
      failureStatus: failureStatus === "200" ? 200 : failureStatus,
      pathPrefixes: flags.pathPrefix,
      webhook: {
        to: flags.webhookUrl,
        auth: header === undefined ? undefined : hmac({ header, prefix, encoding }),
        retrySchedule: flags.webhookRetries,
        ackTimeout: flags.webhookAckTimeout,
        failedAcknowledgement: flags.webhookFailed,
        resign: flags.webhookResign,
      },
      onRequest({ method, operation: name, status, duration }) {
        // A path that is not an operation's is whatever the client sent: a long number in it may be a mobile number.
        const operation = cleanLine(name.replaceAll(/\d{4,}/g, "…"));
        // The status of a dropped connection is null.
        if (json) return printJsonLine({ method, operation, status: status ?? null, duration });
        const colour = status === undefined || status >= 500 ? "red" : status >= 400 ? "yellow" : "green";
        print(`${method} ${operation} ${styleText(colour, `${status ?? "dropped"}`)} ${duration} ms`);
      },
    });
    if (on !== undefined) emulator.on("*", on as "unavailable");
    // The console is served on loopback, and elsewhere only on request.
    const console = isLoopbackHost(host)
      ? flags.console !== false
      : flags.console === true && { allowNonLoopbackHost: true };
    const listening = emulator.listen({ port, host, allowedHosts: flags.allowHost, console });
    const server = await listening.catch((error: unknown) => explainListening(error, port, host));
    const start = { url: server.url, ...emulator.seedSearch() };
    if (json) printJsonLine({ listening: start });
    else print(welcome(start, console !== false, host, header !== undefined));
    await interrupted();
    await server.close();
    emulator.reset();
  },
});

function welcome(
  { url, trace_id, token }: Readonly<Record<"url" | "trace_id" | "token", string>>,
  hasConsole: boolean,
  host: string,
  isSigning: boolean,
): string {
  const lists = {
    "URL and credentials": {
      baseUrl: url,
      clientId: "demo-client (any other works too)",
      clientSecret: "demo-secret (any other works too)",
      console: hasConsole ? `${url}/ (open it in a browser)` : "not served; --console serves it",
    },
    "A flight search, valid for 15 minutes": {
      ...{ trace_id, token },
      another: `curl --json '{}' ${url}/__emulator/searches`,
    },
  };
  const credentials = "SERVICEAPI_CLIENT_ID=demo-client SERVICEAPI_CLIENT_SECRET=demo-secret";
  const flight = `TRACE_ID=${quote(trace_id)} TOKEN=${quote(token)}`;
  const signing = isSigning ? ", and have it sign notifications: use a secret of tests alone" : "";
  const exposure = `--host ${host}: whoever can reach this port can read the last requests in full${signing}.`;
  return [
    formatLists(lists, unwrapped),
    formatLists(testValues),
    `${styleText("bold", "Environment variables for another terminal")}\nexport SERVICEAPI_BASE_URL=${quote(url)} ${credentials} ${flight}`,
    ...(isLoopbackHost(host) ? [] : [styleText("yellow", exposure)]),
    `${styleText("green", `Listening on ${url}`)}  Press Ctrl-C to stop.`,
  ].join("\n\n");
}

/** Values in a request that choose its response, as the command prints them. docs/emulator.md lists all of them. */
const testValues = {
  "Credentials that fail": {
    "wrong-secret": "as client-secret: HTTP 401",
    "blocked-ip": "as client-id: HTTP 403",
  },
  "Mobile numbers by their last digits": {
    "0001 0002": "three VPAs, one VPA",
    "0003 0004 0005": "unknown account status, inconsistent list, statusCode as a number",
    "0102 0404": "pending, no UPI ID",
    "0429 0504": "HTTP 429 twice and then success, no response",
  },
  "AI texts that begin with (in serviceapi chat with //, such as //fail)": {
    "/fail /truncate": "FAILED in the middle, cut off before the end",
    "/swap /swapfirst /gaps /duplicate": "chunks out of order, the first one too, numbered with gaps, sent twice",
    "/framing:<name>": "sse, sse-crlf, sse-cr, ndjson, array, concatenated and more",
    "/stall:<ms> /bytes:<n>": "a pause after the second chunk, n bytes at a time",
  },
  "Last names of a passenger": {
    "PRICECHANGE TIMECHANGE": "booked at a higher price, at a later time",
    "NOSEAT NOPNR WAITLIST": "booked without the seats, without a PNR, not confirmed",
    TIMEOUTBOOKED: "booked, but the connection is dropped",
    TIMEOUTNOTBOOKED: "not booked, and the connection is dropped",
  },
};
