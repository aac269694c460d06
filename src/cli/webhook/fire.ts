import { ConfigurationError } from "../../errors/request.ts";
import { isObject, parseJson, stringOf } from "../../shared/json.ts";
import { checkAcknowledgement } from "../../webhooks/check-acknowledgement.ts";
import { maxAckTimeout } from "../../webhooks/options.ts";
import { type SignedDelivery, sign } from "../../webhooks/sign.ts";
import { declareCommand, jsonOption, option, readUrl } from "../shared/command.ts";
import { exitCodes } from "../shared/errors.ts";
import { formatLists, unwrapped } from "../shared/layout.ts";
import { cleanText, jsonText, printResult } from "../shared/print.ts";
import { readScheme, schemeOptions, secretHelp, unusedByScheme } from "./schemes.ts";
import { notificationOptions, readNotification, unusedWithBody } from "./sign.ts";

export const addFire = declareCommand("fire", {
  description: "send a payout notification and check the acknowledgement; exit code 1 if it is invalid",
  options: [
    option("--to <url>", "callback URL to send it to (required)", readUrl).makeOptionMandatory(),
    ...notificationOptions,
    option("--plan <plan>", "twice: deliver it again; race: two at once; conflict: then the opposite status")
      .choices(["once", "twice", "race", "conflict"])
      .default("once"),
    ...schemeOptions,
    jsonOption("print the deliveries, their responses and the problems as JSON"),
  ],
  examples: `
  $ npx serviceapi webhook listen --auth none   # a receiver, in another terminal
  $ npx serviceapi webhook fire --to http://127.0.0.1:3000/hook --auth none
  $ npx serviceapi webhook fire --to http://127.0.0.1:3000/hook --reference order-17 --amount 8500
  $ npx serviceapi webhook fire --to http://127.0.0.1:3000/hook --plan race --prefix sha256=
`,
  lists: [secretHelp],
  unused: (flags) => [unusedWithBody(flags), ...unusedByScheme(flags)],
  async run(flags) {
    const body = await readNotification(flags);
    const scheme = await readScheme(flags);
    const isRace = flags.plan === "race";
    const isConflict = flags.plan === "conflict";
    const bodies = [body];
    if (flags.plan !== "once") {
      const event = parseJson(body);
      if (!isObject(event) || !/^(success|failed|rejected)$/i.test(stringOf(event.status))) {
        throw new ConfigurationError(
          `--plan ${flags.plan} needs a JSON object with the status SUCCESS, FAILED or REJECTED: nothing else takes effect.`,
        );
      }
      const { contradicting } = await import("../../emulator/deliveries/payout-event.ts");
      bodies.push(isConflict ? JSON.stringify(contradicting(event)) : body);
    }
    const fired: Fired[] = [];
    for (const group of isRace ? [bodies] : bodies.map((each) => [each])) {
      fired.push(...(await Promise.all(group.map(async (each) => deliver(await sign(each, scheme), flags.to)))));
    }
    const problems = problemsOfAll(fired, isRace);
    const ok = problems.length === 0 && fired.every(({ delivery }) => delivery.problems.length === 0);
    const deliveries = fired.map(({ delivery }) => delivery);
    printResult(flags, { ok, problems, deliveries }, () => formatReport(fired, problems, ok, isConflict));
    if (fired.every(({ isUnreachable }) => isUnreachable)) return exitCodes.unavailable;
    return ok ? exitCodes.done : exitCodes.failed;
  },
});

type Fired = Awaited<ReturnType<typeof deliver>>;

/** Longer than the seven seconds of §6.3, to show how late a late response is. */
const responseTimeout = 15_000;

async function deliver({ headers, body }: SignedDelivery, to: string) {
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(responseTimeout);
  const received = await fetch(to, { method: "POST", headers, body, redirect: "manual", signal })
    .then(async (response): Promise<Received> => ({ response, text: await readStart(response) }))
    .catch(explainFailure);
  const duration = Math.round(performance.now() - startedAt);
  const { response, text = null, failure, isUnreachable = false } = received;
  const { client_referenceId } = Object(parseJson(body));
  const { status: acknowledged, problems } = checkAcknowledgement(
    { status: response?.status ?? 0, body: text ?? "" },
    stringOf(client_referenceId),
  );
  const wrong = [
    ...(duration > maxAckTimeout ? ["It took longer than the 7 s that the service waits."] : []),
    ...problems.map(({ message }) => message),
    ...revealing(response, "x-powered-by", "Remove it."),
  ];
  const delivery = {
    // Of the headers the names: a signature and Basic credentials prove something.
    request: { headers: Object.keys(headers), body },
    response: { status: response?.status ?? null, body: text, duration },
    problems: failure === undefined ? wrong : [`No response came: ${failure}.`],
    // They fail nothing: proxies such as nginx and Cloudflare add a `Server` header on their own.
    warnings: revealing(response, "server", "Remove it if you can."),
  };
  return { delivery, isUnreachable, acknowledged };
}

interface Received {
  readonly response?: Response;
  readonly text?: string;
  readonly failure?: string;
  /** Whether nobody listens there, so that nothing was delivered. */
  readonly isUnreachable?: boolean;
}

function explainFailure(error: unknown): Received {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { code, message, name } = Object(cause);
  // The codes of Node for a host that was not found, or on which nobody listens.
  const isUnreachable = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code);
  return { failure: message || name, isUnreachable };
}

function revealing(response: Response | undefined, header: string, advice: string): readonly string[] {
  return response?.headers.has(header)
    ? [`The header "${header}" reveals the software of the endpoint. ${advice}`]
    : [];
}

/** The longest body that is read: an acknowledgement has a hundred bytes. */
const maxResponseBytes = 64 * 1024;

async function readStart({ body }: Response): Promise<string> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of body ?? []) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length > maxResponseBytes) break;
  }
  return new TextDecoder().decode(bytes);
}

/** After a delivery that took effect, another one for its reference must not. */
function problemsOfAll([first, second]: readonly Fired[], isRace: boolean): readonly string[] {
  const hadEffect = first?.acknowledged === "SUCCESS" || (first?.acknowledged === "DUPLICATE" && !isRace);
  if (!hadEffect || second?.acknowledged !== "SUCCESS") return [];
  const seen = isRace
    ? "Both deliveries were acknowledged SUCCESS"
    : "The second delivery was acknowledged SUCCESS, not DUPLICATE";
  return [`${seen}: the payout may have taken effect twice.`];
}

function formatReport(fired: readonly Fired[], problems: readonly string[], ok: boolean, isConflict: boolean): string {
  const several = fired.length > 1;
  const lists = fired.flatMap(({ delivery: { request, response } }, index) => {
    const number = several ? ` ${index + 1}` : "";
    const { status, body, duration } = response;
    const sent = { headers: request.headers.join(", "), body: pretty(request.body) };
    const came = { status: `${status ?? "none"}`, body: body ? pretty(body) : "none", "time taken": `${duration} ms` };
    return [
      { title: `Request${number}`, items: Object.entries(sent) },
      { title: `Response${number}`, items: Object.entries(came) },
    ];
  });
  const own = fired.flatMap(({ delivery }, i) =>
    delivery.problems.map((problem) => (several ? `${i + 1}: ${problem}` : problem)),
  );
  const warnings = new Set(fired.flatMap(({ delivery }) => delivery.warnings));
  return [
    formatLists(lists, unwrapped),
    "",
    ok && `✔ the ${several ? "acknowledgements are" : "acknowledgement is"} valid`,
    ...[...own, ...problems].map((problem) => `✖ ${problem}`),
    ...[...warnings].map((warning) => `! ${warning}`),
    // The acknowledgements do not show it.
    ok &&
      isConflict &&
      "The receiver keeps the first status. Check that its onConflict was called with the second one.",
    fired.some(({ isUnreachable }) => isUnreachable) && "Start npx serviceapi webhook listen, or check the URL.",
    fired.some(({ acknowledged }) => acknowledged === "FAILED") &&
      "If it refused the sender, compare the secret and --auth with those of the receiver.\n" +
        "The receiver calls its hook onFailure with the reason.",
  ]
    .filter((line) => line !== false)
    .join("\n");
}

/** Formats JSON line by line, and cuts anything else, such as the page of a gateway. */
function pretty(text: string): string {
  const value = parseJson(text);
  return value === undefined ? cleanText(text.slice(0, 500)) : jsonText(value);
}
