'use client'

import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useLiveQuery } from 'dexie-react-hooks'
import { Check, UserRoundX } from 'lucide-react'
import { memo, useDeferredValue, useEffect, useMemo, useState } from 'react'
import { isFound } from '@/components/characters/gallery-filters'
import { Portrait } from '@/components/characters/portrait'
import { Button } from '@/components/ui/button'
import { ComboboxField, useActiveOption } from '@/components/ui/combobox'
import { TextField } from '@/components/ui/form-fields'
import { Sheet } from '@/components/ui/modal'
import { galleryQuery, namedQuery, PERSONA_LIMITS, refOf } from '@/lib/browser/characters'
import { useSetup } from '@/lib/browser/chat-setup'
import { usePreference } from '@/lib/browser/preferences'
import { recentCharacters } from '@/lib/browser/storage/chats'
import { useFavourites } from '@/lib/browser/storage/favourites'
import { listLocal } from '@/lib/browser/storage/own-characters'
import type { CharacterRef, LocalCharacter } from '@/lib/browser/storage/records'
import type { Character } from '@/lib/contract/characters/character.schema'
import { t } from '@/lib/i18n/t'

const PickerOption = memo(function PickerOption({ id, choice, isActive, isChosen, onPick }: PickerOptionProps) {
  const { ref, description } = choice
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: keys are handled by the search field, which keeps the focus
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      onClick={() => onPick(ref)}
      className={`flex cursor-default items-center gap-3 rounded-control px-2 py-1.5 [contain-intrinsic-size:auto_3.25rem] [content-visibility:auto] pointer-coarse:py-2 ${isActive ? 'bg-hover' : 'hover:bg-hover'}`}
    >
      <Portrait character={ref} className="size-10 shrink-0 rounded-control" />
      <span className="min-w-0 flex-1">
        <span dir="auto" className="block truncate font-serif text-16 leading-5">
          {ref.name}
        </span>
        <span dir="auto" className="block truncate text-12 text-ink-3">
          {description}
        </span>
      </span>
      {isChosen && <Check aria-hidden="true" className="size-4 shrink-0 text-accent" strokeWidth={2} />}
    </div>
  )
})

const USER: string = '{{user}}'

const LIST_ID = 'character-list'
const optionId = (id: string) => `${LIST_ID}-${id}`
const RECENT_COUNT = 5

type CharacterPickerProps = { chatId: string | null; onClose: () => void }

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
          ? t('Current character: {name}. Your choice takes over with the next message.', { name: chosen.name })
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

function PersonaNote() {
  const [isOpen, setIsOpen] = useState(false)
  const [name] = usePreference('personaName')
  return (
    <div className="mt-4">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="min-h-9 rounded-control text-13 text-accent hover:underline pointer-coarse:min-h-11"
      >
        {name.trim() ? t('Your persona: {name}', { name: name.trim() }) : t('Set your persona')}
      </button>
      {isOpen && <PersonaFields />}
    </div>
  )
}

function PersonaFields() {
  const [name, setName] = usePreference('personaName')
  const [about, setAbout] = usePreference('persona')
  return (
    <div className="mt-2 space-y-3">
      <TextField
        label={t('Your name')}
        hint={t('Replaces {user} in the text of your own characters.', { user: USER })}
        maxLength={PERSONA_LIMITS.name}
        value={name}
        onChange={setName}
      />
      <TextField
        label={t('About you')}
        hint={t('Stored in this browser. Sent to the model with each message to a character.')}
        maxLength={PERSONA_LIMITS.about}
        rows={3}
        value={about}
        onChange={setAbout}
      />
    </div>
  )
}

type PickerOptionProps = {
  id: string
  choice: Choice
  isActive: boolean
  isChosen: boolean
  onPick: (character: CharacterRef) => void
}

type Choice = { ref: CharacterRef; description: string }

type PickerSection = { title: string; choices: Choice[] }

type Known = {
  search: string
  favourites: string[]
  recent: CharacterRef[]
  local: LocalCharacter[]
  named: Character[]
  all: Character[]
}

export function pickerSections({ search, favourites, recent, local, named, all }: Known): PickerSection[] {
  const mine = local.filter((character) => isFound(character, search)).map(localChoice)
  const liked = named.filter((character) => isFound(character, search)).map(publicChoice)
  const theirs = all.map(publicChoice)
  const byId = new Map([...theirs, ...liked, ...mine].map((choice) => [choice.ref.id, choice]))
  const added = new Set<string>()
  const take = (choices: (Choice | undefined)[]): Choice[] =>
    choices.flatMap((choice) => {
      if (!choice || added.has(choice.ref.id)) return []
      added.add(choice.ref.id)
      return choice
    })
  return [
    { title: t('Favourites'), choices: take(favourites.map((id) => byId.get(id))) },
    { title: t('Recent'), choices: take(recent.map(({ id }) => byId.get(id))) },
    { title: t('Yours'), choices: take(mine) },
    { title: t('All characters'), choices: take(theirs) },
  ].filter(({ choices }) => choices.length > 0)
}

const localChoice = ({ id, name, description }: LocalCharacter): Choice => ({
  ref: { id, name, isLocal: true },
  description,
})

const publicChoice = (character: Character): Choice => ({
  ref: refOf(character),
  description: character.description ?? '',
})
