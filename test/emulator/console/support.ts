import { once } from "node:events";
import { type IncomingHttpHeaders, request } from "node:http";
import type { Update } from "../../../src/emulator/console/console.ts";
import { credentials } from "../helpers.ts";

/** Sends a GET with any headers: `fetch` would not let a test set `Host` and `Origin`. */
export async function get(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number | undefined; headers: IncomingHttpHeaders; type: string | undefined }> {
  const sent = request({ port, path, host: "127.0.0.1", headers });
  sent.end();
  const [response] = await once(sent, "response");
  response.destroy();
  return { status: response.statusCode, headers: response.headers, type: response.headers["content-type"] };
}

/** Reads the updates that a page would be sent. */
export async function* updatesOf(url: string, signal: AbortSignal): AsyncGenerator<Update> {
  const response = await fetch(url, { signal });
  let text = "";
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const event = text.slice(0, end);
      text = text.slice(end + 2);
      if (event.startsWith("data: ")) yield JSON.parse(event.slice(6));
    }
  }
}

/** Sends a request to a listening emulator. Returns its status, or `dropped`. */
export async function send(
  url: string,
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<number | "dropped"> {
  try {
    const response = await fetch(`${url}/${path}`, {
      method: "POST",
      headers: { ...credentials, "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    await response.text();
    return response.status;
  } catch {
    return "dropped";
  }
}
