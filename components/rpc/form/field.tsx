'use client'

import { ChevronRight, Plus, X } from 'lucide-react'
import { type ClipboardEvent, useId, useRef, useState } from 'react'
import { BlockField, BooleanField, ChoiceField, FlagsField, isFlags } from '@/components/rpc/form/choice-fields'
import {
  CARD,
  ExtraValues,
  type FieldProps,
  GroupFrame,
  NEST,
  Select,
  SmallButton,
  TextInput,
  type TypedFieldProps,
  useForm,
} from '@/components/rpc/form/field-frame'
import {
  AddressField,
  DataField,
  FeltField,
  PlainField,
  QuantityField,
  RawField,
} from '@/components/rpc/form/text-fields'
import { canShow, splitPasted } from '@/components/rpc/form/text-to-value'
import {
  emptyOf,
  partAt,
  partsOf,
  restOf,
  type Struct,
  stepAt,
  unknownFields,
  withField,
  withPart,
} from '@/components/rpc/form/value'
import {
  hasShape,
  type ParamDoc,
  type ParamPath,
  type Type,
  type Variant,
  variantOf,
} from '@/components/rpc/methods/types'
import { IconButton } from '@/components/ui/button'
import { isRecord } from '@/lib/browser/api'
import { plural, t } from '@/lib/i18n/t'

function Field(props: FieldProps) {
  const { doc, value } = props
  const { type } = doc
  // What its control cannot show without loss is shown as JSON.
  if (!canShow(type, value)) return <RawField {...props} />
  switch (type.kind) {
    case 'address':
      return <AddressField {...props} type={type} />
    case 'hash':
    case 'data':
      return <DataField {...props} type={type} />
    case 'quantity':
      return <QuantityField {...props} type={type} />
    case 'felt':
      return <FeltField {...props} type={type} />
    case 'number':
    case 'text':
      return <PlainField {...props} type={type} />
    case 'boolean':
      return <BooleanField {...props} />
    case 'choice':
      return <ChoiceField {...props} type={type} />
    case 'block':
    case 'blockId':
      return <BlockField {...props} type={type} />
    case 'object':
    case 'tuple':
      return <StructField {...props} type={type} />
    case 'map':
      return <MapField {...props} type={type} />
    case 'list':
      return isFlags(type, value) ? <FlagsField {...props} type={type} /> : <ListField {...props} type={type} />
    case 'union':
      return <UnionField {...props} type={type} />
    default:
      return <RawField {...props} />
  }
}

function StructField({ type, ...field }: TypedFieldProps<Struct['kind']>) {
  const { path, value, onChange } = field
  return (
    <GroupFrame {...field}>
      <div className={field.isEntry ? 'space-y-4' : NEST}>
        <Fields {...{ path, value, onChange }} struct={type} />
        {type.kind === 'object' ? (
          <ExtraValues
            names={unknownFields(type.fields, value)}
            path={path}
            onRemove={(name) => onChange(withField(value, name, undefined))}
          />
        ) : (
          <ExtraValues names={restOf(type.items, value).map((place) => t('entry {place}', { place: String(place) }))} />
        )}
      </div>
    </GroupFrame>
  )
}

type FieldsProps = { struct: Struct; path: ParamPath; value: unknown; onChange: (value: unknown) => void }

// Minor fields are folded until they have a value.
export function Fields({ struct, path, value, onChange }: FieldsProps) {
  const { hasProblemsIn } = useForm()
  const [isOpen, setIsOpen] = useState(false)
  const fields = partsOf(struct).map((doc, index) => ({
    doc,
    path: [...path, stepAt(struct, index)],
    value: partAt(struct, value, index),
    onChange: (next: unknown) => onChange(withPart(struct, value, index, next)),
  }))
  // What was set once stays where it is while it is emptied.
  const [wasSet] = useState(() => new Set<string>())
  for (const { doc, path, value } of fields) if (hasValue(value) || hasProblemsIn(path)) wasSet.add(doc.name)
  const isShown = ({ doc }: { doc: ParamDoc }) => !doc.isMinor || wasSet.has(doc.name)
  const folded = fields.filter((field) => !isShown(field)).length
  return (
    <>
      {fields.map((field) => (isShown(field) || isOpen) && <Field key={field.doc.name} {...field} />)}
      {folded > 0 && (
        <SmallButton aria-expanded={isOpen} className="-ms-1.5" onClick={() => setIsOpen(!isOpen)}>
          <ChevronRight aria-hidden="true" className={isOpen ? 'rotate-90' : 'rtl:-scale-x-100'} />
          {isOpen ? t('Fewer fields') : plural(folded, { one: '{count} more field', other: '{count} more fields' })}
        </SmallButton>
      )}
    </>
  )
}

const hasValue = (value: unknown): boolean => value !== undefined && value !== null

// More entries are not typed by hand, and would only slow the page.
const MAX_ENTRIES = 100

function ListField({ type, ...field }: TypedFieldProps<'list'>) {
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
        {list.slice(0, MAX_ENTRIES).map((entry, index) => (
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
              onChange={(next) => onChange(list.with(index, next ?? null))}
              onRemove={() => onChange(list.toSpliced(index, 1))}
            />
          </li>
        ))}
      </ul>
      {list.length > MAX_ENTRIES && (
        <ExtraValues
          names={[plural(list.length - MAX_ENTRIES, { one: '{count} more entry', other: '{count} more entries' })]}
        />
      )}
      {!isFull && (
        <SmallButton className="-ms-1.5 mt-1" onClick={add}>
          <Plus aria-hidden="true" />
          {t('Add {field}', { field: type.item.toLowerCase() })}
        </SmallButton>
      )}
    </GroupFrame>
  )
}

type EntryProps = FieldProps & { onRemove: () => void }

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

const MAX_KEYS = 50

function MapField({ type, ...field }: TypedFieldProps<'map'>) {
  const { path, value, onChange } = field
  const object = isRecord(value) ? value : {}
  const keys = Object.keys(object)
  return (
    <GroupFrame {...field}>
      <ul className="space-y-3">
        {keys.slice(0, MAX_KEYS).map((key) => (
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
      {keys.length > MAX_KEYS && (
        <ExtraValues names={[plural(keys.length - MAX_KEYS, { one: '{count} more', other: '{count} more' })]} />
      )}
      <NewKey
        label={type.keyLabel}
        usedKeys={keys}
        onAdd={(key) => onChange(withField(object, key, emptyOf(type.value)))}
      />
    </GroupFrame>
  )
}

type NewKeyProps = { label: string; usedKeys: readonly string[]; onAdd: (key: string) => void }

function NewKey({ label, usedKeys, onAdd }: NewKeyProps) {
  const id = useId()
  const [typed, setTyped] = useState('')
  const key = typed.trim()
  const isUsed = usedKeys.includes(key)
  const add = () => {
    if (key === '' || isUsed) return
    onAdd(key)
    setTyped('')
  }
  return (
    <div className="mt-2">
      <div className="flex items-center gap-1.5">
        <TextInput
          aria-label={t('New {field}', { field: label })}
          aria-describedby={id}
          value={typed}
          onChange={setTyped}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return
            event.preventDefault()
            add()
          }}
          placeholder={`${label}, 0x…`}
        />
        <SmallButton disabled={key === '' || isUsed} className="min-h-9 disabled:opacity-55" onClick={add}>
          <Plus aria-hidden="true" />
          {t('Add')}
        </SmallButton>
      </div>
      <p id={id} className="text-13 text-danger">
        {isUsed && t('This entry already exists.')}
      </p>
    </div>
  )
}

// Switching to another type and back restores the value.
function UnionField({ type, ...field }: TypedFieldProps<'union'>) {
  const { doc, path, value, onChange } = field
  const { variants } = type
  const [byVariant] = useState(() => new Map<Variant, unknown>())
  const [picked, setPicked] = useState<Variant>()
  const variant = picked && hasShape(picked.type, value) ? picked : variantOf(variants, value)
  const isNothing = value === undefined || (value === null && variant === undefined)
  const pick = (label: string) => {
    const next = variants.find((each) => each.label === label)
    if (!next) return
    if (variant) byVariant.set(variant, value)
    setPicked(next)
    onChange(byVariant.has(next) ? byVariant.get(next) : convertedValue(next.type, value))
  }
  const frame = isNothing ? field : { ...field, value: value ?? NULL_VALUE }
  return (
    <GroupFrame
      {...frame}
      hidesProblems={variant !== undefined && variant.type.kind !== 'null'}
      aside={
        <Select
          label={t('{field} type', { field: doc.label })}
          value={variant?.label ?? ''}
          options={variants.map(({ label }) => ({ value: label, label }))}
          onChange={pick}
          className="max-w-60"
        />
      }
    >
      {variant && variant.type.kind !== 'null' && (
        <Field
          key={variant.label}
          doc={{ name: doc.name, label: doc.label, type: variant.type, isRequired: true }}
          path={path}
          value={value}
          onChange={onChange}
          isEntry
        />
      )}
    </GroupFrame>
  )
}

// For the frame: null is a value of this field, not its absence.
const NULL_VALUE = {}

function convertedValue(type: Type, value: unknown): unknown {
  if (type.kind === 'list' && hasShape(type.of, value) && value !== '') return [value]
  const first: unknown = Array.isArray(value) ? value[0] : undefined
  return first !== undefined && hasShape(type, first) ? first : emptyOf(type)
}
