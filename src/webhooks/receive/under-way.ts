/** The work of a receiver that is under way, for a server that is shut down. */
export class UnderWay {
  #count = 0;
  #waiting: (() => void)[] = [];

  /** Counts work as under way until it ends. It must not reject. */
  add(work: Promise<unknown>): void {
    this.#count += 1;
    void work.then(() => this.#remove());
  }

  /** Resolves when nothing is under way. */
  idle(): Promise<void> {
    if (this.#count === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  #remove(): void {
    this.#count -= 1;
    if (this.#count > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
