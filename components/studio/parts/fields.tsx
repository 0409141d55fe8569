'use client'

import { ChevronRight } from 'lucide-react'
import { type ReactNode, useId } from 'react'
import { RadioChips } from '@/components/ui/radio-chips'
import { formatNumber, t } from '@/lib/i18n/t'

/** From this share of what a field holds on, it says how much is left. */
const COUNTS_FROM = 0.8

type PromptFieldProps = {
  id?: string
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
  /** In characters; a model may take fewer than were written for another. */
  most: number
  rows?: number
}

/** The words that something is made of. It grows with them. */
export function PromptField({ id: given, label, placeholder, value, onChange, most, rows = 4 }: PromptFieldProps) {
  const own = useId()
  const id = given ?? own
  const isTooLong = value.length > most
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
          ? t('{over} characters over this model’s limit.', { over: value.length - most })
          : value.length >= most * COUNTS_FROM && `${formatNumber(value.length)} / ${formatNumber(most)}`}
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

/** A few ways, one of which holds, under their name. */
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

type MoreProps = { label?: string; isOpen?: boolean; children: ReactNode }

/** What most people leave as it is. */
export function More({ label = t('More'), isOpen = false, children }: MoreProps) {
  return (
    <details open={isOpen} className="group border-t border-line">
      <summary className="-mx-2 mt-1 flex min-h-10 list-none items-center gap-1.5 rounded-control px-2 text-14 text-ink-2 outline-offset-[-2px] hover:text-ink pointer-coarse:min-h-11 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden="true"
          className="size-4 text-ink-3 transition-transform group-open:rotate-90 motion-reduce:transition-none rtl:-scale-x-100"
          strokeWidth={1.5}
        />
        {label}
      </summary>
      <div className="space-y-4 pt-2 pb-1">{children}</div>
    </details>
  )
}
