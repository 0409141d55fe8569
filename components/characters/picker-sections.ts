import { isFound } from '@/components/characters/filters'
import { refOf } from '@/lib/browser/characters'
import type { CharacterRef, LocalCharacter } from '@/lib/browser/storage/records'
import type { Character } from '@/lib/contract/characters/character.schema'
import { t } from '@/lib/i18n/t'

/** One that can be chosen. */
export type Choice = { ref: CharacterRef; description: string }

export type PickerSection = { title: string; choices: Choice[] }

type Known = {
  search: string
  /** Ids, best first. */
  favourites: string[]
  recent: CharacterRef[]
  local: LocalCharacter[]
  /** Favourites that the service has. */
  named: Character[]
  /** What the service found for the search. */
  all: Character[]
}

/** Whom one can choose, each once: favourites, those used last, one's own, all others. */
export function pickerSections({ search, favourites, recent, local, named, all }: Known): PickerSection[] {
  const mine = local.filter((character) => isFound(character, search)).map(localChoice)
  const liked = named.filter((character) => isFound(character, search)).map(publicChoice)
  const theirs = all.map(publicChoice)
  const byId = new Map([...theirs, ...liked, ...mine].map((choice) => [choice.ref.id, choice]))
  const taken = new Set<string>()
  const take = (choices: (Choice | undefined)[]): Choice[] =>
    choices.flatMap((choice) => {
      if (!choice || taken.has(choice.ref.id)) return []
      taken.add(choice.ref.id)
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
