'use client'

import { Plus, X } from 'lucide-react'
import { useId, useState } from 'react'
import { Field } from '@/components/rpc/form/field'
import type { FieldProps } from '@/components/rpc/form/field-frame'
import { GroupFrame } from '@/components/rpc/form/group-frame'
import { LeftOver } from '@/components/rpc/form/left-over'
import { CARD, INPUT, SMALL_BUTTON } from '@/components/rpc/form/look'
import { emptyOf, withField } from '@/components/rpc/form/value'
import { isRecord } from '@/components/rpc/methods/blocks'
import type { Type } from '@/components/rpc/methods/types'
import { IconButton } from '@/components/ui/button'
import { plural, t } from '@/lib/i18n/t'

const MAX_SHOWN = 50

type MapFieldProps = FieldProps & { type: Type & { kind: 'map' } }

/** Values by a key that one chooses, such as an address. */
export function MapField({ type, ...field }: MapFieldProps) {
  const { path, value, onChange } = field
  const object = isRecord(value) ? value : {}
  const keys = Object.keys(object)
  return (
    <GroupFrame {...field}>
      <ul className="space-y-3">
        {keys.slice(0, MAX_SHOWN).map((key) => (
          <li key={key} className={CARD}>
            <div className="-mt-1 -me-2 mb-1 flex items-center gap-2">
              <span dir="ltr" className="min-w-0 flex-1 font-mono text-12 wrap-anywhere text-ink-2">
                {key}
              </span>
              <IconButton
                label={t('Remove {field}', { field: key.slice(0, 12) })}
                onClick={() => onChange(withField(object, key, undefined))}
              >
                <X aria-hidden="true" />
              </IconButton>
            </div>
            <Field
              doc={{ name: key, label: `${type.keyLabel} ${key.slice(0, 12)}`, type: type.value, isRequired: true }}
              path={[...path, key]}
              value={object[key]}
              onChange={(next) => onChange(withField(object, key, next ?? null))}
              isEntry
            />
          </li>
        ))}
      </ul>
      {keys.length > MAX_SHOWN && (
        <LeftOver names={[plural(keys.length - MAX_SHOWN, { one: '{count} more', other: '{count} more' })]} />
      )}
      <NewKey
        label={type.keyLabel}
        taken={keys}
        onAdd={(key) => onChange(withField(object, key, emptyOf(type.value)))}
      />
    </GroupFrame>
  )
}

type NewKeyProps = { label: string; taken: readonly string[]; onAdd: (key: string) => void }

function NewKey({ label, taken, onAdd }: NewKeyProps) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const key = typed.trim()
  const isTaken = taken.includes(key)
  const add = () => {
    if (key === '' || isTaken) return
    onAdd(key)
    setTyped('')
  }
  return (
    <div className="mt-2">
      <div className="flex items-center gap-1.5">
        <input
          aria-label={t('New {field}', { field: label })}
          aria-describedby={id}
          dir="auto"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            add()
          }}
          placeholder={`${label}, 0x…`}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="off"
          className={INPUT}
        />
        <button
          type="button"
          disabled={key === '' || isTaken}
          className={`${SMALL_BUTTON} min-h-9 disabled:opacity-55`}
          onClick={add}
        >
          <Plus aria-hidden="true" />
          {t('Add')}
        </button>
      </div>
      <p id={id} className="text-13 text-danger">
        {isTaken && t('This entry already exists.')}
      </p>
    </div>
  )
}
