import type { ClientFlags } from "../shared/client.ts";
import { checkAccess } from "./checks/access.ts";
import { type CheckGroup, noneFailed } from "./checks/check.ts";
import { runChecks } from "./checks/run-checks.ts";
import { readSettings } from "./checks/settings.ts";
import { judge } from "./live/judge.ts";
import { makeCalls } from "./live/make-calls.ts";
import { type LiveFlags, type PlannedCall, planCalls } from "./live/plan.ts";
import type { Report } from "./report/report.ts";

/**
 * Runs the checks, and the calls that the flags allow. The calls are announced first, and not made if a check failed.
 *
 * @param announce - Prints a line for people.
 * @throws ConfigurationError for flags that do not fit together; nothing was sent.
 */
export async function diagnose(flags: ClientFlags & LiveFlags, announce: (line: string) => void): Promise<Report> {
  const planned = planCalls(flags);
  const settings = await readSettings(flags);
  const checks = await runChecks(settings);
  const isReady = noneFailed(checks.flatMap((group) => group.checks));
  announcePlan(planned, isReady, announce);
  const calls = isReady && planned.length > 0 ? await makeCalls(planned, settings.options, flags) : [];
  const access: CheckGroup = { title: "Access", checks: checkAccess(calls) };
  return { groups: [...checks, access], calls, findings: calls.length > 0 ? judge(calls) : [] };
}

function announcePlan(planned: readonly PlannedCall[], isReady: boolean, announce: (line: string) => void): void {
  if (planned.length === 0) return;
  announce(
    isReady ? "These calls are made, each once. None of them books." : "No call is made, because a check failed:",
  );
  for (const { operation, what } of planned) announce(`  ${operation}: ${what}`);
}
