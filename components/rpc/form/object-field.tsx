'use client'

import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Field } from '@/components/rpc/form/field'
import type { FieldProps } from '@/components/rpc/form/field-frame'
import { useForm } from '@/components/rpc/form/form-context'
import { GroupFrame } from '@/components/rpc/form/group-frame'
import { LeftOver } from '@/components/rpc/form/left-over'
import { NEST, SMALL_BUTTON } from '@/components/rpc/form/look'
import { unknownFields, withField, withPlace } from '@/components/rpc/form/value'
import { isRecord } from '@/components/rpc/methods/blocks'
import type { ParamDoc, ParamPath, Type } from '@/components/rpc/methods/types'
import { plural, t } from '@/lib/i18n/t'

type ObjectFieldProps = FieldProps & { type: Type & { kind: 'object' } }

/** Fields that belong together. */
export function ObjectField({ type, ...field }: ObjectFieldProps) {
  const { path, value, onChange } = field
  const object = isRecord(value) ? value : {}
  return (
    <GroupFrame {...field}>
      <div className={field.isEntry ? 'space-y-4' : NEST}>
        <Fields
          fields={type.fields}
          path={path}
          steps={type.fields.map(({ name }) => name)}
          valueAt={(index) => ownField(object, type.fields[index]!.name)}
          onChange={(index, next) => onChange(withField(object, type.fields[index]!.name, next))}
        />
        <LeftOver
          names={unknownFields(type.fields, object)}
          path={path}
          onRemove={(name) => onChange(withField(object, name, undefined))}
        />
      </div>
    </GroupFrame>
  )
}

type TupleFieldProps = FieldProps & { type: Type & { kind: 'tuple' } }

/** A list whose places mean different things. */
export function TupleField({ type, ...field }: TupleFieldProps) {
  const { path, value, onChange } = field
  const list: unknown[] = Array.isArray(value) ? value : []
  return (
    <GroupFrame {...field}>
      <div className={field.isEntry ? 'space-y-4' : NEST}>
        <Fields
          fields={type.items}
          path={path}
          steps={type.items.map((_, index) => index)}
          valueAt={(index) => list[index]}
          onChange={(index, next) => onChange(withPlace(type.items, list, index, next))}
        />
        <LeftOver
          names={list
            .slice(type.items.length)
            .map((_, index) => t('entry {place}', { place: String(type.items.length + index + 1) }))}
        />
      </div>
    </GroupFrame>
  )
}

type FieldsProps = {
  fields: readonly ParamDoc[]
  path: ParamPath
  /** Where each of them stands below the path. */
  steps: readonly (string | number)[]
  valueAt: (index: number) => unknown
  onChange: (index: number, value: unknown) => void
}

/** Fields one below the other; those that are rarely set are folded away until they are. */
export function Fields({ fields, path, steps, valueAt, onChange }: FieldsProps) {
  const { hasProblemsIn } = useForm()
  const [isOpen, setIsOpen] = useState(false)
  const [wasSet] = useState(() => new Set(fields.filter((_, index) => isThere(valueAt(index))).map(({ name }) => name)))
  const isShown = (field: ParamDoc, index: number) => {
    const has = isThere(valueAt(index)) || hasProblemsIn([...path, steps[index]!])
    // What was set once stays where it is while it is emptied.
    if (has) wasSet.add(field.name)
    return !field.isMinor || has || wasSet.has(field.name)
  }
  const shown = fields.map(isShown)
  const folded = shown.filter((each) => !each).length
  return (
    <>
      {fields.map(
        (field, index) =>
          (shown[index] || isOpen) && (
            <Field
              key={field.name}
              doc={field}
              path={[...path, steps[index]!]}
              value={valueAt(index)}
              onChange={(next) => onChange(index, next)}
            />
          ),
      )}
      {folded > 0 && (
        <button
          type="button"
          aria-expanded={isOpen}
          className={`${SMALL_BUTTON} -ms-1.5`}
          onClick={() => setIsOpen(!isOpen)}
        >
          <ChevronRight aria-hidden="true" className={isOpen ? 'rotate-90' : 'rtl:-scale-x-100'} />
          {isOpen ? t('Fewer fields') : plural(folded, { one: '{count} more field', other: '{count} more fields' })}
        </button>
      )}
    </>
  )
}

const isThere = (value: unknown): boolean => value !== undefined && value !== null

const ownField = (object: Record<string, unknown>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined
