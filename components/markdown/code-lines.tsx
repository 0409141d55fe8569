'use client'

import { memo, type ReactNode, startTransition, useEffect, useState } from 'react'
import { endOfLine, type Fold, SHOWN_LINES } from '@/components/markdown/code-fold'
import { highlight, keptHighlight } from '@/components/markdown/highlight/highlighter'
import { grammarOf } from '@/components/markdown/highlight/names'
import type { CodeLine } from '@/components/markdown/highlight/tokens'

/** Lines that are drawn in one go; between two such groups the page may do something else. */
const GROUP_LINES = 40

type CodeLinesProps = { code: string; language: string | undefined; isOpen: boolean; fold: Fold }

/** Code, plain at first and while it is being written; its colours come from a thread of their own. */
export function CodeLines({ code, language, isOpen, fold }: CodeLinesProps) {
  const lines = useColours(code, isOpen ? undefined : grammarOf(language))
  const isLong = fold.count !== undefined
  const begins = isLong ? endOfLine(code, SHOWN_LINES) : code.length
  if (!lines) {
    return (
      <code>
        {code.slice(0, begins)}
        {isLong && <Rest rest={fold.rest}>{code.slice(begins)}</Rest>}
      </code>
    )
  }
  const first = isLong ? Math.min(SHOWN_LINES, lines.length) : lines.length
  return (
    <code>
      <Groups lines={lines} from={0} to={first} />
      {isLong && (
        <Rest rest={fold.rest}>
          <Groups lines={lines} from={first} to={lines.length} />
        </Rest>
      )}
    </code>
  )
}

type RestProps = Pick<Fold, 'rest'> & { children: ReactNode }

/** A box of its own only while it is folded: copied by hand, the code has no break that is not in it. */
function Rest({ rest, children }: RestProps) {
  return (
    <span ref={rest} className="code-rest">
      {children}
    </span>
  )
}

function Groups({ lines, from, to }: { lines: CodeLine[]; from: number; to: number }) {
  const starts = Array.from({ length: Math.ceil((to - from) / GROUP_LINES) }, (_, at) => from + at * GROUP_LINES)
  return starts.map((start) => (
    <Group key={start} lines={lines} start={start} end={Math.min(to, start + GROUP_LINES)} />
  ))
}

type Coloured = { code: string; grammar: string; lines: CodeLine[] }

function useColours(code: string, grammar: string | undefined): CodeLine[] | undefined {
  const [coloured, setColoured] = useState<Coloured>()
  useEffect(() => {
    if (!grammar || keptHighlight(code, grammar)) return
    const controller = new AbortController()
    void highlight(code, grammar, controller.signal).then((lines) => {
      if (lines && !controller.signal.aborted) startTransition(() => setColoured({ code, grammar, lines }))
    })
    return () => controller.abort()
  }, [code, grammar])
  if (!grammar) return undefined
  if (coloured?.code === code && coloured.grammar === grammar) return coloured.lines
  return keptHighlight(code, grammar)
}

const Group = memo(function Group({ lines, start, end }: { lines: CodeLine[]; start: number; end: number }) {
  return lines.slice(start, end).map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of finished code do not move
    <Line key={at} line={line} isLast={start + at === lines.length - 1} />
  ))
})

function Line({ line, isLast }: { line: CodeLine; isLast: boolean }) {
  return (
    <>
      {line.map((piece, at) =>
        typeof piece === 'string' ? (
          piece
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a finished line do not move
          <span key={at} className={`code-${piece[0]}`}>
            {piece[1]}
          </span>
        ),
      )}
      {isLast ? '' : '\n'}
    </>
  )
}
