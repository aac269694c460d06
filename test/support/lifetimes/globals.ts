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
  Object.getOwnPropertyNames(from).map((name) => ({
    describe: () => `a changed ${prefix}${name}`,
    owner,
    name,
    things: new Map(),
  })),
);
const environment = new Map();
const workingDirectory = new Map();

/** Returns the globals as they are now: a spy, a fake clock or a variable that a test leaves is another thing. */
export function* globals(): Iterable<readonly [object, () => string]> {
  for (const { describe, owner, name, things } of places) yield [thingOf(things, contentOf(owner, name)), describe];
  yield [thingOf(environment, JSON.stringify(process.env)), () => "a changed environment"];
  yield [thingOf(workingDirectory, process.cwd()), () => "another working directory"];
}

/** Returns the same thing for the same value of a place: values are compared, and many places have the same. */
function thingOf(things: Map<unknown, object>, value: unknown): object {
  const known = things.get(value);
  if (known !== undefined) return known;
  const thing = {};
  things.set(value, thing);
  return thing;
}

/** Returns the value of a property, or its getter, which is not called. */
function contentOf(owner: object, name: string): unknown {
  for (let one: object | null = owner; one !== null; one = Object.getPrototypeOf(one)) {
    const property = Object.getOwnPropertyDescriptor(one, name);
    if (property !== undefined) return property.get ?? property.value;
  }
  return undefined;
}
