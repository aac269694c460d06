/**
 * Makes a `Response` of what `fetch` received: the constructor takes no URL, and refuses a status beyond 200 to 599, or a
 * body with one that has none.
 */
export function makeResponse(
  body: BodyInit | null,
  { status, statusText, headers, url }: Pick<Response, "status" | "statusText" | "headers" | "url">,
): Response {
  const isAccepted = status >= 200 && status <= 599 && (body === null || ![204, 205, 304].includes(status));
  // A status that the constructor accepts, and whose `ok` is false.
  const response = new Response(body, { status: isAccepted ? status : 500, statusText, headers });
  return Object.defineProperties(response, { url: { value: url }, status: { value: status } });
}
