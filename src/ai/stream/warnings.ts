import type { Issue } from "../../errors/base.ts";
import { chunkOf, fullTextOf } from "../events.ts";
import type { AiEvent, ResponseCompleted, ResponseInitiated } from "../types.ts";

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
      const key = `${place} ${issue.code}`;
      if (this.#places.has(key) || this.#places.size >= maxWarnings) continue;
      this.#places.add(key);
      added.push(place);
      this.add({ ...issue, path });
    }
    return added;
  }
}

/**
 * The order of events: one `response_initiated`, then outputs, then one `response_completed` (§6.1), all of one message
 * and of the conversation that was sent (§2.3). Another stream can still be read, so it is reported and not refused.
 */
export class EventOrder {
  readonly #echoes: (event: AiEvent) => readonly Issue[];
  #isInitiated = false;
  #hasOutput = false;
  #hasText = false;
  #contextToken: unknown;
  #messageId: unknown;
  #hasOtherEcho = false;

  constructor(echoes: (event: AiEvent) => readonly Issue[]) {
    this.#echoes = echoes;
  }

  /**
   * Notes an event and returns the issues of its place.
   *
   * @param isWhole - Whether it is a whole response, which came in place of a stream.
   */
  note(event: AiEvent, isWhole = false): readonly Issue[] {
    switch (event.event) {
      case "response_output":
        this.#hasOutput = true;
        this.#hasText ||= chunkOf(event) !== "";
        return this.#noteMessage(event);
      case "response_initiated":
        return [...this.#noteInitiated(event), ...this.#noteEchoes(event)];
      case "response_completed":
        return [...(isWhole ? none : this.#noteCompleted(event)), ...this.#noteEchoes(event)];
      default:
        return none;
    }
  }

  #noteInitiated({ context_token }: ResponseInitiated): readonly Issue[] {
    const isRepeated = this.#isInitiated;
    this.#isInitiated = true;
    this.#contextToken = context_token;
    if (isRepeated) return [issue("event", "initiated_repeated", "came a second time; the last one counts")];
    return this.#hasOutput ? [issue("event", "initiated_late", "came after the first response_output")] : none;
  }

  #noteCompleted(event: ResponseCompleted): readonly Issue[] {
    const isOther = typeof this.#contextToken === "string" && event.context_token !== this.#contextToken;
    const isEmptied = this.#hasText && fullTextOf(event) === "";
    const issues = [...this.#noteMessage(event)];
    if (!this.#isInitiated) {
      issues.push(issue("event", "initiated_missing", "came without a response_initiated before it"));
    } else if (isOther) {
      issues.push(
        issue("context_token", "context_token_changed", "is not that of response_initiated; this one counts"),
      );
    }
    if (isEmptied) issues.push(issue("system.text", "final_text_empty", "is empty, although chunks with text came"));
    return issues;
  }

  #noteMessage({ system }: { readonly system?: { readonly msg_id?: unknown } | null }): readonly Issue[] {
    const id = system?.msg_id;
    if (typeof id !== "string") return none;
    this.#messageId ??= id;
    return id === this.#messageId ? none : [issue("system.msg_id", "msg_id_changed", "is not that of the first chunk")];
  }

  #noteEchoes(event: AiEvent): readonly Issue[] {
    const issues = this.#hasOtherEcho ? none : this.#echoes(event);
    this.#hasOtherEcho ||= issues.length > 0;
    return issues;
  }
}

function issue(place: string, code: string, message: string): Issue {
  return { path: place.split("."), code, message };
}
