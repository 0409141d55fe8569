'use client'

import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { COMMANDS, type CommandContext } from '@/components/chat/composer/commands'
import { isComposing, type KeyTaker, type Trigger } from '@/components/chat/composer/field'
import { findCharacters } from '@/lib/browser/characters'
import { formatPrice } from '@/lib/browser/format/cost'
import type { ModelCard } from '@/lib/browser/models'
import { matching } from '@/lib/browser/palette-items'
import { t } from '@/lib/i18n/t'

const SUGGESTIONS_ID = 'composer-suggestions'
const optionId = (index: number) => `${SUGGESTIONS_ID}-${index}`

const MAX_MODELS = 8
const MAX_CHARACTERS = 6

type Option = { key: string; label: string; hint: string; isOff?: boolean; pick: () => void }

type SuggestionsProps = {
  trigger: Trigger
  context: CommandContext
  models: ModelCard[]
  onPickModel: (id: string) => void
  takeOut: () => void
  onClose: () => void
  keys: RefObject<KeyTaker | undefined>
  onActive: (id: string | undefined) => void
}

export function Suggestions({
  trigger,
  context,
  models,
  onPickModel,
  takeOut,
  onClose,
  keys,
  onActive,
}: SuggestionsProps) {
  // What was found for the letters before stays until there is something better.
  const wanted = { ...charactersNamed(trigger.query), placeholderData: keepPreviousData }
  const characters = useQuery({ ...wanted, enabled: trigger.kind === '@' })
  const options = useMemo((): Option[] => {
    if (trigger.kind === '/') return commandOptions(trigger.query, context)
    const people = (characters.data ?? []).map(
      ({ ref, description }): Option => ({
        key: `character-${ref.id}`,
        label: ref.name,
        hint: description || t('Character'),
        pick: () => context.setup.change({ character: ref }),
      }),
    )
    return [...modelOptions(trigger.query, models, onPickModel), ...people]
  }, [trigger, context, models, characters.data, onPickModel])
  const [at, setAt] = useState(0)
  const [query, setQuery] = useState(trigger.query)
  if (query !== trigger.query) {
    setQuery(trigger.query)
    setAt(0)
  }
  const active = Math.min(at, options.length - 1)
  const list = useRef<HTMLDivElement>(null)

  const pick = (option: Option | undefined) => {
    if (!option || option.isOff) return
    takeOut()
    option.pick()
  }
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
    onActive(options.length > 0 ? optionId(active) : undefined)
  }, [active, options.length, onActive])
  useEffect(() => () => onActive(undefined), [onActive])
  useEffect(() => {
    keys.current = (event) => {
      if (isComposing(event)) return false
      if (event.key === 'Escape') {
        onClose()
        return true
      }
      if (options.length === 0) return false
      const move = { ArrowDown: 1, ArrowUp: -1 }[event.key]
      if (move !== undefined) {
        setAt((active + move + options.length) % options.length)
        return true
      }
      if ((event.key !== 'Enter' && event.key !== 'Tab') || event.shiftKey) return false
      pick(options[active])
      return true
    }
    return () => {
      keys.current = undefined
    }
  })
  const isEmpty = options.length === 0
  return (
    <div className="enter absolute inset-x-0 bottom-full z-20 mb-2 overflow-hidden rounded-card border border-line bg-surface shadow-over">
      <div
        ref={list}
        id={SUGGESTIONS_ID}
        role="listbox"
        aria-label={trigger.kind === '/' ? t('Commands') : t('Models and characters')}
        className="thin-scroll max-h-[min(14rem,26dvh)] overflow-y-auto p-1 empty:hidden"
      >
        {options.map((option, index) => (
          <div
            key={option.key}
            id={optionId(index)}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            aria-disabled={option.isOff}
            // Pressing must not take the focus out of the field.
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => pick(option)}
            onKeyDown={undefined}
            className={`flex min-h-9 cursor-default items-baseline gap-3 rounded-control px-2.5 py-1.5 pointer-coarse:min-h-11 ${index === active ? 'bg-hover' : ''}`}
          >
            <span dir="auto" className={`shrink-0 text-14 font-medium ${option.isOff ? 'text-ink-3' : 'text-ink'}`}>
              {option.label}
            </span>
            <span className="min-w-0 flex-1 truncate text-13 text-ink-2">{option.hint}</span>
          </div>
        ))}
      </div>
      {isEmpty && (
        <p className="px-3.5 py-2.5 text-13 text-ink-2">
          {trigger.kind === '/'
            ? t('Unknown command. Press Enter to send the text as is.')
            : t('No matching model or character. Press Enter to send the text as is.')}
        </p>
      )}
    </div>
  )
}

function commandOptions(query: string, context: CommandContext): Option[] {
  const offered = COMMANDS.filter(({ isOffered }) => isOffered?.(context) ?? true)
  const named = offered.map((command) => ({ ...command, searchTerms: command.keywords ?? '' }))
  return matching(named, query, named.length).map((command) => ({
    key: command.name,
    hint: t(command.hint),
    label: `/${command.name}`,
    pick: () => command.run(context),
  }))
}

function modelOptions(query: string, models: ModelCard[], onPick: (id: string) => void): Option[] {
  const named = models.map((model) => ({ name: model.name, searchTerms: model.id, model }))
  return matching(named, query, MAX_MODELS).map(({ model }) => ({
    key: `model-${model.id}`,
    label: model.name,
    hint: hintOf(model),
    isOff: model.isOffline,
    pick: () => onPick(model.id),
  }))
}

function hintOf(model: ModelCard): string {
  if (model.refusesTestCredit) return t('Model, unavailable with test credit')
  if (model.isOffline) return t('Model, currently unavailable')
  return model.price
    ? t('Model, {price} per 1M output tokens', { price: formatPrice(model.price.output) })
    : t('Model, free')
}

const FRESH_MS = 60_000
const charactersNamed = (query: string) =>
  queryOptions({
    queryKey: ['characters', 'mentioned', query],
    queryFn: ({ signal }) => findCharacters(query, MAX_CHARACTERS, signal),
    staleTime: FRESH_MS,
  })
