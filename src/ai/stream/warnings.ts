import type { Issue } from "../../errors/base.ts";

const maxWarnings = 100;
const none: readonly Issue[] = [];

/** The differences from the document that a stream tolerates, up to a limit. */
export class StreamWarnings {
  /** A new list after each addition: one that a caller holds stays as it is. */
  list: readonly Issue[] = none;
  // Most streams do not differ and never make one.
  #places: Set<string> | undefined;

  add(issue: Issue): void {
    if (this.list.length < maxWarnings) this.list = [...this.list, issue];
  }

  /** Adds the issues of an event, one for each place in the stream's life, and returns the places that are new. */
  addDrift(event: string, issues: readonly Issue[]): readonly string[] {
    this.#places ??= new Set();
    const added: string[] = [];
    for (const issue of issues) {
      const path = [event, ...issue.path];
      const place = path.join(".");
      if (this.#places.has(place) || this.#places.size >= maxWarnings) continue;
      this.#places.add(place);
      added.push(place);
      this.add({ ...issue, path });
    }
    return added;
  }
}
