import type { Command } from "commander";
import { ConfigurationError } from "../../errors/request.ts";
import { isObject, parseJson, stringOf } from "../../shared/json.ts";
import type { WebhookCheck } from "../../webhooks/auth/check.ts";
import { checkAcknowledgement } from "../../webhooks/check-acknowledgement.ts";
import { maxAckTimeout } from "../../webhooks/options.ts";
import { type SignedDelivery, sign } from "../../webhooks/sign.ts";
import { cleanText } from "../shared/clean-text.ts";
import { action, helpText } from "../shared/command.ts";
import { type ExitCode, exitCodes } from "../shared/errors.ts";
import { formatLists } from "../shared/layout.ts";
import {
  addOptions,
  choice,
  type FlagsOf,
  jsonOption,
  option,
  readUrl,
  required,
  withDefault,
} from "../shared/options.ts";
import { jsonText, print, printJson } from "../shared/print.ts";
import { readScheme, schemeOptions, secretHelp } from "./schemes.ts";
import { notificationOptions, readNotification } from "./sign.ts";

const examples = `
  $ npx serviceapi webhook listen --auth none   # a receiver, in another terminal
  $ npx serviceapi webhook fire --to http://127.0.0.1:3000/hook --auth none
  $ npx serviceapi webhook fire --to http://127.0.0.1:3000/hook --reference order-17 --amount 8500
  $ npx serviceapi webhook fire --to http://127.0.0.1:3000/hook --plan race --prefix sha256=
`;

const options = [
  required(option("--to <url>", "callback URL to send it to (required)", readUrl)),
  ...notificationOptions,
  withDefault(
    choice("--plan <plan>", "twice: deliver it again; race: two at once; conflict: then the opposite status", [
      "once",
      "twice",
      "race",
      "conflict",
    ]),
    "once",
  ),
  ...schemeOptions,
  jsonOption("print the deliveries, their responses and the problems as JSON"),
] as const;
type FireFlags = FlagsOf<typeof options>;

/** `serviceapi webhook fire`: the test fire of §6.5.4, from this machine. */
export function registerFireCommand(webhook: Command): void {
  const fire = webhook
    .command("fire")
    .description("send a payout notification and check the acknowledgement; exit code 1 if it is invalid");
  addOptions(fire, options)
    .addHelpText("after", helpText(examples, [secretHelp]))
    .action(action(run));
}

async function run(flags: FireFlags, command: Command): Promise<ExitCode> {
  const body = await readNotification(flags, command);
  const checks = await readScheme(flags, command);
  const plan = plans[flags.plan];
  const fired = await plan.fire(body, (text) => deliver(text, flags.to, checks));
  const together = plan.check(fired.map(({ response }) => response));
  const ok = together.length === 0 && fired.every(({ problems }) => problems.length === 0);
  if (flags.json) printJson(reportOf(fired, together, ok));
  else print(formatReport(fired, together, ok, plan.lookFor));
  if (fired.every(({ response }) => response.isUnreachable)) return exitCodes.unavailable;
  return ok ? exitCodes.done : exitCodes.failed;
}

async function deliver(body: string, to: string, checks: readonly WebhookCheck[]) {
  const delivery = await sign(body, checks.length === 0 ? "none" : checks);
  const response = await send(to, delivery);
  return { delivery, response, problems: findProblems(response, referenceOf(body)), warnings: warningsOn(response) };
}

interface ReceiverResponse {
  /** Milliseconds until it came. */
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
    const failure = cause instanceof Error ? cause.message || cause.name : String(cause);
    return { duration: since(), failure, isUnreachable: unreachable.has(Object(cause).code) };
  }
}

/** The codes of Node for a host that was not found, or on which nobody listens. */
const unreachable: ReadonlySet<unknown> = new Set(
  "ECONNREFUSED ENOTFOUND EAI_AGAIN EHOSTUNREACH ENETUNREACH".split(" "),
);

/** The longest body that is read: an acknowledgement has a hundred bytes. */
const maxResponseBytes = 64 * 1024;

async function readStart({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    bytes += chunk.byteLength;
    if (bytes > maxResponseBytes) break;
  }
  return text + decoder.decode();
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

/** Warnings fail nothing: proxies such as nginx and Cloudflare add a `Server` header on their own. */
function warningsOn({ headers }: ReceiverResponse): readonly string[] {
  return headers?.has("server")
    ? ['The header "server" reveals the software of the endpoint. Remove it if you can.']
    : [];
}

function statusOf({ status = 0, text = "" }: ReceiverResponse): string | undefined {
  return checkAcknowledgement({ status, body: text }, "").status;
}

/** A way to send the deliveries of one payout, and a check of their acknowledgements together (§6.5.1). */
interface Plan {
  /** Sends one or two bodies, and returns what `send` returned for each. */
  readonly fire: <Sent>(body: string, send: (body: string) => Promise<Sent>) => Promise<readonly Sent[]>;
  readonly check: (responses: readonly ReceiverResponse[]) => readonly string[];
  /** Advice to look at the receiver, for something that the acknowledgements do not show. */
  readonly lookFor?: string;
}

/** Their names are those of the emulator's delivery plans. */
const plans: Readonly<Record<FireFlags["plan"], Plan>> = {
  once: { fire: async (body, send) => [await send(body)], check: () => [] },
  twice: { fire: async (body, send) => [await send(body), await send(body)], check: checkSecond },
  race: {
    fire: (body, send) => Promise.all([send(body), send(body)]),
    check: (responses) =>
      responses.filter((response) => statusOf(response) === "SUCCESS").length > 1
        ? ["Both deliveries were acknowledged SUCCESS: the payout may have taken effect twice."]
        : [],
  },
  conflict: {
    async fire(body, send) {
      const opposite = contradict(body);
      return [await send(body), await send(opposite)];
    },
    check: checkSecond,
    lookFor: "The receiver keeps the first status. Check that its onConflict was called with the second one.",
  },
};

/** After a first delivery that took effect, a second one for its reference must not. */
function checkSecond([first, second]: readonly ReceiverResponse[]): readonly string[] {
  const tookEffect = first !== undefined && ["SUCCESS", "DUPLICATE"].includes(statusOf(first) ?? "");
  return tookEffect && second !== undefined && statusOf(second) === "SUCCESS"
    ? ["The second delivery was acknowledged SUCCESS, not DUPLICATE: the payout may have taken effect twice."]
    : [];
}

function contradict(body: string): string {
  const event = parseJson(body);
  if (!isObject(event)) throw new ConfigurationError("--plan conflict needs a body that is a JSON object.");
  const success = { status: "SUCCESS", statusCode: "200", utr: "412345678901", acknowledged: "1" };
  const failure = { status: "FAILED", statusCode: "400", description: "Reversed by bank" };
  const opposite = event.status === "FAILED" ? success : { ...failure, utr: undefined, acknowledged: undefined };
  return JSON.stringify({ ...event, ...opposite });
}

/** Returns the `client_referenceId` that a receiver must echo; an empty string if the body has none. */
function referenceOf(body: string): string {
  const event = parseJson(body);
  return stringOf(isObject(event) ? event.client_referenceId : undefined);
}

type FiredDelivery = Awaited<ReturnType<typeof deliver>>;

/** Formats every delivery and its acknowledgement, then the problems, or what to look for at the receiver. */
function formatReport(
  fired: readonly FiredDelivery[],
  together: readonly string[],
  ok: boolean,
  lookFor: string | undefined,
): string {
  const several = fired.length > 1;
  const problems = fired.flatMap((each, index) =>
    each.problems.map((problem) => (several ? `${index + 1}: ${problem}` : problem)),
  );
  const warnings = new Set(fired.flatMap((each) => each.warnings));
  const valid = several ? "the acknowledgements are valid" : "the acknowledgement is valid";
  const isUnreachable = fired.some(({ response }) => response.isUnreachable);
  const hasFailed = fired.some(({ response }) => statusOf(response) === "FAILED");
  return [
    ...fired.flatMap((each, index) => [formatDelivery(each, several ? ` ${index + 1}` : ""), ""]),
    ...(ok ? [`✔ ${valid}`] : [...problems, ...together].map((problem) => `✖ ${problem}`)),
    ...[...warnings].map((warning) => `! ${warning}`),
    ...(ok && lookFor !== undefined ? [lookFor] : []),
    ...(isUnreachable ? ["Start npx serviceapi webhook listen, or check the URL."] : []),
    ...(hasFailed ? ["If it refused the sender, compare the secret and --auth with those of the receiver."] : []),
    ...(hasFailed ? ["The receiver calls its hook onFailure with the reason."] : []),
  ].join("\n");
}

/** Returns the same as JSON. Of the headers it has the names: a signature and Basic credentials prove something. */
function reportOf(fired: readonly FiredDelivery[], together: readonly string[], ok: boolean): object {
  return {
    ok,
    problems: together,
    deliveries: fired.map(({ delivery, response, problems, warnings }) => ({
      request: { headers: Object.keys(delivery.headers), body: delivery.body },
      response: { status: response.status ?? null, body: response.text ?? null, duration: response.duration },
      problems,
      warnings,
    })),
  };
}

function formatDelivery({ delivery, response }: FiredDelivery, number: string): string {
  const request = [
    ["headers", Object.keys(delivery.headers).join(", ")],
    ["body", pretty(delivery.body)],
  ] as const;
  const received = [
    ["status", `${response.status ?? "none"}`],
    ["body", response.text ? pretty(response.text) : "none"],
    ["time taken", `${response.duration} ms`],
  ] as const;
  return formatLists([
    { title: `Request${number}`, items: request },
    { title: `Response${number}`, items: received },
  ]);
}

/** Formats JSON line by line, and cuts anything else, such as the page of a gateway. */
function pretty(text: string): string {
  const value = parseJson(text);
  return value === undefined ? cleanText(text.slice(0, 500)) : jsonText(value);
}
