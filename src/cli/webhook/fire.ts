import { ConfigurationError } from "../../errors/request.ts";
import { isObject, parseJson, stringOf } from "../../shared/json.ts";
import { checkAcknowledgement } from "../../webhooks/check-acknowledgement.ts";
import { maxAckTimeout } from "../../webhooks/options.ts";
import { type SignedDelivery, sign } from "../../webhooks/sign.ts";
import { declareCommand, jsonOption, option, readUrl } from "../shared/command.ts";
import { exitCodes } from "../shared/errors.ts";
import { formatLists, unwrapped } from "../shared/layout.ts";
import { cleanText, jsonText, print, printJson } from "../shared/print.ts";
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
    const report = judge(fired, isRace);
    if (flags.json) printJson(reportOf(report));
    else print(formatReport(report, isConflict));
    if (fired.every(({ response }) => response.isUnreachable)) return exitCodes.unavailable;
    return report.ok ? exitCodes.done : exitCodes.failed;
  },
});

type Fired = Awaited<ReturnType<typeof deliver>>;

async function deliver(delivery: SignedDelivery, to: string) {
  const response = await send(to, delivery);
  const { client_referenceId } = Object(parseJson(delivery.body));
  // Warnings fail nothing: proxies such as nginx and Cloudflare add a `Server` header on their own.
  const warnings = response.headers?.has("server")
    ? ['The header "server" reveals the software of the endpoint. Remove it if you can.']
    : [];
  return { delivery, response, problems: findProblems(response, stringOf(client_referenceId)), warnings };
}

interface ReceiverResponse {
  readonly duration: number;
  readonly status?: number;
  readonly headers?: Headers;
  readonly text?: string;
  readonly failure?: string;
  /** Whether nobody listens there, so that nothing was delivered. */
  readonly isUnreachable?: boolean;
}

/** Longer than the seven seconds of §6.3, to show how late a late response is. */
const responseTimeout = 15_000;

async function send(to: string, { headers, body }: SignedDelivery): Promise<ReceiverResponse> {
  const startedAt = performance.now();
  const since = () => Math.round(performance.now() - startedAt);
  try {
    const signal = AbortSignal.timeout(responseTimeout);
    const response = await fetch(to, { method: "POST", headers, body, redirect: "manual", signal });
    const text = await readStart(response);
    return { duration: since(), status: response.status, headers: response.headers, text };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const { code, message, name } = Object(cause);
    // The codes of Node for a host that was not found, or on which nobody listens.
    const isUnreachable = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/.test(code);
    return { duration: since(), failure: message || name, isUnreachable };
  }
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

/** Returns the problems of an acknowledgement (§6.3, §6.5.3); an empty list if it is valid. */
export function findProblems(response: ReceiverResponse, reference: string): readonly string[] {
  const { failure, duration, status = 0, text = "", headers } = response;
  if (failure !== undefined) return [`No response came: ${failure}.`];
  return [
    ...(duration > maxAckTimeout ? ["It took longer than the 7 s that the service waits."] : []),
    ...checkAcknowledgement({ status, body: text }, reference).problems.map(({ message }) => message),
    ...(headers?.has("x-powered-by")
      ? ['The header "x-powered-by" reveals the software of the endpoint. Remove it.']
      : []),
  ];
}

function statusOf({ response: { status = 0, text = "" } }: Fired): string | undefined {
  return checkAcknowledgement({ status, body: text }, "").status;
}

/** After a delivery that took effect, another one for its reference must not. */
function judge(fired: readonly Fired[], isRace: boolean) {
  const [first, second] = fired.map(statusOf);
  const hadEffect = first === "SUCCESS" || (first === "DUPLICATE" && !isRace);
  const seen = isRace
    ? "Both deliveries were acknowledged SUCCESS"
    : "The second delivery was acknowledged SUCCESS, not DUPLICATE";
  const isTwice = hadEffect && second === "SUCCESS";
  const problems = isTwice ? [`${seen}: the payout may have taken effect twice.`] : [];
  return { ok: !isTwice && fired.every((each) => each.problems.length === 0), problems, fired };
}

type Report = ReturnType<typeof judge>;

function formatReport({ ok, problems, fired }: Report, isConflict: boolean): string {
  const several = fired.length > 1;
  const lists = fired.flatMap(({ delivery, response }, index) => {
    const number = several ? ` ${index + 1}` : "";
    const headers = Object.keys(delivery.headers).join(", ");
    const received = response.text ? pretty(response.text) : "none";
    const request = { headers, body: pretty(delivery.body) };
    const came = { status: `${response.status ?? "none"}`, body: received, "time taken": `${response.duration} ms` };
    return [
      { title: `Request${number}`, items: Object.entries(request) },
      { title: `Response${number}`, items: Object.entries(came) },
    ];
  });
  const own = fired.flatMap((each, i) => each.problems.map((problem) => (several ? `${i + 1}: ${problem}` : problem)));
  const warnings = new Set(fired.flatMap((each) => each.warnings));
  const isUnreachable = fired.some(({ response }) => response.isUnreachable);
  const hasFailed = fired.some((each) => statusOf(each) === "FAILED");
  return [
    formatLists(lists, unwrapped),
    "",
    ...(ok ? [`✔ the ${several ? "acknowledgements are" : "acknowledgement is"} valid`] : []),
    ...[...own, ...problems].map((problem) => `✖ ${problem}`),
    ...[...warnings].map((warning) => `! ${warning}`),
    // The acknowledgements do not show it.
    ...(ok && isConflict
      ? ["The receiver keeps the first status. Check that its onConflict was called with the second one."]
      : []),
    ...(isUnreachable ? ["Start npx serviceapi webhook listen, or check the URL."] : []),
    ...(hasFailed
      ? [
          "If it refused the sender, compare the secret and --auth with those of the receiver.",
          "The receiver calls its hook onFailure with the reason.",
        ]
      : []),
  ].join("\n");
}

/** Returns the same as JSON. Of the headers it has the names: a signature and Basic credentials prove something. */
function reportOf({ ok, problems, fired }: Report): object {
  return {
    ok,
    problems,
    deliveries: fired.map(({ delivery, response, ...verdict }) => ({
      request: { headers: Object.keys(delivery.headers), body: delivery.body },
      response: { status: response.status ?? null, body: response.text ?? null, duration: response.duration },
      ...verdict,
    })),
  };
}

/** Formats JSON line by line, and cuts anything else, such as the page of a gateway. */
function pretty(text: string): string {
  const value = parseJson(text);
  return value === undefined ? cleanText(text.slice(0, 500)) : jsonText(value);
}
