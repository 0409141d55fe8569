'use client'

import { useVirtualizer } from '@tanstack/react-virtual'
import { useLiveQuery } from 'dexie-react-hooks'
import { SlidersHorizontal } from 'lucide-react'
import { useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { useBusyModels } from '@/components/chat/models/capacity'
import {
  countOf,
  type ModelFilter,
  type ModelSection,
  modelSections,
  NO_FILTER,
  RECENT_COUNT,
} from '@/components/chat/models/filter'
import { ModelDetails } from '@/components/chat/models/model-details'
import { ModelFilters } from '@/components/chat/models/model-filters'
import { ModelOption } from '@/components/chat/models/model-option'
import { ComboboxField, useActiveOption } from '@/components/ui/combobox'
import { StarButton } from '@/components/ui/star-button'
import type { ModelCard } from '@/lib/browser/models'
import { useFavourites } from '@/lib/browser/storage/favourites'
import { recentModels } from '@/lib/browser/storage/recents'
import { t } from '@/lib/i18n/t'

const LIST_ID = 'model-list'
const FILTERS_ID = 'model-filters'
const optionId = (id: string) => `${LIST_ID}-${id}`
/** Drawn above and below what is seen. */
const OVERSCAN = 6
const ROW_PX = 56
const HEADING_PX = 32
/** Recents that are not there any more, or have a star, make room for others. */
const RECENTS_READ = 4 * RECENT_COUNT

type ModelListProps = { models: ModelCard[]; chosenId: string | undefined; onPick: (id: string) => void }

/** All models with a search field: type, move with the arrows, Enter picks. What is liked and was used comes first. */
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

/** Of hundreds of models only those that are seen are in the page. */
function Options({ sections, active, chosenId, isStarred, isBusy, onPick, onPoint, onStar }: OptionsProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const rows = useMemo(() => rowsOf(sections), [sections])
  const count = rows.filter((row) => 'model' in row).length
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => (rows[index] && 'heading' in rows[index] ? HEADING_PX : ROW_PX),
    getItemKey: (index) => keyOf(rows[index]),
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

function rowsOf(sections: ModelSection[]): Row[] {
  let at = 0
  return sections.flatMap(({ title, models }) => [
    ...(title === undefined ? [] : [{ heading: title }]),
    ...models.map((model) => ({ model, at: at++ })),
  ])
}

const keyOf = (row: Row | undefined): string => (row && 'model' in row ? row.model.id : (row?.heading ?? ''))
