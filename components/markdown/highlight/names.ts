type Language = { grammar?: string; ending: string; aliases?: string }

const NAMES: Readonly<Record<string, Language>> = {
  bash: { grammar: 'bash', ending: 'sh', aliases: 'sh shell zsh shellscript ksh' },
  c: { grammar: 'c', ending: 'c', aliases: 'h' },
  clojure: { grammar: 'clojure', ending: 'clj', aliases: 'clj cljs' },
  cpp: { grammar: 'cpp', ending: 'cpp', aliases: 'c++ cc cxx hpp' },
  csharp: { grammar: 'csharp', ending: 'cs', aliases: 'c# cs' },
  css: { grammar: 'css', ending: 'css' },
  csv: { ending: 'csv' },
  dart: { grammar: 'dart', ending: 'dart' },
  diff: { grammar: 'diff', ending: 'diff', aliases: 'patch' },
  docker: { grammar: 'docker', ending: 'dockerfile', aliases: 'dockerfile' },
  elixir: { grammar: 'elixir', ending: 'ex', aliases: 'ex exs' },
  go: { grammar: 'go', ending: 'go', aliases: 'golang' },
  graphql: { grammar: 'graphql', ending: 'graphql', aliases: 'gql' },
  haskell: { grammar: 'haskell', ending: 'hs', aliases: 'hs' },
  html: { grammar: 'html', ending: 'html', aliases: 'htm xhtml' },
  ini: { grammar: 'ini', ending: 'ini', aliases: 'properties conf env dotenv' },
  java: { grammar: 'java', ending: 'java' },
  javascript: { grammar: 'javascript', ending: 'js', aliases: 'js mjs cjs node' },
  json: { grammar: 'json', ending: 'json', aliases: 'geojson ndjson jsonl' },
  jsonc: { grammar: 'jsonc', ending: 'jsonc', aliases: 'json5' },
  jsx: { grammar: 'jsx', ending: 'jsx' },
  kotlin: { grammar: 'kotlin', ending: 'kt', aliases: 'kt kts' },
  latex: { grammar: 'latex', ending: 'tex', aliases: 'tex' },
  lua: { grammar: 'lua', ending: 'lua' },
  make: { grammar: 'make', ending: 'mk', aliases: 'makefile mk' },
  markdown: { grammar: 'markdown', ending: 'md', aliases: 'md' },
  mermaid: { ending: 'mmd', aliases: 'mmd' },
  nginx: { grammar: 'nginx', ending: 'conf' },
  perl: { grammar: 'perl', ending: 'pl', aliases: 'pl' },
  php: { grammar: 'php', ending: 'php' },
  powershell: { grammar: 'powershell', ending: 'ps1', aliases: 'ps1 ps pwsh' },
  python: { grammar: 'python', ending: 'py', aliases: 'py python3 py3' },
  r: { grammar: 'r', ending: 'R' },
  ruby: { grammar: 'ruby', ending: 'rb', aliases: 'rb' },
  rust: { grammar: 'rust', ending: 'rs', aliases: 'rs' },
  scala: { grammar: 'scala', ending: 'scala' },
  scss: { grammar: 'scss', ending: 'scss', aliases: 'sass' },
  shellsession: { grammar: 'shellsession', ending: 'txt', aliases: 'console terminal' },
  solidity: { grammar: 'solidity', ending: 'sol', aliases: 'sol' },
  sql: { grammar: 'sql', ending: 'sql', aliases: 'postgres postgresql mysql sqlite plsql' },
  svelte: { grammar: 'svelte', ending: 'svelte' },
  svg: { grammar: 'xml', ending: 'svg' },
  swift: { grammar: 'swift', ending: 'swift' },
  terraform: { grammar: 'terraform', ending: 'tf', aliases: 'tf hcl' },
  toml: { grammar: 'toml', ending: 'toml' },
  tsx: { grammar: 'tsx', ending: 'tsx' },
  typescript: { grammar: 'typescript', ending: 'ts', aliases: 'ts mts cts' },
  vue: { grammar: 'vue', ending: 'vue' },
  xml: { grammar: 'xml', ending: 'xml', aliases: 'xsl xsd rss plist' },
  yaml: { grammar: 'yaml', ending: 'yaml', aliases: 'yml' },
  zig: { grammar: 'zig', ending: 'zig' },
}

const BY_NAME = new Map(
  Object.entries(NAMES).flatMap(([name, language]) =>
    [name, ...(language.aliases?.split(' ') ?? [])].map((known) => [known, language] as const),
  ),
)

export const grammarOf = (name: string | undefined): string | undefined =>
  BY_NAME.get(name?.toLowerCase() ?? '')?.grammar

export const endingOf = (name: string | undefined): string => BY_NAME.get(name?.toLowerCase() ?? '')?.ending ?? 'txt'
