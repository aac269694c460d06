import { limits } from "./limits.ts";

/** A list that forgets its oldest entries beyond {@link limits}. Only `add` may add to it. */
export class BoundedList<T> {
  /** Oldest first. */
  readonly entries: T[] = [];
  readonly #onForget: (entry: T) => void;
  #sizes: number[] = [];
  #size = 0;

  constructor(onForget: (entry: T) => void = () => {}) {
    this.#onForget = onForget;
  }

  add(entry: T, size = JSON.stringify(entry).length): void {
    this.entries.push(entry);
    this.#sizes.push(size);
    this.#size += size;
    while (this.entries.length > limits.entries || (this.#size > limits.length && this.entries.length > 1)) {
      const oldest = this.entries.shift();
      this.#size -= this.#sizes.shift() ?? 0;
      if (oldest !== undefined) this.#onForget(oldest);
    }
  }

  clear(): void {
    this.entries.length = 0;
    this.#sizes = [];
    this.#size = 0;
  }
}

/** A map that forgets its oldest keys beyond {@link limits}. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  override set(key: Key, value: Value): this {
    super.set(key, value);
    for (const oldest of this.keys()) {
      if (this.size <= limits.entries) break;
      this.delete(oldest);
    }
    return this;
  }
}
