/** Grammar and ending are those of the name unless stated; `null`: shown plain. */
type Language = { grammar?: string | null; ending?: string; aliases?: string }

const LANGUAGES: Readonly<Record<string, Language>> = {
  bash: { ending: 'sh', aliases: 'sh shell zsh shellscript ksh' },
  c: { aliases: 'h' },
  clojure: { ending: 'clj', aliases: 'clj cljs' },
  cpp: { aliases: 'c++ cc cxx hpp' },
  csharp: { ending: 'cs', aliases: 'c# cs' },
  css: {},
  csv: { grammar: null },
  dart: {},
  diff: { aliases: 'patch' },
  docker: { ending: 'dockerfile', aliases: 'dockerfile' },
  elixir: { ending: 'ex', aliases: 'ex exs' },
  go: { aliases: 'golang' },
  graphql: { aliases: 'gql' },
  haskell: { ending: 'hs', aliases: 'hs' },
  html: { aliases: 'htm xhtml' },
  ini: { aliases: 'properties conf env dotenv' },
  java: {},
  javascript: { ending: 'js', aliases: 'js mjs cjs node' },
  json: { aliases: 'geojson ndjson jsonl' },
  jsonc: { aliases: 'json5' },
  jsx: {},
  kotlin: { ending: 'kt', aliases: 'kt kts' },
  latex: { ending: 'tex', aliases: 'tex' },
  lua: {},
  make: { ending: 'mk', aliases: 'makefile mk' },
  markdown: { ending: 'md', aliases: 'md' },
  mermaid: { grammar: null, ending: 'mmd', aliases: 'mmd' },
  nginx: { ending: 'conf' },
  perl: { ending: 'pl', aliases: 'pl' },
  php: {},
  powershell: { ending: 'ps1', aliases: 'ps1 ps pwsh' },
  python: { ending: 'py', aliases: 'py python3 py3' },
  r: { ending: 'R' },
  ruby: { ending: 'rb', aliases: 'rb' },
  rust: { ending: 'rs', aliases: 'rs' },
  scala: {},
  scss: { aliases: 'sass' },
  shellsession: { ending: 'txt', aliases: 'console terminal' },
  solidity: { ending: 'sol', aliases: 'sol' },
  sql: { aliases: 'postgres postgresql mysql sqlite plsql' },
  svelte: {},
  svg: { grammar: 'xml' },
  swift: {},
  terraform: { ending: 'tf', aliases: 'tf hcl' },
  toml: {},
  tsx: {},
  typescript: { ending: 'ts', aliases: 'ts mts cts' },
  vue: {},
  xml: { aliases: 'xsl xsd rss plist' },
  yaml: { aliases: 'yml' },
  zig: {},
}

const BY_NAME = new Map(
  Object.entries(LANGUAGES).flatMap(([name, { grammar = name, ending = name, aliases }]) =>
    [name, ...(aliases?.split(' ') ?? [])].map((known) => [known, { grammar, ending }] as const),
  ),
)

const languageOf = (name = '') => BY_NAME.get(name.toLowerCase())

export const grammarOf = (name: string | undefined): string | undefined => languageOf(name)?.grammar ?? undefined

export const endingOf = (name: string | undefined): string => languageOf(name)?.ending ?? 'txt'
