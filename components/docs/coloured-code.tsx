import { Fragment } from 'react'
import { grammarOf } from '@/components/markdown/highlight/names'
import { type CodeLine, tokensOf } from '@/components/markdown/highlight/tokens'

/** Coloured once. What is shown here is ours, so that there is no more of it than there are pages. */
const kept = new Map<string, Promise<CodeLine[]>>()

/** Code in its colours, on the server: it is whole before any script runs. */
export async function ColouredCode({ code, language }: { code: string; language?: string | undefined }) {
  const grammar = grammarOf(language)
  if (!grammar) return code
  const lines = await coloured(code, grammar)
  return lines.map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of finished code do not move
    <Fragment key={at}>
      {line.map((piece, place) =>
        typeof piece === 'string' ? (
          piece
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a finished line do not move
          <span key={place} className={`code-${piece[0]}`}>
            {piece[1]}
          </span>
        ),
      )}
      {at === lines.length - 1 ? '' : '\n'}
    </Fragment>
  ))
}

function coloured(code: string, grammar: string): Promise<CodeLine[]> {
  const key = `${grammar}\n${code}`
  const known = kept.get(key) ?? tokensOf(code, grammar)
  kept.set(key, known)
  return known
}
