import type { Issue } from "../../errors/base.ts";
import type { AiEvent, ResponseCompleted } from "../types.ts";

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

/**
 * The order of events: one `response_initiated`, then outputs, then one `response_completed` (§6.1), all of one
 * response. A stream in another order can still be read, so it is reported and not refused.
 */
export class EventOrder {
  #isInitiated = false;
  #hasOutput = false;
  #contextToken: unknown;

  /** Notes an event and returns the issues of its place. */
  note(event: AiEvent): readonly Issue[] {
    switch (event.event) {
      case "response_output":
        this.#hasOutput = true;
        return none;
      case "response_initiated": {
        const issues = this.#noteInitiated();
        this.#contextToken = event.context_token;
        return issues;
      }
      case "response_completed":
        return this.#noteCompleted(event);
      default:
        return none;
    }
  }

  #noteInitiated(): readonly Issue[] {
    const isRepeated = this.#isInitiated;
    this.#isInitiated = true;
    if (isRepeated) return [issue("event", "initiated_repeated", "came a second time; the last one counts")];
    return this.#hasOutput ? [issue("event", "initiated_late", "came after the first response_output")] : none;
  }

  #noteCompleted({ context_token }: ResponseCompleted): readonly Issue[] {
    if (!this.#isInitiated) return [issue("event", "initiated_missing", "came without a response_initiated before it")];
    const isOther = typeof this.#contextToken === "string" && context_token !== this.#contextToken;
    return isOther
      ? [issue("context_token", "context_token_changed", "is not that of response_initiated; this one counts")]
      : none;
  }
}

function issue(field: string, code: string, message: string): Issue {
  return { path: [field], code, message };
}
