/** The work of a receiver that is under way, for a server that is shut down. */
export class UnderWay {
  readonly #work = new Set<Promise<unknown>>();

  /** Adds work until it ends. */
  add(work: Promise<unknown>): void {
    const end = () => this.#work.delete(work);
    this.#work.add(work);
    work.then(end, end);
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#work.size > 0) await Promise.allSettled(this.#work);
  }
}
