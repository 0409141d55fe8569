export type ItemKind = 'chat' | 'action' | 'screen' | 'setting' | 'model' | 'character' | 'network' | 'method'

export type Item = {
  id: string
  kind: ItemKind
  name: string
  note?: string
  searchTerms?: string
  keys?: string
  run: () => void
}

export type NetworkSearch = (text: string) => Item[]

export type PaletteQuery = { text: string; kinds?: readonly ItemKind[] }

const PREFIXES: Readonly<Record<string, readonly ItemKind[]>> = {
  '>': ['action', 'screen', 'setting'],
  '#': ['network', 'method'],
  '@': ['character'],
}

/** Parses a query; a first sign narrows the list: `>` actions, `#` networks and methods, `@` characters. */
export function readQuery(query: string): PaletteQuery {
  const text = query.trimStart()
  const kinds = PREFIXES[text.slice(0, 1)]
  return kinds ? { text: text.slice(1).trim(), kinds } : { text: text.trim() }
}

export const includesKind = ({ kinds }: PaletteQuery, kind: ItemKind): boolean =>
  kinds === undefined || kinds.includes(kind)

type Named = Pick<Item, 'name' | 'note' | 'searchTerms'>

/** Ranks the items that have all words of a text: a name that begins with it, a word that does, then anywhere. */
export function matching<T extends Named>(items: readonly T[], text: string, max: number): T[] {
  const terms = text
    .toLowerCase()
    .split(/[\s_/]+/)
    .filter(Boolean)
  if (terms.length === 0) return items.slice(0, max)
  const ranked = items.flatMap((item) => {
    const rank = rankOf(item, terms)
    return rank === undefined ? [] : [{ item, rank }]
  })
  // Items of the same rank keep their order.
  return ranked
    .sort((a, b) => a.rank - b.rank)
    .slice(0, max)
    .map(({ item }) => item)
}

function rankOf({ name, note = '', searchTerms: more = '' }: Named, terms: readonly string[]): number | undefined {
  const label = name.toLowerCase()
  const all = `${label} ${note} ${more}`.toLowerCase()
  if (!terms.every((word) => all.includes(word))) return undefined
  if (label.startsWith(terms.join(' '))) return 0
  const parts = label.split(/[\s_.-]+/)
  if (terms.every((word) => parts.some((part) => part.startsWith(word)))) return 1
  return terms.every((word) => label.includes(word)) ? 2 : 3
}
