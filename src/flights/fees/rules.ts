import { isObject, wordOf } from "../../shared/json.ts";
import type { MiniFareRule, Segment } from "../types/index.ts";

/** The kinds of fee that the document shows. At run time any `type` of a rule can be asked for. */
export type FeeType = "Reissue" | "Cancellation";

/** The rules of one journey and one type, with the flights that they speak of. */
export interface JourneyRules {
  /** `DEL-LHR`. */
  readonly journeyPoints: string;
  /** The flights from the first point to the second; none where the itinerary has no such journey. */
  readonly segments: readonly Segment[];
  readonly rules: readonly MiniFareRule[];
}

/** `from` inclusive to `to` exclusive, in milliseconds before departure; `to` is Infinity for an open window. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

const unitMs: Record<string, number> = { HOURS: 3_600_000, DAYS: 86_400_000 };

/** The window of a rule, or null where it cannot be read: an unknown unit, a text that is no number, an end before its beginning. */
export function readWindow(rule: MiniFareRule): Window | null {
  const unit = unitMs[word(rule.unit)];
  const from = readNumber(rule.from);
  const to = word(rule.to) === "" ? Number.POSITIVE_INFINITY : readNumber(rule.to);
  if (unit === undefined || from === null || to === null || to < from) return null;
  // Whole milliseconds: 0.1 days are 2.4000000000000004 hours as a float.
  return { from: Math.round(from * unit), to: Math.round(to * unit) };
}

/**
 * Every mini fare rule of a type, sorted to its journey; rules nested one level deeper are flattened, as the service has been
 * seen to send them. Flights that no rule speaks of stand there with no rules, so that the fee of a part is never that of the whole.
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
    groups.set(points, [...(groups.get(points) ?? []), rule]);
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

/** Which types the rules have. */
export function feeTypesOf(rules: readonly unknown[]): string[] {
  return readRules(rules).map((rule) => word(rule.type));
}

function readRules(rules: readonly unknown[]): MiniFareRule[] {
  return rules.flat(2).filter(isRule);
}

/** A response may have drifted (docs/assumptions.md, A4): what is not even the shape of a rule is left out, what has odd values stays in. */
function isRule(value: unknown): value is MiniFareRule {
  return isObject(value) && "journey_points" in value && "charges" in value;
}

/** The flights that a test takes, those that follow each other together. */
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
 * The run of flights, within one direction, from the first point to the second: airport or city codes. The shortest, since a
 * longer one may go there and back.
 */
function findJourney(directions: readonly (readonly Segment[])[], journeyPoints: string): readonly Segment[] {
  const [from, to] = journeyPoints.split("-");
  let shortest: readonly Segment[] = [];
  for (const segments of directions) {
    for (const [first, { origin }] of segments.entries()) {
      if (from !== word(origin.airport_code) && from !== word(origin.city_code)) continue;
      const length = segments
        .slice(first)
        .findIndex(({ destination }) => to === word(destination.airport_code) || to === word(destination.city_code));
      if (length >= 0 && (shortest.length === 0 || length + 1 < shortest.length)) {
        shortest = segments.slice(first, first + length + 1);
      }
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
  return wordOf(text).toUpperCase();
}
