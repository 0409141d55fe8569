'use client'

import { Check } from 'lucide-react'
import { useState } from 'react'
import { stringToHex } from 'viem/utils'
import {
  FieldFrame,
  type FieldProps,
  LongText,
  Select,
  SmallButton,
  TextInput,
  type TypedFieldProps,
  useForm,
  useParamText,
} from '@/components/rpc/form/field-frame'
import { paramText, readText, shortTextOf, type Unit, unitFor, unitsOf } from '@/components/rpc/form/text-to-value'
import { printJson, readJson } from '@/components/rpc/form/value'
import { addressFault, checksumOf, quantityFault } from '@/components/rpc/methods/check-value'
import { language, msg, plural, t } from '@/lib/i18n/t'

export function AddressField({ type, ...field }: TypedFieldProps<'address'>) {
  const { value, onChange } = field
  const { wallet } = useForm()
  const isValid = typeof value === 'string' && addressFault(value) === undefined && checksumOf(value) === 'right'
  const isMine = typeof value === 'string' && wallet?.toLowerCase() === value.toLowerCase()
  return (
    <FieldFrame
      {...field}
      note={
        (isValid || isMine) && (
          <span className="flex items-center gap-1">
            {isValid && <Check aria-hidden="true" className="size-3.5 text-ok" />}
            {isValid && t('Valid checksum.')}
            {isMine && ` ${t('Your wallet’s address.')}`}
          </span>
        )
      }
    >
      {(control) => (
        <div className="flex items-start gap-1.5">
          <LongText
            {...control}
            value={paramText(type, value) ?? ''}
            onChange={(text) => onChange(readText(type, text))}
            placeholder="0x…"
          />
          {wallet !== undefined && !isMine && (
            <SmallButton
              className="min-h-9"
              aria-label={t('Mine: use my wallet’s address')}
              title={t('Use my wallet’s address')}
              onClick={() => onChange(wallet)}
            >
              {t('Mine')}
            </SmallButton>
          )}
        </div>
      )}
    </FieldFrame>
  )
}

const MAX_TEXT_CHARS = 10_000

export function DataField({ type, ...field }: TypedFieldProps<'data' | 'hash'>) {
  const { value, onChange } = field
  const isFree = type.kind === 'data' && type.bytes === undefined && type.maxBytes === undefined
  const text = paramText(type, value) ?? ''
  const isText = isFree && text !== '' && !/^(0x)?[0-9a-f]*$/i.test(text) && text.length <= MAX_TEXT_CHARS
  // Spaces are removed from hexadecimal digits only: words keep theirs.
  const read = (next: string) => (isFree && !/^\s*(0x)?[0-9a-f\s]*$/i.test(next) ? next : readText(type, next))
  return (
    <FieldFrame
      {...field}
      note={
        isFree && (
          <span className="flex flex-wrap items-center gap-x-2">
            <span>{sizeOf(text)}</span>
            {isText && (
              <SmallButton className="-my-1" onClick={() => onChange(stringToHex(text))}>
                {t('Convert text to hex')}
              </SmallButton>
            )}
          </span>
        )
      }
    >
      {(control) => (
        <LongText
          {...control}
          value={text}
          onChange={(next) => onChange(read(next))}
          placeholder={type.kind === 'hash' ? t('0x and 64 digits') : '0x…'}
        />
      )}
    </FieldFrame>
  )
}

function sizeOf(text: string): string {
  if (!/^0x([0-9a-f]{2})*$/i.test(text)) return ''
  const bytes = text.length / 2 - 1
  if (bytes === 0) return t('Empty.')
  if (bytes % 32 !== 4) return plural(bytes, { one: '{count} byte', other: '{count} bytes' })
  const selector = text.slice(0, 10)
  return plural(
    bytes,
    { one: '{count} byte, selector {selector}', other: '{count} bytes, selector {selector}' },
    { selector },
  )
}

export function QuantityField({ type, ...field }: TypedFieldProps<'quantity'>) {
  const { doc, value } = field
  const { network } = useForm()
  const units = unitsOf(network.currency)
  const [wei, gwei, coin] = units as [Unit, Unit, Unit]
  const usual = /gas|fee/i.test(doc.name) ? gwei : coin
  const [unitName, setUnitName] = useState(() => unitFor(value, units, usual).name)
  const unit = type.unit === 'wei' ? (units.find(({ name }) => name === unitName) ?? wei) : wei
  const { text, change, show } = useParamText(type, field, unit)
  const changeUnit = (name: string) => {
    const next = units.find((each) => each.name === name) ?? wei
    setUnitName(next.name)
    // The amount stays; what could not be read is read again by the new unit.
    if (quantityFault(value) === undefined) show(paramText(type, value, next) ?? '', value)
    else if (text !== '') change(text, next)
  }
  return (
    <FieldFrame {...field} note={quantityNote(value, text, unit)}>
      {(control) => (
        <div className="flex gap-1.5">
          <TextInput {...control} value={text} onChange={change} placeholder={placeholderOf(doc.default)} />
          {type.unit === 'wei' && (
            <Select
              label={t('Unit of {field}', { field: doc.label })}
              value={unit.name}
              options={units.map(({ name }) => ({ value: name, label: name }))}
              onChange={changeUnit}
              className="w-24 shrink-0"
            />
          )}
        </div>
      )}
    </FieldFrame>
  )
}

function quantityNote(value: unknown, text: string, unit: Unit): string {
  if (typeof value !== 'string' || quantityFault(value) !== undefined) return ''
  const digits = BigInt(value).toLocaleString(language())
  if (/^0x/i.test(text.trim())) return unit.decimals > 0 ? `${digits} wei` : digits
  return unit.decimals > 0
    ? t('{amount} wei, sent as {value}', { amount: digits, value })
    : t('Sent as {value}', { value })
}

const placeholderOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : t('Default: {value}', { value: String(value) })

const PLACEHOLDERS = {
  address: '0x…',
  hash: '0x…',
  selector: msg('0x… or a name, such as transfer'),
  plain: msg("0x…, 12 or 'text' in quotes"),
}

// Larger felts are addresses and hashes, not counts.
const MAX_COUNT_CHARS = 22
const MIN_COUNT = 10n

export function FeltField({ type, ...field }: TypedFieldProps<'felt'>) {
  const { text, change } = useParamText(type, field)
  return (
    <FieldFrame {...field} note={feltNote(field.value, text, type.is)}>
      {(control) => (
        <LongText {...control} value={text} onChange={change} placeholder={t(PLACEHOLDERS[type.is ?? 'plain'])} />
      )}
    </FieldFrame>
  )
}

function feltNote(value: unknown, text: string, is: TypedFieldProps<'felt'>['type']['is']): string {
  if (typeof value !== 'string' || !/^0x[0-9a-f]+$/i.test(value)) return ''
  if (text.trim() !== value)
    return is === 'selector' && !/^['"\d]/.test(text)
      ? t('Selector {value}', { value })
      : t('Sent as {value}', { value })
  if (is !== undefined) return ''
  const shortText = shortTextOf(value)
  const count = value.length <= MAX_COUNT_CHARS ? BigInt(value) : 0n
  const notes = [
    count >= MIN_COUNT && count.toLocaleString(language()),
    shortText && t('‘{words}’ as text', { words: shortText }),
  ]
  return notes.filter(Boolean).join(' · ')
}

export function PlainField({ type, ...field }: TypedFieldProps<'number' | 'text'>) {
  const { text, change } = useParamText(type, field)
  return (
    <FieldFrame {...field}>
      {(control) =>
        type.kind === 'text' ? (
          <LongText {...control} value={text} onChange={change} />
        ) : (
          <TextInput
            {...control}
            value={text}
            onChange={change}
            inputMode={type.isWhole ? 'numeric' : 'decimal'}
            placeholder={placeholderOf(field.doc.default)}
          />
        )
      }
    </FieldFrame>
  )
}

const MAX_SHOWN_CHARS = 5_000

export function RawField(field: FieldProps) {
  const { doc, value, onChange } = field
  const [draft, setDraft] = useState<{ text: string; printed: string | undefined }>()
  const printed = value === undefined ? '' : printJson(value, 0)
  const isShown = printed !== undefined && printed.length <= MAX_SHOWN_CHARS
  const text = draft && draft.printed === printed ? draft.text : isShown ? printed : ''
  const isUnread = text.trim() !== '' && 'fault' in readJson(text)
  const change = (next: string) => {
    const read = next.trim() === '' ? { value: undefined } : readJson(next)
    if ('fault' in read) return setDraft({ text: next, printed })
    setDraft({ text: next, printed: read.value === undefined ? '' : printJson(read.value, 0) })
    onChange(read.value)
  }
  const isExpected = doc.type.kind === 'any' || doc.type.kind === 'null'
  return (
    <FieldFrame
      {...field}
      aside={!isExpected && <SmallButton onClick={() => onChange(undefined)}>{t('Clear')}</SmallButton>}
      note={jsonNote(isExpected, isShown, isUnread)}
    >
      {(control) => (
        <LongText {...control} value={text} onChange={change} placeholder={isShown ? 'JSON' : t('Too long to show')} />
      )}
    </FieldFrame>
  )
}

function jsonNote(isExpected: boolean, isShown: boolean, isUnread: boolean): string {
  if (isUnread) return t('Not valid JSON yet. The last valid value is kept.')
  if (!isShown) return t('The value is too long to show here. It stays unchanged.')
  return isExpected ? 'JSON' : t('The value doesn’t fit this field, so it’s shown as JSON.')
}
