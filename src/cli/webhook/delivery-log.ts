import { styleText } from "node:util";
import { field, parseJson, stringOf } from "../../shared/json.ts";
import { cleanLine, cleanText } from "../shared/clean-text.ts";
import { formatLists } from "../shared/description-list.ts";
import { maskMessage } from "../shared/mask.ts";
import type { OutputFlags } from "../shared/output-flags.ts";
import { jsonText } from "../shared/print.ts";
import { maskEvent } from "./mask-event.ts";
import { hidden, maskTarget } from "./mask-target.ts";
import type { CheckVerdict, ReceivedDelivery } from "./receive.ts";
import { isSecretHeader } from "./secret-header.ts";

/** Longer bodies are cut. */
const maxShown = 2_000;
const conflictAdvice = "The first status stays; your `onConflict` would be called.";

/** Formats a delivery, the verdict of each check and the acknowledgement. */
export function formatDelivery(delivery: ReceivedDelivery, { showPii = false }: OutputFlags): string {
  const { at, method, path, checks, acknowledgement, conflict, problem } = delivery;
  const status = stringOf(field(parseJson(acknowledgement.body), "status"));
  return [
    formatLists([
      {
        title: cleanLine(`${method} ${maskTarget(path, showPii)}  ${at.toISOString()}`),
        items: [
          ...delivery.headers.map(
            ([name, value]) => [cleanLine(name), cleanLine(headerValue(name, value, showPii))] as const,
          ),
          ["", ""],
          ["body", formatBody(delivery.body, showPii)],
        ],
      },
    ]),
    ...(checks.length === 0 ? ["! no check ran"] : checks.map((check) => formatVerdict(check, problem, showPii))),
    `${styleText("bold", "acknowledged")} ${status} (HTTP ${acknowledgement.httpStatus})`,
    ...(conflict === undefined ? [] : [`! conflict: ${conflict.status} after ${conflict.first}. ${conflictAdvice}`]),
    ...(problem === undefined ? [] : [cleanText(`! ${problem.reason}: ${maskUnless(showPii, problem.message)}`)]),
    "",
  ].join("\n");
}

/** Returns the same as JSON. */
export function jsonOf(delivery: ReceivedDelivery, { showPii = false }: OutputFlags): object {
  const { at, method, path, checks, acknowledgement, conflict = null, problem } = delivery;
  const event = parseJson(delivery.body);
  return {
    ...{ at, method, path: maskTarget(path, showPii) },
    checks: checks.map(({ message, ...check }) => ({
      ...check,
      ...(message !== undefined && { message: maskUnless(showPii, message) }),
    })),
    headers: Object.fromEntries(delivery.headers.map(([name, value]) => [name, headerValue(name, value, showPii)])),
    body: event === undefined ? maskUnless(showPii, delivery.body) : showPii ? event : maskEvent(event),
    acknowledgement: { httpStatus: acknowledgement.httpStatus, body: parseJson(acknowledgement.body) },
    conflict,
    problem: problem === undefined ? null : { ...problem, message: maskUnless(showPii, problem.message) },
  };
}

/** The reason stands below, if it is that of the refusal. */
function formatVerdict(
  { name, passed, message = "" }: CheckVerdict,
  problem: ReceivedDelivery["problem"],
  showPii: boolean,
): string {
  if (passed) return styleText("green", `✔ ${name}`);
  const title = styleText("red", `✖ ${name}`);
  return message === problem?.message ? title : `${title}: ${cleanText(maskUnless(showPii, message))}`;
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
