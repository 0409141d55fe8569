import type { CharacterFilter } from '@/lib/browser/characters'
import { CATEGORIES, type SORTS } from '@/lib/contract/characters/character'
import { msg } from '@/lib/i18n/t'

/** Whose characters the gallery shows. */
export type GallerySection = 'all' | 'favourites' | 'recent' | 'own'

export type GalleryState = CharacterFilter & { shelf: GallerySection }

export const SHELVES: readonly { shelf: GallerySection; name: string }[] = [
  { shelf: 'all', name: msg('All') },
  { shelf: 'favourites', name: msg('Favourites') },
  { shelf: 'recent', name: msg('Recent') },
  { shelf: 'own', name: msg('Yours') },
]

const CATEGORY_NAMES: Readonly<Record<(typeof CATEGORIES)[number], string>> = {
  learning: msg('Learning'),
  coding: msg('Coding'),
  writing: msg('Writing'),
  languages: msg('Languages'),
  philosophy: msg('Philosophy'),
  science: msg('Science'),
  games: msg('Games'),
  health: msg('Health'),
  business: msg('Business'),
  life: msg('Life'),
}

export const CATEGORY_LIST = CATEGORIES.map((category) => ({ category, name: CATEGORY_NAMES[category] }))

export const SORT_NAMES: readonly { sortBy: (typeof SORTS)[number]; name: string }[] = [
  { sortBy: 'imports', name: msg('Popular') },
  { sortBy: 'highestRating', name: msg('Best rated') },
  { sortBy: 'ratingCount', name: msg('Most rated') },
  { sortBy: 'mostRecent', name: msg('Newest') },
  { sortBy: 'featured', name: msg('Featured only') },
]

export const START: GalleryState = {
  shelf: 'all',
  search: '',
  category: '',
  tag: '',
  sortBy: 'imports',
  isAdult: false,
}

/** What the gallery was left at, for who comes back from a character's page. As long as this page. */
let kept = START

export const keptState = (): GalleryState => kept

export function keepState(state: GalleryState): void {
  kept = state
}

type Named = { name: string; description: string | null; tags: string[] }

/** Whether every word of a search is somewhere in what is said of a character, as the service has it. */
export function isFound({ name, description, tags }: Named, search: string): boolean {
  const text = `${name}\n${description ?? ''}\n${tags.join('\n')}`.toLowerCase()
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  return words.every((word) =>
    word.startsWith('#') ? tags.some((tag) => tag.startsWith(word.replace(/^#+/, ''))) : text.includes(word),
  )
}
