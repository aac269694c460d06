import { parseJson } from "../../shared/json.ts";
import type { SignedDelivery } from "../../webhooks/sign.ts";
import { cleanText } from "../shared/clean-text.ts";
import { formatLists } from "../shared/description-list.ts";
import { jsonText } from "../shared/print.ts";
import { findProblems, findWarnings, type ReceiverResponse, statusOf } from "./acknowledgement.ts";

/** One delivery and its response. */
export interface FiredDelivery {
  readonly delivery: SignedDelivery;
  readonly reference: string;
  readonly response: ReceiverResponse;
}

/**
 * Formats every delivery and its acknowledgement, then the problems.
 *
 * @param together - The problems of the acknowledgements as a whole.
 * @param lookFor - What to look for at the receiver, if they are valid.
 */
export function formatReport(fired: readonly FiredDelivery[], together: readonly string[], lookFor?: string): string {
  const several = fired.length > 1;
  const problems = fired.flatMap(({ response, reference }, index) =>
    findProblems(response, reference).map((problem) => (several ? `${index + 1}: ${problem}` : problem)),
  );
  const warnings = new Set(fired.flatMap(({ response }) => findWarnings(response)));
  const valid = several ? "the acknowledgements are valid" : "the acknowledgement is valid";
  const isUnreachable = fired.some(({ response }) => response.isUnreachable);
  const hasFailed = fired.some(({ response }) => statusOf(response) === "FAILED");
  return [
    ...fired.flatMap((each, index) => [formatDelivery(each, several ? ` ${index + 1}` : ""), ""]),
    ...(isValid(fired, together) ? [`✔ ${valid}`] : [...problems, ...together].map((problem) => `✖ ${problem}`)),
    ...[...warnings].map((warning) => `! ${warning}`),
    ...(lookFor !== undefined && isValid(fired, together) ? [lookFor] : []),
    ...(isUnreachable ? ["Start npx serviceapi webhook listen, or check the URL."] : []),
    ...(hasFailed ? ["If it refused the sender, compare the secret and --auth with those of the receiver."] : []),
    ...(hasFailed ? ["The receiver calls its hook onFailure with the reason."] : []),
  ].join("\n");
}

/** Returns the same as JSON. Of the headers it has the names: a signature and Basic credentials prove something. */
export function reportOf(fired: readonly FiredDelivery[], together: readonly string[]): object {
  return {
    ok: isValid(fired, together),
    problems: together,
    deliveries: fired.map(({ delivery, response, reference }) => ({
      request: { headers: Object.keys(delivery.headers), body: delivery.body },
      response: { status: response.status ?? null, body: response.text ?? null, duration: response.duration },
      problems: findProblems(response, reference),
      warnings: findWarnings(response),
    })),
  };
}

/** Returns true if there are no problems. Warnings fail nothing. */
export function isValid(fired: readonly FiredDelivery[], together: readonly string[]): boolean {
  return (
    together.length === 0 && fired.every(({ response, reference }) => findProblems(response, reference).length === 0)
  );
}

function formatDelivery({ delivery, response }: FiredDelivery, number: string): string {
  return formatLists([
    {
      title: `Request${number}`,
      items: [
        ["headers", Object.keys(delivery.headers).join(", ")],
        ["body", pretty(delivery.body)],
      ],
    },
    {
      title: `Response${number}`,
      items: [
        ["status", `${response.status ?? "none"}`],
        ["body", response.text ? pretty(response.text) : "none"],
        ["time taken", `${response.duration} ms`],
      ],
    },
  ]);
}

/** Formats JSON line by line, and cuts anything else, such as the page of a gateway. */
function pretty(text: string): string {
  const value = parseJson(text);
  return value === undefined ? cleanText(text.slice(0, 500)) : jsonText(value);
}
