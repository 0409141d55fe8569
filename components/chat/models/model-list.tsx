'use client'

import { useVirtualizer } from '@tanstack/react-virtual'
import { useLiveQuery } from 'dexie-react-hooks'
import { Check, SlidersHorizontal, Star } from 'lucide-react'
import { memo, type ReactNode, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useBusyModels } from '@/components/chat/models/capacity'
import { ModelDetails, Price } from '@/components/chat/models/model-details'
import {
  BADGES,
  countOf,
  type ModelFilter,
  type ModelSection,
  modelSections,
  NO_FILTER,
  RECENT_COUNT,
} from '@/components/chat/models/model-filter'
import { ComboboxField, useActiveOption } from '@/components/ui/combobox'
import { StarButton } from '@/components/ui/star-button'
import { compactTokens } from '@/lib/browser/format/numbers'
import type { ModelCard } from '@/lib/browser/models'
import { recentModels } from '@/lib/browser/storage/chats'
import { useFavourites } from '@/lib/browser/storage/favourites'
import { msg, t } from '@/lib/i18n/t'

const LIST_ID = 'model-list'
const FILTERS_ID = 'model-filters'
const optionId = (id: string) => `${LIST_ID}-${id}`
const OVERSCAN = 6
const ROW_PX = 56
const HEADING_PX = 32
/** Recent models that are gone, or have a star, make room for others. */
const RECENTS_READ = 4 * RECENT_COUNT

type ModelListProps = { models: ModelCard[]; chosenId: string | undefined; onPick: (id: string) => void }

export function ModelList({ models, chosenId, onPick }: ModelListProps) {
  const [search, setSearch] = useState('')
  const [filter, setFilter] = useState<ModelFilter>(NO_FILTER)
  const [isFiltering, setIsFiltering] = useState(false)
  const favourites = useFavourites('model')
  const recent = useLiveQuery(() => recentModels(RECENTS_READ).catch(() => []), [])
  const isBusy = useBusyModels()
  const wanted = useDeferredValue(search)
  const sections = useMemo(
    () => modelSections(models, { search: wanted, filter, favourites: favourites.ids ?? [], recent: recent ?? [] }),
    [models, wanted, filter, favourites.ids, recent],
  )
  const found = useMemo(() => sections.flatMap((section) => section.models), [sections])
  const { active, set, move } = useActiveOption(
    useMemo(() => found.map(({ id }) => id), [found]),
    chosenId,
  )
  const model = found.find(({ id }) => id === active)
  const pick = (id: string) => onPick(id)
  const filterCount = countOf(filter)
  // What is on top must be known before anything is listed: rows that move under a finger are worse than a blink.
  const isKnown = favourites.ids !== undefined && recent !== undefined
  return (
    <div className="flex min-h-0 flex-1">
      <div className="flex min-w-0 flex-1 flex-col">
        <ComboboxField
          label={t('Search models')}
          placeholder={t('Search models')}
          listId={LIST_ID}
          activeId={active && isKnown ? optionId(active) : undefined}
          value={search}
          onChange={(value) => {
            setSearch(value)
            set(value === '' ? chosenId : undefined)
          }}
          onMove={move}
          onPick={() => model && !model.isOffline && pick(model.id)}
        >
          <button
            type="button"
            aria-expanded={isFiltering}
            aria-controls={FILTERS_ID}
            onClick={() => setIsFiltering(!isFiltering)}
            className={`-me-1 inline-flex min-h-8 shrink-0 items-center gap-1.5 rounded-control px-2 text-13 hover:bg-hover pointer-coarse:min-h-11 ${filterCount > 0 ? 'text-accent' : 'text-ink-2'}`}
          >
            <SlidersHorizontal aria-hidden="true" className="size-4" strokeWidth={1.5} />
            {filterCount > 0 ? t('Filters ({count})', { count: filterCount }) : t('Filters')}
          </button>
        </ComboboxField>
        {isFiltering && <ModelFilters id={FILTERS_ID} filter={filter} onChange={setFilter} />}
        <div className="h-[min(26rem,50dvh)]">
          {isKnown && (
            <Options
              sections={sections}
              active={active}
              chosenId={chosenId}
              isStarred={favourites.has}
              isBusy={isBusy}
              onPick={pick}
              onPoint={set}
              onStar={favourites.toggle}
            />
          )}
          {isKnown && found.length === 0 && (
            <p className="px-4 pt-2 text-14 text-ink-3">
              {filterCount > 0 ? t('No models match these filters.') : t('No results.')}
            </p>
          )}
        </div>
        <div className="flex min-h-9 items-center justify-between gap-3 border-t border-line px-4 py-1.5 text-12 text-ink-3">
          <p>{t('Prices in USD per 1M tokens')}</p>
          {model && (
            <div className="md:hidden">
              <StarButton
                name={model.name}
                isStarred={favourites.has(model.id)}
                onStar={() => favourites.toggle(model.id)}
              />
            </div>
          )}
        </div>
      </div>
      {/* As wide as it is tall, so that it moves nothing while another model is looked at. */}
      <div className="hidden w-72 shrink-0 flex-col border-s border-line md:flex">
        {model && isKnown && (
          <ModelDetails
            model={model}
            isStarred={favourites.has(model.id)}
            isBusy={isBusy(model.id)}
            onStar={favourites.toggle}
            onPick={pick}
          />
        )}
      </div>
    </div>
  )
}

type OptionsProps = {
  sections: ModelSection[]
  active: string | undefined
  chosenId: string | undefined
  isStarred: (id: string) => boolean
  isBusy: (id: string) => boolean
  onPick: (id: string) => void
  onPoint: (id: string) => void
  onStar: (id: string) => void
}

type Row = { heading: string } | { model: ModelCard; at: number }

function Options({ sections, active, chosenId, isStarred, isBusy, onPick, onPoint, onStar }: OptionsProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useMemo(() => toRows(sections), [sections])
  const count = rows.filter((row) => 'model' in row).length
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index] && 'heading' in rows[index] ? HEADING_PX : ROW_PX),
    getItemKey: (index) => rowKey(rows[index]),
    overscan: OVERSCAN,
  })
  const activeRow = rows.findIndex((row) => 'model' in row && row.model.id === active)
  useEffect(() => {
    // The first of all has its heading above it.
    if (activeRow >= 0) virtual.scrollToIndex(activeRow <= 1 ? 0 : activeRow, { align: 'auto' })
  }, [activeRow, virtual])
  return (
    <div
      ref={scroller}
      id={LIST_ID}
      role="listbox"
      aria-label={t('Models')}
      className="thin-scroll h-full overflow-y-auto p-1"
    >
      <div role="presentation" className="relative" style={{ height: `${virtual.getTotalSize()}px` }}>
        {virtual.getVirtualItems().map(({ index, key, start }) => {
          const row = rows[index]
          return (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              role="presentation"
              className="absolute inset-x-0 top-0"
              style={{ transform: `translateY(${start}px)` }}
            >
              {row && 'heading' in row && (
                <p aria-hidden="true" className="px-2 pt-2 pb-1 text-12 font-medium text-ink-3">
                  {t(row.heading)}
                </p>
              )}
              {row && 'model' in row && (
                <ModelOption
                  id={optionId(row.model.id)}
                  model={row.model}
                  at={row.at}
                  count={count}
                  isActive={row.model.id === active}
                  isChosen={row.model.id === chosenId}
                  isStarred={isStarred(row.model.id)}
                  isBusy={isBusy(row.model.id)}
                  onPick={onPick}
                  onPoint={onPoint}
                  onStar={onStar}
                />
              )}
            </div>
          )
        })}
      </div>
    </div>
  )
}

function toRows(sections: ModelSection[]): Row[] {
  let at = 0
  return sections.flatMap(({ title, models }) => [
    ...(title === undefined ? [] : [{ heading: title }]),
    ...models.map((model) => ({ model, at: at++ })),
  ])
}

const rowKey = (row: Row | undefined): string => (row && 'model' in row ? row.model.id : (row?.heading ?? ''))

const PRICES = [0.5, 1, 5, 20]
const CONTEXTS = [32_768, 131_072, 262_144, 1_000_000]
const CONTEXT_LABELS = [msg('32k+ tokens'), msg('128k+ tokens'), msg('256k+ tokens'), msg('1M+ tokens')]

type ModelFiltersProps = { id: string; filter: ModelFilter; onChange: (filter: ModelFilter) => void }

function ModelFilters({ id, filter, onChange }: ModelFiltersProps) {
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
            label: t('up to {price} per 1M output tokens', { price: `$${price}` }),
          }))}
          anything={t('any price')}
          onChange={(value) => onChange(pruned({ ...filter, maxPrice: value }))}
        />
        <Choice
          label={t('Context')}
          value={minContext}
          options={CONTEXTS.map((value, at) => ({ value, label: t(CONTEXT_LABELS[at] ?? '') }))}
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
  options: { value: number; label: string }[]
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
          {option.label}
        </option>
      ))}
    </select>
  )
}

type ModelOptionProps = {
  id: string
  model: ModelCard
  at: number
  count: number
  isActive: boolean
  isChosen: boolean
  isStarred: boolean
  isBusy: boolean
  onPick: (id: string) => void
  onPoint: (id: string) => void
  onStar: (id: string) => void
}

/** Drawn anew only when it changes: a key pressed in the search leaves most options as they are. */
const ModelOption = memo(function ModelOption(props: ModelOptionProps) {
  const { id, model, at, count, isActive, isChosen, isStarred, isBusy, onPick, onPoint, onStar } = props
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: keys are handled by the search field, which keeps the focus
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-disabled={model.isOffline}
      aria-posinset={at + 1}
      aria-setsize={count}
      onClick={() => !model.isOffline && onPick(model.id)}
      onPointerMove={() => !isActive && onPoint(model.id)}
      className={`flex cursor-default gap-2 rounded-control px-2 py-2 ${isActive ? 'bg-hover' : ''}`}
    >
      <Check
        aria-hidden="true"
        className={`mt-0.5 size-4 shrink-0 text-accent ${isChosen ? '' : 'invisible'}`}
        strokeWidth={2}
      />
      <div className="min-w-0 flex-1">
        <div className="flex items-baseline justify-between gap-3">
          <span className={`truncate text-14 font-medium ${model.isOffline ? 'text-ink-3' : ''}`}>{model.name}</span>
          <Price price={model.price} />
        </div>
        <Facts model={model} isBusy={isBusy} />
      </div>
      {isStarred && <span className="sr-only">{t('favourite')}</span>}
      {/* For pointers. The same is a button below the list, for keys and screen readers. */}
      <span
        aria-hidden="true"
        onClick={(event) => {
          event.stopPropagation()
          onStar(model.id)
        }}
        className={`-my-2 -me-2 flex w-9 shrink-0 items-center justify-center pointer-coarse:w-11 ${isStarred ? 'text-accent' : 'text-ink-3 hover:text-ink'} ${isStarred || isActive ? '' : 'opacity-0 pointer-coarse:opacity-100'}`}
      >
        <Star className={`size-4 ${isStarred ? 'fill-current' : ''}`} strokeWidth={1.5} />
      </span>
    </div>
  )
})

function Facts({ model, isBusy }: { model: ModelCard; isBusy: boolean }) {
  return (
    <div className="mt-0.5 flex flex-wrap gap-x-2 text-12 text-ink-3">
      {model.isOffline && (
        <span className="text-danger">
          {model.refusesTestCredit ? t('unavailable with test credit') : t('currently unavailable')}
        </span>
      )}
      {isBusy && !model.isOffline && <span className="text-ink-2">{t('recently at capacity')}</span>}
      {model.contextTokens > 0 && <span>{t('{tokens} context', { tokens: compactTokens(model.contextTokens) })}</span>}
      {model.badges.map((badge) => (
        <span key={badge}>{t(badge)}</span>
      ))}
      <span>{model.privacy === 'private' ? t('no data retention') : t('anonymised')}</span>
      {model.isBeta && <span>{t('beta')}</span>}
      {model.retiresAt && (
        <span className="text-danger">{t('retires {day}', { day: model.retiresAt.slice(0, 10) })}</span>
      )}
    </div>
  )
}
