'use client'

import { useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { memo, type RefObject, useEffect, useMemo, useState } from 'react'
import {
  alternativeOf,
  listMethods,
  type MethodEntry,
  type MethodSection,
  searchMethods,
} from '@/components/rpc/method-list'
import { TierBadge } from '@/components/rpc/notices'
import { summariesQuery } from '@/components/rpc/use-call'
import { AnchoredPopover } from '@/components/ui/anchored-popover'
import { ComboboxField, useActiveOption } from '@/components/ui/combobox'
import { OVERLAY } from '@/components/ui/menu'
import type { RpcNetwork } from '@/lib/contract/rpc-networks'
import { t } from '@/lib/i18n/t'

type MethodListProps = {
  network: RpcNetwork
  entries: readonly MethodEntry[] | undefined
  chosen: string
  onPick: (method: string) => void
}

type MethodPopoverProps = MethodListProps & {
  isOpen: boolean
  onClose: () => void
  anchor: RefObject<HTMLElement | null>
}

export function MethodPopover({ isOpen, onClose, anchor, onPick, ...list }: MethodPopoverProps) {
  const pick = (method: string) => {
    onPick(method)
    onClose()
  }
  return (
    <AnchoredPopover
      {...{ isOpen, onClose, anchor }}
      label={t('Choose a method')}
      align="start"
      className={`${OVERLAY} w-[min(30rem,calc(100vw-1rem))]`}
    >
      <MethodList {...list} onPick={pick} />
    </AnchoredPopover>
  )
}

const LIST_ID = 'method-list'
const optionId = (method: string) => `${LIST_ID}-${method}`

// The catalogue is in English.
const CATALOGUE = { lang: 'en', dir: 'ltr' } as const

const isTyped = (entry: MethodEntry): boolean => 'refusal' in entry && entry.refusal === 'unmapped'

const isCatalogued = ({ group, entries }: MethodSection): boolean =>
  entries.every((entry) => entry.group === group && !isTyped(entry))

function MethodList({ network, entries, chosen, onPick }: MethodListProps) {
  const [search, setSearch] = useState('')
  const summaries = useQuery(summariesQuery(network.family)).data
  const sections = useMemo(() => {
    const describe = (method: string) => {
      const summary = summaries?.get(method)
      return summary ? `${summary} ${t(summary)}` : ''
    }
    return searchMethods(entries ?? listMethods(network), search, describe)
  }, [network, entries, search, summaries])
  const methods = useMemo(() => sections.flatMap(({ entries }) => entries.map(({ method }) => method)), [sections])
  const { active, set, move } = useActiveOption(methods, chosen)
  useEffect(() => {
    if (active) document.getElementById(optionId(active))?.scrollIntoView({ block: 'nearest' })
  }, [active])

  return (
    <div>
      <ComboboxField
        label={t('Search methods')}
        placeholder={t('Search or enter a method')}
        listId={LIST_ID}
        activeId={active && optionId(active)}
        value={search}
        onChange={(value) => {
          setSearch(value)
          set(undefined)
        }}
        onMove={move}
        onPick={() => active && onPick(active)}
        className="font-mono text-13 placeholder:font-sans placeholder:text-14"
      />
      <div
        id={LIST_ID}
        role="listbox"
        aria-label={t('Methods')}
        className="thin-scroll max-h-[min(28rem,55dvh)] overflow-y-auto p-1"
      >
        {sections.map((section) => (
          <Section
            key={section.group}
            {...{ section, network, summaries, chosen, onPick }}
            active={section.entries.some(({ method }) => method === active) ? active : undefined}
          />
        ))}
      </div>
      {methods.length === 0 && <p className="px-4 pt-2 pb-5 text-14 text-ink-3">{t('No results.')}</p>}
    </div>
  )
}

type SectionProps = Pick<MethodListProps, 'network' | 'chosen' | 'onPick'> & {
  section: MethodSection
  summaries: ReadonlyMap<string, string> | undefined
  active: string | undefined
}

function Section({ section, summaries, active, chosen, ...props }: SectionProps) {
  const isForeign = section.entries.every((entry) => entry.isForeign)
  return (
    // biome-ignore lint/a11y/useSemanticElements: a group of options, as the pattern for list boxes has it
    <div role="group" aria-label={section.group} className="pb-1">
      <p aria-hidden="true" className="px-2 pt-2.5 pb-1 text-12 font-medium text-ink-3">
        <span {...(isCatalogued(section) ? CATALOGUE : {})}>{section.group}</span>
        {isForeign && <span className="font-normal"> · {t('other networks')}</span>}
      </p>
      {section.entries.map((entry) => (
        <Option
          key={entry.method}
          {...props}
          entry={entry}
          summary={summaries?.get(entry.method)}
          isActive={entry.method === active}
          isChosen={entry.method === chosen}
        />
      ))}
    </div>
  )
}

type OptionProps = Pick<MethodListProps, 'network' | 'onPick'> & {
  entry: MethodEntry
  summary: string | undefined
  isActive: boolean
  isChosen: boolean
}

// Memoized: a key pressed in the search leaves most entries as they are.
const Option = memo(function Option({ entry, summary, network, isActive, isChosen, onPick }: OptionProps) {
  const { method } = entry
  const isOffered = 'tier' in entry
  const alternative = isOffered ? undefined : alternativeOf(method, network.family)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: keys are handled by the search field, which keeps the focus
    <div
      id={optionId(method)}
      role="option"
      aria-selected={isChosen}
      onClick={() => onPick(method)}
      className={`flex cursor-default items-start gap-2 rounded-control px-2 py-1.5 [contain-intrinsic-size:auto_2rem] [content-visibility:auto] pointer-coarse:py-2.5 ${isActive ? 'bg-hover' : 'hover:bg-hover'}`}
    >
      <span className="mt-0.5 size-4 shrink-0 text-accent">
        {isChosen && <Check aria-hidden="true" className="size-4" strokeWidth={2} />}
      </span>
      <span className="min-w-0 flex-1">
        <span
          dir="ltr"
          className={`block rtl:text-end font-mono text-13 wrap-anywhere ${isOffered ? '' : 'text-ink-3 line-through'}`}
        >
          {method}
        </span>
        {isOffered && summary && <span className="mt-0.5 block text-12 text-ink-3">{t(summary)}</span>}
        {!isOffered && (
          <span className="mt-0.5 block text-12 text-ink-3">
            {isTyped(entry) ? entry.hint : t(entry.hint)}
            {alternative && !entry.hint.includes(alternative) && (
              <>
                {' '}
                (<span className="font-mono">{alternative}</span>)
              </>
            )}
          </span>
        )}
      </span>
      {entry.isBroadcast && <span className="shrink-0 text-12 text-ink-3">{t('broadcast')}</span>}
      {isOffered && <TierBadge tier={entry.tier} />}
    </div>
  )
})
