/** Completions in an editor, which `npx tsc` cannot check. */
import { expect, it } from "vitest";
import { openEditor } from "./editor.ts";

/** Completions that an editor offers at the `|` of such a program. */
function completionsAt(program: string): readonly string[] {
  const { file, service } = openEditor(program.replace("|", ""));
  const found = service.getCompletionsAtPosition(file, program.indexOf("|"), {});
  return found?.entries.map(({ name }) => name) ?? [];
}

it.each([
  [
    "the name of an event",
    'import type { AiEvent } from "serviceapi"; export const is = (e: AiEvent) => e.event === "|";',
    ["response_initiated", "response_output", "response_completed"],
  ],
  [
    "the status of a notification",
    'import type { WebhookEvent } from "serviceapi/webhooks"; export const is = (e: WebhookEvent) => e.status === "|";',
    ["SUCCESS", "FAILED", "DUPLICATE", "REJECTED"],
  ],
])(
  "an editor offers the documented strings, and nothing else, for %s",
  (_name, program, documented) => {
    expect([...completionsAt(program)].sort()).toEqual([...documented].sort());
  },
  60_000,
);
