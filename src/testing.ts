/** The entry point `serviceapi/testing`: suites for a store or a journal of your own, under any test runner. */
export { type JournalTest, journalSuite } from "./flights/journal/journal-suite.ts";
export { type StoreTest, storeSuite } from "./webhooks/stores/store-suite.ts";
