/** With `validation.response: "off"`, the types of an event are only promised. */
export function chunkOf(event: { readonly system?: { readonly text_chunk?: unknown } | null }): string {
  const chunk = event.system?.text_chunk;
  return typeof chunk === "string" ? chunk : "";
}

/** The full text of a completed event. */
export function textOf(event: { readonly system?: { readonly text?: unknown } | null }): string {
  const text = event.system?.text;
  return typeof text === "string" ? text : "";
}
