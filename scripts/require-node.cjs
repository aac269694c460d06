// Runs before the scripts of package.json, on any version of Node, and refuses one that is too old.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 12)) {
  console.error(
    `This project needs Node 22.12 or later and found ${process.versions.node}: the devDependency "node" brings one, so run ` +
      "`npm ci` with install scripts allowed (without --ignore-scripts) and use `npm run …`.",
  );
  process.exit(1);
}
