const { setImmediate } = require("node:timers/promises");

/** `tick` of node:test runs what is due, but nothing that follows from it: so a second at a time, with a turn between. */
exports.stepping = (timers) => {
  timers.enable({ apis: ["setTimeout", "setInterval", "Date"] });
  return async (milliseconds) => {
    for (let passed = 0; passed < milliseconds; passed += 1000) {
      await setImmediate();
      timers.tick(1000);
    }
    await setImmediate();
  };
};
