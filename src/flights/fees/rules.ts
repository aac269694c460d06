import type { MiniFareRule, Segment } from "../types.ts";

/** The kinds of fee that the document shows; others can be asked for by their own name. */
export type FeeType = "Reissue" | "Cancellation" | (string & {});

/** The rules of one journey and one type, with the flights that they speak of. */
export interface JourneyRules {
  /** `DEL-LHR`. */
  readonly journeyPoints: string;
  /** The flights from the first point to the second; none where the itinerary has no such journey. */
  readonly segments: readonly Segment[];
  readonly rules: readonly MiniFareRule[];
}

/** `from` inclusive to `to` exclusive, in hours before departure; `to` is Infinity where the window is open. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

const hoursPerUnit: Record<string, number> = { HOURS: 1, DAYS: 24 };

/** The window of a rule, or null where it cannot be read: an unknown unit, a text that is no number, an end before its beginning. */
export function readWindow(rule: MiniFareRule): Window | null {
  const hours = hoursPerUnit[word(rule.unit)];
  const from = readNumber(rule.from);
  const to = word(rule.to) === "" ? Number.POSITIVE_INFINITY : readNumber(rule.to);
  if (hours === undefined || from === null || to === null || to < from) return null;
  return { from: from * hours, to: to * hours };
}

/**
 * Every mini fare rule of a type, sorted to its journey; rules nested one level deeper are flattened, as the service has been
 * seen to send them. A direction of the itinerary that no rule speaks of stands there with no rules.
 */
export function journeyRules(
  rules: readonly unknown[],
  directions: readonly (readonly Segment[])[],
  type: FeeType,
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
  const uncovered = directions.filter((segments) => !segments.some((segment) => covered.has(segment)));
  return [...found, ...uncovered.map((segments) => ({ journeyPoints: pointsOf(segments), rules: [], segments }))];
}

function readRules(rules: readonly unknown[]): MiniFareRule[] {
  return rules.flat(2).filter(isRule);
}

/** An answer may have drifted (policy 13): what is not even the shape of a rule is left out, what has odd values stays in. */
function isRule(value: unknown): value is MiniFareRule {
  return typeof value === "object" && value !== null && "journey_points" in value && "charges" in value;
}

/** The run of flights, within one direction, from the first point to the second: airport or city codes. */
function findJourney(directions: readonly (readonly Segment[])[], journeyPoints: string): readonly Segment[] {
  const [from, to] = journeyPoints.split("-");
  for (const segments of directions) {
    const first = segments.findIndex(({ origin }) => from === origin.airport_code || from === origin.city_code);
    if (first < 0) continue;
    const last = segments.findLastIndex(
      ({ destination }) => to === destination.airport_code || to === destination.city_code,
    );
    if (last >= first) return segments.slice(first, last + 1);
  }
  return [];
}

function pointsOf(segments: readonly Segment[]): string {
  return `${segments[0]?.origin.airport_code}-${segments.at(-1)?.destination.airport_code}`;
}

function readNumber(text: unknown): number | null {
  const trimmed = word(text);
  return /^\d{1,6}(?:\.\d{1,6})?$/.test(trimmed) ? Number(trimmed) : null;
}

function word(text: unknown): string {
  return typeof text === "string" || typeof text === "number" ? String(text).trim().toUpperCase() : "";
}
