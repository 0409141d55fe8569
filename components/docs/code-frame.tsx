import { Fragment, useId } from 'react'
import { CopyCode } from '@/components/docs/code-samples'
import { grammarOf } from '@/components/markdown/highlight/names'
import { type CodeLine, tokensOf } from '@/components/markdown/highlight/tokens'
import { SAMPLE_LANGUAGES, type Sample } from '@/lib/contract/docs'
import { t } from '@/lib/i18n/t'

type CodeFrameProps = { code: string; language?: string | undefined }

export function CodeFrame({ code, language }: CodeFrameProps) {
  return (
    <div className="code-block docs-code group/code relative rounded-card border border-line bg-sunken">
      <CodeText code={code} language={language} />
      <CopyCode className="absolute end-1 top-1 rounded-control bg-sunken" />
    </div>
  )
}

function CodeText({ code, language }: CodeFrameProps) {
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

/** One program in several languages. Style sheets alone choose the visible one, so that it works without scripts. */
export function Samples({ samples }: { samples: readonly Sample[] }) {
  const name = useId()
  return (
    <div className="code-block docs-code docs-samples rounded-card border border-line bg-sunken">
      <div className="flex items-center border-b border-line ps-1 pe-1">
        <div role="radiogroup" aria-label={t('Language')} className="flex flex-1">
          {samples.map(({ language }, at) => (
            <label
              key={language}
              className="relative inline-flex min-h-10 items-center px-3 text-13 text-ink-2 select-none hover:text-ink has-checked:text-ink has-focus-visible:outline-2 has-focus-visible:-outline-offset-2 has-focus-visible:outline-accent pointer-coarse:min-h-11"
            >
              <input
                type="radio"
                name={name}
                value={language}
                defaultChecked={at === 0}
                className="peer sr-only"
                data-docs-language=""
              />
              <span className="absolute inset-x-2 bottom-[-1px] h-0.5 bg-accent opacity-0 peer-checked:opacity-100 forced-colors:peer-checked:bg-[Highlight]" />
              {SAMPLE_LANGUAGES[language]}
            </label>
          ))}
        </div>
        <CopyCode />
      </div>
      {samples.map(({ language, code }) => (
        <div key={language} data-sample={language} className="hidden">
          <CodeText code={code} language={language} />
        </div>
      ))}
    </div>
  )
}
