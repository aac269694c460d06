import { onTestFinished } from "vitest";

/** Lets every object inherit these properties until the function that it returns is called, or the test ends. */
export function pollute(properties: Readonly<Record<string, unknown>>): () => void {
  for (const [name, value] of Object.entries(properties)) {
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true });
  }
  const clean = () => {
    for (const name of Object.keys(properties)) Reflect.deleteProperty(Object.prototype, name);
  };
  onTestFinished(clean);
  return clean;
}
