import type { Issue } from "../errors/base.ts";
import type { EchoRule } from "../operation.ts";
import { elementsOf, field, isObject, isObjectOrList } from "../shared/json.ts";
import { wordsOf } from "./refusals/clauses.ts";
import type { PreparedCall } from "./request.ts";

/** The fields of a response that repeat another request than the one it came for. */
export interface Echoes {
  /** They prove that the response belongs to another request. */
  readonly refused: readonly Issue[];
  /** They are worth a warning. */
  readonly warned: readonly Issue[];
}

/** Compares a response with its request by the rules of its operation; at most one issue for each rule. */
export function readEchoes(
  { operation, body: sent, options }: Pick<PreparedCall, "operation" | "body" | "options">,
  body: unknown,
): Echoes {
  // A call that is sent once may have been carried out for somebody else: no option hides that.
  const rules = options.validation?.response === "off" && operation.retry !== "never" ? [] : operation.echo;
  const issuesOf = (kind: EchoRule["otherwise"]) =>
    rules.filter(({ otherwise }) => otherwise === kind).flatMap((rule) => compare(rule, sent, body) ?? []);
  return { refused: issuesOf("refused"), warned: issuesOf("warning") };
}

function compare(rule: EchoRule, sent: unknown, body: unknown): Issue | undefined {
  const { response, request, code = "other_request", required = false } = rule;
  const essence = essences[rule.compare ?? "exact"];
  const expected = new Set(placesAt(sent, request).map((place) => essence(textOf(place))));
  expected.delete("");
  if (expected.size === 0) return undefined;
  const found = placesAt(body, response);
  const other = found.find((place) => {
    const text = essence(textOf(place));
    return !expected.has(text) && (required || text !== "");
  });
  if (other === undefined && (found.length > 0 || !required)) return undefined;
  return { path: other ? pathOf(other) : response.split("."), message: `is not the ${request} that was sent`, code };
}

/** The part of a value that is compared; an empty string says nothing. */
const essences: Record<NonNullable<EchoRule["compare"]>, (text: string) => string> = {
  exact: (text) => (text.trim() === "" ? "" : text),
  mobile: (text) => text.replaceAll(/\D/g, "").slice(-10),
  // An airline writes JOSÉ-LUIS as JOSELUIS. The vowel signs of other scripts stay.
  name: (text) =>
    text
      .normalize("NFKD")
      .replaceAll(/[\u0300-\u036f]|[^\p{L}\p{M}\p{N}]/gu, "")
      .toUpperCase(),
};

/** A value of a body, with the way to it. */
interface Place {
  readonly key?: string | number;
  readonly parent?: Place;
  readonly value: unknown;
}

function pathOf(place: Place): readonly (string | number)[] {
  const path: (string | number)[] = [];
  for (let at: Place | undefined = place; at?.key !== undefined; at = at.parent) path.push(at.key);
  return path.reverse();
}

/** Returns the places at a dot path. */
function placesAt(root: unknown, path: string): readonly Place[] {
  if (path.startsWith("**.")) return placesOf(root, wordsOf(path.slice(3)));
  let places: readonly Place[] = [{ value: root }];
  for (const step of path.replaceAll("[]", ".[]").split(".")) {
    places = places.flatMap((parent) => {
      const keys = step !== "[]" ? (isObject(parent.value) ? [step] : []) : [...elementsOf(parent.value).keys()];
      return keys.map((key) => ({ key, parent, value: field(parent.value, String(key)) }));
    });
  }
  return places.filter(({ value }) => value !== undefined);
}

/** More objects and lists than are looked through: a response may be of any size. */
const maxPlaces = 20_000;

/** Returns the places of a name at any depth, in any spelling of it: `client_reference_id`. */
function placesOf(root: unknown, name: string): readonly Place[] {
  const found: Place[] = [];
  const queue: Place[] = [{ value: root }];
  for (const parent of queue) {
    if (!isObjectOrList(parent.value)) continue;
    for (const key of Array.isArray(parent.value) ? parent.value.keys() : Object.keys(parent.value)) {
      const value = field(parent.value, String(key));
      if (isObjectOrList(value) && queue.length < maxPlaces) queue.push({ key, parent, value });
      else if (wordsOf(String(key)) === name) found.push({ key, parent, value });
    }
  }
  return found;
}

/** The value as a string: an empty one for null, an object or a list. */
function textOf({ value }: Place): string {
  return value === null || typeof value === "object" ? "" : String(value);
}
