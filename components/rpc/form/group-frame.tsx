'use client'

import { Plus, X } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { type FieldProps, Label, Problems } from '@/components/rpc/form/field-frame'
import { useForm } from '@/components/rpc/form/form-context'
import { SMALL_BUTTON } from '@/components/rpc/form/look'
import { emptyOf } from '@/components/rpc/form/value'
import { IconButton } from '@/components/ui/button'
import { t } from '@/lib/i18n/t'

type GroupFrameProps = FieldProps & {
  /** Above what it holds. */
  aside?: ReactNode
  /** Somebody further in says what is wrong here. */
  hidesProblems?: boolean
  children: ReactNode
}

/** A field that holds others. While it is optional and not there it is a line, to be opened. */
export function GroupFrame({
  doc,
  path,
  value,
  onChange,
  isEntry = false,
  aside,
  hidesProblems = false,
  children,
}: GroupFrameProps) {
  const id = useId()
  const problems = useForm().problemsAt(path)
  const isThere = value !== undefined && value !== null
  return (
    <fieldset className="min-w-0" aria-describedby={`${id}-problems ${id}-help`}>
      <legend lang="en" className="sr-only">
        {doc.label}
      </legend>
      {!isEntry && (
        <div className="flex min-h-7 items-center gap-2">
          <Label doc={doc} />
          {isThere && !doc.isRequired && (
            <IconButton
              label={t('Remove {field}', { field: doc.label })}
              className="-my-1 -me-2"
              onClick={() => onChange(undefined)}
            >
              <X aria-hidden="true" />
            </IconButton>
          )}
        </div>
      )}
      {doc.help && (
        <p
          id={`${id}-help`}
          lang="en"
          dir="ltr"
          className={isEntry ? 'sr-only' : 'mb-1.5 text-13 text-ink-3 rtl:text-end'}
        >
          {doc.help}
        </p>
      )}
      <Problems id={`${id}-problems`} problems={hidesProblems ? [] : problems} onFix={onChange} />
      {isThere ? (
        <>
          {aside && <div className="mb-2">{aside}</div>}
          {children}
        </>
      ) : (
        <button type="button" className={`${SMALL_BUTTON} -ms-1.5`} onClick={() => onChange(emptyOf(doc.type))}>
          <Plus aria-hidden="true" />
          {t('Add {field}', { field: doc.label.toLowerCase() })}
        </button>
      )}
    </fieldset>
  )
}
