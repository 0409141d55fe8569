'use client'

import { CircleAlert, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useForm } from '@/components/rpc/form/form-context'
import { SMALL_BUTTON } from '@/components/rpc/form/look'
import type { ParamDoc, ParamPath, ParamProblem } from '@/components/rpc/methods/types'
import { t } from '@/lib/i18n/t'

export type FieldProps = {
  doc: ParamDoc
  path: ParamPath
  value: unknown
  /** Takes it away with `undefined`. */
  onChange: (value: unknown) => void
  /** An entry of a list: its name is for screen readers only. */
  isEntry?: boolean
}

/** How a control is tied to what is said about it. */
export type ControlProps = {
  id: string
  'aria-describedby': string
  'aria-invalid': boolean
  'aria-required': boolean
}

type FieldFrameProps = FieldProps & {
  id: string
  /** Beside the label. */
  aside?: ReactNode
  /** What the value comes to, said below the control. */
  note?: ReactNode
  children: (control: ControlProps) => ReactNode
}

/** Label, control, what the value comes to, what is wrong, and help: of a field with one control. */
export function FieldFrame({ id, doc, path, onChange, isEntry = false, aside, note, children }: FieldFrameProps) {
  const problems = useForm().problemsAt(path)
  const isInvalid = problems.some(({ severity }) => severity === 'error')
  return (
    <div className="min-w-0">
      <div className={isEntry ? 'sr-only' : 'mb-1 flex min-h-6 items-center gap-2'}>
        <Label htmlFor={id} doc={doc} />
        {!isEntry && aside}
      </div>
      {children({
        id,
        'aria-describedby': `${id}-note ${id}-problems ${id}-help`,
        'aria-invalid': isInvalid,
        'aria-required': doc.isRequired,
      })}
      <div id={`${id}-note`} className="text-12 text-ink-3 tabular-nums wrap-anywhere not-empty:mt-1">
        {note}
      </div>
      <Problems id={`${id}-problems`} problems={problems} onFix={onChange} />
      {doc.help && (
        <p
          id={`${id}-help`}
          lang="en"
          dir="ltr"
          className={`rtl:text-end mt-1 text-13 text-ink-3 ${isEntry ? 'sr-only' : ''}`}
        >
          {doc.help}
        </p>
      )}
    </div>
  )
}

/** What a field is called, what the wire calls it, and whether it may be left out. */
export function Label({ htmlFor, doc }: { htmlFor?: string; doc: ParamDoc }) {
  const name = doc.name.toLowerCase() === doc.label.toLowerCase() ? undefined : doc.name
  return (
    <>
      <span className="flex min-w-0 items-baseline gap-2">
        {htmlFor === undefined ? (
          <span lang="en" dir="ltr" className={LABEL}>
            {doc.label}
          </span>
        ) : (
          <label htmlFor={htmlFor} lang="en" dir="ltr" className={LABEL}>
            {doc.label}
          </label>
        )}
        {name !== undefined && (
          <span dir="ltr" className="truncate font-mono text-12 text-ink-3">
            {name}
          </span>
        )}
      </span>
      <span className="ms-auto shrink-0 text-12 text-ink-3">{doc.isRequired ? t('required') : t('optional')}</span>
    </>
  )
}

const LABEL = 'text-13 font-medium text-ink'

type ProblemsProps = { id: string; problems: readonly ParamProblem[]; onFix: (value: unknown) => void }

/** What is wrong, in its place, with the way out where there is one. */
export function Problems({ id, problems, onFix }: ProblemsProps) {
  return (
    <div id={id}>
      {problems.map(({ message, severity, fix }) => (
        <div key={message} className="mt-1 flex flex-wrap items-center gap-x-2 text-13">
          <p className={`flex min-w-0 gap-1.5 wrap-anywhere ${severity === 'error' ? 'text-danger' : 'text-ink-2'}`}>
            {severity === 'error' ? (
              <CircleAlert aria-hidden="true" className="mt-px size-4 shrink-0" strokeWidth={1.75} />
            ) : (
              <TriangleAlert aria-hidden="true" className="mt-px size-4 shrink-0" strokeWidth={1.75} />
            )}
            <span>
              <span className="sr-only">{severity === 'error' ? t('Error:') : t('Warning:')} </span>
              <span lang="en" dir="ltr">
                {message}
              </span>
            </span>
          </p>
          {fix && (
            <button lang="en" dir="ltr" type="button" className={SMALL_BUTTON} onClick={() => onFix(fix.value)}>
              {fix.label}
            </button>
          )}
        </div>
      ))}
    </div>
  )
}
