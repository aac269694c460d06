import { readFileSync } from "node:fs";
import { BookingOutcomeUnknownError, type ServiceApiError } from "../../../src/errors/index.ts";
import { type ClientOptions, defineOperation, quoteToken, ServiceApi } from "../../../src/index.ts";

/** The outcome that a careful person would prove from a reply. */
export type Outcome = "booked" | "success" | "rejected" | "duplicate" | "unknown";

/** A reply to a call that is sent once. */
export interface Reply {
  readonly name: string;
  /** The call: a booking, or an effect of the application's own. */
  readonly operation?: "ticket" | "payout";
  readonly http: number;
  readonly body?: unknown;
  /** The body, if it is not JSON. */
  readonly text?: string;
  readonly expected: Outcome;
  /** The decision, if it is more cautious than the judgement. */
  readonly told?: "unknown" | "duplicate";
  /** Whether it is a refusal in one plain sentence. */
  readonly plain?: boolean;
  /** The reason for the judgement. */
  readonly why?: string;
}

/**
 * Two people who had not seen the grammar wrote `desk` and `adversary`, and three who had it before them the others;
 * `kinds` has what was once decided wrongly.
 */
export const corpora = ["desk", "adversary", "attacker", "attacker-2", "attacker-3", "kinds"].map(
  (name) => [name, read(name)] as const,
);

function read(name: string): readonly Reply[] {
  const lines = readFileSync(new URL(`corpus/${name}.jsonl`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n");
  return lines.map((line) => JSON.parse(line));
}

const passenger = (fname: string, passenger_type: "adult" | "child" | "infant", dob: string) => ({
  ...{ title: passenger_type === "adult" ? "Ms" : "Mstr", fname, lname: "Rao", passenger_type, dob },
  ...{ mobile: "9000000001", email: "asha.rao@example.com", gender: passenger_type === "adult" ? "F" : "M" },
  ...{ address: "14 Lake Road", city: "Pune", country: "India", country_code: "IN" },
});

const issueTicket = defineOperation({ name: "tickets.issue", path: "ticket/issue" });
const sendPayout = defineOperation({ name: "payouts.send", path: "payout/send" });

/** Sends the call, and returns the outcome that its caller gets. */
export async function outcomeOf(reply: Reply, options: ClientOptions = {}): Promise<Outcome> {
  const api = new ServiceApi({
    ...{ baseUrl: "https://api.example.com", clientId: "client", clientSecret: "a-long-secret", ...options },
    fetch: async () => responseOf(reply),
  });
  const sent = { client_referenceId: "REF-1", amount: 500 };
  const call = {
    book: () =>
      api.flights.book({
        ...{ trace_id: "TRACE-1", token: quoteToken("TOK-1"), client_referenceId: "REF-1" },
        passengers: [
          passenger("Asha", "adult", "1990-04-02"),
          passenger("Dev", "child", "2018-09-13"),
          passenger("Tara", "infant", "2026-02-01"),
        ] as never,
      }),
    ticket: () => api.send(issueTicket, sent),
    payout: () => api.send(sendPayout, sent),
  };
  return await call[reply.operation ?? "book"]().then(
    () => (reply.operation === undefined ? "booked" : "success"),
    (reason: unknown) => {
      const error = reason as ServiceApiError;
      if (error.outcome === "rejected") return "rejected";
      if (error.outcome !== "unknown") throw error;
      const { cause } = error as { readonly cause?: ServiceApiError };
      const isDuplicate =
        error.kind === "duplicate" || (BookingOutcomeUnknownError.isInstance(error) && cause?.kind === "duplicate");
      return isDuplicate ? "duplicate" : "unknown";
    },
  );
}

function responseOf({ http, body, text }: Reply): Response {
  // `Response` refuses a body with these statuses.
  const content = [204, 205, 304].includes(http) ? null : (text ?? JSON.stringify(body));
  return new Response(content, {
    status: http,
    ...(http >= 300 && http < 400 && { headers: { location: "/elsewhere" } }),
  });
}
