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
    objects: new Map(),
  })),
);
const environment = new Map();
const workingDirectory = new Map();

/** Returns an object for each global and its value: another object if a test leaves a spy, a fake clock or a variable. */
export function* globals(): Iterable<readonly [object, () => string]> {
  for (const { describe, owner, name, objects } of places) yield [objectFor(objects, contentOf(owner, name)), describe];
  yield [objectFor(environment, JSON.stringify(process.env)), () => "a changed environment"];
  yield [objectFor(workingDirectory, process.cwd()), () => "another working directory"];
}

/** Returns the same object for the same value of a property: many properties have the same value. */
function objectFor(objects: Map<unknown, object>, value: unknown): object {
  const known = objects.get(value);
  if (known !== undefined) return known;
  const object = {};
  objects.set(value, object);
  return object;
}

/** Returns the value of a property, or its getter, which is not called. */
function contentOf(owner: object, name: string): unknown {
  for (let one: object | null = owner; one !== null; one = Object.getPrototypeOf(one)) {
    const property = Object.getOwnPropertyDescriptor(one, name);
    if (property !== undefined) return property.get ?? property.value;
  }
  return undefined;
}
