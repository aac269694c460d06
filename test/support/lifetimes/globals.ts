/** Objects whose properties a test may replace or remove, with their prefix in messages. A new name may be a package's own. */
const owners: readonly (readonly [prefix: string, owner: object, names: object])[] = [
  ["", globalThis, globalThis],
  ["AbortSignal.", AbortSignal, AbortSignal],
  ["crypto.", crypto, Crypto.prototype],
  ["Date.", Date, Date],
  ["Math.", Math, Math],
  ["performance.", performance, Performance.prototype],
  ["Promise.", Promise, Promise],
  ["Request.", Request.prototype, Request.prototype],
  ["Response.", Response.prototype, Response.prototype],
];
const places = owners.flatMap(([prefix, owner, from]) =>
  Object.getOwnPropertyNames(from).map((property) => ({
    words: `a changed ${prefix}${property}`,
    owner,
    property,
    isGetter: getterOf(owner, property) !== undefined,
  })),
);
const words = [...places.map((place) => place.words), "a changed environment", "another working directory"];

/** The values of all globals at one moment, in the order of their places; a getter is not called. */
export type Globals = readonly unknown[];

export function readGlobals(): Globals {
  const values: unknown[] = places.map(({ owner, property, isGetter }) =>
    isGetter ? getterOf(owner, property) : Reflect.get(owner, property),
  );
  values.push(JSON.stringify(process.env), process.cwd());
  return values;
}

/** Returns the globals that have another value: a test leaves a spy, a fake clock or a variable. */
export function changedGlobals(before: Globals): readonly string[] {
  const now = readGlobals();
  return words.filter((_, i) => !Object.is(now[i], before[i]));
}

function getterOf(owner: object, name: string): unknown {
  for (let one: object | null = owner; one !== null; one = Object.getPrototypeOf(one)) {
    const property = Object.getOwnPropertyDescriptor(one, name);
    if (property !== undefined) return property.get;
  }
  return undefined;
}
