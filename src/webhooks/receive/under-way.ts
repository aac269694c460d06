/** The work of a receiver that is under way, for a server that is shut down. */
export class UnderWay {
  readonly #work = new Set<Promise<unknown>>();

  /** Adds work until it ends. It must not reject. */
  add(work: Promise<unknown>): void {
    this.#work.add(work);
    void work.then(() => this.#work.delete(work));
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }
}
