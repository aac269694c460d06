/** The control routes of the emulator that serves this page. */

/** Sends a POST. Throws the reason of a refusal. */
export function post(route: string, input: object = {}): Promise<unknown> {
  const headers = { "content-type": "application/json" };
  return request(route, { method: "POST", headers, body: JSON.stringify(input) });
}

/** Sends a GET. */
export function get(route: string): Promise<unknown> {
  return request(route, {});
}

async function request(route: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(`/__emulator/${route}`, init).catch(() => {
    throw new Error("The emulator cannot be reached. Is it still running?");
  });
  const body: unknown = await response.json();
  if (response.ok) return body;
  throw new Error(String(Object(body).error ?? `HTTP ${response.status}`));
}
