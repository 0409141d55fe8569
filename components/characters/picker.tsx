'use client'

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useLiveQuery } from 'dexie-react-hooks'
import { UserRoundX } from 'lucide-react'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import { PersonaNote } from '@/components/characters/persona-note'
import { PickerOption } from '@/components/characters/picker-option'
import { pickerSections } from '@/components/characters/picker-sections'
import { Button } from '@/components/ui/button'
import { ComboboxField, useActiveOption } from '@/components/ui/combobox'
import { Sheet } from '@/components/ui/sheet'
import { galleryQuery, namedQuery } from '@/lib/browser/character-queries'
import { useSetup } from '@/lib/browser/chat-setup'
import { useFavourites } from '@/lib/browser/storage/favourites'
import { listLocal } from '@/lib/browser/storage/own-characters'
import { recentCharacters } from '@/lib/browser/storage/recents'
import type { CharacterRef } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

const LIST_ID = 'character-list'
const optionId = (id: string) => `${LIST_ID}-${id}`
const RECENT_COUNT = 5

type CharacterPickerProps = {
  /** `null` for the chat that has not begun. */
  chatId: string | null
  onClose: () => void
}

/** Who answers in a chat from the next question on: search, favourites, those used last, one's own, all others. */
export function CharacterPicker({ chatId, onClose }: CharacterPickerProps) {
  const { character: chosen, change } = useSetup(chatId)
  const pick = (character: CharacterRef | null) => {
    change({ character })
    onClose()
  }
  return (
    <Sheet isOpen onClose={onClose} title={t('Choose a character')}>
      <p className="mt-1 text-13 text-ink-2">
        {chosen
          ? t('{name} answers now. Your choice takes over with the next message.', { name: chosen.name })
          : t('Your choice takes over with the next message.')}
      </p>
      {chosen && (
        <Button className="mt-3" onClick={() => pick(null)}>
          <UserRoundX aria-hidden="true" className="size-4" strokeWidth={1.5} />
          {t('Continue without a character')}
        </Button>
      )}
      <List chosenId={chosen?.id} onPick={pick} />
      <PersonaNote />
    </Sheet>
  )
}

type ListProps = { chosenId: string | undefined; onPick: (character: CharacterRef) => void }

function List({ chosenId, onPick }: ListProps) {
  const [search, setSearch] = useState('')
  const { sections, hasFailed, isPending } = useSections(search)
  const all = useMemo(() => sections.flatMap((section) => section.choices), [sections])
  const { active, set, move } = useActiveOption(
    useMemo(() => all.map(({ ref }) => ref.id), [all]),
    chosenId,
  )
  const choice = all.find(({ ref }) => ref.id === active)
  useEffect(() => {
    if (active) document.getElementById(optionId(active))?.scrollIntoView({ block: 'nearest' })
  }, [active])
  return (
    <div className="mt-3 overflow-hidden rounded-card border border-line bg-surface">
      <ComboboxField
        label={t('Search characters')}
        placeholder={t('Search characters')}
        listId={LIST_ID}
        activeId={active && optionId(active)}
        value={search}
        onChange={(value) => {
          setSearch(value)
          set(undefined)
        }}
        onMove={move}
        onPick={() => choice && onPick(choice.ref)}
      />
      <div
        id={LIST_ID}
        role="listbox"
        aria-label={t('Characters')}
        className="thin-scroll h-[min(20rem,38dvh)] overflow-y-auto p-1"
      >
        {sections.map(({ title, choices }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of options, as the pattern for list boxes has it
          <div key={title} role="group" aria-label={title} className="pb-1">
            <p aria-hidden="true" className="px-2 pt-2 pb-1 text-12 font-medium text-ink-3">
              {title}
            </p>
            {choices.map((one) => (
              <PickerOption
                key={one.ref.id}
                id={optionId(one.ref.id)}
                choice={one}
                isActive={one.ref.id === active}
                isChosen={one.ref.id === chosenId}
                onPick={onPick}
              />
            ))}
          </div>
        ))}
        {all.length === 0 && (
          // An option, since a list box holds nothing else.
          <div
            role="option"
            aria-selected="false"
            aria-disabled="true"
            tabIndex={-1}
            className="px-2 py-2 text-14 text-ink-3"
          >
            {isPending ? t('Loading characters') : t('No results.')}
          </div>
        )}
      </div>
      {hasFailed && (
        <p className="border-t border-line px-4 py-2 text-12 text-ink-3">
          {t('The service’s characters could not be loaded. Only characters in this browser are listed.')}
        </p>
      )}
    </div>
  )
}

function useSections(search: string) {
  const wanted = useDeferredValue(search.trim())
  const favourites = useFavourites('character').ids
  const recent = useLiveQuery(() => recentCharacters(RECENT_COUNT).catch(() => []), [])
  const local = useLiveQuery(() => listLocal().catch(() => []), [])
  const all = useInfiniteQuery({
    ...galleryQuery({ search: wanted, category: '', tag: '', sortBy: 'imports', isAdult: false }),
    placeholderData: (before) => before,
  })
  // What has a star may be far down the list of all.
  const localIds = new Set(local?.map(({ id }) => id))
  const named = useQuery({
    ...namedQuery((favourites ?? []).filter((id) => !localIds.has(id))),
    enabled: favourites !== undefined && local !== undefined,
  })
  const sections = useMemo(
    () =>
      pickerSections({
        search: wanted,
        favourites: favourites ?? [],
        recent: recent ?? [],
        local: local ?? [],
        named: named.data ?? [],
        all: all.data?.pages.flat() ?? [],
      }),
    [wanted, favourites, recent, local, named.data, all.data],
  )
  return { sections, hasFailed: all.isError, isPending: all.isPending }
}
