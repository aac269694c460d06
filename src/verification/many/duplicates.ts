/** Remembers the results of the latest keys, up to a number of them: a duplicate among these shares the result. */
export class Duplicates<T> {
  readonly #capacity: number;
  readonly #results = new Map<string, Promise<T>>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  /** Returns the result of an earlier key, and makes it the latest. */
  find(key: string): Promise<T> | undefined {
    const result = this.#results.get(key);
    if (result !== undefined) this.remember(key, result);
    return result;
  }

  /** Remembers the result of a key, and forgets the one that was last seen longest ago. */
  remember(key: string, result: Promise<T>): void {
    this.#results.delete(key);
    this.#results.set(key, result);
    if (this.#results.size <= this.#capacity) return;
    for (const oldest of this.#results.keys()) {
      this.#results.delete(oldest);
      return;
    }
  }
}
