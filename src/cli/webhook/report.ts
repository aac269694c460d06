import type { SignedDelivery } from "../../webhooks/sign.ts";
import { formatSections } from "../format-table.ts";
import { type Answer, judge, statusOf, warn } from "./acknowledgement.ts";

/** One delivery with what came back, to be shown. */
export interface Shown {
  readonly delivery: SignedDelivery;
  readonly reference: string;
  readonly answer: Answer;
}

/** Every delivery and its acknowledgement, then the verdict. */
export function formatReport(shown: readonly Shown[], together: readonly string[]): string {
  const several = shown.length > 1;
  const ofOne = ({ answer, reference }: Shown, index: number) => {
    const which = several ? `${index + 1}: ` : "";
    return { problems: judge(answer, reference), warnings: warn(answer), which };
  };
  const verdicts = shown.map(ofOne);
  const problems = [...verdicts.flatMap(({ problems, which }) => problems.map((text) => which + text)), ...together];
  const warnings = [...new Set(verdicts.flatMap(({ warnings }) => warnings))];
  const right = several ? "the acknowledgements are right" : "the acknowledgement is right";
  const hint = shown.some(({ answer }) => statusOf(answer) === "FAILED");
  return [
    ...shown.flatMap((each, index) => [formatDelivery(each, several ? ` ${index + 1}` : ""), ""]),
    ...(problems.length === 0 ? [`✔ ${right}`] : problems.map((problem) => `✖ ${problem}`)),
    ...warnings.map((warning) => `! ${warning}`),
    ...(hint ? ["The receiver's hooks are told why: onRefused, onError, onLateError."] : []),
  ].join("\n");
}

/** True if nothing is wrong. Warnings fail nothing. */
export function isRight(shown: readonly Shown[], together: readonly string[]): boolean {
  return together.length === 0 && shown.every(({ answer, reference }) => judge(answer, reference).length === 0);
}

function formatDelivery({ delivery, answer }: Shown, number: string): string {
  return formatSections([
    {
      title: `Request${number}`,
      rows: [
        ["headers", Object.keys(delivery.headers).join(", ")],
        ["body", pretty(delivery.body)],
      ],
    },
    {
      title: `Response${number}`,
      rows: [
        ["status", `${answer.status ?? "none"}`],
        ["body", answer.text ? pretty(answer.text) : "none"],
        ["time taken", `${answer.milliseconds} ms`],
      ],
    },
  ]);
}

/** JSON line by line; of anything else, such as the page of a gateway, the beginning. */
function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text.slice(0, 500);
  }
}
