/**
 * Reads a property of an object or its class, but not one that was put on `Object.prototype`: what all objects have says
 * nothing of this one.
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
