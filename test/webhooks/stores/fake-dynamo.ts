import type { DynamoLike, UpdateInput } from "../../../examples/webhooks-stores/dynamodb.ts";

type Row = Record<string, unknown>;

/** A table that evaluates DynamoDB's expressions, each update whole: as much of the language as the example uses. */
export function fakeDynamo(): DynamoLike {
  const rows = new Map<string, Row>();
  const later = () => new Promise((resolve) => setImmediate(resolve));
  return {
    async get({ Key }) {
      await later();
      const row = rows.get(Key.pk);
      return { Item: row && { ...row } };
    },
    async update(input) {
      await later();
      const old = rows.get(input.Key.pk);
      if (!holds(input.ConditionExpression, old ?? {}, input)) {
        throw Object.assign(new Error("The conditional request failed"), { name: "ConditionalCheckFailedException" });
      }
      rows.set(input.Key.pk, { ...old, pk: input.Key.pk, ...changes(old ?? {}, input) });
      return { Attributes: old && { ...old } };
    },
  };
}

function changes(old: Row, input: UpdateInput): Row {
  const changed: Row = {};
  // A clause is its verb and what follows it, up to the next.
  for (const [, verb, rest = ""] of input.UpdateExpression.matchAll(
    /(SET|REMOVE|ADD) (.*?)(?= (?:SET|REMOVE|ADD) |$)/g,
  )) {
    for (const part of rest.split(", ")) {
      const [name = "", value = ""] = part.split(verb === "SET" ? " = " : " ");
      const key = nameOf(name, input);
      if (verb === "SET") changed[key] = givenValue(value, input);
      if (verb === "REMOVE") changed[key] = undefined;
      if (verb === "ADD") changed[key] = sum(old[key], givenValue(value, input));
    }
  }
  return changed;
}

/** ADD is for numbers and for sets. */
function sum(old: unknown, added: unknown): unknown {
  if (added instanceof Set) return new Set([...(old instanceof Set ? old : []), ...added]);
  return Number(old ?? 0) + Number(added);
}

function holds(condition: string, row: Row, input: UpdateInput): boolean {
  return condition.split(" OR ").some((all) =>
    all
      .replace(/^\((.*)\)$/, "$1")
      .split(" AND ")
      .every((one) => test(one, row, input)),
  );
}

function test(condition: string, row: Row, input: UpdateInput): boolean {
  const [, not, attribute] = /^attribute_(not_)?exists\((.*)\)$/.exec(condition) ?? [];
  if (attribute !== undefined) return (row[nameOf(attribute, input)] === undefined) === (not !== undefined);
  const [name = "", operator = "", value = ""] = condition.split(" ");
  const [is, should] = [row[nameOf(name, input)], givenValue(value, input)];
  if (operator === "=") return is === should;
  if (operator === "<>") return is !== undefined && is !== should;
  if (operator === "<=") return typeof is === "number" && is <= Number(should);
  throw new Error(`The fake knows no operator ${operator}.`);
}

function nameOf(name: string, { ExpressionAttributeNames: names }: UpdateInput): string {
  return names[name] ?? name;
}

function givenValue(value: string, { ExpressionAttributeValues: values }: UpdateInput): unknown {
  if (!(value in values)) throw new Error(`The value ${value} is not given.`);
  return values[value];
}
