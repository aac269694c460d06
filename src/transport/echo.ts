import type { Issue } from "../errors/base.ts";
import type { EchoRule } from "../operation.ts";
import { childrenOf, elementsOf, field, isObject, isObjectOrList } from "../shared/json.ts";
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
  const issues = rules.map((rule) => [rule.otherwise, compare(rule, sent, body)] as const);
  const issuesOf = (kind: EchoRule["otherwise"]) =>
    issues.flatMap(([otherwise, issue]) => (issue !== undefined && otherwise === kind ? [issue] : []));
  return { refused: issuesOf("refused"), warned: issuesOf("warning") };
}

function compare(rule: EchoRule, sent: unknown, body: unknown): Issue | undefined {
  const { response, request, code = "other_request", required = false } = rule;
  const essence = essences[rule.compare ?? "exact"];
  const expected = new Set(valuesAt(sent, request).map(({ text }) => essence(text)));
  expected.delete("");
  if (expected.size === 0) return undefined;
  const found = valuesAt(body, response);
  const other = found.find(({ text }) => !expected.has(essence(text)) && (required || essence(text) !== ""));
  if (other === undefined && (found.length > 0 || !required)) return undefined;
  return { path: other?.path ?? response.split("."), message: `is not the ${request} that was sent`, code };
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

interface Found {
  readonly path: readonly (string | number)[];
  readonly text: string;
}

/** Returns the values at a dot path as strings: an empty one for null, an object or a list. */
function valuesAt(root: unknown, path: string): readonly Found[] {
  if (path.startsWith("**.")) return valuesAnywhere(root, wordsOf(path.slice(3)));
  let places: readonly { readonly path: Found["path"]; readonly value: unknown }[] = [{ path: [], value: root }];
  for (const step of path.replaceAll("[]", ".[]").split(".")) {
    places = places.flatMap((place) => {
      const keys = step !== "[]" ? (isObject(place.value) ? [step] : []) : [...elementsOf(place.value).keys()];
      return keys.map((key) => ({ path: [...place.path, key], value: field(place.value, String(key)) }));
    });
  }
  const given = places.filter(({ value }) => value !== undefined);
  return given.map((place) => ({ path: place.path, text: textOf(place.value) }));
}

/** More objects and lists than are looked through: a response may be of any size. */
const maxPlaces = 20_000;

/** Returns the values of a name at any depth, in any spelling of it: `client_reference_id`. */
function valuesAnywhere(root: unknown, name: string): readonly Found[] {
  const found: Found[] = [];
  const queue: { readonly path: Found["path"]; readonly value: unknown }[] = [{ path: [], value: root }];
  for (const { path, value } of queue) {
    if (!isObjectOrList(value)) continue;
    for (const [key, child] of childrenOf(value)) {
      if (isObjectOrList(child) && queue.length < maxPlaces) queue.push({ path: [...path, key], value: child });
      else if (wordsOf(key) === name) found.push({ path: [...path, key], text: textOf(child) });
    }
  }
  return found;
}

function textOf(value: unknown): string {
  return value === null || typeof value === "object" ? "" : String(value);
}
