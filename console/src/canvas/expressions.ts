// References to steps in CEL expressions, as far as renaming needs them. The grammar is the server's affair: this reads
// names and texts, so that what stands inside of a text is left alone.

const TOKEN =
  /"""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[A-Za-z_][A-Za-z0-9_]*|\d[\w.]*|\s+|[\s\S]/g;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** `nodes.old` and `nodes["old"]` with another id; likewise for the other roots. */
export function renameReference(expression: string, roots: readonly string[], from: string, to: string): string {
  const tokens = expression.match(TOKEN) ?? [];
  const solid = tokens.flatMap((token, index) => (/^\s+$/.test(token) ? [] : [index]));
  const at = (place: number) => tokens[solid[place] ?? -1] ?? "";
  const put = (place: number, token: string) => {
    const index = solid[place];
    if (index !== undefined) tokens[index] = token;
  };
  for (let place = 0; place < solid.length; place += 1) {
    // `"old" in input`.
    if (roots.includes(at(place)) && at(place - 1) === "in" && unquoted(at(place - 2)) === from)
      put(place - 2, quoted(to));
    // A member that happens to have the name of a root is none.
    if (!roots.includes(at(place)) || at(place - 1) === ".") continue;
    if (at(place + 1) === "." && at(place + 2) === from) {
      if (NAME.test(to)) put(place + 2, to);
      else {
        put(place + 1, "[");
        put(place + 2, `${quoted(to)}]`);
      }
    } else if (at(place + 1) === "[" && unquoted(at(place + 2)) === from && at(place + 3) === "]") {
      put(place + 2, quoted(to));
    }
  }
  return tokens.join("");
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

function unquoted(token: string): string | undefined {
  return /^(["'])([^\\]*)\1$/.exec(token)?.[2];
}
