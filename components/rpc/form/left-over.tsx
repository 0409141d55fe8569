'use client'

import { X } from 'lucide-react'
import { useForm } from '@/components/rpc/form/form-context'
import { SMALL_BUTTON } from '@/components/rpc/form/look'
import type { ParamPath } from '@/components/rpc/methods/types'
import { plural, t } from '@/lib/i18n/t'

const MAX_NAMED = 8
const MAX_NAME_CHARS = 40

type LeftOverProps = {
  names: readonly string[]
  /** Where they stand below it, if they have names of their own. */
  path?: ParamPath
  onRemove?: (name: string) => void
}

/** What is sent and has no field here: it is said, and left as it is. */
export function LeftOver({ names, path, onRemove }: LeftOverProps) {
  const { showJson, problemsAt } = useForm()
  if (names.length === 0) return null
  const more = names.length - MAX_NAMED
  const problems = path ? names.slice(0, MAX_NAMED).flatMap((name) => problemsAt([...path, name])) : []
  return (
    <div className="rounded-control bg-sunken px-3 py-2 text-13 text-ink-2">
      <p>{t('Sent unchanged, without a field in this form:')}</p>
      <ul className="mt-1 flex flex-wrap items-center gap-x-1 gap-y-0.5">
        {names.slice(0, MAX_NAMED).map((name) => (
          <li key={name} className="flex items-center">
            <code dir="auto" className="font-mono text-12 wrap-anywhere">
              {name.slice(0, MAX_NAME_CHARS)}
            </code>
            {onRemove && (
              <button
                type="button"
                aria-label={t('Remove {field}', { field: name.slice(0, MAX_NAME_CHARS) })}
                className={`${SMALL_BUTTON} text-ink-3`}
                onClick={() => onRemove(name)}
              >
                <X aria-hidden="true" />
              </button>
            )}
          </li>
        ))}
        {more > 0 && <li>{plural(more, { one: 'and {count} more', other: 'and {count} more' })}</li>}
      </ul>
      {problems.map(({ message }) => (
        <p key={message} lang="en" dir="ltr" className="mt-1 wrap-anywhere rtl:text-end">
          {message}
        </p>
      ))}
      <button type="button" className={`${SMALL_BUTTON} -ms-1.5`} onClick={showJson}>
        {t('Show as JSON')}
      </button>
    </div>
  )
}
