'use client'

import { useMemo, useRef } from 'react'
import { printJson, readParams } from '@/components/rpc/form/json-text'
import { placeWords } from '@/components/rpc/form/place-messages'
import type { MethodDoc, ParamProblem } from '@/components/rpc/methods/types'
import { CodeEditor } from '@/components/ui/code-editor'
import type { CodeProblem } from '@/components/ui/code-problems'
import { plural, t } from '@/lib/i18n/t'

const MIN_LINES = 6
const MAX_LINES = 24

/** Text that was typed, beside the parameters that were there when it was: as long as they are the same, it is shown. */
export type JsonDraft = { text: string; printed: string | undefined; fault?: string }

type JsonTabProps = {
  draft: JsonDraft | undefined
  onDraft: (draft: JsonDraft) => void
  doc: MethodDoc | undefined
  params: unknown
  onChange: (params: unknown) => void
  problems: readonly ParamProblem[]
}

/** The parameters as text. Text that is no JSON stays as it was typed, and the last parameters that were are kept. */
export function JsonTab({ draft, onDraft, doc, params, onChange, problems }: JsonTabProps) {
  const host = useRef<HTMLDivElement>(null)
  const printed = useMemo(() => printJson(params), [params])
  const isCurrent = draft !== undefined && draft.printed === printed
  const text = isCurrent ? draft.text : (printed ?? '')
  const fault = isCurrent ? draft.fault : undefined
  const marks = useMemo(() => (fault === undefined ? marksOf(problems) : []), [fault, problems])
  const change = (next: string) => {
    const read = readParams(next)
    if ('fault' in read) {
      onDraft({ text: next, printed, fault: read.fault })
      return
    }
    onDraft({ text: next, printed: printJson(read.value) })
    onChange(read.value)
  }
  // The editor keeps the keys to itself; whoever runs the call listens further out.
  const run = () => {
    host.current?.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, bubbles: true, cancelable: true }),
    )
  }
  if (printed === undefined) {
    return <p className="text-14 text-ink-2">{t('These parameters are too large to show. They are sent unchanged.')}</p>
  }
  return (
    <div ref={host}>
      <CodeEditor
        value={text}
        onChange={change}
        label={t('Parameters as JSON')}
        problems={marks}
        onRun={run}
        minLines={MIN_LINES}
        maxLines={MAX_LINES}
      />
      <div aria-live="polite" className="mt-1.5 min-h-5 text-13">
        {fault === undefined ? (
          <Summary {...{ doc, params, problems }} />
        ) : (
          <p className="text-danger">
            {fault} {t('The form and the call keep the last valid parameters.')}
          </p>
        )}
      </div>
    </div>
  )
}

/** How many things are wrong, and the first of them in words. */
function Summary({ doc, params, problems }: Pick<JsonTabProps, 'doc' | 'params' | 'problems'>) {
  const [first] = problems
  if (!first) return null
  const place = placeWords(doc, params, first.path)
  return (
    <p className={first.severity === 'error' ? 'text-danger' : 'text-ink-2'}>
      <span lang="en" dir="ltr">
        {place && `${place}: `}
        {first.message}
      </span>
      {problems.length > 1 && <span className="text-ink-3"> {andMore(problems.length - 1)}</span>}
    </p>
  )
}

const marksOf = (problems: readonly ParamProblem[]): CodeProblem[] =>
  problems.map(({ path, message, severity }) => ({ path, message, severity }))

const andMore = (count: number): string => plural(count, { one: 'And {count} more.', other: 'And {count} more.' })
