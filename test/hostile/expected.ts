import type { Operation } from "../../src/operation.ts";
import { operations } from "../support/service-operations.ts";
import { type OperationName, operationNames } from "./program/operations.ts";
import type { Row, Scenario } from "./scenario.ts";

/** The operation of the package that a program calls. */
export function operationOf(name: OperationName): Operation<object, unknown> {
  const found = operations.find((operation) => operation.name.endsWith(`.${name}`));
  if (found === undefined) throw new Error(`the package has no operation ${name}`);
  return found;
}

const classOf = (name: OperationName): keyof Row => (name === "stream" ? name : operationOf(name).retry);

/** Returns the scenarios that a runtime can play. */
export function playableIn(runtime: string, scenarios: readonly Scenario[]): readonly Scenario[] {
  return scenarios.filter(({ runtimes }) => runtimes?.some((prefix) => runtime.startsWith(prefix)) ?? true);
}

type Lines = Readonly<Partial<Record<OperationName, string>>>;

/** Returns the results that a scenario must have in a runtime; of several that are allowed, the one that was found. */
export function expectedOf({ expected, except = {}, rare = {}, only }: Scenario, runtime: string, found: Lines): Lines {
  const usual = merge([expected, ...rowsFor(runtime, except)]);
  const seldom = rowsFor(runtime, rare)
    .flat()
    .map((row) => merge([row]));
  return Object.fromEntries(
    (only ?? operationNames).map((operation) => {
      const allowed = [usual, ...seldom].map((row) => row[classOf(operation)]);
      return [operation, allowed.find((line) => line === found[operation]) ?? allowed[0]];
    }),
  );
}

function rowsFor<T>(runtime: string, rows: Readonly<Record<string, T>>): readonly T[] {
  return Object.entries(rows).flatMap(([prefix, row]) => (runtime.startsWith(prefix) ? [row] : []));
}

function merge(rows: readonly Partial<Row>[]): Partial<Row> {
  return Object.assign({}, ...rows.map(withStream));
}

function withStream(row: Partial<Row>): Partial<Row> {
  return row.ifNotProcessed === undefined ? row : { stream: row.ifNotProcessed, ...row };
}
