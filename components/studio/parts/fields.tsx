'use client'

import type { UseQueryResult } from '@tanstack/react-query'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { Button } from '@/components/ui/button'
import { RadioChips, SelectField } from '@/components/ui/form-fields'
import type { NamedModel } from '@/lib/browser/models'
import { formatDate, formatNumber, t } from '@/lib/i18n/t'

// Share of the limit from which the count is shown.
const COUNTS_FROM = 0.8

type PromptFieldProps = {
  id?: string
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
  /** In characters; a model may take fewer than were written for another. */
  max: number
  rows?: number
}

export function PromptField({ id: given, label, placeholder, value, onChange, max, rows = 4 }: PromptFieldProps) {
  const own = useId()
  const id = given ?? own
  const isTooLong = value.length > max
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-13 font-medium text-ink-2">
        {label}
      </label>
      <textarea
        id={id}
        dir="auto"
        rows={rows}
        placeholder={placeholder}
        value={value}
        aria-invalid={isTooLong}
        aria-describedby={`${id}-left`}
        onChange={(event) => onChange(event.target.value)}
        className="thin-scroll block field-sizing-content max-h-72 w-full resize-y rounded-card border border-control bg-surface px-3 py-2.5 text-16 placeholder:text-ink-3 aria-invalid:border-danger"
        style={{ minHeight: `${rows * 1.625 + 1.25}rem` }}
      />
      <p id={`${id}-left`} className={`mt-1 text-12 empty:hidden ${isTooLong ? 'text-danger' : 'text-ink-3'}`}>
        {isTooLong
          ? t('{over} characters over this model’s limit.', { over: value.length - max })
          : value.length >= max * COUNTS_FROM && `${formatNumber(value.length)} / ${formatNumber(max)}`}
      </p>
    </div>
  )
}

type ChoicesProps<T extends string> = {
  label: string
  options: readonly { value: T; label: string; icon?: ReactNode; title?: string }[]
  value: T
  onChange: (value: T) => void
}

export function Choices<T extends string>({ label, ...chips }: ChoicesProps<T>) {
  return (
    <fieldset className="min-w-0">
      <legend className="mb-1 text-13 font-medium text-ink-2">{label}</legend>
      <div className="flex flex-wrap gap-1.5">
        <RadioChips {...chips} className="min-w-11 cursor-pointer justify-center gap-1.5 px-2.5 tabular-nums" />
      </div>
    </fieldset>
  )
}

type MoreProps = { isOpen?: boolean; children: ReactNode }

export function More({ isOpen = false, children }: MoreProps) {
  return (
    <details open={isOpen} className="group border-t border-line">
      <summary className="-mx-2 mt-1 flex min-h-10 list-none items-center gap-1.5 rounded-control px-2 text-14 text-ink-2 outline-offset-[-2px] hover:text-ink pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="size-4 text-ink-3 transition-transform group-open:rotate-90 motion-reduce:transition-none rtl:-scale-x-100"
          strokeWidth={1.5}
        />
        {t('More')}
      </summary>
      <div className="space-y-4 pt-2 pb-1">{children}</div>
    </details>
  )
}

type ModelFieldProps = { models: readonly NamedModel[]; value: string; onChange: (id: string) => void }

export function ModelField({ models, value, onChange }: ModelFieldProps) {
  const chosen = models.find(({ id }) => id === value)
  const options = models.map(({ id, name, isOffline }) => ({
    value: id,
    label: isOffline ? t('{model} (currently unavailable)', { model: name }) : name,
  }))
  return (
    <SelectField
      label={t('Model')}
      value={value}
      options={options}
      onChange={onChange}
      note={chosen && <About model={chosen} />}
    />
  )
}

function About({ model }: { model: NamedModel }) {
  return (
    <div className="mt-1 space-y-0.5 text-12 text-ink-3">
      {model.description && (
        <p dir="auto" className="wrap-anywhere">
          {model.description}
        </p>
      )}
      <p>
        {model.privacy === 'private'
          ? t('Does not store what you send')
          : t('Runs on an external service; your identity is not shared')}
        {model.isBeta && ` · ${t('Beta')}`}
      </p>
      {model.retiresAt && <p className="text-danger">{retires(model.retiresAt)}</p>}
    </div>
  )
}

function retires(at: string): string {
  const day = new Date(at)
  const text = Number.isNaN(day.getTime()) ? at : formatDate(day, { dateStyle: 'long', timeZone: 'UTC' })
  return t('Retires on {day}.', { day: text })
}

type ModelStateProps<M> = { query: UseQueryResult<M[]>; none: string; children: (models: M[]) => ReactNode }

export function ModelState<M>({ query, none, children }: ModelStateProps<M>) {
  if (query.data && query.data.length > 0) return children(query.data)
  if (query.data) return <FieldLabel text={none} />
  if (query.isPaused) return <FieldLabel text={t('You’re offline. Models load when you are back online.')} />
  if (query.isError) {
    return (
      <FieldLabel text={t('The models could not be loaded.')}>
        <Button onClick={() => void query.refetch()}>{t('Try again')}</Button>
      </FieldLabel>
    )
  }
  return (
    <div aria-hidden="true" className="space-y-5">
      <div className="skeleton h-32 rounded-card" />
      <div className="skeleton h-10" />
      <div className="skeleton h-10 w-2/3" />
    </div>
  )
}

function FieldLabel({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div role="status" className="space-y-3 py-4 text-14 text-ink-2">
      <p>{text}</p>
      {children}
    </div>
  )
}

type RangeFieldProps = {
  label: string
  value: number
  min: number
  max: number
  step: number
  shown: string
  onChange: (value: number) => void
}

export function RangeField({ label, value, min, max, step, shown, onChange }: RangeFieldProps) {
  const id = useId()
  return (
    <div>
      <div className="flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="text-13 font-medium text-ink-2">
          {label}
        </label>
        <output htmlFor={id} className="font-mono text-12 text-ink-2 tabular-nums">
          {shown}
        </output>
      </div>
      <input
        id={id}
        type="range"
        min={min}
        max={max}
        step={step}
        value={value}
        aria-valuetext={shown}
        onChange={(event) => onChange(event.target.valueAsNumber)}
        className="mt-1 block h-6 w-full cursor-pointer pointer-coarse:h-11"
      />
    </div>
  )
}

const ICON_PX = 14

export function Shape({ ratio }: { ratio: string }) {
  const [, width = 1, height = 1] = /^(\d+):(\d+)$/.exec(ratio)?.map(Number) ?? []
  if (!ratio.includes(':')) return null
  const scale = ICON_PX / Math.max(width, height)
  return (
    <span
      aria-hidden="true"
      className="rounded-[2px] border-[1.5px] border-current opacity-70"
      style={{ width: Math.max(5, width * scale), height: Math.max(5, height * scale) }}
    />
  )
}
