'use client'

import { useId } from 'react'
import { type AmountFault, PRESETS, parseAmount, shortUnits, typedUnits } from '@/lib/browser/format/amounts'
import { MAX_TOP_UP, MIN_TOP_UP } from '@/lib/contract/limits'
import { formatNumber, t } from '@/lib/i18n/t'

export type Amount = { preset: bigint } | { typed: string }

/** Returns the chosen amount in base units, or what is wrong with it. */
export const amountOf = (amount: Amount) => ('preset' in amount ? { units: amount.preset } : parseAmount(amount.typed))

const PILL =
  'inline-flex min-h-11 flex-1 items-center justify-center rounded-control border border-control px-2 font-mono text-14 tabular-nums ' +
  'transition-colors hover:border-ink-2 has-checked:border-accent has-checked:bg-accent-soft has-checked:text-ink ' +
  'has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent'

type AmountFieldProps = { amount: Amount; onChange: (amount: Amount) => void; showsFault: boolean }

export function AmountField({ amount, onChange, showsFault }: AmountFieldProps) {
  const isOther = 'typed' in amount
  return (
    <fieldset>
      <legend className="mb-2 text-13 font-medium text-ink-2">{t('Amount in US dollars')}</legend>
      <div className="flex gap-2">
        {PRESETS.map((preset) => (
          <label key={String(preset)} className={PILL}>
            <input
              type="radio"
              name="amount"
              className="sr-only"
              checked={'preset' in amount && amount.preset === preset}
              onChange={() => onChange({ preset })}
            />
            <span className="sr-only">$</span>
            {shortUnits(preset)}
          </label>
        ))}
        <label className={`${PILL} font-sans`}>
          <input
            type="radio"
            name="amount"
            className="sr-only"
            checked={isOther}
            onChange={() => onChange({ typed: '' })}
          />
          {t('Other')}
        </label>
      </div>
      {isOther && <OtherAmount typed={amount.typed} onChange={onChange} showsFault={showsFault} />}
    </fieldset>
  )
}

type OtherAmountProps = { typed: string; onChange: (amount: Amount) => void; showsFault: boolean }

function OtherAmount({ typed, onChange, showsFault }: OtherAmountProps) {
  const hintId = useId()
  const read = parseAmount(typed)
  const fault = showsFault && 'fault' in read ? read.fault : undefined
  return (
    <div className="mt-2">
      <label
        dir="ltr"
        className="flex min-h-11 items-center rounded-control border border-control bg-surface focus-within:border-accent"
      >
        <span aria-hidden="true" className="ps-3 font-mono text-16 text-ink-3">
          $
        </span>
        <input
          // biome-ignore lint/a11y/noAutofocus: the person just chose to type an amount
          autoFocus
          aria-label={t('Custom amount in US dollars')}
          aria-describedby={hintId}
          aria-invalid={fault !== undefined}
          inputMode="decimal"
          autoComplete="off"
          placeholder="20.00"
          maxLength={20}
          value={typed}
          onChange={(event) => onChange({ typed: event.target.value })}
          className="min-w-0 flex-1 bg-transparent px-2 font-mono text-16 outline-none placeholder:text-ink-3"
        />
      </label>
      <p id={hintId} className={`mt-1.5 text-13 ${fault ? 'text-danger' : 'text-ink-3'}`}>
        {fault ? faultMessage(fault) : range()}
      </p>
    </div>
  )
}

const bounds = () => ({ min: dollars(MIN_TOP_UP), max: dollars(MAX_TOP_UP) })

const range = () => t('From {min} to {max}.', bounds())

function faultMessage(fault: AmountFault): string {
  switch (fault) {
    case 'empty':
      return t('Enter an amount from {min} to {max}.', bounds())
    case 'not-a-number':
      return t('Enter a valid amount from {min} to {max}.', bounds())
    case 'too-fine':
      return t('Use at most two decimals.')
    case 'too-low':
      return t('The minimum is {min}.', { min: dollars(MIN_TOP_UP) })
    case 'too-high':
      return t('The maximum is {max} per top-up.', { max: dollars(MAX_TOP_UP) })
  }
}

const dollars = (units: bigint): string =>
  formatNumber(Number(typedUnits(units)), {
    style: 'currency',
    currency: 'USD',
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 0,
  })
