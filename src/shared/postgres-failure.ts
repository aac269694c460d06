import { errorCodeOf } from "./error-code.ts";

/** The subject of a failed statement. */
export interface FailedStatement {
  /** The table, as the caller passed it. */
  readonly table: string;
  /** The privileges that the database user needs: `select, insert and update on the table bookings`. */
  readonly privileges: string;
}

/**
 * Returns the meaning of a failure of Postgres, or of the connection to it, and what to do next: one or two sentences
 * without a value, a user, a host or a password.
 *
 * @param error - The reason with which `client.query()` rejected.
 */
export function explainPostgresFailure(error: unknown, { table, privileges }: FailedStatement): string {
  const code = errorCodeOf(error);
  const [, explain = unexplained] =
    failures.find(([codes]) => codes.some((start) => code.startsWith(start))) ?? ([[], unexplained] as const);
  return explain({ code, table, privileges });
}

type Explain = (failed: FailedStatement & { readonly code: string }) => string;

const unexplained: Explain = ({ code }) =>
  `Postgres or its client failed${code === "" ? "" : ` (${code})`}. See \`cause\`.`;

/**
 * The first row whose code, or class of codes, fits. Codes of Postgres: its appendix A; the others are those of Node.
 */
const failures: readonly (readonly [codes: readonly string[], Explain])[] = [
  [
    ["42P01"],
    ({ table }) => `The table ${table} does not exist. Call createSchema() once, or run \`schema\` in your migrations.`,
  ],
  [["3F000"], ({ table }) => `The schema of the table ${table} does not exist. Create it, then call createSchema().`],
  [
    ["42703", "42804", "42883"],
    ({ table }) => `The table ${table} has other columns. Choose another \`table\`, or migrate it to \`schema\`.`,
  ],
  [
    ["42501"],
    ({ privileges }) =>
      `The database user has no permission for this. Grant it ${privileges}; to create the table it needs create on the schema.`,
  ],
  [["28"], () => "The database refused the user or the password of the client. Check the client's credentials."],
  [["3D000"], () => "The database that the client names does not exist. Check the client's settings."],
  [["25006"], () => "The database is read-only, as a replica is. Connect the client to the primary."],
  [["25P02"], () => "The transaction has failed before. Roll it back."],
  [["53100"], () => "The disk of the database is full. Free space, then try again."],
  [["53"], ({ code }) => `The database is out of resources (${code}), such as connections. Try again later.`],
  [["40", "55P03", "57014"], ({ code }) => `The database canceled the statement (${code}). Try again.`],
  [
    ["ERR_INVALID_URL"],
    () => "The connection string of the client is not a URL. Encode special characters in the password.",
  ],
  [
    ["08", "57P", "ECONN", "EHOST", "ENET", "ENOTFOUND", "EAI_AGAIN", "ETIMEDOUT", "EPIPE", "ENOENT"],
    ({ code }) =>
      `The database cannot be reached (${code}). Check that it is running, and the host and port of the client.`,
  ],
];
