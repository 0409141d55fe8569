'use client'

import { Command } from 'cmdk'
import {
  Braces,
  Cpu,
  Drama,
  type LucideIcon,
  MessageSquare,
  Network,
  PanelsTopLeft,
  Search,
  Settings2,
  Zap,
} from 'lucide-react'
import { Dialog } from 'radix-ui'
import { type KeyboardEvent, useRef, useState } from 'react'
import { type FoundGroup, readAll, useResults } from '@/components/palette/results'
import { KeyCaps } from '@/components/ui/key-caps'
import { focusOn, Modal } from '@/components/ui/modal'
import { Sentence } from '@/components/ui/sentence'
import { type Item, type ItemKind, type NetworkSearch, readQuery } from '@/lib/browser/palette-items'
import { t } from '@/lib/i18n/t'

const ICONS: Record<ItemKind, LucideIcon> = {
  chat: MessageSquare,
  action: Zap,
  screen: PanelsTopLeft,
  setting: Settings2,
  model: Cpu,
  character: Drama,
  network: Network,
  method: Braces,
}

type PaletteProps = { query: string; opener: Element | null; searchNetworks: NetworkSearch; onClose: () => void }

export const warm = readAll

export function Palette({ query: first, opener, searchNetworks, onClose }: PaletteProps) {
  const [query, setQuery] = useState(first)
  // What was picked happens when the palette is gone and the focus is back, so that a dialog gives it back in its turn.
  const next = useRef<() => void>(undefined)
  const { groups, isLooking, hasFailed } = useResults(readQuery(query), searchNetworks)
  const selection = useSelection(groups, query)
  const pick = ({ run }: Item) => {
    next.current = run
    onClose()
  }
  return (
    <Modal
      onClose={onClose}
      giveFocus={() => {
        focusOn(opener)
        next.current?.()
      }}
      className="inset-x-0 top-0 z-40 mx-auto flex h-(--viewport-height,100dvh) flex-col border-line bg-surface pt-[env(safe-area-inset-top)] text-14 shadow-over sm:top-[12vh] sm:h-auto sm:max-h-[min(34rem,76vh)] sm:w-[min(40rem,calc(100vw-2rem))] sm:rounded-card sm:border"
    >
      <Dialog.Title className="sr-only">{t('Search and commands')}</Dialog.Title>
      <Command
        {...selection}
        label={t('Search and commands')}
        shouldFilter={false}
        loop
        className="flex min-h-0 flex-1 flex-col"
      >
        <div className="flex shrink-0 items-center gap-2 border-b border-line ps-4 pe-2">
          <Search aria-hidden="true" className="size-[18px] shrink-0 text-ink-3" strokeWidth={1.5} />
          <Command.Input
            dir="auto"
            value={query}
            onValueChange={setQuery}
            placeholder={t('Search chats, models, networks, settings…')}
            className="min-h-13 min-w-0 flex-1 bg-transparent text-16 outline-none placeholder:text-ink-3"
          />
          <Dialog.Close className="min-h-9 rounded-control px-2 text-13 text-ink-3 hover:bg-hover hover:text-ink pointer-coarse:min-h-11">
            {t('Close')}
          </Dialog.Close>
        </div>
        <Command.List
          label={t('Results')}
          className="thin-scroll min-h-0 flex-1 overflow-y-auto overscroll-contain p-2"
        >
          {groups.map(({ name, items }) => (
            <Command.Group key={name} heading={name} className={GROUP}>
              {items.map((item) => (
                <Line key={item.id} item={item} onPick={() => pick(item)} />
              ))}
            </Command.Group>
          ))}
        </Command.List>
        <div className="shrink-0 border-t border-line px-4 py-2 pb-[max(0.5rem,env(safe-area-inset-bottom))]">
          <p role="status" className="text-13 text-ink-2 not-empty:pb-1">
            {hasFailed && !isLooking && t('Could not search your chats.')}
            {groups.length === 0 && !hasFailed && (isLooking ? t('Searching') : t('No results.'))}
          </p>
          <p className="text-12 text-ink-3">
            <Sentence
              text="<action/> actions <network/> networks and methods <character/> characters"
              parts={{
                action: () => <Sign>{'>'}</Sign>,
                network: () => <Sign>#</Sign>,
                character: () => <Sign>@</Sign>,
              }}
            />
          </p>
        </div>
      </Command>
    </Modal>
  )
}

/**
 * Selects the first option also when results come late, until a person moves to another: cmdk selects by itself only on
 * typing, so Enter would do nothing for later results.
 */
function useSelection(groups: FoundGroup[], query: string) {
  const [moved, setMoved] = useState({ query, to: '' })
  const isByHand = useRef(false)
  const ids = groups.flatMap(({ items }) => items.map(({ id }) => id))
  const noteHand = () => {
    isByHand.current = true
  }
  return {
    value: moved.query === query && ids.includes(moved.to) ? moved.to : (ids[0] ?? ''),
    onValueChange: (to: string) => {
      if (isByHand.current) setMoved({ query, to })
      isByHand.current = false
    },
    onKeyDownCapture: ({ key, ctrlKey }: KeyboardEvent) => {
      if (MOVES.includes(key) || ctrlKey) noteHand()
      else isByHand.current = false
    },
    onPointerMoveCapture: noteHand,
  }
}

const MOVES = ['ArrowDown', 'ArrowUp', 'Home', 'End']

const Sign = ({ children }: { children: string }) => (
  <kbd dir="ltr" className="ms-1.5 rounded-control border border-line bg-sunken px-1 font-mono text-ink-2">
    {children}
  </kbd>
)

const GROUP =
  'pb-1 [&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-12 [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-ink-3'

function Line({ item, onPick }: { item: Item; onPick: () => void }) {
  const Icon = ICONS[item.kind]
  return (
    <Command.Item
      value={item.id}
      onSelect={onPick}
      className="flex min-h-10 cursor-pointer items-center gap-3 rounded-control px-2 py-1.5 aria-selected:bg-hover pointer-coarse:min-h-11 forced-colors:aria-selected:outline-2"
    >
      <Icon aria-hidden="true" className="size-[18px] shrink-0 text-ink-3" strokeWidth={1.5} />
      <span className="min-w-0 flex-1">
        <span dir="auto" className={`block truncate ${item.kind === 'method' ? 'font-mono text-13' : ''}`}>
          {item.name}
        </span>
        {item.note && (
          <span dir="auto" className="block truncate text-12 text-ink-3">
            {item.note}
          </span>
        )}
      </span>
      {item.keys && <KeyCaps keys={item.keys} />}
    </Command.Item>
  )
}
