import { contradicting } from "../../emulator/deliveries/payout-event.ts";
import { ConfigurationError } from "../../errors/request.ts";
import { isObject, parseJson, stringOf } from "../../shared/json.ts";
import { checkAcknowledgement } from "../../webhooks/check-acknowledgement.ts";
import { maxAckTimeout } from "../../webhooks/options.ts";
import { type SignedDelivery, sign } from "../../webhooks/sign.ts";
import { declareCommand, jsonOption, option, readers } from "../shared/command.ts";
import { exitCodes } from "../shared/errors.ts";
import { formatLists, unwrapped } from "../shared/layout.ts";
import { cleanText, jsonText, printResult } from "../shared/print.ts";
import { readScheme, schemeOptions, secretHelp, unusedByScheme } from "./schemes.ts";
import { notificationOptions, readNotification, unusedWithBody } from "./sign.ts";

export const addFire = declareCommand("fire", {
  description: "send a payout notification and check the acknowledgement; exit code 1 if it is invalid",
  options: [
    option("--to <url>", "callback URL to send it to (required)", readers.url).makeOptionMandatory(),
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
  lists: secretHelp,
  unused: (flags) => [unusedWithBody(flags), ...unusedByScheme(flags)],
  async run(flags) {
    const body = readNotification(flags);
    const scheme = await readScheme(flags);
    const { plan, to } = flags;
    const bodies = [body];
    if (plan !== "once") {
      const event = parseJson(body);
      if (!isObject(event) || !/^(success|failed|rejected)$/i.test(stringOf(event.status))) {
        throw new ConfigurationError(
          `--plan ${plan} needs a JSON object with the status SUCCESS, FAILED or REJECTED: nothing else takes effect.`,
        );
      }
      bodies.push(plan === "conflict" ? JSON.stringify(contradicting(event)) : body);
    }
    const fire = async (each: string) => deliver(await sign(each, scheme), to);
    const fired = plan === "race" ? await Promise.all(bodies.map(fire)) : [];
    if (plan !== "race") for (const each of bodies) fired.push(await fire(each));
    const deliveries = fired.map(({ delivery }) => delivery);
    const problems = problemsOfAll(fired, plan === "race");
    const ok = problems.length === 0 && deliveries.every((each) => each.problems.length === 0);
    printResult(flags, { ok, problems, deliveries }, () => formatReport(fired, problems, ok, plan === "conflict"));
    if (fired.every(({ isUnreachable }) => isUnreachable)) return exitCodes.unavailable;
    return ok ? exitCodes.done : exitCodes.failed;
  },
});

type Fired = Awaited<ReturnType<typeof deliver>>;

/** Longer than the seven seconds of §6.3, to show how late a late response is. */
const responseTimeout = 15_000;

/** The codes of Node for a host that was not found, or on which nobody listens, so that nothing was delivered. */
const unreachable = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

async function deliver({ headers, body }: SignedDelivery, to: string) {
  const startedAt = performance.now();
  const signal = AbortSignal.timeout(responseTimeout);
  const { response, text, failure } = await fetch(to, { method: "POST", headers, body, redirect: "manual", signal })
    .then(async (response) => ({ response, text: await readStart(response), failure: undefined }))
    .catch((error: unknown) => {
      const failure = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      return { response: undefined, text: null, failure };
    });
  const duration = Math.round(performance.now() - startedAt);
  const { client_referenceId } = Object(parseJson(body));
  const { status: acknowledged, problems } = checkAcknowledgement(
    { status: response?.status ?? 0, body: text ?? "" },
    stringOf(client_referenceId),
  );
  const revealing = (header: string, advice: string) =>
    response?.headers.has(header) ? [`The header "${header}" reveals the software of the endpoint. ${advice}`] : [];
  const wrong = [
    ...(duration > maxAckTimeout ? ["It took longer than the 7 s that the service waits."] : []),
    ...problems.map(({ message }) => message),
    ...revealing("x-powered-by", "Remove it."),
  ];
  const { code, message, name } = Object(failure);
  const delivery = {
    // Of the headers the names: a signature and Basic credentials prove something.
    request: { headers: Object.keys(headers), body },
    response: { status: response?.status ?? null, body: text, duration },
    problems: response === undefined ? [`No response came: ${message || name}.`] : wrong,
    // They fail nothing: proxies such as nginx and Cloudflare add a `Server` header on their own.
    warnings: revealing("server", "Remove it if you can."),
  };
  return { delivery, isUnreachable: unreachable.test(code), acknowledged };
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
    return Object.entries({ [`Request${number}`]: sent, [`Response${number}`]: came });
  });
  const own = fired.flatMap(({ delivery }, i) =>
    delivery.problems.map((problem) => (several ? `${i + 1}: ${problem}` : problem)),
  );
  const warnings = new Set(fired.flatMap(({ delivery }) => delivery.warnings));
  return [
    `${formatLists(Object.fromEntries(lists), unwrapped)}\n`,
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
