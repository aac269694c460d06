export {
  type PostgresLike,
  type PostgresStore,
  type PostgresStoreOptions,
  postgresStore,
} from "./stores/postgres.ts";
