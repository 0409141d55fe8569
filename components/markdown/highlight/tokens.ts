import {
  createCssVariablesTheme,
  createHighlighterCore,
  type HighlighterCore,
  type LanguageRegistration,
} from '@shikijs/core'
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript'

/** A piece of code. A string alone is plain; otherwise its kind names a colour: `keyword`, `string`, `comment` … */
type CodePiece = string | [kind: string, text: string]
export type CodeLine = CodePiece[]

const THEME = 'lagoon'
/** Longer lines stay plain, and so does the rest of a line that takes longer; the first one of a language is slow. */
const MAX_LINE_CHARS = 2_000
const MAX_LINE_MS = 2_000

let highlighter: Promise<HighlighterCore> | undefined

export async function tokensOf(code: string, grammar: string): Promise<CodeLine[]> {
  highlighter ??= createHighlighterCore({
    themes: [createCssVariablesTheme({ name: THEME, variablePrefix: '--' })],
    langs: [],
    engine: createJavaScriptRegexEngine({ forgiving: true }),
  })
  const core = await highlighter
  const load = LANGUAGES[grammar]
  if (!load) return code.split('\n').map((line) => [line])
  if (!core.getLoadedLanguages().includes(grammar)) await core.loadLanguage(load)
  const lines = core.codeToTokensBase(code, {
    lang: grammar,
    theme: THEME,
    tokenizeMaxLineLength: MAX_LINE_CHARS,
    tokenizeTimeLimit: MAX_LINE_MS,
  })
  return lines.map((tokens) => merged(tokens.map(({ content, color }) => ({ text: content, kind: kindOf(color) }))))
}

function kindOf(color: string | undefined): string {
  return /--token-([a-z-]+)/.exec(color ?? '')?.[1] ?? ''
}

/** Joins neighbours of one kind: each would be an element of the page. */
function merged(tokens: { text: string; kind: string }[]): CodeLine {
  const line: { text: string; kind: string }[] = []
  for (const { text, kind } of tokens) {
    const last = line.at(-1)
    if (last && (last.kind === kind || text.trim() === '')) last.text += text
    else line.push({ text, kind })
  }
  return line.map(({ text, kind }) => (kind === '' ? text : [kind, text]))
}

type Loader = () => Promise<{ default: LanguageRegistration[] }>

/** One chunk for each language, fetched when the first block of it is shown. */
export const LANGUAGES: Readonly<Record<string, Loader>> = {
  bash: () => import('@shikijs/langs/bash'),
  c: () => import('@shikijs/langs/c'),
  clojure: () => import('@shikijs/langs/clojure'),
  cpp: () => import('@shikijs/langs/cpp'),
  csharp: () => import('@shikijs/langs/csharp'),
  css: () => import('@shikijs/langs/css'),
  dart: () => import('@shikijs/langs/dart'),
  diff: () => import('@shikijs/langs/diff'),
  docker: () => import('@shikijs/langs/docker'),
  elixir: () => import('@shikijs/langs/elixir'),
  go: () => import('@shikijs/langs/go'),
  graphql: () => import('@shikijs/langs/graphql'),
  haskell: () => import('@shikijs/langs/haskell'),
  html: () => import('@shikijs/langs/html'),
  ini: () => import('@shikijs/langs/ini'),
  java: () => import('@shikijs/langs/java'),
  javascript: () => import('@shikijs/langs/javascript'),
  json: () => import('@shikijs/langs/json'),
  jsonc: () => import('@shikijs/langs/jsonc'),
  jsx: () => import('@shikijs/langs/jsx'),
  kotlin: () => import('@shikijs/langs/kotlin'),
  latex: () => import('@shikijs/langs/latex'),
  lua: () => import('@shikijs/langs/lua'),
  make: () => import('@shikijs/langs/make'),
  markdown: () => import('@shikijs/langs/markdown'),
  nginx: () => import('@shikijs/langs/nginx'),
  perl: () => import('@shikijs/langs/perl'),
  php: () => import('@shikijs/langs/php'),
  powershell: () => import('@shikijs/langs/powershell'),
  python: () => import('@shikijs/langs/python'),
  r: () => import('@shikijs/langs/r'),
  ruby: () => import('@shikijs/langs/ruby'),
  rust: () => import('@shikijs/langs/rust'),
  scala: () => import('@shikijs/langs/scala'),
  scss: () => import('@shikijs/langs/scss'),
  shellsession: () => import('@shikijs/langs/shellsession'),
  solidity: () => import('@shikijs/langs/solidity'),
  sql: () => import('@shikijs/langs/sql'),
  svelte: () => import('@shikijs/langs/svelte'),
  swift: () => import('@shikijs/langs/swift'),
  terraform: () => import('@shikijs/langs/terraform'),
  toml: () => import('@shikijs/langs/toml'),
  tsx: () => import('@shikijs/langs/tsx'),
  typescript: () => import('@shikijs/langs/typescript'),
  vue: () => import('@shikijs/langs/vue'),
  xml: () => import('@shikijs/langs/xml'),
  yaml: () => import('@shikijs/langs/yaml'),
  zig: () => import('@shikijs/langs/zig'),
}
