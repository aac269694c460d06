type Manifest = Readonly<Record<string, unknown>>;

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

/** The fields of package.json that name the repository. They follow `description`. */
export function manifestWith(manifest: Manifest, home: string, funding?: string): Manifest {
  const fields = {
    homepage: `${home}#readme`,
    repository: { type: "git", url: `git+${home}.git` },
    bugs: { url: `${home}/issues` },
    ...(funding === undefined ? {} : { funding }),
  };
  const kept = Object.entries(manifest).filter(([name]) => !Object.hasOwn(fields, name));
  const at = kept.findIndex(([name]) => name === "description") + 1;
  return Object.fromEntries([...kept.slice(0, at), ...Object.entries(fields), ...kept.slice(at)]);
}

/**
 * Lets the relative links and pictures of a page lead to the repository, and those that led to its earlier place too.
 * Headings of the page itself, other sites and code blocks stay.
 */
export function readmeWith(markdown: string, home: string, before?: string): string {
  const parts = markdown.split(/(^([ \t]*)```[\s\S]*?^\2```[ \t]*$)/m);
  // Split by two groups: text, code block, its indent, text, …
  const texts = parts.filter((_, i) => i % 3 !== 2);
  return texts.map((text, i) => (i % 2 === 0 ? linksMoved(text, home, before) : text)).join("");
}

/** `[label](path`, `![label](path`, and the attributes of HTML that hold a path. */
const target = /(?<start>(?:!?\[[^[\]]*)?\]\(|\b(?:src|srcset|href)=")(?<path>[^)"\s]+)/g;

function linksMoved(text: string, home: string, before = home): string {
  return text.replaceAll(target, (_, start: string, path: string) => {
    const relative = path.startsWith(`${before}/`) ? path.replace(/^.*?\/(?:raw|blob)\/HEAD\//, "") : path;
    if (/^(?:[a-z]+:|#)/i.test(relative)) return start + relative;
    return `${start}${home}/${/^!|^src/.test(start) ? "raw" : "blob"}/HEAD/${relative}`;
  });
}
