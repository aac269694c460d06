import { buffer as readAll } from "node:stream/consumers";
import { ConfigurationError } from "../../errors/request.ts";
import { WebhookAuthError, WebhookPayloadError } from "../../errors/webhook.ts";
import { memoryStore } from "../../webhooks/stores/memory.ts";
import { Webhooks } from "../../webhooks/webhooks.ts";
import { collect, declareCommand, option, outputOptions, readers } from "../shared/command.ts";
import { exitCodes } from "../shared/errors.ts";
import { readBytes, readTextFile } from "../shared/input.ts";
import { maskMessage } from "../shared/mask.ts";
import { cleanText, jsonText, printNote, printResult } from "../shared/print.ts";
import { isSecretHeader, maskEvent } from "./masks.ts";
import { readScheme, receiverOptions, secretHelp, unusedByScheme } from "./schemes.ts";

export const addVerify = declareCommand("verify", {
  description: "check a delivery that you kept; exit code 1 if it is refused",
  args: { "[file]": "the file with the body, byte for byte (default: standard input)" },
  options: [
    option(
      "-H, --request-header <header>",
      '"name: value" as it was received, or @ and the name of a file with one on each line; several times for several',
      collect,
    ),
    option("--now <time>", "time to check the timestamp at (default: now)", readers.time),
    ...receiverOptions,
    ...outputOptions("print the verdict as JSON"),
  ],
  examples: `
  $ npx serviceapi webhook verify body.json -H @headers.txt --prefix sha256=
  $ npx serviceapi webhook verify body.json -H "x-signature: 2f9c…" --json
  $ npx serviceapi webhook verify body.json -H @headers.txt --now 2026-11-20T06:00:00Z
`,
  lists: secretHelp,
  unused: unusedByScheme,
  async run(flags, [file]) {
    const { now, showPii } = flags;
    const headers = (flags.requestHeader ?? []).flatMap(readHeaders).flat();
    if (headers.length === 0 && flags.auth !== "none") {
      throw new ConfigurationError("The headers of the delivery prove its sender: pass -H @headers.txt.");
    }
    const body = await readBody(file, flags.secretStdin);
    const auth = await readScheme(flags);
    const webhooks = new Webhooks({ auth, store: memoryStore(), now: now === undefined ? undefined : () => now });
    try {
      const received = await webhooks.verify({ headers, body });
      const event = showPii ? received : maskEvent(received);
      printResult(flags, { ok: true, event }, () => `✔ accepted\n${jsonText(event)}`);
      return exitCodes.done;
    } catch (error) {
      if (!WebhookAuthError.isInstance(error) && !WebhookPayloadError.isInstance(error)) throw error;
      const { reason } = error;
      const advice = await findAdvice(webhooks, headers, body);
      const message = showPii ? error.message : maskMessage(error.message);
      printResult(flags, { ok: false, reason, message, ...(advice && { advice }) }, () =>
        cleanText(`✖ ${reason}: ${message}${advice ? `\n! ${advice}` : ""}`),
      );
      return exitCodes.failed;
    }
  },
});

/** A body that an editor or `echo` has saved ends with a newline that the sender did not sign. */
async function findAdvice(webhooks: Webhooks, headers: readonly string[], body: Buffer): Promise<string | undefined> {
  const { length } = body.toString("latin1").replace(/\r?\n$/, "");
  if (length === body.length) return undefined;
  return webhooks.verify({ headers, body: body.subarray(0, length) }).then(
    () => "Without the newline at its end, the body would be accepted. Save it as it was received.",
    () => undefined,
  );
}

type Header = readonly [name: string, value: string];

/** Reads a header, or those of a file. The line of a request or response, as a log or `curl -i` keeps it, is none. */
function readHeaders(text: string): readonly Header[] {
  if (!text.startsWith("@")) {
    const header = readHeader(text);
    // Others can read a command line. A signature may be there: it proves one body.
    if (!isSecretHeader(header[0])) return [header];
    throw new ConfigurationError(
      `-H (--request-header): others can read the value of ${header[0]} in the command line. Put it into a file, and pass @ and its name.`,
    );
  }
  const lines = readTextFile(text.slice(1), "-H (--request-header)").split(/\r?\n/);
  return lines.filter((line) => line.trim() !== "" && !/^[A-Z]+ \S+ HTTP\/[\d.]+$/.test(line)).map(readHeader);
}

function readHeader(line: string): Header {
  const [, name, value = ""] = /^([^\s:]+)\s*:(.*)$/s.exec(line) ?? [];
  if (name !== undefined) return [name, value.trim()];
  throw new ConfigurationError('-H (--request-header) must be "name: value", or @ and the name of a file.');
}

async function readBody(file: string | undefined, secretStdin = false): Promise<Buffer> {
  if (file !== undefined && file !== "-") return readBytes("The file", file);
  if (secretStdin) {
    throw new ConfigurationError("--secret-stdin reads standard input, so the body must be in a file. Pass its name.");
  }
  if (process.stdin.isTTY) printNote("Reading the body from standard input; end with Ctrl-D.");
  return readAll(process.stdin);
}
