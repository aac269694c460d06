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
  const [sets = "", adds = ""] = input.UpdateExpression.replace(/^SET /, "").split(" ADD ");
  const changed: Row = {};
  for (const assignment of sets.split(", ")) {
    const [name = "", value = ""] = assignment.split(" = ");
    changed[nameOf(name, input)] = givenValue(value, input);
  }
  const [name, value] = adds.split(" ");
  if (name && value) {
    const key = nameOf(name, input);
    changed[key] = Number(old[key] ?? 0) + Number(givenValue(value, input));
  }
  return changed;
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
