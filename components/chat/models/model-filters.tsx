'use client'

import type { ReactNode } from 'react'
import { BADGES, type ModelFilter } from '@/components/chat/models/filter'
import { msg, t } from '@/lib/i18n/t'

const PRICES = [0.5, 1, 5, 20]
const CONTEXTS = [32_768, 131_072, 262_144, 1_000_000]
const CONTEXT_WORDS = [msg('32k+ tokens'), msg('128k+ tokens'), msg('256k+ tokens'), msg('1M+ tokens')]

type ModelFiltersProps = { id: string; filter: ModelFilter; onChange: (filter: ModelFilter) => void }

/** What the models listed must be able to do, may cost, and must hold. */
export function ModelFilters({ id, filter, onChange }: ModelFiltersProps) {
  const { badges, isPrivate, maxPrice, minContext } = filter
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset brings a look of its own
    <div id={id} role="group" aria-label={t('Filters')} className="border-b border-line px-3 py-2.5">
      <div className="flex flex-wrap gap-1.5">
        {BADGES.map(({ badge, says }) => (
          <Toggle
            key={badge}
            isOn={badges.includes(badge)}
            title={t(says)}
            onClick={() =>
              onChange({
                ...filter,
                badges: badges.includes(badge) ? badges.filter((one) => one !== badge) : [...badges, badge],
              })
            }
          >
            {t(badge)}
          </Toggle>
        ))}
        <Toggle
          isOn={isPrivate}
          title={t('Nothing you send is stored')}
          onClick={() => onChange({ ...filter, isPrivate: !isPrivate })}
        >
          {t('no data retention')}
        </Toggle>
      </div>
      <div className="mt-2 flex flex-wrap gap-2">
        <Choice
          label={t('Output price')}
          value={maxPrice}
          options={PRICES.map((price) => ({
            value: price,
            words: t('up to {price} per 1M output tokens', { price: `$${price}` }),
          }))}
          anything={t('any price')}
          onChange={(value) => onChange(pruned({ ...filter, maxPrice: value }))}
        />
        <Choice
          label={t('Context')}
          value={minContext}
          options={CONTEXTS.map((value, at) => ({ value, words: t(CONTEXT_WORDS[at] ?? '') }))}
          anything={t('any context')}
          onChange={(value) => onChange(pruned({ ...filter, minContext: value }))}
        />
      </div>
    </div>
  )
}

type Loose = Omit<ModelFilter, 'maxPrice' | 'minContext'> & {
  maxPrice?: number | undefined
  minContext?: number | undefined
}

function pruned({ maxPrice, minContext, ...rest }: Loose): ModelFilter {
  return { ...rest, ...(maxPrice !== undefined && { maxPrice }), ...(minContext !== undefined && { minContext }) }
}

type ToggleProps = { isOn: boolean; title: string; onClick: () => void; children: ReactNode }

function Toggle({ isOn, ...props }: ToggleProps) {
  return (
    <button
      type="button"
      aria-pressed={isOn}
      className={`inline-flex min-h-7 items-center rounded-chip border px-2.5 text-12 pointer-coarse:min-h-11 pointer-coarse:px-3.5 ${isOn ? 'border-accent bg-accent-soft text-accent' : 'border-line text-ink-2 hover:border-control'}`}
      {...props}
    />
  )
}

type ChoiceProps = {
  label: string
  value: number | undefined
  options: { value: number; words: string }[]
  anything: string
  onChange: (value: number | undefined) => void
}

function Choice({ label, value, options, anything, onChange }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value === '' ? undefined : Number(event.target.value))}
      className="min-h-8 rounded-control border border-line bg-surface px-2 text-12 text-ink-2 pointer-coarse:min-h-11 pointer-coarse:text-16"
    >
      <option value="">{anything}</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.words}
        </option>
      ))}
    </select>
  )
}
