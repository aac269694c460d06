/**
 * Names the repository in package.json (`repository`, `homepage`, `bugs` and, with `--funding`, `funding`), and lets the
 * links and pictures of README.md lead there, so that they work on npm too. Run it when there is a repository, or when
 * it has moved:
 *
 *   npm run release:fields -- https://github.com/acme/serviceapi [--funding https://github.com/sponsors/acme]
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";

/** Returns the page of the repository that a command names, without a slash or `.git` at its end. */
export function repositoryUrl([given, ...more]: readonly string[]): string {
  if (given === undefined || more.length > 0) throw new Error("Pass the URL of the repository, and nothing else.");
  const url = given.replace(/\/$|\.git$/g, "");
  // Other hosts than GitHub have groups within groups.
  if (
    !/^https:\/\/(?:github\.com(?:\/[\w.-]+){2}|(?!github\.com)[\w.-]+(?:\/[\w.-]+){2,5})$/.test(url) ||
    /\/(?:tree|blob|-)\//.test(url)
  ) {
    throw new Error(`Pass the page of the repository, such as https://github.com/acme/serviceapi, not "${given}".`);
  }
  return url;
}

/**
 * Lets the relative links and pictures of a page lead to the repository, and those that led to its earlier place too.
 * Headings of the page itself, other sites and code blocks stay.
 */
export function readmeWith(markdown: string, home: string, before = home): string {
  return markdown.replaceAll(codeOrTarget, (whole, _indent, start: string | undefined, path: string) => {
    if (start === undefined) return whole;
    const relative = path.startsWith(`${before}/`) ? path.replace(/^.*?\/(?:raw|blob)\/HEAD\//, "") : path;
    if (/^(?:[a-z]+:|#)/i.test(relative)) return start + relative;
    return `${start}${home}/${/^!|^src/.test(start) ? "raw" : "blob"}/HEAD/${relative}`;
  });
}

/** A code block; or `[label](path`, `![label](path`, and the attributes of HTML that hold a path. */
const codeOrTarget =
  /^(?<indent>[ \t]*)```[\s\S]*?^\k<indent>```[ \t]*$|((?:!?\[[^[\]]*)?\]\(|\b(?:src|srcset|href)=")([^)"\s]+)/gm;

if (import.meta.filename === process.argv[1]) {
  const { positionals, values } = parseArgs({ allowPositionals: true, options: { funding: { type: "string" } } });
  const home = repositoryUrl(positionals);
  const { name, version, description, ...manifest } = JSON.parse(readFileSync("package.json", "utf8"));
  const before = manifest.homepage?.replace(/#readme$/, "");
  const fields = {
    homepage: `${home}#readme`,
    repository: { type: "git", url: `git+${home}.git` },
    bugs: { url: `${home}/issues` },
    ...(values.funding !== undefined && { funding: new URL(values.funding).href }),
  };
  // They follow the description. Those that were there keep no value.
  const written = { name, version, description, ...fields, ...manifest, ...fields };
  writeFileSync("package.json", `${JSON.stringify(written, undefined, 2)}\n`);
  writeFileSync("README.md", readmeWith(readFileSync("README.md", "utf8"), home, before));
  console.log(`package.json and README.md name ${home}. Check the difference, and commit it.`);
}
