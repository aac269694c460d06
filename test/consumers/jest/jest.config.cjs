module.exports = { testMatch: ["**/*.test.{cjs,mjs}"], transform: {} };
