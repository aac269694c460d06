/** The SQL of the Postgres store, for one table. */
export interface PostgresStatements {
  readonly schema: string;
  readonly claim: string;
  readonly look: string;
  readonly complete: string;
  readonly release: string;
  readonly forget: string;
  readonly deleteExpired: string;
}

const now = "clock_timestamp()";
const milliseconds = (parameter: string) => `${parameter}::double precision * interval '1 millisecond'`;
/** @param name - The table, with or without its schema; already known to be a plain name. */
export function statementsFor(name: string): PostgresStatements {
  const table = name
    .split(".")
    .map((part) => `"${part}"`)
    .join(".");
  const index = `"${name.split(".").at(-1)}_expiry"`;
  const tokens = `${table.slice(0, -1)}_tokens"`;
  // A sequence, not the clock: PGlite's tells milliseconds only, and a released row leaves nothing to count on from.
  const token = `nextval('${tokens}')`;
  return {
    // The lock: two `create table if not exists` at the same moment can fail on each other.
    schema: `do $$ begin
  perform pg_advisory_xact_lock(hashtext('${name}'));
  create table if not exists ${table} (
    key text primary key,
    state text not null check (state in ('claimed', 'done')),
    status text not null,
    token bigint not null,
    leased_until timestamptz not null,
    expires_at timestamptz not null,
    conflicts text[] not null default '{}'
  );
  create sequence if not exists ${tokens};
  create index if not exists ${index} on ${table} (expires_at);
end $$`,

    claim: `insert into ${table} as held (key, state, status, token, leased_until, expires_at)
values ($1, 'claimed', $2, ${token}, ${now} + ${milliseconds("$3")}, ${now} + ${milliseconds("$4")})
on conflict (key) do update set
  state = 'claimed', status = excluded.status, token = ${token},
  leased_until = ${now} + ${milliseconds("$3")}, expires_at = ${now} + ${milliseconds("$4")}, conflicts = '{}'
where (held.state = 'claimed' and held.leased_until <= ${now}) or held.expires_at <= ${now}
returning token::text as token, (xmax <> 0) as taken_over`,

    look: `with conflict as (
  update ${table} set conflicts = array_append(conflicts, $2)
  where key = $1 and state = 'done' and status <> $2 and not ($2 = any (conflicts))
  returning 1
)
select state, status, exists (select 1 from conflict) as first_conflict from ${table} where key = $1`,

    complete: `update ${table} set state = 'done', expires_at = ${now} + ${milliseconds("$3")}
where key = $1 and token = $2::bigint returning key`,

    release: `delete from ${table} where key = $1 and token = $2::bigint and state = 'claimed'`,
    forget: `delete from ${table} where key = $1`,
    deleteExpired: `delete from ${table} where expires_at <= ${now} returning key`,
  };
}
