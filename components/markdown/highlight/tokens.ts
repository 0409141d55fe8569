import { createCssVariablesTheme, createHighlighterCore, type HighlighterCore } from '@shikijs/core'
import { createJavaScriptRegexEngine } from '@shikijs/engine-javascript'
import { LANGUAGES } from '@/components/markdown/highlight/languages'

/** Words of one kind. A string alone is plain text; else its kind names a colour: `keyword`, `string`, `comment` … */
type CodePiece = string | [kind: string, text: string]
export type CodeLine = CodePiece[]

const THEME = 'lagoon'
/** Longer lines stay plain, and so does the rest of a line that takes longer; the first one of a language is slow. */
const MAX_LINE_CHARS = 2_000
const MAX_LINE_MS = 2_000

let highlighter: Promise<HighlighterCore> | undefined

/**
 * Cuts code into coloured pieces, line by line.
 *
 * @param grammar one of `LANGUAGES`.
 */
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

/** Neighbours of one kind are one piece: each would be an element of the page. Blanks have no colour. */
function merged(tokens: { text: string; kind: string }[]): CodeLine {
  const line: { text: string; kind: string }[] = []
  for (const { text, kind } of tokens) {
    const last = line.at(-1)
    if (last && (last.kind === kind || text.trim() === '')) last.text += text
    else line.push({ text, kind })
  }
  return line.map(({ text, kind }) => (kind === '' ? text : [kind, text]))
}
