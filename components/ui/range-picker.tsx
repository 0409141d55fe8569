'use client'

import { useId, useState } from 'react'
import { Button } from '@/components/ui/button'
import type { UsageRange } from '@/lib/browser/account-data'
import { formatNumber, plural, t } from '@/lib/i18n/t'

const LOOKBACKS = [7, 30, 90] as const
/** The service reports at most so many days at a time. */
const MAX_DAYS = 90
const DAY_MS = 86_400_000

type RangePickerProps = { range: UsageRange; onChange: (range: UsageRange) => void }

export function RangePicker({ range, onChange }: RangePickerProps) {
  const [isOwn, setIsOwn] = useState('from' in range)
  return (
    <div>
      <fieldset className="inline-flex max-w-full flex-wrap rounded-control border border-line bg-surface p-0.5">
        <legend className="sr-only">{t('Period')}</legend>
        {LOOKBACKS.map((days) => (
          <Segment
            key={days}
            isChosen={!isOwn && 'lookback' in range && range.lookback === days}
            label={plural(days, { one: 'Last {count} day', other: 'Last {count} days' })}
            onChoose={() => {
              setIsOwn(false)
              onChange({ lookback: days })
            }}
          >
            {formatNumber(days, { style: 'unit', unit: 'day', unitDisplay: 'short' })}
          </Segment>
        ))}
        <Segment isChosen={isOwn} onChoose={() => setIsOwn(true)}>
          {t('Custom range')}
        </Segment>
      </fieldset>
      {isOwn && <Dates range={range} onChange={onChange} />}
    </div>
  )
}

type SegmentProps = { isChosen: boolean; label?: string; onChoose: () => void; children: string }

export function Segment({ isChosen, label, onChoose, children }: SegmentProps) {
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      aria-label={label}
      onClick={onChoose}
      className="min-h-8 rounded-[4px] px-2.5 text-13 text-ink-2 hover:text-ink aria-pressed:bg-accent-soft aria-pressed:font-medium aria-pressed:text-accent pointer-coarse:min-h-11 pointer-coarse:px-3"
    >
      {children}
    </button>
  )
}

function Dates({ range, onChange }: RangePickerProps) {
  const today = dayOf(Date.now())
  const [from, setFrom] = useState('from' in range ? range.from : dayOf(Date.now() - 6 * DAY_MS))
  const [to, setTo] = useState('to' in range ? range.to : today)
  const fault = faultOf(from, to)
  const id = useId()
  return (
    <form
      className="mt-3"
      onSubmit={(event) => {
        event.preventDefault()
        if (!fault) onChange({ from, to })
      }}
    >
      <div className="flex flex-wrap items-end gap-3">
        <DateField label={t('Start date (UTC)')} value={from} max={today} onChange={setFrom} faultId={fault && id} />
        <DateField label={t('End date (UTC)')} value={to} max={today} onChange={setTo} faultId={fault && id} />
        <Button type="submit" className="min-h-9 pointer-coarse:min-h-11" disabled={fault !== undefined}>
          {t('Show')}
        </Button>
      </div>
      <p id={id} role="status" className="mt-1 text-13 text-danger empty:hidden">
        {fault}
      </p>
    </form>
  )
}

type DateFieldProps = {
  label: string
  value: string
  max?: string
  onChange: (day: string) => void
  faultId?: string | undefined
}

export function DateField({ label, value, max, onChange, faultId }: DateFieldProps) {
  const id = useId()
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-13 font-medium text-ink-2">
        {label}
      </label>
      <input
        id={id}
        type="date"
        max={max}
        value={value}
        aria-invalid={faultId !== undefined}
        aria-describedby={faultId}
        onChange={(event) => onChange(event.target.value)}
        className="min-h-9 rounded-control border border-control bg-surface px-2.5 text-14 pointer-coarse:min-h-11 pointer-coarse:text-16"
      />
    </div>
  )
}

function faultOf(from: string, to: string): string | undefined {
  if (!from || !to) return t('Choose a start and end date.')
  if (to < from) return t('The end date is before the start date.')
  if ((Date.parse(to) - Date.parse(from)) / DAY_MS >= MAX_DAYS) {
    return t('Choose a range of up to {days} days.', { days: MAX_DAYS })
  }
  return undefined
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
