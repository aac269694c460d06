import { durably, quoteTable } from "../../shared/postgres.ts";
import { abandonedAfter, nonceKey } from "./record.ts";

const now = "clock_timestamp()";
const milliseconds = (parameter: string) => `${parameter}::double precision * interval '1 millisecond'`;
/** When a row of now may be deleted. A retention of null is indefinite, also for rows that had an end before. */
const expiry = (retention: string) => `coalesce(${now} + ${milliseconds(retention)}, 'infinity')`;
/** When a claim of now may be deleted, should its process die. */
const abandoned = `${now} + ${milliseconds("$3")} + ${milliseconds(String(abandonedAfter))}`;
const hasExpired = (row: string, retention: string) =>
  `${retention}::double precision is not null and ${row}expires_at <= ${now}`;

/** A row of a nonce is deleted at its end, independently of the retention of references. */
const isNonce = `starts_with(key, '${nonceKey("")}')`;

/**
 * Returns the SQL of the Postgres store, for one table.
 *
 * @param name - The table, with or without its schema; already known to be a plain name.
 */
export function statementsFor(name: string) {
  const { quoted: table, nameOf, fullNameOf } = quoteTable(name);
  const tokens = fullNameOf("tokens");
  // Microseconds since 1970, which grow over a failover that has lost the latest values of the sequence. The sequence
  // follows the clock: it grows if the clock steps back, and where a clock has milliseconds only, as PGlite's.
  const complete = `update ${table} set state = 'done', effect = $4, expires_at = ${expiry("$3")}
where key = $1 and token = $2::bigint`;
  const token = `setval('${tokens}', greatest(nextval('${tokens}'), (extract(epoch from ${now}) * 1000000)::bigint))`;
  return {
    // The lock: two `create table if not exists` at the same moment can fail on each other.
    schema: `do $$ begin
  perform pg_advisory_xact_lock(hashtext('${name}'));
  create table if not exists ${table} (
    key text primary key,
    state text not null check (state in ('claimed', 'done')),
    effect text not null,
    token bigint not null,
    leased_until timestamptz not null,
    expires_at timestamptz not null,
    conflicts text[] not null default '{}'
  );
  create sequence if not exists ${tokens};
  create index if not exists ${nameOf("expiry")} on ${table} (expires_at);
end $$`,

    claim: `insert into ${table} as held (key, state, effect, token, leased_until, expires_at)
values ($1, 'claimed', $2, ${token}, ${now} + ${milliseconds("$3")}, ${abandoned})
on conflict (key) do update set
  state = 'claimed', effect = excluded.effect, token = greatest(excluded.token, held.token + 1),
  leased_until = ${now} + ${milliseconds("$3")}, expires_at = ${abandoned}, conflicts = '{}'
where (held.state = 'claimed' and held.leased_until <= ${now})
  or (held.state = 'done' and ${hasExpired("held.", "$4")})
returning token::text as token, (xmax <> 0) as taken_over, ${durably}`,

    recordConflict: `update ${table} set conflicts = array_append(conflicts, $2)
where key = $1 and state = 'done' and not ($2 = any (conflicts)) returning ${durably}`,

    find: `select state, effect, array_to_json(conflicts)::text as conflicts from ${table}
where key = $1 and not (state = 'done' and ${hasExpired("", "$2")})`,

    complete: `${complete} returning ${durably}`,
    // Not one that was completed before, whose effect would be written again with it.
    completeHeld: `${complete} and state = 'claimed' returning ${durably}`,

    release: `delete from ${table} where key = $1 and token = $2::bigint and state = 'claimed'`,
    forget: `delete from ${table} where key = $1 returning ${durably}`,
    deleteExpired: `delete from ${table}
where expires_at <= ${now} and case state
  when 'claimed' then leased_until <= ${now} - ${milliseconds(String(abandonedAfter))}
  else ${isNonce} or $1::double precision is not null end
returning key`,
  };
}
