'use client'

import { Plus, X } from 'lucide-react'
import { type ClipboardEvent, useRef } from 'react'
import { Field } from '@/components/rpc/form/field'
import type { FieldProps } from '@/components/rpc/form/field-frame'
import { GroupFrame } from '@/components/rpc/form/group-frame'
import { LeftOver } from '@/components/rpc/form/left-over'
import { CARD, SMALL_BUTTON } from '@/components/rpc/form/look'
import { splitPasted } from '@/components/rpc/form/pasted'
import { emptyOf, withEntry, withoutEntry } from '@/components/rpc/form/value'
import type { ParamDoc, Type } from '@/components/rpc/methods/types'
import { IconButton } from '@/components/ui/button'
import { plural, t } from '@/lib/i18n/t'

/** More entries than this are not typed by hand, and would only slow the page. */
const MAX_SHOWN = 100

type ListFieldProps = FieldProps & { type: Type & { kind: 'list' } }

/** Any number of values of one kind. Several that are pasted at once become an entry each. */
export function ListField({ type, ...field }: ListFieldProps) {
  const { path, value, onChange } = field
  const list: unknown[] = Array.isArray(value) ? value : []
  const rows = useRef<HTMLUListElement>(null)
  const isFull = type.max !== undefined && list.length >= type.max
  const add = () => {
    onChange([...list, emptyOf(type.of)])
    requestAnimationFrame(() => {
      const control = rows.current?.lastElementChild?.querySelector<HTMLElement>('textarea, input, select')
      control?.focus()
      // What it begins with gives way to what is typed.
      if (control instanceof HTMLTextAreaElement || control instanceof HTMLInputElement) control.select()
    })
  }
  const onPaste = (event: ClipboardEvent, index: number) => {
    const values = splitPasted(type.of, event.clipboardData.getData('text'))
    if (!values) return
    event.preventDefault()
    const isEmpty = list[index] === '' || list[index] === null || list[index] === emptyOf(type.of)
    onChange(list.toSpliced(isEmpty ? index : index + 1, isEmpty ? 1 : 0, ...values))
  }
  return (
    <GroupFrame {...field}>
      <ul ref={rows} className={isGroup(type.of) ? 'space-y-3' : 'space-y-1.5'}>
        {list.slice(0, MAX_SHOWN).map((entry, index) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: entries have no other name than their place
            key={index}
            className="flex items-start gap-1"
            onPaste={(event) => onPaste(event, index)}
          >
            <Entry
              doc={docOf(type, index)}
              path={[...path, index]}
              value={entry}
              onChange={(next) => onChange(withEntry(list, index, next))}
              onRemove={() => onChange(withoutEntry(list, index))}
            />
          </li>
        ))}
      </ul>
      {list.length > MAX_SHOWN && (
        <LeftOver
          names={[plural(list.length - MAX_SHOWN, { one: '{count} more entry', other: '{count} more entries' })]}
        />
      )}
      {!isFull && (
        <button type="button" className={`${SMALL_BUTTON} -ms-1.5 mt-1`} onClick={add}>
          <Plus aria-hidden="true" />
          {t('Add {field}', { field: type.item.toLowerCase() })}
        </button>
      )}
    </GroupFrame>
  )
}

type EntryProps = FieldProps & { onRemove: () => void }

/** An entry that holds fields has its number above them; others have their place. */
function Entry({ onRemove, ...field }: EntryProps) {
  const remove = (
    <IconButton label={t('Remove {field}', { field: field.doc.label })} onClick={onRemove}>
      <X aria-hidden="true" />
    </IconButton>
  )
  if (!isGroup(field.doc.type)) {
    return (
      <>
        <div className="min-w-0 flex-1">
          <Field {...field} isEntry />
        </div>
        {remove}
      </>
    )
  }
  return (
    <div className={`${CARD} flex-1`}>
      <div className="-mt-1 -me-2 mb-1 flex items-center justify-between gap-2">
        <span aria-hidden="true" lang="en" dir="ltr" className="text-13 font-medium text-ink-2">
          {field.doc.label}
        </span>
        {remove}
      </div>
      <Field {...field} isEntry />
    </div>
  )
}

const isGroup = ({ kind }: Type): boolean => ['object', 'tuple', 'list', 'map', 'union'].includes(kind)

const docOf = (type: Type & { kind: 'list' }, index: number): ParamDoc => ({
  name: `${type.item} ${index + 1}`,
  label: `${type.item} ${index + 1}`,
  type: type.of,
  isRequired: true,
})
