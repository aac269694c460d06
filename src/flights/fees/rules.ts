import { isObject, trimmedScalar } from "../../shared/json.ts";
import type { MiniFareRule, Segment } from "../types/index.ts";

/** The documented types of fee. At run time any `type` of a rule is accepted. */
export type FeeType = "Reissue" | "Cancellation";

/** The rules of one journey and one type, with their flights. */
export interface JourneyRules {
  /** `DEL-LHR`. */
  readonly journeyPoints: string;
  /** The flights from the first point to the second; empty if the itinerary does not have the journey. */
  readonly segments: readonly Segment[];
  readonly rules: readonly MiniFareRule[];
}

/** `from` inclusive to `to` exclusive, in milliseconds before departure; `to` is Infinity for an open window. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

const unitMs: Record<string, number> = { HOURS: 3_600_000, DAYS: 86_400_000 };

/** Returns the window of a rule, or null for an unknown unit, an invalid number or an end before the start. */
export function readWindow(rule: MiniFareRule): Window | null {
  const unit = unitMs[word(rule.unit)];
  const from = readNumber(rule.from);
  const to = word(rule.to) === "" ? Number.POSITIVE_INFINITY : readNumber(rule.to);
  if (unit === undefined || from === null || to === null || to < from) return null;
  // Whole milliseconds: 0.1 days are 2.4000000000000004 hours as a float.
  return { from: Math.round(from * unit), to: Math.round(to * unit) };
}

/**
 * Groups the mini fare rules of a type by journey. The service has been seen to nest them one level deeper, so they are
 * flattened. Flights without a rule form journeys without rules, so that the fee of a part is not taken for that of the
 * whole.
 */
export function journeyRules(
  rules: readonly unknown[],
  directions: readonly (readonly Segment[])[],
  type: string,
): JourneyRules[] {
  const groups = new Map<string, MiniFareRule[]>();
  for (const rule of readRules(rules)) {
    if (word(rule.type) !== word(type)) continue;
    const points = word(rule.journey_points).replaceAll(/\s/g, "");
    const group = groups.get(points);
    if (group === undefined) groups.set(points, [rule]);
    else group.push(rule);
  }
  const found = [...groups].map(([journeyPoints, rules]) => ({
    journeyPoints,
    rules,
    segments: findJourney(directions, journeyPoints),
  }));
  const covered = new Set(found.flatMap((journey) => journey.segments));
  const uncovered = directions.flatMap((segments) => runsOf(segments, (segment) => !covered.has(segment)));
  return [...found, ...uncovered.map((segments) => ({ journeyPoints: pointsOf(segments), rules: [], segments }))];
}

/** Returns the types of the rules. */
export function feeTypesOf(rules: readonly unknown[]): string[] {
  return readRules(rules).map((rule) => word(rule.type));
}

/** Returns the mini fare rules of a quote in one list. */
export function readRules(rules: readonly unknown[]): MiniFareRule[] {
  return rules.flat(2).filter(isRule);
}

/** Elements without the shape of a rule are left out; rules with odd values stay (docs/assumptions.md, A4). */
function isRule(value: unknown): value is MiniFareRule {
  return isObject(value) && "journey_points" in value && "charges" in value;
}

/** Returns the runs of consecutive flights that pass a test. */
function runsOf(segments: readonly Segment[], takes: (segment: Segment) => boolean): Segment[][] {
  const runs: Segment[][] = [];
  segments.forEach((segment, i) => {
    if (!takes(segment)) return;
    const before = segments[i - 1];
    if (before !== undefined && takes(before)) runs.at(-1)?.push(segment);
    else runs.push([segment]);
  });
  return runs;
}

/**
 * Returns the flights within one direction from the first point to the second (airport or city codes): the shortest
 * run, since a longer one may go there and back.
 */
function findJourney(directions: readonly (readonly Segment[])[], journeyPoints: string): readonly Segment[] {
  const [from, to] = journeyPoints.split("-");
  let shortest: readonly Segment[] = [];
  for (const segments of directions) {
    let first: number | undefined;
    for (const [last, { origin, destination }] of segments.entries()) {
      if (from === word(origin.airport_code) || from === word(origin.city_code)) first = last;
      if (first === undefined || (to !== word(destination.airport_code) && to !== word(destination.city_code)))
        continue;
      const run = segments.slice(first, last + 1);
      if (shortest.length === 0 || run.length < shortest.length) shortest = run;
      first = undefined;
    }
  }
  return shortest;
}

function pointsOf(segments: readonly Segment[]): string {
  return `${segments[0]?.origin.airport_code}-${segments.at(-1)?.destination.airport_code}`;
}

function readNumber(text: unknown): number | null {
  const trimmed = word(text);
  return /^\d{1,6}(?:\.\d{1,6})?$/.test(trimmed) ? Number(trimmed) : null;
}

function word(text: unknown): string {
  return trimmedScalar(text).toUpperCase();
}
