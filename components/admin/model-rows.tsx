'use client'

import { useId, useState } from 'react'
import {
  contextFault,
  isBelowCost,
  isFree,
  lengthsFault,
  lengthsText,
  type PriceName,
  priceFault,
  priceNames,
  priceText,
  type Row,
  TYPE_NAMES,
} from '@/components/admin/price-form'
import { Button } from '@/components/ui/button'
import { Disclosure } from '@/components/ui/disclosure'
import { SelectField, TextField } from '@/components/ui/form-fields'
import {
  MAX_UPSTREAM_MODEL_CHARS,
  type OfferedModel,
  PROVIDER_MODEL_TYPES,
  type ProviderCapability,
  type ProviderModelType,
} from '@/lib/contract/providers'
import { msg, t } from '@/lib/i18n/t'

const SHOWN_AT_FIRST = 60
/** A list that is longer gets a field to search it. */
const MAX_UNSEARCHED = 8

type ModelRowsProps = {
  rows: Row[]
  isChecked: boolean
  onChange: (rows: Row[]) => void
}

/** The models of a server, of which some are chosen and priced. */
export function ModelRows({ rows, isChecked, onChange }: ModelRowsProps) {
  const [query, setQuery] = useState('')
  const [isAll, setIsAll] = useState(false)
  const wanted = query.trim().toLowerCase()
  const found = rows.filter(({ model }) => `${model.upstreamModel} ${model.name ?? ''}`.toLowerCase().includes(wanted))
  const shown = isAll ? found : found.slice(0, SHOWN_AT_FIRST)
  const change = (row: Row, part: Partial<Row>) =>
    onChange(
      rows.map((other) => (other.model.upstreamModel === row.model.upstreamModel ? { ...other, ...part } : other)),
    )
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-13 font-medium text-ink-2">{t('Models')}</legend>
      {rows.length > MAX_UNSEARCHED && (
        <input
          type="search"
          aria-label={t('Search models')}
          placeholder={t('Search models')}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          className="mb-2 block min-h-10 w-full rounded-control border border-control bg-surface px-3 text-14 placeholder:text-ink-3 pointer-coarse:min-h-11 pointer-coarse:text-16"
        />
      )}
      <ul className="divide-y divide-line rounded-card border border-line">
        {shown.map((row) => (
          <ModelRow
            key={row.model.upstreamModel}
            row={row}
            isChecked={isChecked}
            onChange={(part) => change(row, part)}
          />
        ))}
        {rows.length === 0 && (
          <li className="px-3 py-3 text-14 text-ink-3">{t('The server lists no models. Add them by name.')}</li>
        )}
        {found.length === 0 && rows.length > 0 && <li className="px-3 py-3 text-14 text-ink-3">{t('No results.')}</li>}
      </ul>
      {found.length > shown.length && (
        <Button className="mt-2" onClick={() => setIsAll(true)}>
          {t('Show all {count} models', { count: found.length })}
        </Button>
      )}
    </fieldset>
  )
}

type ModelRowProps = { row: Row; isChecked: boolean; onChange: (part: Partial<Row>) => void }

function ModelRow({ row, isChecked, onChange }: ModelRowProps) {
  const { model, isChosen } = row
  const name = model.name ?? model.upstreamModel
  return (
    <li className="px-3 py-2.5">
      <label className="flex cursor-pointer items-start gap-3">
        <input
          type="checkbox"
          checked={isChosen}
          onChange={() => onChange({ isChosen: !isChosen })}
          className="mt-1 size-4 shrink-0"
        />
        <span className="min-w-0 flex-1">
          <span dir="auto" className="wrap-anywhere">
            {name}
          </span>
          {model.name && (
            <span dir="ltr" className="block text-start font-mono text-12 text-ink-3 wrap-anywhere">
              {model.upstreamModel}
            </span>
          )}
          <span className="block text-13 text-ink-3 tabular-nums">{aboutOf(model).join(' · ')}</span>
          {row.isGone && <span className="block text-13 text-ink-2">{t('Not in the provider’s list.')}</span>}
        </span>
      </label>
      {isChosen && <Prices row={row} isChecked={isChecked} onChange={onChange} />}
    </li>
  )
}

const TYPES = {
  text: '',
  embedding: msg('embeddings'),
  image: msg('images'),
  tts: msg('speech'),
  asr: msg('transcription'),
  video: msg('video'),
} as const

function aboutOf({ type, contextTokens, cost }: OfferedModel): string[] {
  const kind = TYPES[type]
  return [
    ...(kind === '' ? [] : [t(kind)]),
    ...(contextTokens === undefined ? [] : [t('{count} tokens of context', { count: contextTokens })]),
    costText(cost, type),
  ]
}

function costText(cost: OfferedModel['cost'], type: ProviderModelType): string {
  if (cost === undefined) return t('cost not known')
  return cost === null ? t('costs nothing') : t('costs {price}', { price: priceText(cost, type) })
}

const LABELS: Record<PriceName, string> = {
  input: msg('Input, $ per million tokens'),
  output: msg('Output, $ per million tokens'),
  image: msg('$ per image'),
  second: msg('$ per second of audio'),
}

function priceLabel(type: ProviderModelType, name: PriceName): string {
  if (type === 'tts') return t('$ per million characters')
  return type === 'video' ? t('$ per second of video') : t(LABELS[name])
}

function Prices({ row, isChecked, onChange }: ModelRowProps) {
  const { model, typed } = row
  const [isOpen, setIsOpen] = useState(false)
  const isText = model.type === 'text'
  const isContextAsked = isText && model.contextTokens === undefined
  return (
    <div className="mt-2 space-y-2 ps-7">
      <div className="flex flex-wrap gap-x-3 gap-y-2 [&>div]:basis-36">
        {priceNames(model.type).map((name) => (
          <TextField
            key={name}
            label={priceLabel(model.type, name)}
            unit="$"
            isNumber
            value={typed[name] ?? ''}
            fault={isChecked || typed[name] ? priceFault(row, name) : undefined}
            onChange={(text) => onChange({ typed: { ...typed, [name]: text }, isTyped: true })}
          />
        ))}
        {model.type === 'video' && (
          <TextField
            label={t('Lengths, in seconds')}
            value={lengthsText(row)}
            placeholder="4, 8"
            fault={isChecked || row.lengths ? lengthsFault(row) : undefined}
            onChange={(text) => onChange({ lengths: text })}
          />
        )}
        {isContextAsked && <ContextField row={row} onChange={onChange} />}
      </div>
      {isFree(row) && <p className="text-13 text-ink-2">{t('Free for everyone who can use this server.')}</p>}
      {isBelowCost(row) && <p className="text-13 text-danger">{t('Below what the provider charges you.')}</p>}
      {isText && (
        <Disclosure
          label={t('Details')}
          isOpen={isOpen}
          onToggle={() => setIsOpen(!isOpen)}
          className="text-13 text-ink-2"
          contentClassName="mt-1 space-y-2"
        >
          {!isContextAsked && <ContextField row={row} onChange={onChange} />}
          <Capabilities row={row} onChange={onChange} />
        </Disclosure>
      )}
    </div>
  )
}

function ContextField({ row, onChange }: Omit<ModelRowProps, 'isChecked'>) {
  const { model, context = model.contextTokens === undefined ? '' : String(model.contextTokens) } = row
  return (
    <TextField
      label={t('Context, in tokens')}
      isNumber
      value={context}
      fault={contextFault(row)}
      onChange={(text) => onChange({ context: text })}
    />
  )
}

const CAPABILITIES: readonly { name: ProviderCapability; label: string }[] = [
  { name: 'supportsFunctionCalling', label: msg('Tools') },
  { name: 'supportsVision', label: msg('Images as input') },
  { name: 'supportsReasoning', label: msg('Thinking') },
  { name: 'supportsResponseSchema', label: msg('Structured output') },
]

function Capabilities({ row: { model }, onChange }: Omit<ModelRowProps, 'isChecked'>) {
  const { capabilities = {} } = model
  const change = (name: ProviderCapability, has: boolean) => {
    const next = { ...capabilities, [name]: has }
    // An answer in a schema is called like a tool.
    if (name === 'supportsFunctionCalling' && !has) next.supportsResponseSchema = false
    if (name === 'supportsResponseSchema' && has) next.supportsFunctionCalling = true
    if (name === 'supportsReasoning' && !has) next.supportsReasoningEffort = false
    onChange({ model: { ...model, capabilities: next } })
  }
  return (
    <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
      <legend className="mb-1 text-13 font-medium text-ink-2">{t('Capabilities')}</legend>
      {CAPABILITIES.map(({ name, label }) => (
        <label key={name} className="inline-flex min-h-9 items-center gap-2 text-14 pointer-coarse:min-h-11">
          <input
            type="checkbox"
            checked={capabilities[name] === true}
            onChange={(event) => change(name, event.target.checked)}
            className="size-4"
          />
          {t(label)}
        </label>
      ))}
    </fieldset>
  )
}

type AddModelProps = { onAdd: (name: string, type: ProviderModelType) => void }

/** Adds a model that the server does not list, by the name that the server knows it by. */
export function AddModel({ onAdd }: AddModelProps) {
  const id = useId()
  const [name, setName] = useState('')
  const [type, setType] = useState<ProviderModelType>('text')
  const plain = name.trim()
  const add = () => {
    if (plain === '') return
    onAdd(plain, type)
    setName('')
  }
  return (
    <fieldset
      aria-labelledby={id}
      className="min-w-0 rounded-card border border-line p-3"
      // The form around it would be sent.
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return
        event.preventDefault()
        add()
      }}
    >
      <p id={id} className="mb-2 text-13 text-ink-2">
        {t('Add a model that is not listed')}
      </p>
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-0 flex-[2] basis-56">
          <TextField
            label={t('Model name')}
            isCode
            value={name}
            maxLength={MAX_UPSTREAM_MODEL_CHARS}
            onChange={setName}
          />
        </div>
        <SelectField
          label={t('Type')}
          value={type}
          options={PROVIDER_MODEL_TYPES.map((value) => ({ value, label: t(TYPE_NAMES[value]) }))}
          onChange={(value) => setType(value as ProviderModelType)}
        />
        <Button className="min-h-10" disabled={plain === ''} onClick={add}>
          {t('Add model')}
        </Button>
      </div>
    </fieldset>
  )
}
