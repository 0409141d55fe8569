'use client'

import { Check, Search } from 'lucide-react'
import { type KeyboardEvent, useDeferredValue, useEffect, useRef, useState } from 'react'
import { formatPrice } from '@/lib/client/cost'
import { type ModelCard, searchModels } from '@/lib/client/models'

const LIST_ID = 'model-list'
const optionId = (index: number) => `${LIST_ID}-${index}`

type ModelListProps = { models: ModelCard[]; chosenId: string | undefined; onPick: (id: string) => void }

/** All models with a search field: type, move with the arrows, Enter picks. */
export function ModelList({ models, chosenId, onPick }: ModelListProps) {
  const [search, setSearch] = useState('')
  const found = searchModels(models, useDeferredValue(search))
  const [at, setAt] = useState(() =>
    Math.max(
      0,
      models.findIndex((model) => model.id === chosenId),
    ),
  )
  const active = Math.min(at, found.length - 1)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])

  const onKeyDown = (event: KeyboardEvent) => {
    const move = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key]
    if (move !== undefined) {
      event.preventDefault()
      setAt(Math.max(0, Math.min(found.length - 1, active + move)))
    }
    const model = found[active]
    if (event.key === 'Enter' && model && !model.isOffline && !event.nativeEvent.isComposing) {
      event.preventDefault()
      onPick(model.id)
    }
  }
  return (
    <div>
      <div className="flex items-center gap-2 border-b border-line px-3">
        <Search aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.5} />
        <input
          role="combobox"
          aria-label="Search models"
          aria-expanded="true"
          aria-controls={LIST_ID}
          aria-activedescendant={found.length > 0 ? optionId(active) : undefined}
          autoComplete="off"
          spellCheck={false}
          placeholder="Search models"
          value={search}
          onChange={(event) => {
            setSearch(event.target.value)
            setAt(0)
          }}
          onKeyDown={onKeyDown}
          className="min-h-11 flex-1 bg-transparent text-14 outline-none placeholder:text-ink-3 pointer-coarse:text-16"
        />
      </div>
      <div
        ref={list}
        id={LIST_ID}
        role="listbox"
        aria-label="Models"
        className="thin-scroll max-h-[min(24rem,50dvh)] overflow-y-auto p-1"
      >
        {found.map((model, index) => (
          <ModelOption
            key={model.id}
            id={optionId(index)}
            model={model}
            isActive={index === active}
            isChosen={model.id === chosenId}
            onPick={onPick}
          />
        ))}
      </div>
      <p
        className={
          found.length === 0 ? 'px-4 pb-5 text-14 text-ink-3' : 'border-t border-line px-4 py-2 text-12 text-ink-3'
        }
      >
        {found.length === 0 ? 'No model has all of these words.' : 'Prices in dollars per million tokens'}
      </p>
    </div>
  )
}

type ModelOptionProps = {
  id: string
  model: ModelCard
  isActive: boolean
  isChosen: boolean
  onPick: (id: string) => void
}

function ModelOption({ id, model, isActive, isChosen, onPick }: ModelOptionProps) {
  return (
    // Keys are handled by the search field, which keeps the focus.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above
    // biome-ignore lint/a11y/useFocusableInteractive: see above
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-disabled={model.isOffline}
      onClick={() => !model.isOffline && onPick(model.id)}
      className={`flex cursor-default gap-2 rounded-control px-2 py-2 [contain-intrinsic-size:auto_3.5rem] [content-visibility:auto] ${isActive ? 'bg-hover' : 'hover:bg-hover'}`}
    >
      <Check
        aria-hidden="true"
        className={`mt-0.5 size-4 shrink-0 text-accent ${isChosen ? '' : 'invisible'}`}
        strokeWidth={2}
      />
      <div className="min-w-0 flex-1">
        <div className="flex items-baseline justify-between gap-3">
          <span className={`truncate text-14 font-medium ${model.isOffline ? 'text-ink-3' : ''}`}>{model.name}</span>
          <Price model={model} />
        </div>
        <div className="mt-0.5 flex flex-wrap gap-x-2 text-12 text-ink-3">
          {model.isOffline && <span className="text-danger">not serving now</span>}
          {model.contextTokens > 0 && <span>{compact(model.contextTokens)} context</span>}
          {model.badges.map((badge) => (
            <span key={badge}>{badge}</span>
          ))}
          <span>{model.privacy === 'private' ? 'keeps nothing' : 'anonymised'}</span>
          {model.isBeta && <span>beta</span>}
          {model.retiresAt && <span className="text-danger">retires {model.retiresAt.slice(0, 10)}</span>}
        </div>
      </div>
    </div>
  )
}

/** Dollars per million tokens, in and out. */
function Price({ model }: { model: ModelCard }) {
  if (!model.price) return <span className="shrink-0 text-12 text-ink-3">free</span>
  const { input, output } = model.price
  return (
    <span className="shrink-0 font-mono text-12 text-ink-2" title="Dollars per million tokens, in and out">
      {formatPrice(input)} <span className="text-ink-3">in ·</span> {formatPrice(output)}{' '}
      <span className="text-ink-3">out</span>
    </span>
  )
}

function compact(tokens: number): string {
  if (tokens < 1000) return String(tokens)
  // Most windows are powers of two, and are called by them: 131,072 is 128k.
  const thousand = tokens % 1024 === 0 ? 1024 : 1000
  return tokens < 1_000_000 ? `${Math.round(tokens / thousand)}k` : `${Number((tokens / 1_000_000).toFixed(1))}M`
}
