import { nodeFetch } from "../../../node/node-fetch.ts";
import { type Check, failed, notChecked, ok, warning } from "./check.ts";

/** The times of one exchange, in milliseconds since 1970. */
interface Heard {
  readonly response: Response;
  readonly sentAt: number;
  readonly heardAt: number;
}

/**
 * Sends one GET request without credentials to the base URL, and checks that any response comes, and the clock of this
 * machine by its `Date`.
 */
export async function checkResponse(url: URL, limit: number): Promise<readonly Check[]> {
  const send = nodeFetch({ keepAlive: false });
  try {
    const sentAt = Date.now();
    const response = await send(url, { redirect: "manual", signal: AbortSignal.timeout(limit) });
    const heard = { response, sentAt, heardAt: Date.now() };
    await response.body?.cancel();
    return [judgeStatus(heard), judgeClock(heard)];
  } catch (error) {
    const advice = "Check the base URL, and what stands between: a proxy, a firewall, a gateway.";
    return [
      failed("response (HTTP)", `none came (${reasonOf(error)})`, advice),
      notChecked("clock", "no response came, and so no time"),
    ];
  } finally {
    send.close();
  }
}

function judgeStatus({ response: { status }, sentAt, heardAt }: Heard): Check {
  const name = "response (HTTP)";
  const detail = `HTTP ${status} after ${heardAt - sentAt} ms, to a GET without credentials`;
  if (status === 407) return failed(name, detail, "The proxy asks for credentials: put them into its URL.");
  if (status >= 500) return warning(name, detail, "Something responds, but not well: ask the operator, or try later.");
  if (status >= 300 && status < 400) {
    return warning(name, detail, "It redirects, and calls are never redirected: check the base URL.");
  }
  if (status === 404) {
    const advice =
      "Nothing responds at this path, which may be normal: only --live --refusal shows whether a call does.";
    return warning(name, detail, advice);
  }
  return ok(name, detail);
}

/** The tolerance of signed webhooks is 300 s (docs/assumptions.md, W4): a clock must stay well below. */
const [slightly, far] = [60, 300];

function judgeClock({ response, sentAt, heardAt }: Heard): Check {
  const name = "clock";
  const date = Date.parse(response.headers.get("date") ?? "");
  if (Number.isNaN(date)) return notChecked(name, "the response has no Date", "Compare the clock with a phone.");
  // A cache says how old its response is. The header has whole seconds: half of one is the best estimate.
  const age = Number(response.headers.get("age") ?? 0) || 0;
  const there = date + age * 1_000 + 500;
  const seconds = Math.round(((sentAt + heardAt) / 2 - there) / 1_000);
  if (Math.abs(seconds) <= slightly)
    return ok(name, `agrees with the clock of the service, to ${Math.max(1, Math.abs(seconds))} s`);
  const detail = `${Math.abs(seconds)} s ${seconds > 0 ? "ahead of" : "behind"} the clock of the service`;
  const advice = "Turn on the synchronization of the clock (NTP): deadlines and signed webhooks depend on it.";
  return Math.abs(seconds) <= far ? warning(name, detail, advice) : failed(name, detail, advice);
}

function reasonOf(error: unknown): string {
  const { name, code, cause, message } = Object(error);
  if (name === "TimeoutError") return "no response in time";
  const inner: unknown = code ?? Object(cause).code ?? message;
  return String(inner);
}
