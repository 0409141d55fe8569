import { Fragment } from 'react'
import { CopyCode } from '@/components/docs/copy-code'
import { grammarOf } from '@/components/markdown/highlight/names'
import { type CodeLine, tokensOf } from '@/components/markdown/highlight/tokens'

type CodeFrameProps = { code: string; language?: string | undefined }

export function CodeFrame({ code, language }: CodeFrameProps) {
  return (
    <div className="code-block docs-code group/code relative rounded-card border border-line bg-sunken">
      <CodeText code={code} language={language} />
      <CopyCode className="absolute end-1 top-1 rounded-control bg-sunken" />
    </div>
  )
}

export function CodeText({ code, language }: CodeFrameProps) {
  return (
    <pre
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
      tabIndex={0}
      className="thin-scroll overflow-x-auto py-3 ps-4 pe-12 font-mono text-13 leading-5 pointer-coarse:min-h-13"
    >
      <code>
        <ColouredCode code={code} language={language} />
      </code>
    </pre>
  )
}

/** Coloured code by its text: bounded by the number of pages, all of which are ours. */
const cache = new Map<string, Promise<CodeLine[]>>()

async function ColouredCode({ code, language }: { code: string; language?: string | undefined }) {
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
  const known = cache.get(key) ?? tokensOf(code, grammar)
  cache.set(key, known)
  return known
}
