import { version } from "../../../version.ts";
import { unobservable } from "../live/assumptions.ts";
import type { CallRecord } from "../live/call-record.ts";
import { isHealthy, isUsable, type Report, stateOf } from "./report.ts";

/** Returns a report as one JSON document. */
export function reportJson(report: Report): object {
  const { groups, calls, findings } = report;
  return {
    ok: isHealthy(report),
    version,
    runtime: process.version,
    checks: groups.flatMap(({ title, checks }) => checks.map((check) => ({ group: title, ...check }))),
    ...(calls.length > 0 && { calls: calls.map(callJson), assumptions: findings, unobservable }),
  };
}

function callJson(call: CallRecord): object {
  const { name, operation, duration, exchange, error } = call;
  return {
    ...{ name, operation, state: stateOf(call), isUsable: isUsable(call), duration: Math.round(duration) },
    httpStatus: exchange?.status ?? null,
    kind: error?.kind ?? null,
  };
}
