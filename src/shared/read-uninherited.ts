/**
 * Reads a property of an object or its class, but not of `Object.prototype`: a property that all objects inherit says
 * nothing about this one.
 */
export function readUninherited<T extends object, Name extends keyof T>(
  object: T | null | undefined,
  name: Name,
): T[Name] | undefined {
  for (
    let holder: object | null | undefined = object;
    holder && holder !== Object.prototype;
    holder = Reflect.getPrototypeOf(holder)
  ) {
    if (Object.hasOwn(holder, name)) return object?.[name];
  }
  return undefined;
}
