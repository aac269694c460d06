import { version } from "../../../version.ts";
import type { CheckState } from "../checks/check.ts";
import type { Finding } from "../live/judge.ts";
import { type Report, stateOf } from "./report.ts";

const seenWords: Readonly<Record<Finding["seen"], string>> = {
  broken: "**broken**",
  kept: "kept",
  notSeen: "not seen",
};

const stateWords: Readonly<Record<CheckState, string>> = {
  ok: "ok",
  warning: "warning",
  failed: "**failed**",
  notChecked: "not checked",
};

/** Formats a report as Markdown for an issue. It names neither hosts nor values of settings. */
export function reportMarkdown({ groups, calls, findings }: Report): string {
  // The details of a check may name a host.
  const checks = groups.flatMap((group) => group.checks);
  const checked = checks.map(({ name, state, advice }) => [name, stateWords[state], advice ?? ""]);
  const rows = findings.map((finding) => {
    const { id, seen, assume, evidence, remedy, options } = finding;
    return [id, assume, seenWords[seen], evidence.join("; "), seen === "broken" ? remedy : options.join(", ")];
  });
  const made = calls.map((call) => {
    const { operation, exchange, error } = call;
    return [operation, stateOf(call), String(exchange?.status ?? "none"), error?.kind ?? ""];
  });
  return [
    `serviceapi ${version}, ${process.version}`,
    table(["check", "result", "what to do"], checked),
    ...(made.length > 0 ? [table(["call", "result", "HTTP status", "kind of error"], made)] : []),
    ...(rows.length > 0 ? [table(["no.", "we assume", "seen", "what was seen", "what corrects it"], rows)] : []),
  ].join("\n\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(escapeCell).join(" | ")} |`).join("\n");
}

/** A cell is one line, and a pipe would end it. */
function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
}
