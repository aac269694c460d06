/** Objects that may be collected, and that count as long as they pass a test. */
export class WeakList<Kept extends object> {
  readonly #isLiving: (kept: Kept) => boolean;
  #references: WeakRef<Kept>[] = [];
  /** The length at which those that count no longer are forgotten. */
  #limit = 1_000;

  constructor(isLiving: (kept: Kept) => boolean) {
    this.#isLiving = isLiving;
  }

  add(object: Kept): void {
    this.#references.push(new WeakRef(object));
    if (this.#references.length < this.#limit) return;
    this.#limit = Math.max(1_000, 2 * this.living().length);
  }

  /** Returns those that count. */
  living(): readonly Kept[] {
    this.#references = this.#references.filter((reference) => {
      const object = reference.deref();
      return object !== undefined && this.#isLiving(object);
    });
    return this.#references.flatMap((reference) => reference.deref() ?? []);
  }
}
