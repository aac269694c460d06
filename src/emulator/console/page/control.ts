/** Sends a POST to a control route of the emulator that serves this page. Throws the reason of a refusal. */
export async function post(route: string, input: object = {}): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: JSON.stringify(input) };
  const response = await fetch(`/__emulator/${route}`, init).catch(() => {
    throw new Error("The emulator cannot be reached. Is it still running?");
  });
  const body: unknown = await response.json();
  if (response.ok) return body;
  throw new Error(String(Object(body).error ?? `HTTP ${response.status}`));
}
