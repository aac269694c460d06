import { durably, noTransaction, quoteTable } from "../../shared/postgres.ts";

/** The SQL of the Postgres journal, for one table. */
export interface JournalStatements {
  readonly schema: string;
  readonly claim: string;
  readonly conflict: string;
  /** Returns a row if the client is in no transaction that has written something. */
  readonly noTransaction: string;
  /** Returns a row if the claimed row is there, and the client is in no such transaction. */
  readonly claimed: string;
  /** Returns a row if the settled row is as it was written, and the client is in no such transaction. */
  readonly settled: string;
  readonly settle: string;
  readonly find: string;
  readonly get: string;
  readonly pending: string;
}

const open = "state in ('sent', 'unknown', 'booked')";
/** Tokens may be longer than an index entry can be. */
const hash = (text: string) => `hashtextextended(${text}, 0)`;
const equal = (column: string, parameter: string) =>
  `(${hash(column)} = ${hash(`${parameter}::text`)} and ${column} = ${parameter}::text)`;

/**
 * True for a row that conflicts with the one whose fields are the parameters $1 to $7, and whose claim is forced by $8.
 */
const inTheWay = `(${open} and (
    ${equal("reference", "$2")}
    or (not $8::boolean and (
      ${equal("token", "$3")}
      or (${equal("trace_id", "$4")} and search_token = $5::text and result = $6::integer)
      or fingerprint = nullif($7::text, '')))))`;

/**
 * @param name - The table, with or without its schema; already known to be a plain name.
 */
export function journalStatementsFor(name: string): JournalStatements {
  const { quoted: table, nameOf } = quoteTable(name);
  // Two claims at the same moment do not see each other; they meet in these. What was sent with `force`, or turned out
  // to be booked after it had been closed, stands beside another row: it has no place here, but is seen by every later
  // claim.
  const guard = (suffix: string, columns: string, where: string) =>
    `create unique index if not exists ${nameOf(suffix)} on ${table} (${columns}) where ${open} and not late${where};`;
  const offer = `${hash("trace_id")}, ${hash("search_token")}, result`;
  return {
    // The lock: two `create table if not exists` at the same moment can fail on each other.
    schema: `do $$ begin
  perform pg_advisory_xact_lock(hashtext('${name}'));
  create table if not exists ${table} (
    attempt_id text primary key,
    reference text not null,
    token text not null,
    trace_id text not null,
    search_token text not null,
    result integer not null,
    fingerprint text,
    state text not null check (state in ('sent', 'unknown', 'booked', 'rejected')),
    sent_at double precision not null,
    forced boolean not null,
    late boolean not null default false,
    row jsonb not null
  );
  ${guard("one_reference", hash("reference"), "")}
  ${guard("one_token", hash("token"), " and not forced")}
  ${guard("one_offer", offer, " and not forced")}
  ${guard("one_journey", "fingerprint", " and not forced")}
  create index if not exists ${nameOf("reference")} on ${table} (${hash("reference")});
  create index if not exists ${nameOf("token")} on ${table} (${hash("token")}) where ${open};
  create index if not exists ${nameOf("trace")} on ${table} (${hash("trace_id")}) where ${open};
  create index if not exists ${nameOf("journey")} on ${table} (fingerprint) where ${open};
  create index if not exists ${nameOf("pending")} on ${table} (sent_at) where state in ('sent', 'unknown');
end $$`,

    claim: `insert into ${table} (attempt_id, reference, token, trace_id, search_token, result, fingerprint, forced, state, sent_at, row)
select $1::text, $2::text, $3::text, $4::text, $5::text, $6::integer, nullif($7::text, ''), $8::boolean, $9::text, $10::double precision, $11::jsonb
where not exists (select 1 from ${table} where ${inTheWay})
on conflict do nothing
returning ${durably}`,

    conflict: `select row from ${table} where attempt_id = $1::text or ${inTheWay} order by sent_at limit 1`,

    noTransaction: `select 1 where ${noTransaction}`,
    claimed: `select 1 from ${table} where attempt_id = $1::text and ${noTransaction}`,
    settled: `select 1 from ${table} where attempt_id = $1::text and (state <> $2::text or row = $3::jsonb) and ${noTransaction}`,

    settle: `update ${table} set state = $2::text, row = $3::jsonb, late = late or (state = 'rejected' and $2::text = 'booked')
where attempt_id = $1::text and state = $4::text and (state <> 'booked' or $2::text = 'booked') returning ${durably}`,

    find: `select row from ${table} where ${equal("reference", "$1")} order by sent_at`,
    get: `select row from ${table} where attempt_id = $1::text`,
    pending: `select row from ${table} where state in ('sent', 'unknown') order by sent_at`,
  };
}
