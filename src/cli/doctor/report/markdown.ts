import { version } from "../../../version.ts";
import type { Finding } from "../live/judge.ts";
import { type Report, stateOf } from "./report.ts";

const seenWords: Readonly<Record<Finding["seen"], string>> = {
  broken: "**broken**",
  kept: "kept",
  notSeen: "not seen",
};

/** Formats what the calls showed as Markdown for an issue. It names neither hosts nor settings. */
export function reportMarkdown({ calls, findings }: Report): string {
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
    table(["call", "result", "HTTP status", "kind of error"], made),
    table(["no.", "we assume", "seen", "what was seen", "what corrects it"], rows),
  ].join("\n\n");
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.map(escapeCell).join(" | ")} |`).join("\n");
}

/** A cell is one line, and a pipe would end it. */
function escapeCell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;").replaceAll("\n", " ");
}
